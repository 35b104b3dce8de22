"""Floats of 16, 32 and 64 bits, exactly: their bits, and what can be computed of them without rounding.

    rounded_bits(0.1, 32)          0x3dcccccd    the nearest float; beyond the type's end it is infinite
    nearest(1e39, 32)         None          the same, but there is no infinity
    decoded(0x3e00, 16)       1.5

    compare(FOrdLessThan, 32, 1.0, 2.0)     1
    to_int(ConvertFToS, 32, 8, -2.75)       -2      towards zero; what doesn't fit is undefined: None
    from_int(ConvertUToF, 32, 32, 16777217) None    f32 would round
    exact(FMul, 32, 1.5, 2.0)               3.0     0.1 * 0.1 is None: the device rounds it
    negated(32, 1.0)                        -1.0

What is computed is the same on every device: "If x is exactly representable as a floating-point value, then x will be
returned" (Vulkan, of operations that are correctly rounded: sums, differences and products). So operands and results
that are NaN, infinite or denormal give None, as devices may treat them differently, and so does a sum that is zero
unless both are the same zero: which one depends on how it is rounded. Source: SPIR-V 1.6, 3.52.11 "Conversion", 3.52.15
"Relational and Logical Instructions", Float Controls; Vulkan, "Precision and Operation of SPIR-V Instructions".
"""

import math
import struct
from typing import Final

from reknit.ir import op
from reknit.ir.integers import signed

# By width: IEEE format letter, letter of the integer of that width, bits of the fraction.
_FORMATS: Final = {16: ("<e", "<H", 10), 32: ("<f", "<I", 23), 64: ("<d", "<Q", 52)}
_SIGNIFICAND: Final = 53  # bits that Python's floats have


def decoded(bits: int, width: int) -> float:
    """The number that the bits are."""
    floats, words, _ = _FORMATS[width]
    value: float = struct.unpack(floats, struct.pack(words, bits))[0]
    return value


def nearest(value: float, width: int) -> int | None:
    """The bits of the nearest float, of two the even one; None where that would be infinite."""
    floats, words, _ = _FORMATS[width]
    try:
        packed = struct.pack(floats, value)
    except OverflowError:
        return None
    bits: int = struct.unpack(words, packed)[0]
    return bits


def rounded_bits(value: float, width: int) -> int:
    """The bits of the nearest float, infinite beyond the type's end."""
    bits = nearest(value, width)
    if bits is None:
        bits = nearest(math.copysign(math.inf, value), width)
        assert bits is not None
    return bits


def integer_bits(value: int, width: int) -> int:
    """The bits of the float that is nearest to an integer of at most 64 bits, rounded once.

    Python's floats have too few bits for some. Where they end in what is left of those that are cut off, they are still
    on the right side of every number halfway between two floats of fewer bits."""
    cut = max(0, abs(value).bit_length() - _SIGNIFICAND) if width < 64 else 0
    kept = abs(value) >> cut
    if kept << cut != abs(value):
        kept |= 1
    bits = rounded_bits(float(kept << cut), width)
    return bits | 1 << (width - 1) if value < 0 else bits


def number(bits: int, width: int) -> float | None:
    """The value of zero or a normal float; None for all others."""
    fraction = _FORMATS[width][2]
    magnitude = bits & ((1 << (width - 1)) - 1)
    exponent = magnitude >> fraction
    if (exponent == 0 and magnitude != 0) or exponent == (1 << (width - 1 - fraction)) - 1:
        return None
    return decoded(bits, width)


def exact_bits(value: float, width: int) -> int | None:
    """The bits of the float that is `value` exactly; None if there is none that is normal or zero."""
    bits = nearest(value, width)
    return bits if bits is not None and number(bits, width) == value else None


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


def exact(code: int, width: int, a: int, b: int) -> int | None:
    """A sum, difference or product that nothing is lost of."""
    x = number(a, width)
    y = number(b, width)
    if x is None or y is None:
        return None
    is_product = code == op.FMul or code == op.VectorTimesScalar
    if code == op.FSub:
        y = -y
    elif not is_product and code != op.FAdd:
        return None
    value = x * y if is_product else x + y
    if not math.isfinite(value):
        return None
    over, under = value.as_integer_ratio()
    over_x, under_x = x.as_integer_ratio()
    over_y, under_y = y.as_integer_ratio()
    wanted = over_x * over_y if is_product else over_x * under_y + over_y * under_x
    if over * under_x * under_y != wanted * under:
        return None
    if value == 0 and not is_product and math.copysign(1.0, x) != math.copysign(1.0, y):
        return None
    return exact_bits(value, width)


def negated(width: int, a: int) -> int | None:
    return None if number(a, width) is None else a ^ (1 << (width - 1))


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
