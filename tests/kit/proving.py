"""What tests ask of proofs: that one module refines another, for every input where the normal form says so.

    assert_refines(before, after)                   it is proved for every input
    assert_refines(before, after, open="a loop")    that is open, for words of its reason, and no run shows a difference

A test that is proved for every input today can't fall back to runs: where the normal form leaves something open, the
test has words of the reason.
"""

import random
from typing import Final, final

from kit.random.trees import LANES, SUBGROUP_SIZES
from reknit.analysis.tangles.rules import DECLARED, MAXIMAL
from reknit.ir.module import Module
from reknit.proof.by_terms import by_terms
from reknit.proof.normal_form.judge import Finding
from reknit.proof.promises import Promises
from reknit.proof.prove import prove
from reknit.proof.question import Question
from reknit.proof.verdict import PROVED

MAX_STEPS: Final = 100_000


def finding(before: Module, after: Module) -> Finding:
    """Of the first entry point, by the rules of maximal reconvergence."""
    return by_terms(before, after, before.entry_points[0].text(2), MAXIMAL)


def proved_by_terms(before: Module, after: Module) -> bool:
    """Whether `prove` would say "proved" without a run."""
    return promises_keep(before, after) and finding(before, after).proved


def promises_keep(before: Module, after: Module) -> bool:
    """Whether nothing is promised less, so that the normal form decides."""
    promises = Promises(before, after, before.entry_points[0].text(2))
    return not (promises.apart or promises.weaker or promises.unsure)


@final
class Proof:
    """That `after` refines `before`, by `rules`: for every input, else, and for graphs besides, for one input at each
    subgroup size. In full it
    is run either way, for the sample of inputs, and by the rules that each declares. `open` is why it was run."""

    def __init__(self, before: Module, after: Module, rules: str = MAXIMAL, full: bool = False) -> None:
        given = random.Random(0)
        buffers = {"out": [given.getrandbits(32) for _ in range(2 * LANES)]}
        asked = Question(None, SUBGROUP_SIZES, (1, 1, 1), buffers, limit=16, max_steps=MAX_STEPS, rules=rules)
        self.verdict = prove(before, after, asked)
        self.open = ""
        if self.verdict.verdict != PROVED:
            coverage = self.verdict.coverage
            self.open = "; ".join([*[found.text() for found in coverage.open_terms()], *coverage.unsure])
        if self.verdict and not all(each.structured for each in before.functions):
            asked.by_terms = False  # proved as the tree that `structurize` makes of it: the graph is run, too
            self.verdict = prove(before, after, asked)
        for other in (rules, DECLARED) if full else ():
            if self.verdict:
                self.verdict = prove(before, after, Question(rules=other, by_terms=False))

    def fault(self, open: str = "") -> str:
        """What does not hold: where `open` is "", that it is proved for every input; else that those words say why it
        is not, and no run shows a difference."""
        if not self.verdict:
            return f"changes what it does: {self.verdict.counterexample or self.verdict}"
        if self.open and (not open or open not in self.open):
            return f"is not proved for every input: {self.open}"
        if open and not self.open:
            return f"is proved for every input: take out `open: {open}`"
        return ""


def assert_proved(before: Module, after: Module, open: str = "") -> None:
    """As `assert_refines`, without the runs, in a test that has its own."""
    found = "" if proved_by_terms(before, after) else finding(before, after).text() or "one promises less"
    assert (open in found) if open else not found, found or f"it is proved for every input: take out open={open!r}"


def assert_refines(before: Module, after: Module, open: str = "") -> None:
    fault = Proof(before, after).fault(open)
    assert not fault, fault
