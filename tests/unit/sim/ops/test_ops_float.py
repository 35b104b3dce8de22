"""Floats against numpy's own 16, 32 and 64 bit arithmetic, and against the nearest float to the exact rational."""

from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from unit.sim.ops.ops_calls import listen, run
from unit.sim.ops.ops_floats import FLOATS, SHAPES, bits, cases, exact, is_finite, nearest, number, pattern

from reknit.ir import op
from reknit.sim.ops.ieee import FORMAT16, FORMAT32, FORMAT64, Format, round_exact, round_ratio
from reknit.sim.values import BOOL, F32, matrix, vector

FORMATS: dict[int, Format] = {16: FORMAT16, 32: FORMAT32, 64: FORMAT64}


@settings(deadline=None, max_examples=400)
@given(cases(2))
def test_arithmetic_is_numpys(case: tuple[int, tuple[int, ...]]) -> None:
    width, (a, b) = case
    shape = SHAPES[width]
    x, y = number(a, width), number(b, width)
    with np.errstate(all="ignore"):
        for opcode, value in [(op.FAdd, x + y), (op.FSub, x - y), (op.FMul, x * y), (op.FDiv, x / y)]:
            assert run(opcode, shape, [shape, shape], a, b) == pattern(value, width)
    assert run(op.FNegate, shape, [shape], a) == a ^ (1 << (width - 1))


@settings(deadline=None, max_examples=200)
@given(cases(2))
def test_remainders(case: tuple[int, tuple[int, ...]]) -> None:
    """OpFRem: the sign of the first operand, OpFMod: of the second; undefined if the second is 0."""
    width, (a, b) = case
    shape = SHAPES[width]
    if exact(b, width) == 0:
        for opcode in (op.FRem, op.FMod):
            value, messages = listen(opcode, shape, [shape, shape], a, b)
            assert np.isnan(number(value, width)) and len(messages) == 1
        return
    rem = run(op.FRem, shape, [shape, shape], a, b)
    mod = run(op.FMod, shape, [shape, shape], a, b)
    if not is_finite(a, width) or np.isnan(number(b, width)):
        assert np.isnan(number(rem, width)) and np.isnan(number(mod, width))
        return
    if not is_finite(b, width):
        assert exact(rem, width) == exact(a, width)
        return
    x, y = exact(a, width), exact(b, width)
    top = 1 << (width - 1)
    left = abs(x) % abs(y)
    assert exact(rem, width) == (left if x > 0 else -left) and rem & top == a & top
    assert mod == (nearest(x - y * (x // y), width) if x % y != 0 else b & top)


@settings(deadline=None, max_examples=200)
@given(cases(2))
def test_comparisons_and_classes(case: tuple[int, tuple[int, ...]]) -> None:
    width, (a, b) = case
    shape = SHAPES[width]
    x, y = number(a, width), number(b, width)
    unordered = bool(np.isnan(x) or np.isnan(y))
    for ordered, loose, holds in [
        (op.FOrdEqual, op.FUnordEqual, x == y),
        (op.FOrdNotEqual, op.FUnordNotEqual, x < y or x > y),
        (op.FOrdLessThan, op.FUnordLessThan, x < y),
        (op.FOrdGreaterThan, op.FUnordGreaterThan, x > y),
        (op.FOrdLessThanEqual, op.FUnordLessThanEqual, x <= y),
        (op.FOrdGreaterThanEqual, op.FUnordGreaterThanEqual, x >= y),
    ]:
        assert run(ordered, BOOL, [shape, shape], a, b) == int(not unordered and bool(holds))
        assert run(loose, BOOL, [shape, shape], a, b) == int(unordered or bool(holds))
    assert run(op.Ordered, BOOL, [shape, shape], a, b) == int(not unordered)
    assert run(op.Unordered, BOOL, [shape, shape], a, b) == int(unordered)
    assert run(op.LessOrGreater, BOOL, [shape, shape], a, b) == int(bool(x < y or x > y))
    assert run(op.IsNan, BOOL, [shape], a) == int(np.isnan(x))
    assert run(op.IsInf, BOOL, [shape], a) == int(np.isinf(x))
    assert run(op.IsFinite, BOOL, [shape], a) == int(np.isfinite(x))
    normal = bool(np.isfinite(x)) and abs(x) >= np.finfo(FLOATS[width]).tiny
    assert run(op.IsNormal, BOOL, [shape], a) == int(normal)
    assert run(op.SignBitSet, BOOL, [shape], a) == int(np.signbit(x))


@settings(deadline=None, max_examples=300)
@given(cases(3))
def test_fma_rounds_once(case: tuple[int, tuple[int, ...]]) -> None:
    width, (a, b, c) = case
    shape = SHAPES[width]
    value = run(op.FmaKHR, shape, [shape] * 3, a, b, c)
    if is_finite(a, width) and is_finite(b, width) and is_finite(c, width):
        total = exact(a, width) * exact(b, width) + exact(c, width)
        if total == 0:
            assert value & ~(1 << (width - 1)) == 0
        else:
            assert value == nearest(total, width)
        return
    # Something isn't finite: the finite product of two finite factors must not overflow, so it is left out.
    x, y, z = number(a, width), number(b, width), number(c, width)
    with np.errstate(all="ignore"):
        expected = z if is_finite(a, width) and is_finite(b, width) else x * y + z
    assert value == pattern(expected, width)


def test_fma_by_hand() -> None:
    """(1 + 2^-23)(1 - 2^-23) - 1 = -2^-46 in one rounding; in two the product is 1 and the difference 0."""
    assert run(op.FmaKHR, F32, [F32] * 3, 0x3F800001, 0x3F7FFFFE, 0xBF800000) == (0x80000000 | (127 - 46) << 23)
    # -0 * 1 + -0 = -0, and 0 * 1 + -0 = 0.
    assert run(op.FmaKHR, F32, [F32] * 3, 0x80000000, 0x3F800000, 0x80000000) == 0x80000000
    assert run(op.FmaKHR, F32, [F32] * 3, 0, 0x3F800000, 0x80000000) == 0


@settings(deadline=None, max_examples=200)
@given(
    st.sampled_from([16, 32, 64]), st.integers(-(1 << 200), 1 << 200), st.integers(1, 1 << 200), st.integers(-90, 90)
)
def test_exact_rounding(width: int, numerator: int, denominator: int, shift: int) -> None:
    form = FORMATS[width]
    value = Fraction(numerator, denominator) * Fraction(2) ** shift
    assert round_ratio(value.numerator, value.denominator, form) == nearest(value, width)
    whole = round_exact(1 if numerator < 0 else 0, abs(numerator), shift, form)
    assert whole == nearest(numerator * Fraction(2) ** shift, width)


@settings(deadline=None, max_examples=100)
@given(st.lists(bits(32), min_size=6, max_size=6))
def test_products_add_from_the_first_component_on(values: list[int]) -> None:
    three = vector(F32, 3)
    a, b = tuple(values[:3]), tuple(values[3:])
    with np.errstate(all="ignore"):
        x = [number(pattern_, 32) for pattern_ in a]
        y = [number(pattern_, 32) for pattern_ in b]
        total = pattern((x[0] * y[0] + x[1] * y[1]) + x[2] * y[2], 32)
        scaled = tuple(pattern(component * y[0], 32) for component in x)
    assert run(op.Dot, F32, [three, three], a, b) == total
    assert run(op.VectorTimesScalar, three, [three, F32], a, b[0]) == scaled


def floats(*values: float) -> tuple[int, ...]:
    return tuple(pattern(np.float32(value), 32) for value in values)


def test_matrices_by_hand() -> None:
    """Columns (1, 2), (3, 4), (5, 6): three columns of two."""
    two = vector(F32, 2)
    three = vector(F32, 3)
    wide = matrix(two, 3)
    tall = matrix(three, 2)
    m = (floats(1, 2), floats(3, 4), floats(5, 6))
    t = (floats(1, 3, 5), floats(2, 4, 6))
    assert run(op.Transpose, tall, [wide], m) == t
    # 1*7 + 3*8 + 5*9 = 76, 2*7 + 4*8 + 6*9 = 100
    assert run(op.MatrixTimesVector, two, [wide, three], m, floats(7, 8, 9)) == floats(76, 100)
    # (7, 8) with each column: 7 + 16, 21 + 32, 35 + 48
    assert run(op.VectorTimesMatrix, three, [two, wide], floats(7, 8), m) == floats(23, 53, 83)
    # m * t: column 0 = m * (1, 3, 5) = (1 + 9 + 25, 2 + 12 + 30)
    square = matrix(two, 2)
    assert run(op.MatrixTimesMatrix, square, [wide, tall], m, t) == (floats(35, 44), floats(44, 56))
    assert run(op.MatrixTimesScalar, wide, [wide, F32], m, floats(2)[0]) == (
        floats(2, 4),
        floats(6, 8),
        floats(10, 12),
    )
    # Column j of the outer product is the first vector times component j of the second.
    assert run(op.OuterProduct, tall, [three, two], floats(1, 2, 3), floats(4, 5)) == (
        floats(4, 8, 12),
        floats(5, 10, 15),
    )


def test_every_half_and_every_power_of_two_comes_back() -> None:
    """And what lies between neighbours goes where numpy's cast of the double sends it."""
    for bits_ in range(0x10000):
        if bits_ & 0x7FFF <= 0x7C00:
            assert (
                FORMAT16.decode(bits_) == float(number(bits_, 16)) and FORMAT16.encode(FORMAT16.decode(bits_)) == bits_
            )
    for bits_ in [(row << 23) + step for row in range(1, 255) for step in (-2, -1, 0, 1)]:
        x = FORMAT32.decode(bits_)
        assert x == float(number(bits_, 32)) and FORMAT32.encode(x) == bits_
        for factor in (1 + 2**-24, 1 - 2**-25, 1 + 2**-25, -(1 + 3 * 2**-24), -(1 + 2**-52)):
            with np.errstate(all="ignore"):
                assert FORMAT32.encode(x * factor) == pattern(np.float32(x * factor), 32)
