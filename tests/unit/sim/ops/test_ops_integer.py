"""Integers against numpy's fixed-width arithmetic, exact rationals, and bits written out as text."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from unit.sim.ops.ops_calls import listen, run

from reknit.ir import op
from reknit.sim.values import (
    BOOL,
    I32,
    INT_KIND,
    U8,
    U16,
    U32,
    Shape,
    struct,
    to_signed,
    vector,
)

WIDTHS = [8, 16, 32, 64]
UNSIGNED: dict[int, Any] = {8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}
SIGNED: dict[int, Any] = {8: np.int8, 16: np.int16, 32: np.int32, 64: np.int64}


@st.composite
def patterns(draw: st.DrawFn) -> tuple[int, int, int]:
    """(width, a, b), with the corners as likely as the rest."""
    width = draw(st.sampled_from(WIDTHS))
    corners = st.sampled_from([0, 1, 2, (1 << width) - 1, 1 << (width - 1), (1 << (width - 1)) - 1])
    bits = st.one_of(corners, st.integers(0, (1 << width) - 1))
    return width, draw(bits), draw(bits)


def int_shape(width: int) -> Shape:
    return Shape(INT_KIND, width)


def numpy_binary(function: Any, kinds: dict[int, Any], width: int, a: int, b: int) -> int:
    left = np.array([a], UNSIGNED[width]).view(kinds[width])
    right = np.array([b], UNSIGNED[width]).view(kinds[width])
    with np.errstate(all="ignore"):
        return int(function(left, right).astype(kinds[width]).view(UNSIGNED[width])[0])


@settings(deadline=None, max_examples=150)
@given(patterns())
def test_arithmetic_wraps_as_numpy_does(case: tuple[int, int, int]) -> None:
    width, a, b = case
    shape = int_shape(width)
    for opcode, function in [
        (op.IAdd, np.add),
        (op.ISub, np.subtract),
        (op.IMul, np.multiply),
        (op.BitwiseAnd, np.bitwise_and),
        (op.BitwiseOr, np.bitwise_or),
        (op.BitwiseXor, np.bitwise_xor),
    ]:
        assert run(opcode, shape, [shape, shape], a, b) == numpy_binary(function, UNSIGNED, width, a, b)
    with np.errstate(all="ignore"):
        assert run(op.SNegate, shape, [shape], a) == int((-np.array([a], UNSIGNED[width]))[0])
    assert run(op.Not, shape, [shape], a) == int(np.invert(np.array([a], UNSIGNED[width]))[0])


@settings(deadline=None, max_examples=150)
@given(patterns())
def test_division(case: tuple[int, int, int]) -> None:
    """OpSRem has the sign of the first operand, OpSMod that of the second; OpSDiv goes towards zero."""
    width, a, b = case
    shape = int_shape(width)
    shapes = [shape, shape]
    mask = (1 << width) - 1
    x = to_signed(a, width)
    y = to_signed(b, width)
    assert x == int(np.array([a], UNSIGNED[width]).view(SIGNED[width])[0])
    opcodes = [op.UDiv, op.UMod, op.SDiv, op.SRem, op.SMod]
    if b == 0:
        for opcode in opcodes:
            value, messages = listen(opcode, shape, shapes, a, b)
            assert value == 0 and len(messages) == 1 and "by zero" in messages[0]
        return
    assert run(op.UDiv, shape, shapes, a, b) == numpy_binary(np.floor_divide, UNSIGNED, width, a, b)
    assert run(op.UMod, shape, shapes, a, b) == numpy_binary(np.fmod, UNSIGNED, width, a, b)
    if x == -(1 << (width - 1)) and y == -1:
        # The quotient 2^(width - 1) wraps to the least integer; the rest is 0.
        assert [listen(opcode, shape, shapes, a, b)[0] for opcode in (op.SDiv, op.SRem, op.SMod)] == [a, 0, 0]
        assert all(len(listen(opcode, shape, shapes, a, b)[1]) == 1 for opcode in (op.SDiv, op.SRem, op.SMod))
        return
    quotient = math.trunc(Fraction(x, y))
    assert run(op.SDiv, shape, shapes, a, b) == quotient & mask
    assert run(op.SRem, shape, shapes, a, b) == (x - y * quotient) & mask
    assert run(op.SMod, shape, shapes, a, b) == (x - y * math.floor(Fraction(x, y))) & mask


@settings(deadline=None, max_examples=100)
@given(patterns())
def test_comparisons(case: tuple[int, int, int]) -> None:
    width, a, b = case
    shape = int_shape(width)
    for opcode, function, kinds in [
        (op.IEqual, np.equal, UNSIGNED),
        (op.INotEqual, np.not_equal, UNSIGNED),
        (op.ULessThan, np.less, UNSIGNED),
        (op.ULessThanEqual, np.less_equal, UNSIGNED),
        (op.UGreaterThan, np.greater, UNSIGNED),
        (op.UGreaterThanEqual, np.greater_equal, UNSIGNED),
        (op.SLessThan, np.less, SIGNED),
        (op.SLessThanEqual, np.less_equal, SIGNED),
        (op.SGreaterThan, np.greater, SIGNED),
        (op.SGreaterThanEqual, np.greater_equal, SIGNED),
    ]:
        left = np.array([a], UNSIGNED[width]).view(kinds[width])
        right = np.array([b], UNSIGNED[width]).view(kinds[width])
        assert run(opcode, BOOL, [shape, shape], a, b) == int(function(left, right)[0])


@settings(deadline=None, max_examples=100)
@given(patterns())
def test_extended_results(case: tuple[int, int, int]) -> None:
    """The two members, put together, are the exact result (for a borrow: minus 2^width)."""
    width, a, b = case
    shape = int_shape(width)
    pair = struct([shape, shape])

    def both(opcode: int) -> tuple[int, int]:
        low, high = run(opcode, pair, [shape, shape], a, b)
        assert 0 <= low < 1 << width and 0 <= high < 1 << width
        return low, high

    low, carry = both(op.IAddCarry)
    assert low + (carry << width) == a + b
    low, borrow = both(op.ISubBorrow)
    assert low - (borrow << width) == a - b
    low, high = both(op.UMulExtended)
    assert low + (high << width) == a * b
    low, high = both(op.SMulExtended)
    assert low + (to_signed(high, width) << width) == to_signed(a, width) * to_signed(b, width)


def test_extended_results_of_vectors_are_two_vectors() -> None:
    two = vector(U8, 2)
    # 200 + 100 = 300 = 44 + 256; 1 + 2 = 3.
    assert run(op.IAddCarry, struct([two, two]), [two, two], (200, 1), (100, 2)) == ((44, 3), (1, 0))


@settings(deadline=None, max_examples=100)
@given(patterns(), st.integers(0, 70))
def test_shifts(case: tuple[int, int, int], by: int) -> None:
    width, a, _ = case
    shape = int_shape(width)
    opcodes = [op.ShiftLeftLogical, op.ShiftRightLogical, op.ShiftRightArithmetic]
    if by >= width:
        for opcode in opcodes:
            assert len(listen(opcode, shape, [shape, U8], a, by)[1]) == 1
        return
    text = format(a, f"0{width}b")
    results = [run(opcode, shape, [shape, U8], a, by) for opcode in opcodes]
    assert format(results[0], f"0{width}b") == (text + "0" * by)[by:]
    assert format(results[1], f"0{width}b") == ("0" * by + text)[:width]
    assert format(results[2], f"0{width}b") == (text[0] * by + text)[:width]


@settings(deadline=None, max_examples=150)
@given(patterns(), st.integers(0, 64), st.integers(0, 64))
def test_bit_fields(case: tuple[int, int, int], offset: int, count: int) -> None:
    width, a, b = case
    shape = int_shape(width)
    if offset + count > width:
        assert len(listen(op.BitFieldUExtract, shape, [shape, U8, U8], a, offset, count)[1]) == 1
        assert len(listen(op.BitFieldSExtract, shape, [shape, U8, U8], a, offset, count)[1]) == 1
        assert listen(op.BitFieldInsert, shape, [shape, shape, U8, U8], a, b, offset, count)[0] == a
        return
    # Bit 0 first, so that a slice is a field.
    text = format(a, f"0{width}b")[::-1]
    source = format(b, f"0{width}b")[::-1]
    field = text[offset : offset + count]
    top = field[-1] if field else "0"

    def number(bits: str) -> int:
        return int(bits[::-1] or "0", 2)

    assert run(op.BitFieldUExtract, shape, [shape, U8, U8], a, offset, count) == number(field)
    signed = number(field + top * (width - count))
    assert run(op.BitFieldSExtract, shape, [shape, U8, U8], a, offset, count) == signed
    placed = number(text[:offset] + source[:count] + text[offset + count :])
    assert run(op.BitFieldInsert, shape, [shape, shape, U8, U8], a, b, offset, count) == placed
    assert run(op.BitReverse, shape, [shape], a) == int(text, 2)
    assert run(op.BitCount, shape, [shape], a) == text.count("1")


def test_vectors_go_component_by_component_and_bit_field_places_go_to_all() -> None:
    for count in (2, 3, 4, 8):
        shape = vector(U16, count)
        a = tuple(range(65530, 65530 + count))
        a = tuple(component & 0xFFFF for component in a)
        b = tuple(range(10, 10 + count))
        assert run(op.IAdd, shape, [shape, shape], a, b) == tuple(
            int(x) for x in np.array(a, np.uint16) + np.array(b, np.uint16)
        )
        assert run(op.Not, shape, [shape], a) == tuple(int(x) for x in ~np.array(a, np.uint16))
        assert run(op.BitFieldUExtract, shape, [shape, U32, U32], b, 1, 3) == tuple((x >> 1) & 7 for x in b)


def test_dot_products_by_hand() -> None:
    """SPIR-V, OpSDot: components are extended to the result's width, multiplied and added, the low bits kept."""
    bytes4 = vector(U8, 4)
    a = (0xFF, 0x80, 2, 3)
    b = (0xFF, 0x7F, 4, 0xFE)
    packed_a = 0x030280FF
    packed_b = 0xFE047FFF
    signed = (-1 * -1) + (-128 * 127) + 2 * 4 + 3 * -2
    unsigned = 255 * 255 + 128 * 127 + 2 * 4 + 3 * 254
    mixed = (-1 * 255) + (-128 * 127) + 2 * 4 + 3 * 254
    for opcode, expected in [(op.SDot, signed), (op.UDot, unsigned), (op.SUDot, mixed)]:
        assert run(opcode, I32, [bytes4, bytes4], a, b) == expected & 0xFFFFFFFF
        assert run(opcode, I32, [U32, U32], packed_a, packed_b, literals=[0]) == expected & 0xFFFFFFFF
        assert run(opcode, U16, [bytes4, bytes4], a, b) == expected & 0xFFFF


@pytest.mark.parametrize(
    ("opcode", "accumulator", "expected"),
    [
        # 100 * 100 + 100 * 100 = 20000, and 32767 and -32768 are the bounds of 16 bits.
        (op.SDotAccSat, 12000, 32000),
        (op.SDotAccSat, 13000, 32767),
        (op.SDotAccSat, -30000 & 0xFFFF, -10000 & 0xFFFF),
        (op.UDotAccSat, 45000, 65000),
        (op.UDotAccSat, 46000, 65535),
        (op.SUDotAccSat, 13000, 32767),
    ],
)
def test_saturating_dot_products(opcode: int, accumulator: int, expected: int) -> None:
    two = vector(U8, 2)
    assert run(opcode, U16, [two, two, U16], (100, 100), (100, 100), accumulator) == expected


def test_a_saturating_dot_product_that_overflows_early_is_reported() -> None:
    two = vector(U8, 2)
    # 2 * 127 * 127 = 32258 is more than 8 bits hold, before the accumulator comes to it.
    value, messages = listen(op.SDotAccSat, U8, [two, two, U8], (127, 127), (127, 127), 0)
    assert value == 127 and len(messages) == 1


BELOW = 0xFFFFFFFF  # -1
LEAST = 0x80000000
MOST = 0x7FFFFFFF


@pytest.mark.parametrize(
    ("opcode", "a", "b", "expected"),
    [
        (op.AbsISubINTEL, BELOW, 2, 3),
        (op.AbsISubINTEL, MOST, LEAST, BELOW),  # 2^31 - 1 + 2^31: the result has no sign
        (op.AbsUSubINTEL, 2, BELOW, 0xFFFFFFFD),
        (op.IAddSatINTEL, MOST, 1, MOST),
        (op.IAddSatINTEL, LEAST, BELOW, LEAST),
        (op.IAddSatINTEL, BELOW, 3, 2),
        (op.UAddSatINTEL, BELOW, 3, BELOW),
        (op.ISubSatINTEL, LEAST, 1, LEAST),
        (op.ISubSatINTEL, 0, LEAST, MOST),
        (op.USubSatINTEL, 2, 3, 0),
        (op.IAverageINTEL, BELOW, 2, 0),  # half of 1, towards below
        (op.IAverageINTEL, BELOW, 0xFFFFFFFE, 0xFFFFFFFE),  # -3/2, towards below: -2
        (op.IAverageRoundedINTEL, BELOW, 2, 1),
        (op.IAverageRoundedINTEL, BELOW, 0xFFFFFFFE, BELOW),
        (op.UAverageINTEL, BELOW, 0xFFFFFFFE, 0xFFFFFFFE),
        (op.UAverageRoundedINTEL, BELOW, 0xFFFFFFFE, BELOW),
        (op.IMul32x16INTEL, 3, 0x1FFFF, 0xFFFFFFFD),  # the low 16 bits of the second are -1
        (op.UMul32x16INTEL, 3, 0x1FFFF, 0x2FFFD),  # and 65535
    ],
)
def test_integer_functions_by_hand(opcode: int, a: int, b: int, expected: int) -> None:
    """SPV_INTEL_shader_integer_functions2: sums and differences as if there were bits enough, then cut or saturated."""
    assert run(opcode, U32, [U32, U32], a, b) == expected


def test_zeros_are_counted_from_either_end() -> None:
    assert run(op.UCountLeadingZerosINTEL, U32, [U32], 0x00F0) == 24
    assert run(op.UCountTrailingZerosINTEL, U32, [U32], 0x00F0) == 4
    assert run(op.UCountLeadingZerosINTEL, U32, [U32], 0) == run(op.UCountTrailingZerosINTEL, U32, [U32], 0) == 32
