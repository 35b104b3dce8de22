"""Bits to numbers and back, in each direction with one rounding to nearest, ties to even.

    bits --decode--> double (exact for 16, 32 and 64 bits) --encode--> bits (rounded, overflow to infinity)
    bits --parts--> (sign, mantissa, exponent), exact integers --round_exact--> bits

Every NaN that is computed is the canonical quiet one, so that runs compare equal; operations that only move or negate
bits keep a NaN's payload. Denormals are kept. A double holds + - * / sqrt of narrower floats so that rounding twice
is the same as rounding once (53 >= 2 * 24 + 2, Figueroa 1995); what that doesn't cover goes through `round_exact`.
"""

import math
import struct
from typing import Final, final

DOUBLE: Final = struct.Struct("<d")
WORD64: Final = struct.Struct("<Q")

# Added to a double in [0, 2^52) and taken off again, this leaves the nearest whole number, ties to even.
WHOLE: Final = 4503599627370496.0


def normalized(value: float) -> tuple[float, int]:
    """(scaled in [1, 2), exponent): value = scaled * 2^exponent, for values from 2^-127 to below 2^128.

    Comparisons with constants, since they compile to machine code where math.frexp stays a call.
    """
    exponent = 0
    if value >= 1.0:
        if value >= 18446744073709551616.0:
            value *= 5.421010862427522e-20
            exponent += 64
        if value >= 4294967296.0:
            value *= 2.3283064365386963e-10
            exponent += 32
        if value >= 65536.0:
            value *= 1.52587890625e-05
            exponent += 16
        if value >= 256.0:
            value *= 0.00390625
            exponent += 8
        if value >= 16.0:
            value *= 0.0625
            exponent += 4
        if value >= 4.0:
            value *= 0.25
            exponent += 2
        if value >= 2.0:
            value *= 0.5
            exponent += 1
        return value, exponent
    if value < 1.0842021724855044e-19:
        value *= 18446744073709551616.0
        exponent -= 64
    if value < 4.656612873077393e-10:
        value *= 4294967296.0
        exponent -= 32
    if value < 3.0517578125e-05:
        value *= 65536.0
        exponent -= 16
    if value < 0.0078125:
        value *= 256.0
        exponent -= 8
    if value < 0.125:
        value *= 16.0
        exponent -= 4
    if value < 0.5:
        value *= 4.0
        exponent -= 2
    if value < 1.0:
        value *= 2.0
        exponent -= 1
    return value, exponent


@final
class Format:
    """An IEEE 754 binary format of `width` bits, `fraction` of them for the significand's stored part.

    `rows` is the exponent field of infinities and NaNs; `unit`, by sign and exponent field, what a significand of 1 is
    worth; `denormals` and `one_unit` how many units 1 is, of a denormal and of numbers from 1 to 2.
    """

    __slots__ = (
        "width",
        "fraction",
        "bias",
        "sign",
        "inf",
        "nan",
        "one",
        "hidden",
        "rows",
        "overflow",
        "unit",
        "least_normal",
        "denormals",
        "one_unit",
    )

    def __init__(self, width: int, fraction: int) -> None:
        self.width = width
        self.fraction = fraction
        self.bias = (1 << (width - fraction - 2)) - 1
        self.sign = 1 << (width - 1)
        self.hidden = 1 << fraction
        self.inf = self.sign - self.hidden
        self.nan = self.inf | (self.hidden >> 1)
        self.one = self.bias << fraction
        self.rows = self.inf >> fraction
        # Doubles are converted as a whole and need no tables.
        rows = self.rows if width < 64 else 0
        lowest = 1 - self.bias - fraction
        units = [2.0 ** (max(row, 1) - 1 + lowest) for row in range(rows + 1)] if rows else []
        self.unit = units + [-unit for unit in units]
        self.least_normal = 2.0 ** (1 - self.bias) if rows else 0.0
        self.denormals = 2.0**-lowest if rows else 0.0
        self.one_unit = 2.0**fraction
        # From here on a magnitude rounds to infinity: half a unit above the greatest finite number.
        self.overflow = (2.0 - 2.0 ** (-fraction - 1)) * 2.0**self.bias if rows else math.inf

    def decode(self, bits: int) -> float:
        """The number, exactly."""
        if self.width == 64:
            value: float = DOUBLE.unpack(WORD64.pack(bits))[0]
            return value
        row = bits >> self.fraction
        significand = bits & (self.hidden - 1)
        exponent = row & self.rows
        if exponent != 0:
            if exponent == self.rows:
                if significand != 0:
                    return math.nan
                return math.inf if row == exponent else -math.inf
            significand |= self.hidden
        return self.unit[row] * float(significand)

    def encode(self, value: float) -> int:
        """The nearest number's bits."""
        if value != value:
            return self.nan
        if self.width == 64:
            bits: int = WORD64.unpack(DOUBLE.pack(value))[0]
            return bits
        sign = 0
        if value <= 0.0:
            if value == 0.0:
                return self.sign if math.copysign(1.0, value) < 0.0 else 0
            sign = self.sign
            value = -value
        if value >= self.overflow:
            return sign | self.inf
        if value < self.least_normal:
            return sign | int((value * self.denormals + WHOLE) - WHOLE)
        scaled, exponent = normalized(value)
        significand = int((scaled * self.one_unit + WHOLE) - WHOLE)
        # The significand brings its hidden bit, which is 1 in the exponent field; one that rounded up to the next power
        # of two brings another.
        return sign | (((exponent + self.bias - 1) << self.fraction) + significand)


FORMAT16: Final = Format(16, 10)
FORMAT32: Final = Format(32, 23)
FORMAT64: Final = Format(64, 52)


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
