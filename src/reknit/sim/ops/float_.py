"""Floating-point arithmetic and classification on bits, correctly rounded.

    bits a, b --decode--> doubles --op, exact or rounded to 53 bits--> double --encode--> bits

Source: SPIR-V 1.6, 3.42.13 and 3.42.15; Vulkan "Precision and Operation of SPIR-V Instructions": where that allows a
range of results, the correctly rounded one is ours. OpFRem and OpFMod are exact remainders (rounded once where the
sign is moved); by 0 they are undefined: reported, and NaN.
"""

import math
from collections.abc import Callable

from reknit.ir import op
from reknit.sim.ops.ieee import Format, parts, round_exact
from reknit.sim.ops.undefined import Undefined

Unary = Callable[[int], int]
Binary = Callable[[int, int], int]
Ternary = Callable[[int, int, int], int]


def divide(x: float, y: float) -> float:
    """x / y as IEEE 754 has it; Python raises where that divides by zero."""
    if y != 0.0:
        return x / y
    if x == 0.0 or x != x:
        return math.nan
    return math.copysign(math.inf, x) * math.copysign(1.0, y)


def remainder(x: float, y: float) -> float:
    """The exact x - y * trunc(x / y), with the sign of x; NaN for an infinite x or y = 0."""
    if y == 0.0 or x != x or y != y or math.isinf(x):
        return math.nan
    return math.fmod(x, y)


def modulo(x: float, y: float) -> float:
    """x - y * floor(x / y), with the sign of y."""
    rest = remainder(x, y)
    if rest == 0.0:
        return math.copysign(0.0, y)
    if (rest < 0.0) != (y < 0.0):
        return rest + y
    return rest


def fused(a: int, b: int, c: int, form: Format) -> int:
    """a * b + c rounded once (IEEE 754 fusedMultiplyAdd), all three as bits."""
    magnitude = form.sign - 1
    if (a & magnitude) >= form.inf or (b & magnitude) >= form.inf or (c & magnitude) >= form.inf:
        # With an infinity or a NaN in, the double product overflows only where it is infinite anyway, unless finite
        # factors do (64 bits): those must not turn an infinite c into a NaN.
        if (a & magnitude) < form.inf and (b & magnitude) < form.inf:
            return form.nan if (c & magnitude) > form.inf else c
        return form.encode(form.decode(a) * form.decode(b) + form.decode(c))
    sign_a, mantissa_a, exponent_a = parts(a, form)
    sign_b, mantissa_b, exponent_b = parts(b, form)
    sign_c, mantissa_c, exponent_c = parts(c, form)
    product = mantissa_a * mantissa_b
    exponent = exponent_a + exponent_b
    sign = sign_a ^ sign_b
    if product == 0 and mantissa_c == 0:
        # +0 unless both are -0 (round to nearest).
        return form.sign if sign and sign_c else 0
    lowest = min(exponent, exponent_c)
    total = product << (exponent - lowest)
    if sign:
        total = -total
    other = mantissa_c << (exponent_c - lowest)
    total += -other if sign_c else other
    return round_exact(1 if total < 0 else 0, abs(total), lowest, form)


def arithmetic(opcode: int, form: Format, undefined: Undefined) -> Binary | None:

    def frem(a: int, b: int) -> int:
        y = form.decode(b)
        if y == 0.0:
            undefined.say("OpFRem by zero")
        return form.encode(remainder(form.decode(a), y))

    def fmod(a: int, b: int) -> int:
        y = form.decode(b)
        if y == 0.0:
            undefined.say("OpFMod by zero")
        return form.encode(modulo(form.decode(a), y))

    if opcode == op.FAdd:
        return lambda a, b: form.encode(form.decode(a) + form.decode(b))
    if opcode == op.FSub:
        return lambda a, b: form.encode(form.decode(a) - form.decode(b))
    if opcode == op.FMul:
        return lambda a, b: form.encode(form.decode(a) * form.decode(b))
    if opcode == op.FDiv:
        return lambda a, b: form.encode(divide(form.decode(a), form.decode(b)))
    if opcode == op.FRem:
        return frem
    if opcode == op.FMod:
        return fmod
    return None


def unary(opcode: int, form: Format) -> Unary | None:
    sign = form.sign
    magnitude = sign - 1
    inf = form.inf
    least_normal = 1 << form.fraction
    if opcode == op.FNegate:
        return lambda a: a ^ sign
    if opcode == op.IsNan:
        return lambda a: 1 if a & magnitude > inf else 0
    if opcode == op.IsInf:
        return lambda a: 1 if a & magnitude == inf else 0
    if opcode == op.IsFinite:
        return lambda a: 1 if a & magnitude < inf else 0
    if opcode == op.IsNormal:
        return lambda a: 1 if least_normal <= a & magnitude < inf else 0
    if opcode == op.SignBitSet:
        return lambda a: 1 if a & sign else 0
    return None


def comparison(opcode: int, form: Format) -> Binary | None:
    """Ordered: false with a NaN; unordered: true with one. A double compares as its narrower self does."""
    inf = form.inf
    magnitude = form.sign - 1
    if opcode == op.FOrdEqual:
        return lambda a, b: 1 if form.decode(a) == form.decode(b) else 0
    if opcode == op.FUnordNotEqual:
        return lambda a, b: 1 if form.decode(a) != form.decode(b) else 0
    if opcode == op.FOrdLessThan:
        return lambda a, b: 1 if form.decode(a) < form.decode(b) else 0
    if opcode == op.FOrdGreaterThan:
        return lambda a, b: 1 if form.decode(a) > form.decode(b) else 0
    if opcode == op.FOrdLessThanEqual:
        return lambda a, b: 1 if form.decode(a) <= form.decode(b) else 0
    if opcode == op.FOrdGreaterThanEqual:
        return lambda a, b: 1 if form.decode(a) >= form.decode(b) else 0
    if opcode == op.FUnordLessThan:
        return lambda a, b: 0 if form.decode(a) >= form.decode(b) else 1
    if opcode == op.FUnordGreaterThan:
        return lambda a, b: 0 if form.decode(a) <= form.decode(b) else 1
    if opcode == op.FUnordLessThanEqual:
        return lambda a, b: 0 if form.decode(a) > form.decode(b) else 1
    if opcode == op.FUnordGreaterThanEqual:
        return lambda a, b: 0 if form.decode(a) < form.decode(b) else 1
    if opcode == op.Ordered:
        return lambda a, b: 1 if a & magnitude <= inf and b & magnitude <= inf else 0
    if opcode == op.Unordered:
        return lambda a, b: 1 if a & magnitude > inf or b & magnitude > inf else 0
    if opcode == op.FOrdNotEqual or opcode == op.LessOrGreater:

        def differ(a: int, b: int) -> int:
            x = form.decode(a)
            y = form.decode(b)
            return 1 if x < y or x > y else 0

        return differ
    if opcode == op.FUnordEqual:

        def same_or_unordered(a: int, b: int) -> int:
            x = form.decode(a)
            y = form.decode(b)
            return 0 if x < y or x > y else 1

        return same_or_unordered
    return None
