"""GLSL.std.450, plain arithmetic component by component: rounding, signs, extremes, interpolation, taking floats apart.

    FClamp(x, low, high)   ->   FMin(FMax(x, low), high)
    FMix(x, y, a)          ->   x * (1 - a) + y * a, each step rounded

Source: GLSL.std.450 extended instruction set. Round takes halves to even (the direction is the implementation's).
FMin, FMax and FClamp don't say which operand a NaN gives: reported, and as if it compared false; the N forms give the
number. Modf and Frexp give pairs: the result, and what goes to the pointer or the second member.
"""

import math
from collections.abc import Callable
from typing import Any, Final

from reknit.ir import glsl
from reknit.sim.ops.float_ import divide, fused
from reknit.sim.ops.ieee import Format
from reknit.sim.ops.undefined import Undefined

Function = Callable[..., Any]

# From here on every double is a whole number.
WHOLE: Final = 4503599627370496.0


def floor(x: float) -> float:
    """Keeps -0, infinities and NaNs."""
    if x != x or abs(x) >= WHOLE:
        return x
    return math.copysign(float(math.floor(x)), x)


def ceil(x: float) -> float:
    if x != x or abs(x) >= WHOLE:
        return x
    return math.copysign(float(math.ceil(x)), x)


def trunc(x: float) -> float:
    if x != x or abs(x) >= WHOLE:
        return x
    return math.copysign(float(int(x)), x)


def round_even(x: float) -> float:
    if x != x or abs(x) >= WHOLE:
        return x
    return math.copysign(float(round(x)), x)


def fract(x: float) -> float:
    return math.nan if math.isinf(x) else x - floor(x)


def sign(x: float) -> float:
    if x > 0.0:
        return 1.0
    return -1.0 if x < 0.0 else 0.0


def on_number(function: Callable[[float], float], form: Format) -> Function:
    """The function on bits, rounded once."""
    return lambda a: form.encode(function(form.decode(a)))


def float_unary(number: int, form: Format) -> Function | None:
    if number == glsl.FAbs:
        magnitude = form.sign - 1
        return lambda a: a & magnitude
    if number == glsl.Round or number == glsl.RoundEven:
        return on_number(round_even, form)
    if number == glsl.Trunc:
        return on_number(trunc, form)
    if number == glsl.Floor:
        return on_number(floor, form)
    if number == glsl.Ceil:
        return on_number(ceil, form)
    if number == glsl.Fract:
        return on_number(fract, form)
    if number == glsl.FSign:
        return on_number(sign, form)
    return None


def extreme(number: int, form: Format, undefined: Undefined) -> Function | None:
    """The lesser or greater of two floats."""

    def least(a: int, b: int) -> int:
        x = form.decode(a)
        y = form.decode(b)
        if x != x or y != y:
            undefined.say("FMin of a NaN gives either operand")
        return b if y < x else a

    def greatest(a: int, b: int) -> int:
        x = form.decode(a)
        y = form.decode(b)
        if x != x or y != y:
            undefined.say("FMax of a NaN gives either operand")
        return b if x < y else a

    def least_number(a: int, b: int) -> int:
        x = form.decode(a)
        return b if form.decode(b) < x or x != x else a

    def greatest_number(a: int, b: int) -> int:
        x = form.decode(a)
        return b if x < form.decode(b) or x != x else a

    if number == glsl.FMin:
        return least
    if number == glsl.FMax:
        return greatest
    if number == glsl.NMin:
        return least_number
    if number == glsl.NMax:
        return greatest_number
    return None


def clamp(number: int, form: Format, undefined: Undefined) -> Function | None:
    if number != glsl.FClamp and number != glsl.NClamp:
        return None
    greater = extreme(glsl.FMax if number == glsl.FClamp else glsl.NMax, form, undefined)
    lesser = extreme(glsl.FMin if number == glsl.FClamp else glsl.NMin, form, undefined)
    if greater is None or lesser is None:
        return None
    upper = greater
    lower = lesser

    def between(x: int, low: int, high: int) -> int:
        if form.decode(low) > form.decode(high):
            undefined.say("a clamp between bounds that are in the wrong order")
        bits: int = lower(upper(x, low), high)
        return bits

    return between


def interpolation(number: int, form: Format, undefined: Undefined) -> Function | None:

    def rounded(x: float) -> float:
        return form.decode(form.encode(x))

    def mix(a: int, b: int, by: int) -> int:
        part = form.decode(by)
        return form.encode(rounded(form.decode(a) * rounded(1.0 - part)) + rounded(form.decode(b) * part))

    def step(edge: int, a: int) -> int:
        return 0 if form.decode(a) < form.decode(edge) else form.one

    def smooth_step(low: int, high: int, a: int) -> int:
        start = form.decode(low)
        end = form.decode(high)
        if start >= end:
            undefined.say("SmoothStep between edges that don't ascend")
        at = rounded(divide(rounded(form.decode(a) - start), rounded(end - start)))
        at = 1.0 if at > 1.0 else 0.0 if at < 0.0 else at
        return form.encode(rounded(at * at) * rounded(3.0 - rounded(2.0 * at)))

    if number == glsl.FMix:
        return mix
    if number == glsl.Step:
        return step
    if number == glsl.SmoothStep:
        return smooth_step
    if number == glsl.Fma:
        return lambda a, b, c: fused(a, b, c, form)
    return None


def modf(form: Format) -> Function:
    """(fraction, whole), both with the sign of the operand."""

    def split(a: int) -> tuple[int, int]:
        x = form.decode(a)
        fraction, whole = math.modf(x)
        return form.encode(fraction), form.encode(whole)

    return split


def frexp(form: Format, exponent_width: int, undefined: Undefined) -> Function:
    """(significand in [0.5, 1), exponent)."""
    mask = (1 << exponent_width) - 1

    def split(a: int) -> tuple[int, int]:
        x = form.decode(a)
        if x != x or math.isinf(x):
            undefined.say("Frexp of an infinity or a NaN")
            return a, 0
        significand, exponent = math.frexp(x)
        return form.encode(significand), exponent & mask

    return split


def ldexp(form: Format, exponent_width: int, undefined: Undefined) -> Function:
    top = 1 << (exponent_width - 1)

    def scale(a: int, by: int) -> int:
        x = form.decode(a)
        exponent = (by ^ top) - top
        if exponent > form.bias + 1:
            undefined.say(f"Ldexp by {exponent}")
        if x == 0.0 or x != x or math.isinf(x):
            return form.encode(x)
        # Past this every finite number is infinite, or rounds to zero.
        exponent = min(max(exponent, -4 * form.bias), 4 * form.bias)
        limit = math.frexp(x)[1] + exponent
        if limit > 1024:
            undefined.say("Ldexp overflows")
            return form.inf | (form.sign if x < 0.0 else 0)
        bits = form.encode(math.ldexp(x, exponent))
        if bits & (form.sign - 1) == form.inf and exponent <= form.bias + 1:
            undefined.say("Ldexp overflows")
        return bits

    return scale


def int_unary(number: int, width: int, result_width: int) -> Function | None:
    mask = (1 << width) - 1
    top = 1 << (width - 1)
    all_ones = (1 << result_width) - 1
    if number == glsl.SAbs:
        return lambda a: (-a & mask) if a & top else a
    if number == glsl.SSign:
        return lambda a: mask if a & top else 1 if a else 0
    if number == glsl.FindILsb:
        return lambda a: (a & -a).bit_length() - 1 if a else all_ones
    if number == glsl.FindUMsb:
        return lambda a: a.bit_length() - 1 if a else all_ones
    if number == glsl.FindSMsb:

        def signed_msb(a: int) -> int:
            bits = a ^ mask if a & top else a
            return bits.bit_length() - 1 if bits else all_ones

        return signed_msb
    return None


def int_extreme(number: int, width: int, undefined: Undefined) -> Function | None:
    top = 1 << (width - 1)

    def unsigned_clamp(a: int, low: int, high: int) -> int:
        if low > high:
            undefined.say("UClamp between bounds that are in the wrong order")
        return min(max(a, low), high)

    def signed_clamp(a: int, low: int, high: int) -> int:
        if low ^ top > high ^ top:
            undefined.say("SClamp between bounds that are in the wrong order")
        return min(max(a ^ top, low ^ top), high ^ top) ^ top

    if number == glsl.UMin:
        return lambda a, b: b if b < a else a
    if number == glsl.UMax:
        return lambda a, b: b if a < b else a
    if number == glsl.SMin:
        return lambda a, b: b if b ^ top < a ^ top else a
    if number == glsl.SMax:
        return lambda a, b: b if a ^ top < b ^ top else a
    if number == glsl.UClamp:
        return unsigned_clamp
    if number == glsl.SClamp:
        return signed_clamp
    return None
