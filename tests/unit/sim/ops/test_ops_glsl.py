"""GLSL.std.450 against numpy, exact rationals, and the instruction set's sentences."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from unit.sim.ops.ops_calls import listen_glsl, run_glsl
from unit.sim.ops.ops_floats import (
    FLOATS,
    FRACTION,
    SHAPES,
    bits,
    cases,
    exact,
    is_finite,
    nearest,
    number,
    pattern,
    quiet,
)

from reknit.ir import glsl
from reknit.sim.ops.glsl import glsl_function
from reknit.sim.ops.undefined import Undefined
from reknit.sim.values import (
    BOOL,
    F32,
    F64,
    I16,
    I32,
    U8,
    U16,
    U32,
    U64,
    VOID,
    Shape,
    matrix,
    pointer,
    struct,
    to_signed,
    vector,
)


def f(value: float) -> int:
    return pattern(np.float32(value), 32)


def fs(*values: float) -> tuple[int, ...]:
    return tuple(f(value) for value in values)


def same(found: int, expected: Any, width: int) -> bool:
    """The same number; zeros of either sign are, where the instruction set doesn't say which."""
    value = number(found, width)
    return bool(value == expected) or bool(np.isnan(value) and np.isnan(expected))


@settings(deadline=None, max_examples=300)
@given(cases(1))
def test_rounding(case: tuple[int, tuple[int, ...]]) -> None:
    width, (a,) = case
    shape = SHAPES[width]
    x = number(a, width)
    with np.errstate(all="ignore"):
        for number_, function in [
            (glsl.Round, np.rint),
            (glsl.RoundEven, np.rint),
            (glsl.Trunc, np.trunc),
            (glsl.Floor, np.floor),
            (glsl.Ceil, np.ceil),
        ]:
            assert run_glsl(number_, shape, [shape], a) == pattern(function(x), width)
        assert same(run_glsl(glsl.Fract, shape, [shape], a), x - np.floor(x), width)
    assert run_glsl(glsl.FAbs, shape, [shape], a) == a & ~(1 << (width - 1))
    if not np.isnan(x):
        assert same(run_glsl(glsl.FSign, shape, [shape], a), np.sign(x), width)


@settings(deadline=None, max_examples=200)
@given(cases(3))
def test_extremes(case: tuple[int, tuple[int, ...]]) -> None:
    width, (a, b, c) = case
    shape = SHAPES[width]
    x, y, z = (quiet(pattern_, width) for pattern_ in (a, b, c))
    assert same(run_glsl(glsl.NMin, shape, [shape] * 2, a, b), np.fmin(x, y), width)
    assert same(run_glsl(glsl.NMax, shape, [shape] * 2, a, b), np.fmax(x, y), width)
    low, said = listen_glsl(glsl.FMin, shape, [shape] * 2, a, b)
    high, more = listen_glsl(glsl.FMax, shape, [shape] * 2, a, b)
    if np.isnan(x) or np.isnan(y):
        assert len(said) == 1 and len(more) == 1 and {low, high} <= {a, b}
    else:
        assert said == [] and more == []
        assert same(low, min(x, y), width) and same(high, max(x, y), width)
    clamped, said = listen_glsl(glsl.NClamp, shape, [shape] * 3, a, b, c)
    if y > z:
        assert len(said) == 1
    else:
        assert said == [] and same(clamped, np.fmin(np.fmax(x, y), z), width)
    if y <= z and not np.isnan(x):
        assert same(run_glsl(glsl.FClamp, shape, [shape] * 3, a, b, c), np.clip(x, y, z), width)


@settings(deadline=None, max_examples=150)
@given(st.lists(bits(32), min_size=3, max_size=3))
def test_interpolation_is_the_formula_in_f32(values: list[int]) -> None:
    a, b, c = values
    x, y, z = (number(pattern_, 32) for pattern_ in values)
    one, two, three = np.float32(1), np.float32(2), np.float32(3)
    with np.errstate(all="ignore"):
        assert run_glsl(glsl.FMix, F32, [F32] * 3, a, b, c) == pattern(x * (one - z) + y * z, 32)
        assert run_glsl(glsl.Step, F32, [F32] * 2, a, b) == f(0.0 if y < x else 1.0)
        value, said = listen_glsl(glsl.SmoothStep, F32, [F32] * 3, a, b, c)
        if x >= y:
            assert len(said) == 1
        else:
            t = np.clip((z - x) / (y - x), np.float32(0), one)
            assert said == [] and same(value, t * t * (three - two * t), 32)


@settings(deadline=None, max_examples=200)
@given(cases(1), st.integers(-400, 400))
def test_taking_floats_apart(case: tuple[int, tuple[int, ...]], by: int) -> None:
    width, (a,) = case
    shape = SHAPES[width]
    x = number(a, width)
    with np.errstate(all="ignore"):
        fraction, whole = np.modf(x)
    pair = (pattern(fraction, width), pattern(whole, width))
    assert run_glsl(glsl.ModfStruct, struct([shape, shape]), [shape], a) == pair
    split, said = listen_glsl(glsl.FrexpStruct, struct([shape, I32]), [shape], a)
    scaled, overflow = listen_glsl(glsl.Ldexp, shape, [shape, I32], a, by & 0xFFFFFFFF)
    if not is_finite(a, width):
        assert len(said) == 1
        assert same(scaled, x, width)
        return
    significand, exponent = np.frexp(x)
    assert split == (pattern(significand, width), int(exponent) & 0xFFFFFFFF) and said == []
    value = exact(a, width) * Fraction(2) ** by
    assert scaled == nearest(value, width) | (a & 1 << (width - 1))
    bias = (1 << (width - FRACTION[width] - 2)) - 1
    expected = (1 if by > bias + 1 else 0) + (1 if is_finite(a, width) and not is_finite(scaled, width) else 0)
    assert (len(overflow) > 0) == (expected > 0)


def test_pointer_forms_give_pairs_for_the_machine_to_store() -> None:
    assert run_glsl(glsl.Modf, F32, [F32, pointer(F32)], f(-2.5)) == fs(-0.5, -2.0)
    # 6 = 0.75 * 2^3
    assert run_glsl(glsl.Frexp, F32, [F32, pointer(I16)], f(6.0)) == (f(0.75), 3)
    assert run_glsl(glsl.Frexp, F32, [F32, pointer(I16)], f(0.125)) == (f(0.5), 0xFFFE)
    two = vector(F32, 2)
    assert run_glsl(glsl.Modf, two, [two, pointer(two)], fs(1.5, -3.25)) == (fs(0.5, -0.25), fs(1.0, -3.0))
    exponents = vector(I32, 2)
    assert run_glsl(glsl.FrexpStruct, struct([two, exponents]), [two], fs(6.0, 1.0)) == (fs(0.75, 0.5), (3, 1))


@settings(deadline=None, max_examples=150)
@given(st.sampled_from([(U8, 8), (U16, 16), (U32, 32), (U64, 64)]), st.data())
def test_integers(kind: tuple[Shape, int], data: st.DataObject) -> None:
    shape, width = kind
    mask = (1 << width) - 1
    a, b, c = (
        data.draw(st.one_of(st.sampled_from([0, 1, mask, 1 << (width - 1)]), st.integers(0, mask))) for _ in "abc"
    )
    x, y, z = (to_signed(value, width) for value in (a, b, c))
    assert run_glsl(glsl.SAbs, shape, [shape], a) == abs(x) & mask
    assert run_glsl(glsl.SSign, shape, [shape], a) == ((x > 0) - (x < 0)) & mask
    assert run_glsl(glsl.UMin, shape, [shape] * 2, a, b) == min(a, b)
    assert run_glsl(glsl.UMax, shape, [shape] * 2, a, b) == max(a, b)
    assert run_glsl(glsl.SMin, shape, [shape] * 2, a, b) == min(x, y) & mask
    assert run_glsl(glsl.SMax, shape, [shape] * 2, a, b) == max(x, y) & mask
    value, said = listen_glsl(glsl.UClamp, shape, [shape] * 3, a, b, c)
    assert len(said) == int(b > c) and (b > c or value == sorted([a, b, c])[1])
    value, said = listen_glsl(glsl.SClamp, shape, [shape] * 3, a, b, c)
    assert len(said) == int(y > z) and (y > z or value == sorted([x, y, z])[1] & mask)
    # "the bit number of the least / most significant 1-bit", for negative numbers the most significant 0; none: -1.
    text = format(a, f"0{width}b")
    assert run_glsl(glsl.FindILsb, shape, [shape], a) == text[::-1].find("1") & mask
    assert run_glsl(glsl.FindUMsb, shape, [shape], a) == (width - 1 - text.find("1") if a else mask)
    differs = text.find("1" if text[0] == "0" else "0")
    assert run_glsl(glsl.FindSMsb, shape, [shape], a) == (width - 1 - differs if differs >= 0 else mask)


CURVES: list[tuple[int, Any, float, float]] = [
    (glsl.Radians, np.radians, -1e6, 1e6),
    (glsl.Degrees, np.degrees, -1e6, 1e6),
    (glsl.Sin, np.sin, -1e3, 1e3),
    (glsl.Cos, np.cos, -1e3, 1e3),
    (glsl.Tan, np.tan, -1e3, 1e3),
    (glsl.Asin, np.arcsin, -1, 1),
    (glsl.Acos, np.arccos, -1, 1),
    (glsl.Atan, np.arctan, -1e6, 1e6),
    (glsl.Sinh, np.sinh, -100, 100),
    (glsl.Cosh, np.cosh, -100, 100),
    (glsl.Tanh, np.tanh, -100, 100),
    (glsl.Asinh, np.arcsinh, -1e6, 1e6),
    (glsl.Acosh, np.arccosh, 1, 1e6),
    (glsl.Atanh, np.arctanh, -0.999, 0.999),
    (glsl.Exp, np.exp, -120, 120),
    (glsl.Exp2, np.exp2, -160, 160),
    (glsl.Log, np.log, 1e-40, 1e30),
    (glsl.Log2, np.log2, 1e-40, 1e30),
    (glsl.Sqrt, np.sqrt, 0, 1e30),
    (glsl.InverseSqrt, lambda x: 1 / np.sqrt(x), 1e-40, 1e30),
]


@pytest.mark.parametrize(("number_", "function", "low", "high"), CURVES)
def test_curves_are_within_a_unit_of_numpys_double(number_: int, function: Any, low: float, high: float) -> None:
    with np.errstate(all="ignore"):
        for x in np.linspace(low, high, 60, dtype=np.float32):
            expected = np.float32(function(np.float64(x)))
            found = run_glsl(number_, F32, [F32], pattern(x, 32))
            assert abs(found - pattern(expected, 32)) <= 1


def test_square_roots_are_correctly_rounded() -> None:
    for a in (2, 3, 5, 1e-42, 1e38):
        for width in (16, 32, 64):
            with np.errstate(all="ignore"):
                x = FLOATS[width](a)
                assert run_glsl(glsl.Sqrt, SHAPES[width], [SHAPES[width]], pattern(x, width)) == pattern(
                    np.sqrt(x), width
                )


@pytest.mark.parametrize(
    ("number_", "values", "expected"),
    [
        (glsl.Asin, [1.5], math.nan),
        (glsl.Acos, [-2.0], math.nan),
        (glsl.Acosh, [0.5], math.nan),
        (glsl.Atanh, [1.0], math.inf),
        (glsl.Atanh, [-1.0], -math.inf),
        (glsl.Log, [0.0], -math.inf),
        (glsl.Log, [-1.0], math.nan),
        (glsl.Log2, [-0.0], -math.inf),
        (glsl.Sqrt, [-1.0], math.nan),
        (glsl.InverseSqrt, [0.0], math.inf),
        (glsl.InverseSqrt, [-1.0], math.nan),
        (glsl.Pow, [-1.0, 2.0], math.nan),
        (glsl.Pow, [0.0, -1.0], math.inf),
        (glsl.Atan2, [0.0, 0.0], 0.0),
    ],
)
def test_outside_of_the_domain_is_reported(number_: int, values: list[float], expected: float) -> None:
    found, said = listen_glsl(number_, F32, [F32] * len(values), *fs(*values))
    assert len(said) == 1 and same(found, np.float32(expected), 32)


def test_curves_at_infinity_and_overflow() -> None:
    inf = math.inf
    for number_, x, expected in [
        (glsl.Sin, inf, math.nan),
        (glsl.Exp, 1000.0, inf),
        (glsl.Exp, -1000.0, 0.0),
        (glsl.Exp2, 1e30, inf),
        (glsl.Sinh, -1e30, -inf),
        (glsl.Cosh, -1e30, inf),
        (glsl.Sqrt, inf, inf),
        (glsl.Log, inf, inf),
        (glsl.Log2, math.nan, math.nan),
    ]:
        assert same(run_glsl(number_, F32, [F32], f(x)), np.float32(expected), 32)
    assert run_glsl(glsl.Pow, F32, [F32] * 2, *fs(10.0, 400.0)) == f(inf)
    assert run_glsl(glsl.Pow, F64, [F64] * 2, pattern(np.float64(1e300), 64), pattern(np.float64(2), 64)) == 0x7FF << 52
    assert run_glsl(glsl.Pow, F32, [F32] * 2, *fs(2.0, 10.0)) == f(1024.0)
    assert run_glsl(glsl.Atan2, F32, [F32] * 2, *fs(1.0, -1.0)) == f(3 * math.pi / 4)


@settings(deadline=None, max_examples=200)
@given(st.lists(st.one_of(bits(32), st.floats(-1.5, 1.5, width=32).map(f)), min_size=4, max_size=4))
def test_packing(values: list[int]) -> None:
    """round(clamp(c, -1, 1) * 127) and so on, the first component in the low bits."""
    for number_, count, width, least, scale in [
        (glsl.PackSnorm4x8, 4, 8, -1, 127),
        (glsl.PackUnorm4x8, 4, 8, 0, 255),
        (glsl.PackSnorm2x16, 2, 16, -1, 32767),
        (glsl.PackUnorm2x16, 2, 16, 0, 65535),
    ]:
        taken = tuple(values[:count])
        word, said = listen_glsl(number_, U32, [vector(F32, count)], taken)
        expected = 0
        nans = 0
        for at, a in enumerate(taken):
            x = number(a, 32)
            if np.isnan(x):
                nans += 1
                continue
            clamped = Fraction(1 if x > 1 else least) if abs(x) > 1 or x < least else exact(a, 32)
            expected |= (round(clamped * scale) & ((1 << width) - 1)) << (at * width)
        assert word == expected and len(said) == nans
    with np.errstate(all="ignore"):
        halves = np.array(values[:2], np.uint32).view(np.float32).astype(np.float16)
    assert run_glsl(glsl.PackHalf2x16, U32, [vector(F32, 2)], tuple(values[:2])) == pattern(halves[0], 16) | (
        pattern(halves[1], 16) << 16
    )


@settings(deadline=None, max_examples=100)
@given(st.integers(0, 0xFFFFFFFF), st.integers(0, 0xFFFFFFFF))
def test_unpacking(word: int, other: int) -> None:
    raw = np.array([word], np.uint32)
    for number_, kind, scale in [
        (glsl.UnpackSnorm4x8, np.int8, 127),
        (glsl.UnpackUnorm4x8, np.uint8, 255),
        (glsl.UnpackSnorm2x16, np.int16, 32767),
        (glsl.UnpackUnorm2x16, np.uint16, 65535),
    ]:
        parts = [max(Fraction(int(part), scale), Fraction(-1)) for part in raw.view(kind)]
        expected = tuple(nearest(part, 32) for part in parts)
        assert run_glsl(number_, vector(F32, len(expected)), [U32], word) == expected
    assert run_glsl(glsl.UnpackHalf2x16, vector(F32, 2), [U32], word) == tuple(
        pattern(np.float32(half), 32) for half in raw.view(np.float16)
    )
    two = vector(U32, 2)
    assert run_glsl(glsl.PackDouble2x32, F64, [two], (word, other)) == word + (other << 32)
    assert run_glsl(glsl.UnpackDouble2x32, two, [F64], word + (other << 32)) == (word, other)


def test_geometry_by_hand() -> None:
    three = vector(F32, 3)
    two = vector(F32, 2)
    assert run_glsl(glsl.Length, F32, [two], fs(3, 4)) == f(5)
    assert run_glsl(glsl.Length, F32, [F32], f(-2)) == f(2)
    assert run_glsl(glsl.Distance, F32, [three, three], fs(1, 2, 3), fs(1, 5, 7)) == f(5)
    assert run_glsl(glsl.Cross, three, [three, three], fs(1, 2, 3), fs(4, 5, 6)) == fs(-3, 6, -3)
    assert run_glsl(glsl.Normalize, two, [two], fs(3, 4)) == fs(float(np.float32(3) / np.float32(5)), 0.8)
    assert run_glsl(glsl.Normalize, F32, [F32], f(-7)) == f(-1)
    # Onto a floor with normal (0, 1): (1, -1) goes off as (1, 1).
    assert run_glsl(glsl.Reflect, two, [two, two], fs(1, -1), fs(0, 1)) == fs(1, 1)
    assert run_glsl(glsl.FaceForward, two, [two] * 3, fs(1, 2), fs(1, -1), fs(0, 1)) == fs(1, 2)
    assert run_glsl(glsl.FaceForward, two, [two] * 3, fs(1, 2), fs(1, 1), fs(0, 1)) == fs(-1, -2)
    # eta 1 goes straight on: k = 1 - (1 - 0.64) = 0.64, (0.6, -0.8) - (-0.8 + 0.8) * n, up to rounding.
    straight = run_glsl(glsl.Refract, two, [two, two, F32], fs(0.6, -0.8), fs(0, 1), f(1))
    assert all(abs(number(x, 32) - y) < 1e-6 for x, y in zip(straight, (0.6, -0.8), strict=True))
    # Total reflection: k = 1 - 4 * (1 - 0.64) < 0.
    assert run_glsl(glsl.Refract, two, [two, two, F32], fs(0.8, -0.6), fs(0, 1), f(2)) == fs(0, 0)


def matrices(size: int) -> st.SearchStrategy[list[list[int]]]:
    line = st.lists(st.integers(-9, 9), min_size=size, max_size=size)
    return st.lists(line, min_size=size, max_size=size)


@settings(deadline=None, max_examples=100)
@given(st.integers(2, 4).flatmap(matrices), st.integers(-3, 3))
def test_determinant_and_inverse(columns: list[list[int]], shift: int) -> None:
    """Elimination over rationals is the oracle; entries are small integers times a power of two."""
    size = len(columns)
    shape = matrix(vector(F32, size), size)
    value = tuple(tuple(f(entry * 2.0**shift) for entry in line) for line in columns)
    rows = [[Fraction(columns[c][r]) * Fraction(2) ** shift for c in range(size)] for r in range(size)]
    unit = [[Fraction(int(r == c)) for c in range(size)] for r in range(size)]
    product = Fraction(1)
    for c in range(size):
        pivot = next((r for r in range(c, size) if rows[r][c] != 0), None)
        if pivot is None:
            product = Fraction(0)
            break
        if pivot != c:
            rows[c], rows[pivot], product = rows[pivot], rows[c], -product
            unit[c], unit[pivot] = unit[pivot], unit[c]
        product *= rows[c][c]
        unit[c] = [entry / rows[c][c] for entry in unit[c]]
        rows[c] = [entry / rows[c][c] for entry in rows[c]]
        for r in range(size):
            if r != c:
                by = rows[r][c]
                rows[r] = [x - by * y for x, y in zip(rows[r], rows[c], strict=True)]
                unit[r] = [x - by * y for x, y in zip(unit[r], unit[c], strict=True)]
    assert run_glsl(glsl.Determinant, F32, [shape], value) == nearest(product, 32)
    inverse, said = listen_glsl(glsl.MatrixInverse, shape, [shape], value)
    if product == 0:
        assert len(said) == 1 and inverse == ((0,) * size,) * size
    else:
        assert said == []
        assert inverse == tuple(tuple(nearest(unit[r][c], 32) for r in range(size)) for c in range(size))


def test_vectors_go_component_by_component() -> None:
    three = vector(F32, 3)
    assert run_glsl(glsl.FMax, three, [three, three], fs(1, 5, 3), fs(2, 4, 3)) == fs(2, 5, 3)
    assert run_glsl(glsl.FClamp, three, [three] * 3, fs(-1, 0.5, 9), fs(0, 0, 0), fs(1, 1, 1)) == fs(0, 0.5, 1)
    assert run_glsl(glsl.Ldexp, three, [three, vector(I32, 3)], fs(1, 1, 1), (1, 0xFFFFFFFF, 3)) == fs(2, 0.5, 8)
    # (1 + 2^-23)(1 - 2^-23) - 1 = -2^-46, rounded once.
    assert run_glsl(glsl.Fma, F32, [F32] * 3, 0x3F800001, 0x3F7FFFFE, 0xBF800000) == f(-(2.0**-46))


def test_what_is_not_for_compute_is_not_known() -> None:
    undefined = Undefined(lambda lane, message: None)
    for number_ in (glsl.InterpolateAtCentroid, glsl.InterpolateAtSample, glsl.InterpolateAtOffset, 47, 82, 0):
        for count in (1, 2, 3):
            assert glsl_function(number_, F32, [F32] * count, undefined) is None
    assert glsl_function(glsl.Sin, BOOL, [BOOL], undefined) is None
    assert glsl_function(glsl.Sin, VOID, [], undefined) is None
