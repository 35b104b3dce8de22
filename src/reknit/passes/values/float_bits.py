"""What can be said of constant floats without rounding: the same bits on every device.

    FOrdLessThan 1.0, 2.0     1
    ConvertFToS -2.75         -2            towards zero; what doesn't fit is undefined: None
    ConvertUToF 16777217      None          f32 would round
    FAdd 1.0, 2.0             None          rounding, contraction and denormals are the device's: never folded

Operands that are NaN, infinite or denormal are left alone: devices may treat them differently (SPIR-V 1.6, Float
Controls; Vulkan, "Precision and Operation of SPIR-V Instructions").
"""

import struct
from typing import Final

from reknit.ir import op
from reknit.passes.values.arithmetic import signed

# By width: IEEE format letter, letter of the integer of that width, bits of the fraction.
_FORMATS: Final = {16: ("<e", "<H", 10), 32: ("<f", "<I", 23), 64: ("<d", "<Q", 52)}


def number(bits: int, width: int) -> float | None:
    """The value of zero or a normal float of 16, 32 or 64 bits; None for all others."""
    floats, words, fraction = _FORMATS[width]
    magnitude = bits & ((1 << (width - 1)) - 1)
    exponent = magnitude >> fraction
    if (exponent == 0 and magnitude != 0) or exponent == (1 << (width - 1 - fraction)) - 1:
        return None
    value: float = struct.unpack(floats, struct.pack(words, bits))[0]
    return value


def exact_bits(value: float, width: int) -> int | None:
    """The bits of the float of `width` bits that is `value` exactly; None if there is none that is normal or zero."""
    floats, words, _ = _FORMATS[width]
    try:
        packed = struct.pack(floats, value)
    except OverflowError:
        return None
    bits: int = struct.unpack(words, packed)[0]
    return bits if number(bits, width) == value else None


def compare(code: int, width: int, a: int, b: int) -> int | None:
    """1 or 0. With no NaN among the operands, ordered and unordered comparisons are the same."""
    x = number(a, width)
    y = number(b, width)
    if x is None or y is None:
        return None
    if code == op.FOrdEqual or code == op.FUnordEqual:
        return 1 if x == y else 0
    if code == op.FOrdNotEqual or code == op.FUnordNotEqual:
        return 1 if x != y else 0
    if code == op.FOrdLessThan or code == op.FUnordLessThan:
        return 1 if x < y else 0
    if code == op.FOrdLessThanEqual or code == op.FUnordLessThanEqual:
        return 1 if x <= y else 0
    if code == op.FOrdGreaterThan or code == op.FUnordGreaterThan:
        return 1 if x > y else 0
    if code == op.FOrdGreaterThanEqual or code == op.FUnordGreaterThanEqual:
        return 1 if x >= y else 0
    return None


def to_int(code: int, source: int, target: int, a: int) -> int | None:
    """OpConvertFToS and OpConvertFToU, where the result fits."""
    x = number(a, source)
    if x is None:
        return None
    whole = int(x)
    if code == op.ConvertFToS:
        fits = -(1 << (target - 1)) <= whole < 1 << (target - 1)
    elif code == op.ConvertFToU:
        fits = 0 <= whole < 1 << target
    else:
        return None
    return whole & ((1 << target) - 1) if fits else None


def from_int(code: int, source: int, target: int, a: int) -> int | None:
    """OpConvertSToF and OpConvertUToF, where nothing is rounded."""
    if code != op.ConvertSToF and code != op.ConvertUToF:
        return None
    whole = signed(a, source) if code == op.ConvertSToF else a
    value = float(whole)
    return exact_bits(value, target) if int(value) == whole else None


def resize(code: int, source: int, target: int, a: int) -> int | None:
    """OpFConvert, where nothing is rounded."""
    x = number(a, source)
    return None if x is None or code != op.FConvert else exact_bits(x, target)
