"""Comparisons of a number that rises with the values of one atom: where the answer changes is found by bisection.

    stage = 0 where v is a, 1 where v is b, 2 where v is c ...      stage <= 1 where v is a or b

Lowering a switch asks so once a case, and to ask every leaf each time would be the square of the cases.
"""

from typing import Final, final

from reknit.ir import op
from reknit.proof.normal_form.diagrams import Diagrams, Job, Terms
from reknit.proof.normal_form.kinds import Kind
from reknit.proof.normal_form.table import LABEL_MASK

_SIGNED: Final = (op.SLessThan, op.SLessThanEqual, op.SGreaterThan, op.SGreaterThanEqual)
_UNSIGNED: Final = (op.ULessThan, op.ULessThanEqual, op.UGreaterThan, op.UGreaterThanEqual)
ORDERED: Final = (*_SIGNED, *_UNSIGNED)


@final
class Steps:
    """Of a diagram: for neighbouring values of its atom the leaves, which are constants, each with the last number of a
    value that has it. They are in order, rising or falling, as `signed` or as `unsigned` numbers; `start` is the first
    value's number."""

    __slots__ = ("start", "ends", "leaves", "signed", "unsigned")

    def __init__(self, table: Diagrams, term: int, width: int) -> None:
        self.start = 0
        self.ends: list[int] = []
        self.leaves: list[int] = []
        bits: list[int] = []
        atom = table.atom(term)
        while table.top(term) >= 0 and table.atom(term) == atom:
            last = table.top(term) & LABEL_MASK
            leaf = table.taken(term)
            if not table.is_constant(leaf) or (self.ends and last != self.start - 1):
                bits = []
                break
            self.start = last - table.more(term)
            self.ends.append(last)
            self.leaves.append(leaf)
            bits.append(table.bits(leaf))
            term = table.otherwise(term)
        sign = 1 << width - 1
        self.unsigned = _is_ordered(bits)
        self.signed = _is_ordered([each ^ sign for each in bits])
        self.ends.reverse()
        self.leaves.reverse()


def _is_ordered(numbers: list[int]) -> bool:
    pairs = list(zip(numbers, numbers[1:], strict=False))
    return bool(numbers) and (all(a < b for a, b in pairs) or all(a > b for a, b in pairs))


def compared(table: Diagrams, job: Job, code: int, kind: Kind, terms: Terms, known: dict[int, Steps]) -> int:
    """A comparison of a diagram with a constant, as `job` has it of leaves; -1 where the leaves are not in order."""
    at = 0 if table.is_constant(terms[1]) else 1
    term = terms[at]
    if table.top(term) < 0 or not table.is_constant(terms[1 - at]):
        return -1
    steps = known.get(term)
    if steps is None:
        steps = known[term] = Steps(table, term, kind.width)
    if not (steps.signed if code in _SIGNED else steps.unsigned):
        return -1
    first = _asked(job, terms, at, steps.leaves[0])
    low, high = 0, len(steps.leaves)  # the answer changes behind `low`, or nowhere
    while high - low > 1:
        middle = (low + high) // 2
        if _asked(job, terms, at, steps.leaves[middle]) == first:
            low = middle
        else:
            high = middle
    order = table.top(term) - steps.ends[-1]
    result = table.leafwise(job, _with(terms, at, table.default(term)))
    result = table.over(order + steps.ends[low], steps.ends[low] - steps.start, first, result)
    if high == len(steps.leaves):
        return result
    other = _asked(job, terms, at, steps.leaves[high])
    return table.over(order + steps.ends[-1], steps.ends[-1] - steps.ends[low] - 1, other, result)


def _asked(job: Job, terms: Terms, at: int, leaf: int) -> int:
    return job.leaf(_with(terms, at, leaf))


def _with(terms: Terms, at: int, term: int) -> Terms:
    return (term, terms[1]) if at == 0 else (terms[0], term)
