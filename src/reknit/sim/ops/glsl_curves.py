"""GLSL.std.450, curves: angles, trigonometry, exponentials, roots.

    bits --decode--> double --the C library's function--> double --encode--> bits

So a 16 or 32 bit result is the nearest there is, but for the rare tie that a double can't tell; Vulkan allows far
more. Outside of its domain a function is undefined: reported, and what IEEE 754 would have (a NaN, or an infinity at
a pole). Source: GLSL.std.450 extended instruction set.
"""

import math
from collections.abc import Callable
from typing import Final

from reknit.ir import glsl
from reknit.sim.ops.glsl_common import Function, on_number
from reknit.sim.ops.ieee import Format
from reknit.sim.ops.undefined import Undefined

# The greatest arguments whose results are finite doubles.
EXP_LIMIT: Final = 709.782712893384
HYPERBOLIC_LIMIT: Final = 710.475860073943

Curve = Callable[[float], float]


def radians(x: float) -> float:
    return x * (math.pi / 180.0)


def degrees(x: float) -> float:
    return x * (180.0 / math.pi)


def sin(x: float) -> float:
    return math.nan if math.isinf(x) else math.sin(x)


def cos(x: float) -> float:
    return math.nan if math.isinf(x) else math.cos(x)


def tan(x: float) -> float:
    return math.nan if math.isinf(x) else math.tan(x)


def atan(x: float) -> float:
    return math.atan(x)


def sinh(x: float) -> float:
    return math.copysign(math.inf, x) if abs(x) > HYPERBOLIC_LIMIT else math.sinh(x)


def cosh(x: float) -> float:
    return math.inf if abs(x) > HYPERBOLIC_LIMIT else math.cosh(x)


def tanh(x: float) -> float:
    return math.tanh(x)


def asinh(x: float) -> float:
    return math.asinh(x)


def exp(x: float) -> float:
    return math.inf if x > EXP_LIMIT else math.exp(x)


def exp2(x: float) -> float:
    return math.inf if x >= 1024.0 else math.exp2(x)


def everywhere(number: int) -> Curve | None:
    """The curves that are defined for all numbers."""
    if number == glsl.Radians:
        return radians
    if number == glsl.Degrees:
        return degrees
    if number == glsl.Sin:
        return sin
    if number == glsl.Cos:
        return cos
    if number == glsl.Tan:
        return tan
    if number == glsl.Atan:
        return atan
    if number == glsl.Sinh:
        return sinh
    if number == glsl.Cosh:
        return cosh
    if number == glsl.Tanh:
        return tanh
    if number == glsl.Asinh:
        return asinh
    if number == glsl.Exp:
        return exp
    if number == glsl.Exp2:
        return exp2
    return None


def partly(number: int, undefined: Undefined) -> Curve | None:
    """Those that are not."""

    def asin(x: float) -> float:
        if abs(x) > 1.0:
            undefined.say(f"Asin of {x!r}")
            return math.nan
        return math.asin(x)

    def acos(x: float) -> float:
        if abs(x) > 1.0:
            undefined.say(f"Acos of {x!r}")
            return math.nan
        return math.acos(x)

    def acosh(x: float) -> float:
        if x < 1.0:
            undefined.say(f"Acosh of {x!r}")
            return math.nan
        return math.acosh(x)

    def atanh(x: float) -> float:
        if abs(x) >= 1.0:
            undefined.say(f"Atanh of {x!r}")
            return math.copysign(math.inf, x) if abs(x) == 1.0 else math.nan
        return math.atanh(x)

    def log(x: float) -> float:
        if x <= 0.0:
            undefined.say(f"Log of {x!r}")
            return -math.inf if x == 0.0 else math.nan
        return math.log(x)

    def log2(x: float) -> float:
        if x <= 0.0:
            undefined.say(f"Log2 of {x!r}")
            return -math.inf if x == 0.0 else math.nan
        return math.log2(x)

    def sqrt(x: float) -> float:
        if x < 0.0:
            undefined.say(f"Sqrt of {x!r}")
            return math.nan
        return math.sqrt(x)

    def inverse_sqrt(x: float) -> float:
        if x <= 0.0:
            undefined.say(f"InverseSqrt of {x!r}")
            return math.copysign(math.inf, x) if x == 0.0 else math.nan
        return 1.0 / math.sqrt(x)

    if number == glsl.Asin:
        return asin
    if number == glsl.Acos:
        return acos
    if number == glsl.Acosh:
        return acosh
    if number == glsl.Atanh:
        return atanh
    if number == glsl.Log:
        return log
    if number == glsl.Log2:
        return log2
    if number == glsl.Sqrt:
        return sqrt
    if number == glsl.InverseSqrt:
        return inverse_sqrt
    return None


def unary(number: int, form: Format, undefined: Undefined) -> Function | None:
    curve = everywhere(number) or partly(number, undefined)
    return None if curve is None else on_number(curve, form)


def power(x: float, y: float) -> float:
    """x^y for x >= 0."""
    if x == 0.0 and y < 0.0:
        return math.inf
    try:
        return math.pow(x, y)
    except OverflowError:
        return math.inf


def binary(number: int, form: Format, undefined: Undefined) -> Function | None:

    def atan2(a: int, b: int) -> int:
        y = form.decode(a)
        x = form.decode(b)
        if x == 0.0 and y == 0.0:
            undefined.say("Atan2 of 0 and 0")
        return form.encode(math.atan2(y, x))

    def pow_(a: int, b: int) -> int:
        x = form.decode(a)
        y = form.decode(b)
        if x < 0.0:
            undefined.say(f"Pow of a negative number, {x!r}")
            return form.nan
        if x == 0.0 and y <= 0.0:
            undefined.say(f"Pow of 0 by {y!r}")
        return form.encode(power(abs(x), y))

    if number == glsl.Atan2:
        return atan2
    if number == glsl.Pow:
        return pow_
    return None
