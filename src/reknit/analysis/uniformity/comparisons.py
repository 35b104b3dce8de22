"""Comparisons that come out the same for all although a number in them differs: all of theirs are in one block of 2^p.

    if (LocalInvocationIndex < 64) { ... }                       64 invocations: always true
    for (i = LocalInvocationIndex; i < 256; i += 64) { ... }     in each iteration i / 64 is the same for all of them

    x < m 2^p   exactly if   floor(x / 2^p) < m, signed or not: the bits from p on decide it. They are the same if
        x is the same                           x is below 2^p: by its form, or by a branch that leads here (`ranges`)
        x = y + z, z is a multiple of 2^p       and both have them
        x is the phi of a loop's header         and what comes from each side has them, by the phi's own for x + z

A sum that wraps around has such bits, too: no bit of z goes into one below p. Numbers of which all are below a bound
that is a constant need no p.
"""

from collections.abc import Callable
from typing import Final, final

from reknit.analysis.order import Order
from reknit.analysis.uniformity.element_tree import HEADER, Places
from reknit.analysis.uniformity.ranges import Ranges, integer_width
from reknit.ir import op, traits
from reknit.ir.block import Block
from reknit.ir.constants import literal_bits
from reknit.ir.instr import Instr
from reknit.ir.value import Value

_NEXT: Final = ("<=", ">")  # x <= c is x < c + 1
_DEPTH: Final = 8  # instructions that are looked through


def orders_integers(code: int) -> bool:
    """Whether an opcode says which of two integers is less."""
    return traits.RELATION.get(code, "=")[0] in "<>"


@final
class Comparisons:
    """Of one function. `same` is whether a value is the same at a block, `alike` whether lanes together in the second
    block executed the first together the last time."""

    __slots__ = ("order", "places", "ranges", "same", "alike")

    def __init__(
        self,
        places: Places,
        ranges: Ranges,
        same: Callable[[Value, int], bool],
        alike: Callable[[int, int], bool],
    ) -> None:
        self.order: Order = places.order
        self.places = places
        self.ranges = ranges
        self.same = same
        self.alike = alike

    def come_out_the_same(self, instr: Instr, number: int) -> bool:
        """Whether a comparison does, in a block, one of whose operands differs there."""
        left, right = instr.value(0), instr.value(1)
        following = traits.RELATION[instr.op] in _NEXT
        if not self.same(right, number):
            left, right = right, left
            following = not following  # x > c is c < x
            if not self.same(right, number):
                return False
        bound = _constant(right)
        width = integer_width(right)
        if width == 0:
            return False
        if bound is None:
            return not following and self._same_from(left, min(_zeros(right), width - 1), number)
        top = (1 << width) - 1 >> (1 if instr.op in traits.SIGNED_COMPARE else 0)
        if following:
            if bound == top:
                return False
            bound = (bound + 1) & ((1 << width) - 1)
        if self._below(left, number) <= bound <= top:
            return True  # of all of them
        return self._same_from(left, min(_zeros_of(bound, width), width - 1), number)

    def _same_from(self, value: Value, zeros: int, number: int) -> bool:
        """Whether the bits of a value from some p up to `zeros` on are the same at a block."""
        step = _step(value)
        p = zeros if step is None else min(zeros, step)
        return p > 0 and self._same_above(value, p, number, True)

    def _same_above(self, value: Value, p: int, number: int, through_phi: bool) -> bool:
        """Whether the bits from number `p` on are."""
        for _ in range(_DEPTH):
            if self.same(value, number):
                return True
            if not isinstance(value, Instr) or value.block is None:
                return False
            home = self.order.number[value.block]
            if home != number and not self.alike(home, number):
                return False
            if self._below(value, number) <= 1 << p:
                return True
            if value.op == op.Phi:
                return through_phi and self._same_phi(value, p, home)
            if value.op != op.IAdd:
                return False
            part, multiple = value.value(0), value.value(1)
            if _zeros(multiple) < p or not self.same(multiple, home):
                part, multiple = multiple, part
                if _zeros(multiple) < p or not self.same(multiple, home):
                    return False
            value, number = part, home
        return False

    def _same_phi(self, phi: Instr, p: int, number: int) -> bool:
        """Of the phi of a loop's header, to which lanes come from one side at a time."""
        entry = self.places.entry[number]
        if entry is None or entry.kind != HEADER:
            return False
        for index in range(0, len(phi.operands) - 1, 2):
            label = phi.operands[index + 1]
            source = self.order.number[label] if isinstance(label, Block) else -1
            if source < 0 or not self.order.reached[source]:
                continue
            value = phi.value(index)
            if isinstance(value, Instr) and value.op == op.IAdd and phi in value.operands and value.block is not None:
                home = self.order.number[value.block]
                by = value.value(1) if value.operands[0] is phi else value.value(0)
                if _zeros(by) < p or not self.same(by, home):
                    return False
                if not self.alike(number, home) or not self.alike(home, source):
                    return False
            elif value is not phi and not self._same_above(value, p, source, False):
                return False
        return True

    def _below(self, value: Value, number: int) -> int:
        """What all numbers that a value can have at a block are less than, unsigned."""
        numbers = self.ranges.at(value, number)
        return numbers[1] + 1 if numbers is not None else 1 << 64


def _step(value: Value) -> int | None:
    """The low zeros of what is added to a phi each time; None for what is no such phi."""
    if not isinstance(value, Instr) or value.op != op.Phi:
        return None
    steps: list[int] = []
    for index in range(0, len(value.operands) - 1, 2):
        given = value.value(index)
        if isinstance(given, Instr) and given.op == op.IAdd and value in given.operands:
            by = given.value(1) if given.operands[0] is value else given.value(0)
            steps.append(_zeros(by))
    return min(steps) if steps else None


def _zeros(value: Value) -> int:
    """How many of the lowest bits of an integer are 0 for certain."""
    zeros = 0
    for _ in range(_DEPTH):
        if not isinstance(value, Instr):
            return zeros
        constant = _constant(value)
        if constant is not None:
            return zeros + _zeros_of(constant, integer_width(value))
        if value.op == op.IMul:
            left, right = _constant(value.value(0)), _constant(value.value(1))
            factor = left if left is not None else right
            if factor is None:
                return zeros
            zeros += _zeros_of(factor, integer_width(value))
            value = value.value(1) if left is not None else value.value(0)
        elif value.op == op.ShiftLeftLogical:
            amount = _constant(value.value(1))
            if amount is None or amount >= integer_width(value):
                return zeros
            zeros += amount
            value = value.value(0)
        elif value.op == op.Bitcast and 0 < integer_width(value) == integer_width(value.value(0)):
            value = value.value(0)
        else:
            return zeros
    return zeros


def _zeros_of(bits: int, width: int) -> int:
    return (bits & -bits).bit_length() - 1 if bits else width


def _constant(value: Value) -> int | None:
    if not isinstance(value, Instr) or value.op != op.Constant or integer_width(value) == 0:
        return None
    return literal_bits(value)
