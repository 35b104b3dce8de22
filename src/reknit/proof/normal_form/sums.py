"""Sums of integers, each in one form: terms by number with a coefficient each, then a constant, all modulo the width.

    (x + 1) + 1        x + 2                  (x + y) * 4        x * 4 + y * 4
    x - y + y          x                      x << 3             x * 8

Overflow wraps (SPIR-V 1.6, 3.52.13, OpIAdd: "the resulting value will equal the low-order N bits of the correct
result"), so this holds for all values. A sum of more than MAX_TERMS terms is left as it is written.
"""

from typing import Final, final

from reknit.ir import op
from reknit.proof.normal_form.diagrams import Terms
from reknit.proof.normal_form.kinds import INT, Kind
from reknit.proof.normal_form.table import UNFROZEN, Table

MAX_TERMS: Final = 8
LINEAR: Final = (op.IAdd, op.ISub, op.SNegate, op.IMul, op.ShiftLeftLogical)


@final
class Sum:
    """The value `constant` plus each term times its coefficient; none of these is 0."""

    __slots__ = ("terms", "constant")

    def __init__(self, terms: dict[int, int], constant: int) -> None:
        self.terms = terms
        self.constant = constant


def of_operation(table: Table, sums: dict[int, Sum], code: int, kind: Kind, operands: Terms) -> Sum | None:
    """What an operation comes to; None if it is no sum, or one of too many terms. `sums` has those of terms that are
    sums."""
    if kind.category != INT or any(UNFROZEN in table.loops[term] for term in operands):
        return None
    mask = (1 << kind.width) - 1
    first = _sum_of(table, sums, operands[0])
    if code == op.SNegate:
        return _scaled(first, mask, mask)
    second = _sum_of(table, sums, operands[1])
    if code == op.IAdd:
        return _added(first, second, 1, mask)
    if code == op.ISub:
        return _added(first, second, mask, mask)
    if code == op.IMul:
        if first.terms and second.terms:
            return None
        factor, scaled = (first, second) if not first.terms else (second, first)
        return _scaled(scaled, factor.constant, mask)
    if second.terms or second.constant >= kind.width:
        return None
    return _scaled(first, 1 << second.constant, mask)


def _sum_of(table: Table, sums: dict[int, Sum], term: int) -> Sum:
    if table.is_constant(term):
        return Sum({}, table.bits(term))
    known = sums.get(term)
    return known if known is not None else Sum({term: 1}, 0)


def _scaled(first: Sum, factor: int, mask: int) -> Sum:
    scaled = {term: count * factor & mask for term, count in first.terms.items()}
    return Sum({term: count for term, count in scaled.items() if count}, first.constant * factor & mask)


def _added(first: Sum, second: Sum, factor: int, mask: int) -> Sum | None:
    """The first, and the second `factor` times."""
    terms = dict(first.terms)
    for term, count in second.terms.items():
        total = (terms.get(term, 0) + count * factor) & mask
        if total:
            terms[term] = total
        else:
            terms.pop(term, None)
    if len(terms) > MAX_TERMS:
        return None
    return Sum(terms, (first.constant + second.constant * factor) & mask)
