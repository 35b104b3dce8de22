"""Hold what lint says of fragment shaders to the simulator: what it leaves out is defined, and has one value.

    program ── lint ──▶ sites with a finding, a constant in place of each ──▶ a program without findings
                                            └── outcomes by the same rule ──▶ exactly one, no undefined derivative

    PYTHONPATH=tests python -m kit.oracles.quad_promises 0:300              these seeds, by every rule
    PYTHONPATH=tests python -m kit.oracles.quad_promises 0:300 --shows      and how many findings a run shows

Sources: SPIR-V 1.6, 2.2.5 "Uniform Control Flow" and "Derivative Group"; Vulkan, "Derivative Operations" ("must be
executed in control flow that is uniform within a derivative group") and "Helper Invocations";
SPV_KHR_maximal_reconvergence. A quad operation that reads an invocation which is not there is undefined, and nothing
that lint reports: `RK1015` of it is passed over, what it gives must depend on nothing.
"""

import re
import sys
from collections import Counter
from collections.abc import Collection, Sequence
from typing import Final, final

from kit.random.quads import DERIVATIVE, DRAWINGS, QuadProgram, buffers, quad_program
from reknit.analysis.tangles.rules import RULES
from reknit.checks.lint.lint import lint_module
from reknit.ir.text.parser import parse
from reknit.sim.outcomes import Outcomes, outcomes
from reknit.sim.result import Result

SITE: Final = re.compile(r"%(s\d+)\b")
LIMIT: Final = 48
STEPS: Final = 60_000


@final
class Judged:
    """Adds up over programs: findings by code, how many of them runs have shown (`shown`, where that was asked), and
    what is wrong, in words."""

    __slots__ = ("programs", "sites", "runs", "findings", "shown", "wrong")

    def __init__(self) -> None:
        self.programs = 0
        self.sites = 0
        self.runs = 0
        self.findings: Counter[str] = Counter()
        self.shown: Counter[str] = Counter()
        self.wrong: list[str] = []


def findings(text: str, rule: str | None = None) -> dict[str, str]:
    """By site, the code of lint's finding."""
    found: dict[str, str] = {}
    for diagnostic in lint_module(parse(text), rule):
        match = SITE.search(diagnostic.message)
        if match is not None:
            found[match[1]] = diagnostic.code
    return found


def without_findings(program: QuadProgram, rule: str) -> tuple[dict[str, str], dict[str, None]]:
    """(the findings of the program as it is, the sites that have to go until there are none)."""
    first = findings(program.text(rule))
    gone: dict[str, None] = dict.fromkeys(first)
    while more := findings(program.text(rule, gone)):
        gone.update(dict.fromkeys(more))
    return first, gone


def outcomes_of(
    program: QuadProgram, rule: str, without: Collection[str], size: int, drawing: str, limit: int = LIMIT
) -> Outcomes:
    return outcomes(
        parse(program.text(rule, without)),
        subgroup_size=size,
        drawing=DRAWINGS[drawing],
        buffers=buffers(),
        push_constants=[program.pushed],
        limit=limit,
        max_steps=STEPS,
    )


def one_outcome(program: QuadProgram, rule: str, size: int, drawing: str) -> tuple[str, Result] | None:
    """(the program without what lint reports of it, its only result); None where a read of a quad operation is
    undefined."""
    _, gone = without_findings(program, rule)
    every = outcomes_of(program, rule, gone, size, drawing)
    result = every.outcomes[0].result
    return None if result.diagnostics else (program.text(rule, gone), result)


def left_by(every: Outcomes) -> set[object]:
    """What different outcomes leave in memory and in the picture, of those that take derivatives in one way: whether
    they are coarse or fine is nothing that lint is about. The most that one way has."""
    by_way: dict[object, set[object]] = {}
    for outcome in every.outcomes:
        picture = outcome.result.framebuffer
        way = tuple([text for text in outcome.result.chosen if " is fine" in text or " is coarse" in text])
        left = by_way.setdefault((way, outcome.policy.derivatives), set())
        left.add((tuple(outcome.result.buffers["out"].words), picture.contents() if picture is not None else None))
    return max(by_way.values(), key=len)


def undefined_derivatives(program: QuadProgram, every: Outcomes) -> dict[str, str]:
    """By site, the message of an outcome in which its quad was not there as a whole."""
    sites = program.sites()
    found: dict[str, str] = {}
    for outcome in every.outcomes:
        for diagnostic in outcome.result.diagnostics:
            match = SITE.search(diagnostic.message)
            if diagnostic.code == "RK1015" and match is not None and sites[match[1]].family == DERIVATIVE:
                found[match[1]] = diagnostic.message
    return found


def judge(
    seed: int, rule: str, sizes: Sequence[int], drawings: Sequence[str], total: Judged, shows: bool = False
) -> None:
    """Add the program of a seed, by one rule, to `total`. `shows`: count which findings a run shows, too."""
    program = quad_program(seed)
    first, gone = without_findings(program, rule)
    total.programs += 1
    total.sites += len(program.sites())
    total.findings.update(first.values())
    shown: dict[str, None] = {}
    for size in sizes:
        for drawing in drawings:
            where = f"seed {seed}, {rule}, subgroups of {size}, drawing {drawing}"
            every = outcomes_of(program, rule, gone, size, drawing)
            total.runs += every.runs
            if not all(outcome.result.finished for outcome in every.outcomes):
                total.wrong.append(f"{where}: not finished: {every.outcomes[0].result.diagnostics[:1]}")
            elif len(left_by(every)) != 1:
                total.wrong.append(f"{where}: {len(left_by(every))} outcomes without a finding")
            for name, message in undefined_derivatives(program, every).items():
                total.wrong.append(f"{where}: nothing is reported of %{name}: {message}")
            if shows:
                shown.update(dict.fromkeys(shown_of(program, rule, first, gone, size, drawing)))
    total.shown.update(first[name] for name in shown)


def shown_of(
    program: QuadProgram, rule: str, first: dict[str, str], gone: dict[str, None], size: int, drawing: str
) -> list[str]:
    """The sites of which a run, with them alone, shows what was found: that it is undefined, or may differ."""
    shown: list[str] = []
    for name in first:
        every = outcomes_of(program, rule, [each for each in gone if each != name], size, drawing)
        if len(left_by(every)) > 1 or name in undefined_derivatives(program, every):
            shown.append(name)
    return shown


def main() -> int:
    begin, end = [int(number) for number in sys.argv[1].split(":")]
    for rule in RULES:
        total = Judged()
        for seed in range(begin, end):
            judge(seed, rule, [4, 8], list(DRAWINGS), total, "--shows" in sys.argv)
        print(f"{rule}: {total.programs} programs, {total.sites} operations, {total.runs} runs", flush=True)
        print(f"  findings {dict(total.findings)}, shown {dict(total.shown)}")
        for wrong in total.wrong:
            print(f"  {wrong}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
