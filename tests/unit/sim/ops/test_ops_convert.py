"""Conversions against numpy's casts, exact rationals, and the specification's sentences."""

import math
import sys
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from unit.sim.ops.ops_calls import listen, run
from unit.sim.ops.ops_floats import FLOATS, SHAPES, bits, cases, exact, is_finite, nearest, number, pattern

from reknit.ir import op
from reknit.sim.values import F32, F64, INT_KIND, U8, U16, U32, U64, Shape, to_signed, vector

WIDTHS = st.sampled_from([8, 16, 32, 64])


@settings(deadline=None, max_examples=200)
@given(WIDTHS, st.integers(0, (1 << 64) - 1), st.sampled_from([16, 32, 64]))
def test_integer_to_float_rounds_once(width: int, wide: int, target: int) -> None:
    a = wide & ((1 << width) - 1)
    source = Shape(INT_KIND, width)
    shape = SHAPES[target]
    assert run(op.ConvertUToF, shape, [source], a) == nearest(Fraction(a), target)
    assert run(op.ConvertSToF, shape, [source], a) == nearest(Fraction(to_signed(a, width)), target)


def test_64_bits_to_f32_would_round_twice_through_a_double() -> None:
    """2^60 + 2^36 + 1: a double drops the 1, and what is left is a tie that goes down; the true number is above it."""
    assert run(op.ConvertUToF, F32, [U64], (1 << 60) + (1 << 36) + 1) == ((127 + 60) << 23) + 1


@settings(deadline=None, max_examples=300)
@given(cases(1), WIDTHS)
def test_float_to_integer(case: tuple[int, tuple[int, ...]], target: int) -> None:
    """Towards zero; out of range is undefined: clamped and reported."""
    width, (a,) = case
    for opcode, least, most in [
        (op.ConvertFToU, 0, (1 << target) - 1),
        (op.ConvertFToS, -(1 << (target - 1)), (1 << (target - 1)) - 1),
    ]:
        value, messages = listen(opcode, Shape(INT_KIND, target), [SHAPES[width]], a)
        if np.isnan(number(a, width)):
            assert value == 0 and len(messages) == 1
            continue
        infinite = not is_finite(a, width)
        negative = bool(a >> (width - 1))
        whole = (least - 1 if negative else most + 1) if infinite else math.trunc(exact(a, width))
        assert value == min(max(whole, least), most) & ((1 << target) - 1)
        assert len(messages) == (0 if least <= whole <= most else 1)


@settings(deadline=None, max_examples=300)
@given(cases(1), st.sampled_from([16, 32, 64]))
def test_float_to_float_is_numpys_cast(case: tuple[int, tuple[int, ...]], target: int) -> None:
    width, (a,) = case
    with np.errstate(all="ignore"):
        expected = FLOATS[target](number(a, width))
    assert run(op.FConvert, SHAPES[target], [SHAPES[width]], a) == pattern(expected, target)


@settings(deadline=None, max_examples=200)
@given(bits(32))
def test_quantize_to_f16(a: int) -> None:
    """OpQuantizeToF16: infinities and NaNs stay, too great is infinite, less than a normal f16 is a zero."""
    value = run(op.QuantizeToF16, F32, [F32], a)
    x = number(a, 32)
    if np.isnan(x):
        assert np.isnan(number(value, 32))
    elif abs(x) < 2.0**-14:
        assert value == a & 0x80000000
    else:
        with np.errstate(all="ignore"):
            assert value == pattern(np.float32(np.float16(x)), 32)


@settings(deadline=None, max_examples=150)
@given(WIDTHS, WIDTHS, st.integers(0, (1 << 64) - 1))
def test_integer_widths(source: int, target: int, wide: int) -> None:
    a = wide & ((1 << source) - 1)
    shapes = [Shape(INT_KIND, source)]
    result = Shape(INT_KIND, target)
    mask = (1 << target) - 1
    signed = to_signed(a, source)
    assert run(op.UConvert, result, shapes, a) == a & mask
    assert run(op.SConvert, result, shapes, a) == signed & mask
    assert run(op.SatConvertSToU, result, shapes, a) == min(max(signed, 0), mask)
    assert run(op.SatConvertUToS, result, shapes, a) == min(a, mask >> 1)


KINDS: dict[int, Any] = {8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}
INTS = {8: U8, 16: U16, 32: U32, 64: U64}


@settings(deadline=None, max_examples=150)
@given(WIDTHS, WIDTHS, st.binary(min_size=16, max_size=16), st.sampled_from([8, 16]))
def test_bitcast_is_a_view_of_the_same_bytes(source: int, target: int, data: bytes, size: int) -> None:
    """A little-endian machine's view puts the lowest component first, as OpBitcast does."""
    assert sys.byteorder == "little"
    whole = np.frombuffer(data[:size], KINDS[source])
    view = whole.view(KINDS[target])

    def value(parts: Any) -> Any:
        return int(parts[0]) if len(parts) == 1 else tuple(int(part) for part in parts)

    def shape(width: int, parts: Any) -> Shape:
        return INTS[width] if len(parts) == 1 else vector(INTS[width], len(parts))

    assert run(op.Bitcast, shape(target, view), [shape(source, whole)], value(whole)) == value(view)


def test_bitcast_between_kinds_keeps_a_nans_payload() -> None:
    assert run(op.Bitcast, U32, [F32], 0xFFA00001) == 0xFFA00001
    assert run(op.Bitcast, F64, [vector(U32, 2)], (1, 0x7FF00000)) == 0x7FF0000000000001
