"""Bits that go into a word and come out of it again.

    Bitcast(Bitcast(x))                                     x, as whatever type it was in between
    Bitcast of parts 0 and 1 of Bitcast(x)                  x: a wide number in two words and back
    UConvert((UConvert(a) | UConvert(b) << 16) >> 16)       b: a narrow number in a part of a word and back
"""

from typing import TYPE_CHECKING, Final, final

from reknit.ir import op
from reknit.proof.normal_form.diagrams import Job, Terms
from reknit.proof.normal_form.kinds import Kind
from reknit.proof.normal_form.table import Key
from reknit.source.meter import spend

if TYPE_CHECKING:
    from reknit.proof.normal_form.algebra import Algebra

MAX_PIECES: Final = 64

Piece = tuple[int, int, Kind | None]
"""Bits of a word: where they begin, and the term of a kind that they are all of; None where they are others."""


def bitcast(algebra: "Algebra", kind: Kind, term: int, source: Kind) -> int:
    """OpBitcast where it makes a vector of a number, or the reverse; -1 for all others."""
    if kind is source:
        return term
    if kind.parts and not source.parts:
        parts: list[int] = []
        for index in range(len(kind.parts)):
            name: Key = ("split", kind.number, source.number, index)
            job = algebra.jobs.get(name)
            if job is None:
                job = algebra.jobs[name] = _Split(algebra, kind, source, index)
            parts.append(algebra.leafwise(job, (term,)))
        return algebra.composite(tuple(parts))
    if source.parts and not kind.parts and algebra.keys[term][0] == "m":
        joined: Key = ("join", kind.number, source.number)
        job = algebra.jobs.get(joined)
        if job is None:
            job = algebra.jobs[joined] = _Join(algebra, kind, source)
        return algebra.leafwise(job, algebra.parts(term)) if algebra.is_small(algebra.parts(term)) else -1
    return -1


def undone(algebra: "Algebra", kind: Kind, term: int) -> int:
    """What a bit cast to `kind` is of, if `term` is one of a value of that kind; else -1."""
    key = algebra.keys[term]
    if key[0] == "o" and key[1] == op.Bitcast and algebra.typed[term][0] is kind:
        return algebra.operands(term)[0]
    return -1


@final
class _Split(Job):
    """A component of the vector that a number is cast to."""

    __slots__ = ("algebra", "kind", "source", "index")

    def __init__(self, algebra: "Algebra", kind: Kind, source: Kind, index: int) -> None:
        super().__init__(algebra)
        self.algebra = algebra
        self.kind = kind
        self.source = source
        self.index = index

    def leaf(self, terms: Terms) -> int:
        algebra = self.algebra
        if terms[0] == algebra.bottom:
            return terms[0]
        part = self.kind.parts[self.index]
        known = field(algebra, part, self.source, terms[0], part.width * self.index)
        if known >= 0:
            return known
        whole = undone(algebra, self.kind, terms[0])
        if whole < 0:
            whole = algebra.operation(op.Bitcast, self.kind, "", terms, [self.source])
        return algebra.parts(whole)[self.index]


@final
class _Join(Job):
    """A number that a vector is cast to, of its components."""

    __slots__ = ("algebra", "kind", "source")

    def __init__(self, algebra: "Algebra", kind: Kind, source: Kind) -> None:
        super().__init__(algebra)
        self.algebra = algebra
        self.kind = kind
        self.source = source

    def early(self, terms: Terms) -> int:
        return self.table.bottom if self.table.bottom in terms else -1

    def leaf(self, terms: Terms) -> int:
        algebra = self.algebra
        whole = -1
        for index, term in enumerate(terms):
            key = algebra.keys[term]
            first = key[1] if key[0] == "part" and key[2] == index else -1
            assert isinstance(first, int)
            whole = first if index == 0 or first == whole else -1
            if whole < 0:
                break  # not the components of one vector, in their order
        known = undone(algebra, self.kind, whole) if whole >= 0 else -1
        if known >= 0 and algebra.kinds.all[algebra.kind_of_operation(whole)] is self.source:
            return known
        return algebra.operation(op.Bitcast, self.kind, "", (algebra.composite(terms),), [self.source])


def field(algebra: "Algebra", kind: Kind, source: Kind, term: int, at: int = 0) -> int:
    """The value of a kind that has all of the bits from `at` on that such a value takes; else -1."""
    whole = -1
    if not source.width:
        return -1  # an address, whose bits are not looked at
    pieces, constant = _pieces(algebra, term, source.width)
    bits = constant >> at & (1 << kind.width) - 1
    for begin, value, of in pieces:
        if begin >= at + kind.width or (of is not None and begin + of.width <= at):
            continue
        if begin != at or of is not kind or whole >= 0 or bits:
            return -1
        whole = value
    return whole if whole >= 0 else algebra.constant(kind, bits)


def _pieces(algebra: "Algebra", term: int, width: int) -> tuple[list[Piece], int]:
    """What a word is made of by conversions, shifts and ors, and the bits of constants in it."""
    pieces: list[Piece] = []
    constant = 0
    work = [(term, 0, 0, width)]  # a term, how far up it is, which of its bits are there
    while work:
        spend(1)
        current, shift, low, high = work.pop()
        if len(work) + len(pieces) > MAX_PIECES:
            return [(0, term, None)], 0
        if low >= high:
            continue
        if algebra.is_constant(current):
            bits = algebra.bits(current) & (1 << high) - 1
            constant |= bits >> low << (shift + low)
            continue
        key = algebra.keys[current]
        operands = algebra.operands(current) if key[0] == "o" else ()
        code = key[1] if operands else -1
        kinds = algebra.typed[current] if operands else []
        if code == op.BitwiseOr:
            work.extend([(each, shift, low, high) for each in operands])
        elif code == op.UConvert and kinds[0].width <= high:
            if low == 0:
                pieces.append((shift, operands[0], kinds[0]))
            elif low < kinds[0].width:
                pieces.append((shift + low, current, None))
        elif code == op.Bitcast and kinds[0].parts and algebra.keys[operands[0]][0] == "m":
            place = 0
            for part, kind in zip(algebra.parts(operands[0]), kinds[0].parts, strict=True):
                if low <= place and place + kind.width <= high:
                    if algebra.is_constant(part):
                        constant |= algebra.bits(part) << (shift + place)
                    else:
                        pieces.append((shift + place, part, kind))
                elif place < high and place + kind.width > low:
                    pieces.append((shift + max(place, low), part, None))
                place += kind.width
        elif code == op.IMul and (times := _power_of_two(algebra, operands)) is not None:
            work.append((times[0], shift + times[1], max(0, low - times[1]), high - times[1]))
        elif code == op.ShiftLeftLogical and algebra.is_constant(operands[1]):
            count = algebra.bits(operands[1])
            work.append((operands[0], shift + count, max(0, low - count), high - count))
        elif code == op.ShiftRightLogical and algebra.is_constant(operands[1]):
            count = algebra.bits(operands[1])
            work.append((operands[0], shift - count, low + count, min(kinds[0].width, high + count)))
        else:
            pieces.append((shift + low, current, None))
    return pieces, constant


def _power_of_two(algebra: "Algebra", operands: Terms) -> tuple[int, int] | None:
    """Of a product with a power of two, the other factor and the exponent: a sum has shifts as such."""
    for factor, other in ((operands[0], operands[1]), (operands[1], operands[0])):
        bits = algebra.bits(factor) if algebra.is_constant(factor) else 0
        if bits and not bits & bits - 1:
            return other, bits.bit_length() - 1
    return None
