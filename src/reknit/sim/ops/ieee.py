"""Bits to numbers and back, each way with one rounding to nearest, ties to even.

    bits --decode--> double (exact for 16, 32 and 64 bits) --encode--> bits (rounded, overflow to infinity)
    bits --parts--> (sign, mantissa, exponent), exact integers --round_exact--> bits

Every NaN that is computed is the canonical quiet one, so that runs compare equal; operations that only move or negate
bits keep a NaN's payload. Denormals are kept. A double holds + - * / sqrt of narrower floats so that rounding twice
is the same as rounding once (53 >= 2 * 24 + 2, Figueroa 1995); what that doesn't cover goes through `round_exact`.
"""

import struct
from collections.abc import Callable
from typing import Final, final

NAN16: Final = 0x7E00
NAN32: Final = 0x7FC00000
NAN64: Final = 0x7FF8000000000000
INF16: Final = 0x7C00
INF32: Final = 0x7F800000
INF64: Final = 0x7FF0000000000000

# From here on a magnitude rounds to infinity: half a unit above the greatest finite number.
OVERFLOW16: Final = 65520.0
OVERFLOW32: Final = 3.4028235677973366e38

HALF: Final = struct.Struct("<e")
SINGLE: Final = struct.Struct("<f")
DOUBLE: Final = struct.Struct("<d")
WORD16: Final = struct.Struct("<H")
WORD32: Final = struct.Struct("<I")
WORD64: Final = struct.Struct("<Q")


def decode16(bits: int) -> float:
    value: float = HALF.unpack(WORD16.pack(bits))[0]
    return value


def decode32(bits: int) -> float:
    value: float = SINGLE.unpack(WORD32.pack(bits))[0]
    return value


def decode64(bits: int) -> float:
    value: float = DOUBLE.unpack(WORD64.pack(bits))[0]
    return value


def encode16(value: float) -> int:
    if value != value:
        return NAN16
    if value >= OVERFLOW16:
        return INF16
    if value <= -OVERFLOW16:
        return INF16 | 0x8000
    bits: int = WORD16.unpack(HALF.pack(value))[0]
    return bits


def encode32(value: float) -> int:
    if value != value:
        return NAN32
    if value >= OVERFLOW32:
        return INF32
    if value <= -OVERFLOW32:
        return INF32 | 0x80000000
    bits: int = WORD32.unpack(SINGLE.pack(value))[0]
    return bits


def encode64(value: float) -> int:
    if value != value:
        return NAN64
    bits: int = WORD64.unpack(DOUBLE.pack(value))[0]
    return bits


@final
class Format:
    """An IEEE 754 binary format: `fraction` bits stored of the significand, `width` in all."""

    __slots__ = ("width", "fraction", "bias", "sign", "inf", "nan", "one", "decode", "encode")

    def __init__(
        self, width: int, fraction: int, decode: Callable[[int], float], encode: Callable[[float], int]
    ) -> None:
        self.width = width
        self.fraction = fraction
        self.bias = (1 << (width - fraction - 2)) - 1
        self.sign = 1 << (width - 1)
        self.inf = self.sign - (1 << fraction)
        self.nan = self.inf | (1 << (fraction - 1))
        self.one = self.bias << fraction
        self.decode = decode
        self.encode = encode


FORMAT16: Final = Format(16, 10, decode16, encode16)
FORMAT32: Final = Format(32, 23, decode32, encode32)
FORMAT64: Final = Format(64, 52, decode64, encode64)


def format_of(width: int) -> Format | None:
    """The format of a float that many bits wide, or None for the widths no SPIR-V for Vulkan has."""
    if width == 32:
        return FORMAT32
    if width == 16:
        return FORMAT16
    if width == 64:
        return FORMAT64
    return None


def parts(bits: int, form: Format) -> tuple[int, int, int]:
    """(sign, mantissa, exponent) of a finite number: (-1)^sign * mantissa * 2^exponent."""
    magnitude = bits & (form.sign - 1)
    exponent = magnitude >> form.fraction
    mantissa = magnitude & ((1 << form.fraction) - 1)
    sign = 1 if bits & form.sign else 0
    if exponent == 0:
        return sign, mantissa, 1 - form.bias - form.fraction
    return sign, mantissa | (1 << form.fraction), exponent - form.bias - form.fraction


def round_exact(sign: int, mantissa: int, exponent: int, form: Format) -> int:
    """The bits nearest to (-1)^sign * mantissa * 2^exponent, ties to even; `mantissa` >= 0 may be of any size."""
    top = form.sign if sign else 0
    if mantissa == 0:
        return top
    lowest = 1 - form.bias - form.fraction
    unit = max(exponent + mantissa.bit_length() - 1 - form.fraction, lowest)
    shift = unit - exponent
    if shift > 0:
        half = 1 << (shift - 1)
        rest = mantissa & ((1 << shift) - 1)
        mantissa >>= shift
        if rest > half or (rest == half and mantissa & 1):
            mantissa += 1
    else:
        mantissa <<= -shift
    # The hidden bit adds one to the exponent field; a mantissa that rounded up to the next power does so once more.
    bits = ((unit - lowest) << form.fraction) + mantissa
    return top | min(bits, form.inf)


def round_ratio(numerator: int, denominator: int, form: Format) -> int:
    """The bits nearest to numerator / denominator (> 0); zero is +0."""
    magnitude = abs(numerator)
    if magnitude == 0:
        return 0
    shift = max(0, form.fraction + 4 + denominator.bit_length() - magnitude.bit_length())
    quotient, rest = divmod(magnitude << shift, denominator)
    # One more bit below tells whether anything was cut off, which is all that rounding needs to know.
    return round_exact(1 if numerator < 0 else 0, (quotient << 1) | (1 if rest else 0), -shift - 1, form)
