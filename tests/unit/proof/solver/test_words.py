"""Operations as z3's bit vectors: the same bits as the simulator gives, and open where it says that SPIR-V doesn't say.

The corners of every width, pair by pair; what is open must be so, as a value chosen there would be a proof of what
another implementation doesn't do.
"""

import itertools
from typing import Any

import pytest
from kit.oracles.folded_values import BINARY, COMPARE, corners, name, simulated

from reknit.ir import op
from reknit.sim.values import BOOL, INT_KIND, Shape

z3 = pytest.importorskip("z3", reason="no z3 here: pip install reknit[proof] brings it")
words = pytest.importorskip("reknit.proof.solver.words")

WIDTHS = [8, 16, 32, 64]
ALWAYS = (8, 32)
pytestmark = pytest.mark.full(when=lambda width: width not in ALWAYS)


def value(code: int, width: int, sizes: list[int], bits: list[int]) -> int | None:
    """What z3 makes of an operation on constants; None where it is open."""
    operands = [z3.BitVecVal(each, size) for each, size in zip(bits, sizes, strict=True)]
    open = z3.Bool("open") if code in COMPARE else z3.BitVec("open", width)
    found: Any = z3.simplify(words.operation(code, width, operands, lambda: open))
    if z3.is_bool(found):
        return None if z3.eq(found, open) else int(z3.is_true(found))
    return found.as_long() if z3.is_bv_value(found) else None


@pytest.mark.parametrize("width", WIDTHS)
def test_operations_of_two_words(width: int) -> None:
    shape = Shape(INT_KIND, width)
    pairs = list(itertools.product(corners(width), corners(width)))
    for code in [*BINARY, *COMPARE]:
        result = BOOL if code in COMPARE else shape
        for pair in pairs:
            expected = simulated(code, result, [shape, shape], list(pair))
            assert value(code, width, [width, width], list(pair)) == expected, (name(code), pair)


@pytest.mark.parametrize("width", WIDTHS)
def test_shifts_by_words_of_another_width(width: int) -> None:
    shape = Shape(INT_KIND, width)
    for other in (8, 64):
        for code in (op.ShiftLeftLogical, op.ShiftRightLogical, op.ShiftRightArithmetic):
            for first, count in itertools.product(corners(width), corners(other)):
                expected = simulated(code, shape, [shape, Shape(INT_KIND, other)], [first, count])
                assert value(code, width, [width, other], [first, count]) == expected, (name(code), first, count)


@pytest.mark.parametrize("width", WIDTHS)
def test_operations_of_one_word(width: int) -> None:
    shape = Shape(INT_KIND, width)
    for code in (op.Not, op.SNegate, op.BitReverse, op.BitCount, op.Bitcast):
        for bits in corners(width):
            assert value(code, width, [width], [bits]) == simulated(code, shape, [shape], [bits]), (name(code), bits)
    for code, other in itertools.product((op.UConvert, op.SConvert), WIDTHS):
        for bits in corners(width) if other != width else []:
            expected = simulated(code, Shape(INT_KIND, other), [shape], [bits])
            assert value(code, other, [width], [bits]) == expected, (name(code), bits, other)


@pytest.mark.parametrize("width", WIDTHS)
def test_bit_fields(width: int) -> None:
    """SPIR-V 1.6, OpBitFieldInsert: "the result is undefined if Count or Offset or their sum is greater than the number
    of bits in the result"."""
    shape = Shape(INT_KIND, width)
    places = [0, 1, 5, width - 1, width, width + 1]
    for base, offset, count in itertools.product(corners(width)[::3], places, places):
        for code in (op.BitFieldUExtract, op.BitFieldSExtract):
            found = value(code, width, [width, 32, 32], [base, offset, count])
            assert (found is None) == (offset + count > width), (name(code), offset, count)
            if found is not None:
                assert found == simulated(code, shape, [shape] * 3, [base, offset, count]), (base, offset, count)
        found = value(op.BitFieldInsert, width, [width, width, 32, 32], [base, 0xA5, offset, count])
        assert (found is None) == (offset + count > width)
        if found is not None:
            expected = simulated(op.BitFieldInsert, shape, [shape] * 4, [base, 0xA5, offset, count])
            assert found == expected, (base, offset, count)


@pytest.mark.parametrize("width", [32])
def test_extended_instructions(width: int) -> None:
    """By their sentences in the GLSL.std.450 instruction set: UClamp and SClamp are "undefined if minVal > maxVal"."""
    top = 1 << (width - 1)
    for a, b in itertools.product(corners(width), corners(width)):
        signed = {bits: bits - 2 * top if bits >= top else bits for bits in (a, b)}
        expected = {
            38: min(a, b), 41: max(a, b), 39: min(a, b, key=signed.__getitem__), 42: max(a, b, key=signed.__getitem__),
        }  # fmt: skip
        for number, bits in expected.items():
            assert extended(number, width, [a, b]) == bits, (number, a, b)
        assert extended(5, width, [a]) == abs(signed[a]) % (2 * top)
        for c in corners(width)[::4]:
            low, high, inside = sorted([a, b])[0], sorted([a, b])[1], c
            assert extended(44, width, [inside, low, high]) == min(max(inside, low), high)
            assert low == high or extended(44, width, [inside, high, low]) is None


def extended(number: int, width: int, bits: list[int]) -> int | None:
    operands = [z3.BitVecVal(each, width) for each in bits]
    found: Any = z3.simplify(words.extended(number, operands, lambda: z3.BitVec("open", width)))
    return found.as_long() if z3.is_bv_value(found) else None
