"""What the normal form says of two modules, without runs."""

from reknit.analysis.tangles.rules import MAXIMAL
from reknit.ir.module import Module
from reknit.proof.by_terms import by_terms
from reknit.proof.normal_form.judge import Finding
from reknit.proof.promises import Promises


def finding(before: Module, after: Module) -> Finding:
    """Of the first entry point, by the rules of maximal reconvergence."""
    return by_terms(before, after, before.entry_points[0].text(2), MAXIMAL)


def proved_by_terms(before: Module, after: Module) -> bool:
    """Whether `prove` would say "proved" without a run."""
    promises = Promises(before, after, before.entry_points[0].text(2))
    if promises.apart or promises.weaker or promises.unsure:
        return False
    return finding(before, after).proved
