"""How far proofs without a run reach: how many of the pairs that passes changed, and why not the others.

    python -m kit.proof_reach generated:0:200      random programs by seed
    python -m kit.proof_reach shaders              examples, tests/slang, tests/dispatch
    python -m kit.proof_reach cts spirv-val        the conformance corpora; a step between: shaders:8
    python -m kit.proof_reach --labels ...         with seeds or files of each reason
    python -m kit.proof_reach --passes a,b ...     of these passes alone

Each pass of `reconverge` is judged against what the one before left, and all of them together; the passes that
optimize, on what `promote-variables` makes of the input. Both sides are judged by the rules of maximal reconvergence,
with --declared by those that they declare.
"""

import argparse
import gzip
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import reknit
from kit.pipelines import REWRITING
from reknit.analysis.tangles.rules import DECLARED, MAXIMAL
from reknit.fuzzing.generate import generate
from reknit.fuzzing.to_module import module_of
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_module
from reknit.passes.catalog import PASSES
from reknit.passes.manager import Hooks, run_passes
from reknit.passes.pipelines import RECONVERGE
from reknit.proof.by_terms import by_terms
from reknit.proof.stepwise import copy_of
from reknit.source.diagnostic import InputError
from reknit.spirv.asm import assemble
from reknit.spirv.read import read_module

ROOT: Final = Path(__file__).resolve().parents[2]
CONFORMANCE: Final = ROOT.parent / "shared" / "conformance"
WHOLE: Final = "(reconverge)"
WITH_MEMORY: Final = ("inline", "sink")  # the others see values where variables were promoted

Pair = tuple[str, str, str]
"""A pass, the text before it and the text after it."""


def generated(first: int, last: int) -> Iterator[tuple[str, Module]]:
    for seed in range(first, last):
        yield f"seed {seed}", module_of(generate(seed))


def shaders(step: int) -> Iterator[tuple[str, Module]]:
    paths = [path for folder in ("tests/slang", "tests/dispatch") for path in sorted((ROOT / folder).glob("*.slang"))]
    paths += [path for path in sorted((ROOT / "examples").iterdir()) if path.suffix in (".slang", ".spvasm", ".rk")]
    for path in paths[::step]:
        try:
            yield f"{path.parent.name}/{path.name}", reknit.load(path)
        except InputError:
            continue


def cts(step: int) -> Iterator[tuple[str, Module]]:
    from conformance.cts_program import CtsProgram

    for case in _lines("cts_maximal.jsonl.gz")[::step]:
        ops = case["ops"]
        assert isinstance(ops, list)
        yield f"{case['cts_name']} {case['seed']}", CtsProgram(ops).module


def spirv_val(step: int) -> Iterator[tuple[str, Module]]:
    for name, key, wanted in (
        ("spirv_val_cases.jsonl.gz", "expected", "valid"), ("spirv_val_fuzz.jsonl.gz", "verdict", "valid"),
    ):  # fmt: skip
        for case in [each for each in _lines(name) if each[key] == wanted][::step]:
            try:
                module = read_module(assemble(str(case["asm"])))
            except InputError:
                continue
            if module.entry_points:
                yield str(case.get("name", case.get("id"))), module


def _lines(name: str) -> list[dict[str, object]]:
    with gzip.open(CONFORMANCE / name, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def corpus(text: str) -> Iterator[tuple[str, Module]]:
    """Modules with their labels, by the name of a corpus."""
    name, _, rest = text.partition(":")
    if name == "generated":
        first, last = rest.split(":")
        return generated(int(first), int(last))
    step = int(rest) if rest else 1
    if name in ("shaders", "cts", "spirv-val"):
        return {"shaders": shaders, "cts": cts, "spirv-val": spirv_val}[name](step)
    return iter([(text, reknit.load(text))])


def pairs(label: str, text: str) -> Iterator[Pair]:
    """What each pass changed."""
    steps: list[tuple[str, str]] = [("", text)]

    def changed(number: int, name: str, module: Module) -> None:
        steps.append((name, print_module(module)))

    run_passes(copy_of(text, label), REWRITING, Hooks(print_changed=changed))
    for (_, old), (name, new) in zip(steps, steps[1:], strict=False):
        yield name, old, new
    if steps[-1][1] != text:
        yield WHOLE, text, steps[-1][1]
    promoted = _after("promote-variables", text, label)
    for each in PASSES:
        if each.name in RECONVERGE:
            continue
        old = text if each.name in WITH_MEMORY else promoted
        try:
            new = _after(each.name, old, label)
        except InputError:
            continue
        if new != old:
            yield each.name, old, new


def _after(passes: str, text: str, label: str) -> str:
    module = copy_of(text, label)
    run_passes(module, passes)
    return print_module(module)


class Reach:
    """Counts by pass; `reasons` has the labels of what stays open, by pass and reason."""

    def __init__(self, rules: str) -> None:
        self.rules = rules
        self.proved: Counter[str] = Counter()
        self.open: Counter[str] = Counter()
        self.reasons: dict[tuple[str, str], list[str]] = {}
        self.seconds = 0.0
        self.refused = 0

    def look_at(self, label: str, module: Module, passes: tuple[str, ...]) -> None:
        try:
            changed = list(pairs(label, print_module(module)))
        except InputError:
            self.refused += 1
            return
        for name, old, new in changed:
            if not passes or name in passes:
                self.judge(label, name, old, new)

    def judge(self, label: str, name: str, old: str, new: str) -> None:
        before, after = parse(old), parse(new)
        start = time.process_time()
        finding = by_terms(before, after, before.entry_points[0].text(2), self.rules)
        self.seconds += time.process_time() - start
        if finding.proved:
            self.proved[name] += 1
            return
        self.open[name] += 1
        self.reasons.setdefault((name, finding.reason), []).append(label)

    def lines(self, with_labels: bool) -> Iterator[str]:
        for name in sorted({**self.proved, **self.open}):
            yield f"{name:<30} {self.proved[name]:>6} proved {self.open[name]:>5} open"
        proved, unproved = self.proved.total(), self.open.total()
        share = 100 * proved / max(1, proved + unproved)
        yield f"{'all':<30} {proved:>6} proved {unproved:>5} open   {share:.1f} %   {self.seconds:.0f} s"
        if self.refused:
            yield f"{self.refused} inputs that `reconverge` refuses"
        for (name, reason), labels in sorted(self.reasons.items(), key=lambda item: -len(item[1])):
            shown = f"   {', '.join(labels[:6])}" if with_labels else ""
            yield f"{len(labels):>5}  {name}: {reason}{shown}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="kit.proof_reach")
    parser.add_argument("corpus", nargs="+")
    parser.add_argument("--labels", action="store_true")
    parser.add_argument("--declared", action="store_true")
    parser.add_argument("--passes", default="")
    asked = parser.parse_args()
    reach = Reach(DECLARED if asked.declared else MAXIMAL)
    for text in asked.corpus:
        for label, module in corpus(text):
            reach.look_at(label, module, tuple(asked.passes.split(",")) if asked.passes else ())
    for line in reach.lines(asked.labels):
        sys.stdout.write(line + "\n")


if __name__ == "__main__":
    main()
