"""Random small programs with fallthrough, shared labels, calls and loops: the set of outcomes is that of the letter.

program ──▶ the judge of letter_programs: every result, from the extension's sentences
        ──▶ `outcomes`: the same set                  ──▶ a pass ──▶ `outcomes`: a part of it
"""

from typing import Final

import pytest
from kit.random.letter import Letter, generated, results, text_of

from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.passes.manager import run_passes
from reknit.sim.outcomes import outcomes

CI: Final = 150
FULL: Final = 6_000
MAX_STEPS: Final = 600
COPYING: Final = (
    "inline",
    "promote-variables, unroll-loops",
    "promote-variables, peel-loops",
    "inline, promote-variables, unroll-loops, simplify-cfg",
)


def found(module: Module, program: Letter) -> set[tuple[int, ...]]:
    given = {"out": [0] * 4, "in": program.inputs}
    what = outcomes(module, subgroup_size=4, buffers=given, limit=8 * MAX_STEPS)
    assert what.exhaustive, what.coverage
    return {tuple(outcome.words("out")) for outcome in what.outcomes}


def test_outcomes_are_those_of_the_letter(full: bool) -> None:
    judged = several = 0
    for seed in range(FULL if full else CI):
        program = generated(seed)
        allowed = results(program, MAX_STEPS)
        if allowed is None:
            continue
        judged += 1
        several += len(allowed) > 1
        assert found(parse(text_of(program)), program) == allowed, f"seed {seed}"
    assert judged > 0.7 * (FULL if full else CI) and several > 0.3 * judged


@pytest.mark.parametrize("passes", COPYING)
def test_a_pass_that_copies_switches_adds_no_outcome(passes: str, full: bool) -> None:
    changed = 0
    for seed in range(FULL, FULL + (FULL // 4 if full else CI // 4)):
        program = generated(seed)
        allowed = results(program, MAX_STEPS)
        if allowed is None:
            continue
        module = parse(text_of(program))
        report = run_passes(module, passes)
        changed += any(entry.changed for entry in report.passes if entry.name != "promote-variables")
        assert found(module, program) <= allowed, f"seed {seed}"
    assert changed
