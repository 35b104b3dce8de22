"""From one number format to another.

    float -> integer   towards zero; what doesn't fit is undefined: reported, and clamped (NaN: 0)
    integer -> float   one rounding, also from 64 bits to 32 or 16
    float -> float     one rounding; a NaN becomes the canonical NaN
    integer -> integer zero or sign extension, or the low bits; the Sat forms clamp
    bits -> bits       OpBitcast: components laid end to end, the first one lowest, and cut again

Source: SPIR-V 1.6, 3.42.11 Conversion Instructions.
"""

import math
from collections.abc import Callable
from typing import Any

from reknit.ir import op
from reknit.sim.ops.ieee import FORMAT16, FORMAT32, Format, format_of, round_exact
from reknit.sim.ops.undefined import Undefined
from reknit.sim.values import FLOAT_KIND, INT_KIND, VECTOR_KIND, Shape

Unary = Callable[[int], int]


def float_to_int(form: Format, width: int, signed: bool, undefined: Undefined) -> Unary:
    least = -(1 << (width - 1)) if signed else 0
    most = (1 << (width - 1)) - 1 if signed else (1 << width) - 1
    mask = (1 << width) - 1
    name = "OpConvertFToS" if signed else "OpConvertFToU"

    def convert(a: int) -> int:
        x = form.decode(a)
        if x != x:
            return undefined.say(f"{name} of a NaN")
        if math.isinf(x):
            undefined.say(f"{name} of an infinity")
            return (most if x > 0.0 else least) & mask
        whole = int(x)
        if whole > most:
            undefined.say(f"{name} of {x!r}, which {width} bits don't hold")
            return most & mask
        if whole < least:
            undefined.say(f"{name} of {x!r}, which {width} bits don't hold")
            return least & mask
        return whole & mask

    return convert


def int_to_float(width: int, signed: bool, form: Format) -> Unary:
    sign = 1 << (width - 1)
    if width <= 32:
        # A double holds the integer, so there is one rounding.
        if signed:
            return lambda a: form.encode(float((a ^ sign) - sign))
        return lambda a: form.encode(float(a))

    def convert(a: int) -> int:
        if signed and a & sign:
            return round_exact(1, (sign << 1) - a, 0, form)
        return round_exact(0, a, 0, form)

    return convert


def float_to_float(source: Format, target: Format) -> Unary:
    return lambda a: target.encode(source.decode(a))


def quantize(a: int) -> int:
    """OpQuantizeToF16 of an f32: what isn't a normal f16 becomes a zero of its sign; a NaN stays one."""
    magnitude = a & 0x7FFFFFFF
    if magnitude > 0x7F800000:
        return 0x7FC00000
    # 2^-14, the least normal f16, in f32.
    if magnitude < 0x38800000:
        return a & 0x80000000
    return FORMAT32.encode(FORMAT16.decode(FORMAT16.encode(FORMAT32.decode(a))))


def resize(opcode: int, source: int, target: int) -> Unary | None:
    """Integer to integer, `source` bits to `target` bits."""
    mask = (1 << target) - 1
    sign = 1 << (source - 1)
    if opcode == op.UConvert:
        return lambda a: a & mask
    if opcode == op.SConvert:
        return lambda a: ((a ^ sign) - sign) & mask
    if opcode == op.SatConvertSToU:
        return lambda a: 0 if a & sign else min(a, mask)
    if opcode == op.SatConvertUToS:
        most = mask >> 1
        return lambda a: min(a, most)
    return None


def bitcast(result: Shape, operand: Shape) -> Callable[[Any], Any] | None:
    """Between numbers and vectors of numbers of the same size in bits; None where a pointer is involved."""
    to_vector = result.kind == VECTOR_KIND
    from_vector = operand.kind == VECTOR_KIND
    to = result.component()
    source = operand.component()
    if to.kind != INT_KIND and to.kind != FLOAT_KIND:
        return None
    if source.kind != INT_KIND and source.kind != FLOAT_KIND:
        return None
    to_width = to.width
    from_width = source.width
    count = result.count if to_vector else 1
    if count * to_width != (operand.count if from_vector else 1) * from_width:
        return None
    if to_vector == from_vector and to_width == from_width:
        return lambda a: a
    mask = (1 << to_width) - 1

    def cast(a: Any) -> Any:
        bits = 0
        if from_vector:
            at = 0
            for component in a:
                bits |= component << at
                at += from_width
        else:
            bits = a
        if not to_vector:
            return bits
        return tuple([(bits >> at) & mask for at in range(0, count * to_width, to_width)])

    return cast


def component(opcode: int, result: Shape, operand: Shape, undefined: Undefined) -> Unary | None:
    """The conversions that go component by component; both shapes are scalars."""
    if operand.kind == INT_KIND and result.kind == INT_KIND:
        return resize(opcode, operand.width, result.width)
    source = format_of(operand.width) if operand.kind == FLOAT_KIND else None
    target = format_of(result.width) if result.kind == FLOAT_KIND else None
    signed = opcode == op.ConvertFToS or opcode == op.ConvertSToF
    if source is not None and result.kind == INT_KIND and (signed or opcode == op.ConvertFToU):
        return float_to_int(source, result.width, signed, undefined)
    if target is not None and operand.kind == INT_KIND and (signed or opcode == op.ConvertUToF):
        return int_to_float(operand.width, signed, target)
    if source is not None and target is not None:
        if opcode == op.FConvert:
            return float_to_float(source, target)
        if opcode == op.QuantizeToF16 and operand.width == 32:
            return quantize
    return None
