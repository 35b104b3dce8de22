"""What is known of bits, held to its definition: every number that the operands can be is tried, at four bits.

`may` and `must` are right if no result lies outside of them. Where a note says so, they are also the most that can be
said: each bit that is the same in all results is known.
"""

import itertools
import random

import pytest

from reknit.analysis.known_bits import Bits, computed, exact, unknown
from reknit.ir import integers, op

WIDTH = 4
EVERY = [Bits(WIDTH, may, must) for may in range(16) for must in range(16) if must & ~may == 0]  # 81 of them
BEST = [op.BitwiseAnd, op.BitwiseOr, op.BitwiseXor]
BOUNDS = [op.ULessThan, op.ULessThanEqual, op.UGreaterThan, op.UGreaterThanEqual, op.IEqual, op.INotEqual]
SIGNED = [op.SLessThan, op.SLessThanEqual, op.SGreaterThan, op.SGreaterThanEqual]
OTHERS = [op.IAdd, op.ISub, op.IMul, op.UDiv, op.UMod, op.SDiv, op.ShiftLeftLogical, op.ShiftRightLogical]


def numbers(bits: Bits) -> list[int]:
    found = [number for number in range(1 << bits.width) if bits.can_be(number)]
    assert found == [n for n in range(1 << bits.width) if n | bits.may == bits.may and n & bits.must == bits.must]
    return found


def results(code: int, a: Bits, b: Bits) -> list[int]:
    """What the operation gives for all numbers for which it is defined."""
    found: set[int] = set()
    for one, other in itertools.product(numbers(a), numbers(b)):
        value = integers.binary(code, WIDTH, one, other)
        if value is not None:
            found.add(value)
    return sorted(found)


def narrowest(values: list[int]) -> tuple[int, int]:
    may, must = 0, -1
    for value in values:
        may |= value
        must &= value
    return may, must


def pairs(count: int) -> list[tuple[Bits, Bits]]:
    every = list(itertools.product(EVERY, EVERY))
    return random.Random(7).sample(every, count)


@pytest.mark.parametrize("code", BEST + BOUNDS + SIGNED + OTHERS)
def test_of_two_operands(code: int) -> None:
    width = 1 if code in BOUNDS + SIGNED else WIDTH
    decided = 0
    for a, b in pairs(700):
        found = computed(code, width, [a, b])
        values = results(code, a, b)
        assert found.width == width
        assert all(found.can_be(value) for value in values), (code, a.may, a.must, b.may, b.must)
        if not values:
            continue
        decided += found.is_exact()
        best = narrowest(values)
        negative = (a.may | b.may) >> (WIDTH - 1)
        if code in BEST or code in BOUNDS or code in SIGNED and not negative:
            assert (found.may, found.must) == best, (code, a.may, a.must, b.may, b.must)
        if a.is_exact() and b.is_exact():
            assert (found.may, found.must) == best
    assert decided > 0


@pytest.mark.parametrize("code", [op.IAdd, op.ISub, op.IMul])
def test_bits_below_the_lowest_open_one_are_known(code: int) -> None:
    """A bit of a sum, difference or product depends on the same and lower bits alone; sums and products don't go beyond
    the bits of the largest, if that fits."""
    for a, b in pairs(700):
        found = computed(code, WIDTH, [a, b])
        opened = (a.may ^ a.must) | (b.may ^ b.must)
        for place in range(WIDTH):
            if opened & ((2 << place) - 1) == 0:
                assert found.may >> place & 1 == found.must >> place & 1
        largest = {op.IAdd: a.may + b.may, op.IMul: a.may * b.may}.get(code, 16)
        if opened and largest < 16:
            assert found.may < 1 << largest.bit_length()


def test_shifts_by_a_known_distance_move_what_is_known() -> None:
    for a, distance in itertools.product(EVERY, range(WIDTH)):
        for code in (op.ShiftLeftLogical, op.ShiftRightLogical):
            found = computed(code, WIDTH, [a, exact(WIDTH, distance)])
            assert (found.may, found.must) == narrowest(results(code, a, exact(WIDTH, distance)))
    assert computed(op.ShiftLeftLogical, WIDTH, [Bits(WIDTH, 3, 0), exact(WIDTH, WIDTH)]).may == 15  # undefined


def test_quotients_and_rests_are_bounded() -> None:
    """By hand: x / 3 of x up to 7 is at most 2, x % 3 at most 2, x % 9 at most 7; nothing of x / y with y perhaps 0."""
    upto7 = Bits(WIDTH, 7, 0)
    for code, divisor, may in ((op.UDiv, 3, 3), (op.UMod, 3, 3), (op.UMod, 9, 7), (op.UDiv, 1, 7), (op.UMod, 4, 3)):
        found = computed(code, WIDTH, [upto7, exact(WIDTH, divisor)])
        assert (found.may, found.must) == (may, 0), (code, divisor)
    for code in (op.UDiv, op.UMod):
        assert computed(code, WIDTH, [upto7, Bits(WIDTH, 3, 0)]).may == 15
    assert computed(op.UDiv, WIDTH, [upto7, Bits(WIDTH, 3, 2)]).may == 3  # 7 / 2


def test_of_one_operand() -> None:
    for a in EVERY:
        values = numbers(a)
        for code in (op.Not, op.CopyObject):
            found = computed(code, WIDTH, [a])
            flip = 15 if code == op.Not else 0
            assert (found.may, found.must) == narrowest([value ^ flip for value in values])
        for width in (2, 8):
            found = computed(op.UConvert, width, [a])
            assert (found.width, found.may, found.must) == (width, *narrowest([v & (1 << width) - 1 for v in values]))
        assert computed(op.Bitcast, WIDTH, [a]).same_as(a)
        assert computed(op.Bitcast, 8, [a]).may == (0xFF if not a.is_exact() else computed(op.Bitcast, 8, [a]).may)
        for code in (op.SNegate, op.BitCount):
            found = computed(code, WIDTH, [a])
            for value in values:
                known = integers.unary(code, WIDTH, WIDTH, value)
                assert known is not None and found.can_be(known)
            assert found.is_exact() == a.is_exact()


def test_truths() -> None:
    either = unknown(1)
    false, true = exact(1, 0), exact(1, 1)
    for a, b in itertools.product((false, true, either), repeat=2):
        for code, table in (
            (op.LogicalAnd, [0, 0, 0, 1]),
            (op.LogicalOr, [0, 1, 1, 1]),
            (op.LogicalNotEqual, [0, 1, 1, 0]),
            (op.LogicalEqual, [1, 0, 0, 1]),
        ):
            found = computed(code, 1, [a, b])
            best = narrowest([table[2 * x + y] for x in numbers(a) for y in numbers(b)])
            assert (found.may, found.must) == best, (code, a.may, a.must, b.may, b.must)
    assert computed(op.LogicalNot, 1, [true]).same_as(false)
    assert computed(op.LogicalNot, 1, [either]).same_as(either)


def test_choices() -> None:
    three, five = exact(WIDTH, 3), exact(WIDTH, 5)
    assert computed(op.Select, WIDTH, [exact(1, 1), three, five]) is three
    assert computed(op.Select, WIDTH, [exact(1, 0), three, five]) is five
    found = computed(op.Select, WIDTH, [unknown(1), three, five])
    assert (found.may, found.must) == (7, 1)
    assert computed(op.BitFieldInsert, WIDTH, [three, five, three, five]).same_as(unknown(WIDTH))
    assert computed(op.FAdd, WIDTH, [unknown(WIDTH), five]).same_as(unknown(WIDTH))


def test_what_is_the_same() -> None:
    assert Bits(4, 7, 1).same_as(Bits(4, 7, 1))
    assert not Bits(4, 7, 1).same_as(Bits(4, 7, 0)) and not Bits(4, 7, 1).same_as(Bits(4, 3, 1))
    assert exact(4, 5).is_exact() and not unknown(4).is_exact()
    assert len(EVERY) == 81


def test_of_no_operand() -> None:
    assert computed(op.IsHelperInvocationEXT, 1, []).same_as(unknown(1))
