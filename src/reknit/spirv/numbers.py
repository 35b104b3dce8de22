"""Numbers of SPIR-V assembly: text <-> bits, by the rules of SPIRV-Tools, which SPIR-V's text form is defined by.

32-bit float   1.5 <-> 0x3fc00000     0x1.8p+0 -> the same
16-bit float   0x1.8p+0 <-> 0x3e00    (narrow floats, denormals, infinities and NaNs print as hexadecimal floats)
integers       -1, 0x1f, 017          a hexadecimal number may fill a signed type: 0xff is -1 in 8 bits
"""

import math
import re
import struct
from fractions import Fraction
from typing import Final, final

from reknit.ir import enums


@final
class FloatFormat:
    """One float layout: its width, its fields' widths, and the bias of its exponent, all in bits but the bias."""

    __slots__ = ("bits", "exponent", "fraction", "bias", "signed", "top")

    def __init__(self, bits: int, exponent: int, fraction: int, bias: int, top: float) -> None:
        self.bits = bits
        self.exponent = exponent
        self.fraction = fraction
        self.bias = bias
        self.signed = exponent + fraction < bits
        self.top = top  # largest magnitude that text may have; inf where rounding to infinity is the test instead


HALF: Final = FloatFormat(16, 5, 10, 15, math.inf)
SINGLE: Final = FloatFormat(32, 8, 23, 127, math.inf)
DOUBLE: Final = FloatFormat(64, 11, 52, 1023, math.inf)
E8M0: Final = FloatFormat(8, 8, 0, 127, 2.0**127)
MXINT8: Final = FloatFormat(8, 0, 6, 0, 127 / 64)

BY_WIDTH: Final = {16: HALF, 32: SINGLE, 64: DOUBLE}
BY_ENCODING: Final = {
    enums.FPEncodingBFloat16KHR: FloatFormat(16, 8, 7, 127, math.inf),
    enums.FPEncodingFloat8E4M3EXT: FloatFormat(8, 4, 3, 7, 448.0),
    enums.FPEncodingFloat8E5M2EXT: FloatFormat(8, 5, 2, 15, math.inf),
    enums.FPEncodingFloat6E2M3EXT: FloatFormat(6, 2, 3, 1, 7.5),
    enums.FPEncodingFloat6E3M2EXT: FloatFormat(6, 3, 2, 3, 28.0),
    enums.FPEncodingFloat4E2M1EXT: FloatFormat(4, 2, 1, 1, 6.0),
    enums.FPEncodingFloat8UnsignedE8M0EXT: E8M0,
    enums.FPEncodingMXInt8EXT: MXINT8,
}

_MAX_FLOAT: Final = 2.0**128 - 2.0**104  # of the 32-bit floats
_OVERFLOW: Final = 2.0**128 - 2.0**103  # from here on rounding gives infinity

MAX_DIGITS: Final = 4000
"""Of a number: Python refuses to convert more, and no type is that wide."""

_INTEGER = re.compile(r"(?a)[+-]?(?:0[xX][0-9a-fA-F]+|0[0-7]*|[1-9][0-9]*)\Z")
_DECIMAL = re.compile(r"(?a)[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\Z")
_HEX_FLOAT = re.compile(r"(?a)([+-]?)0[xX]0*([0-9a-fA-F]*)(?:\.([0-9a-fA-F]*))?p([+-]?[0-9]+)\Z")


def float_format(width: int, encoding: int) -> FloatFormat | None:
    """The layout of an OpTypeFloat: its width and its FPEncoding, -1 where it has none."""
    return BY_ENCODING.get(encoding) if encoding >= 0 else BY_WIDTH.get(width)


def read_integer(text: str) -> int | None:
    """Decimal, 0x hexadecimal or 0 octal, with an optional sign; None where it is no integer, or longer than any."""
    if len(text) > MAX_DIGITS:
        return None
    if text.isdecimal() and text.isascii() and (text[0] != "0" or len(text) == 1):
        return int(text)
    if _INTEGER.match(text) is None:
        return None
    digits = text.lstrip("+-")
    base = 16 if digits[:2] in ("0x", "0X") else 8 if digits[0] == "0" else 10
    value = int(digits, base)
    return -value if text[0] == "-" else value


def integer_bits(text: str, width: int, signed: bool) -> int | None:
    """The bits of an integer literal, sign-extended to whole words; None where it is none or does not fit the type."""
    value = read_integer(text)
    if value is None or not 0 < width <= 64 or (text[0] == "-" and not signed):
        return None
    if value < 0:
        if value < -(1 << (width - 1)):
            return None
    elif text[:2] in ("0x", "0X"):
        if value >> width:
            return None
        if signed and value >> (width - 1):
            value -= 1 << width
    elif value >> (width - 1 if signed else width):
        return None
    return value & (0xFFFFFFFFFFFFFFFF if width > 32 else 0xFFFFFFFF)


def float_bits(text: str, layout: FloatFormat) -> int | None:
    """The bits of a float literal, decimal or hexadecimal; None where it is no number or too large for the type."""
    if len(text) > MAX_DIGITS:
        return None
    if layout is E8M0 or layout is MXINT8:
        return _exact_bits(text, layout)
    match = _HEX_FLOAT.match(text)
    if match is not None:
        return _hex_bits(match[1] == "-", match[2], match[3] or "", int(match[4]), layout)
    if _DECIMAL.match(text) is None:
        return None
    value = float(text)
    if math.isinf(value):
        return None
    if layout is DOUBLE:
        return int(struct.unpack("<Q", struct.pack("<d", value))[0])
    single = _to_single(text, value)
    if single is None:
        return None
    bits = int(struct.unpack("<I", struct.pack("<f", single))[0])
    if layout is SINGLE:
        return bits
    if abs(single) > layout.top:
        return None
    narrow = _narrowed(single, bits >> 31, layout)
    overflowed = narrow >> layout.fraction & ((1 << layout.exponent) - 1) == (1 << layout.exponent) - 1
    return None if math.isinf(layout.top) and overflowed else narrow


def _to_single(text: str, value: float) -> float | None:
    """A decimal rounded once, to the nearest 32-bit float; None if that is an infinity. `value` is it as a double."""
    try:
        single = float(struct.unpack("<f", struct.pack("<f", value))[0])
    except OverflowError:
        # Halfway from the largest float to infinity, as a double; the text may lie just below.
        below = abs(value) == _OVERFLOW and abs(Fraction(text.lstrip("+"))) < _OVERFLOW
        return math.copysign(_MAX_FLOAT, value) if below else None
    if single == value or math.isinf(single):
        return None if math.isinf(single) else single
    # Rounding through a double is wrong only where the double lies exactly between two floats and the text does not.
    bits = int(struct.unpack("<i", struct.pack("<f", single))[0])
    step = 1 if (value > single) == (value > 0) else -1
    other = float(struct.unpack("<f", struct.pack("<i", bits + step))[0])
    if value - single == other - value:
        exact = Fraction(text.lstrip("+"))
        if exact != Fraction(value):
            low, high = min(single, other), max(single, other)
            return high if exact > Fraction(value) else low
    return single


def _narrowed(value: float, sign: int, layout: FloatFormat) -> int:
    """A number in a narrower layout, rounded towards zero; too large ones become infinity's exponent."""
    out = sign << (layout.bits - 1)
    if value == 0:
        return out
    mantissa, exponent = math.frexp(abs(value))  # 0.5 <= mantissa < 1
    biased = exponent - 1 + layout.bias
    if biased <= 0:  # a denormal
        return out | int(math.ldexp(mantissa, exponent + layout.bias - 1 + layout.fraction))
    if biased >= 1 << layout.exponent:
        return out | ((1 << layout.exponent) - 1) << layout.fraction
    fraction = int(math.ldexp(mantissa * 2 - 1, layout.fraction))
    return out | biased << layout.fraction | fraction


def _hex_bits(negative: bool, whole: str, part: str, power: int, layout: FloatFormat) -> int:
    """The bits of a hexadecimal float: what does not fit the fraction is cut off, too large a power is infinity."""
    digits = bin(int(whole, 16))[2:] if whole else ""
    below = bin(int("1" + part, 16))[3:] if part else ""
    exponent = layout.bias + power
    if digits:
        exponent += len(digits) - 1
        fraction = digits[1:] + below
    else:
        lead = below.find("1")
        if lead < 0:
            return int(negative) << (layout.bits - 1)
        exponent -= lead + 1
        fraction = below[lead + 1 :]
    top = (1 << layout.exponent) - 1
    if exponent > top:
        exponent = top
        fraction = ""
    elif exponent <= 0:
        fraction = "0" * min(-exponent, layout.fraction + 1) + "1" + fraction
        exponent = 0
    field = int((fraction + "0" * layout.fraction)[: layout.fraction] or "0", 2)
    return int(negative) << (layout.bits - 1) | exponent << layout.fraction | field


def _exact_bits(text: str, layout: FloatFormat) -> int | None:
    """E8M0 and MXInt8 take only what they can represent."""
    bits = float_bits(text, DOUBLE)
    if bits is None:
        return None
    value = float(struct.unpack("<d", struct.pack("<Q", bits))[0])
    if layout is E8M0:
        mantissa, exponent = math.frexp(value)
        return exponent - 1 + 127 if mantissa == 0.5 and -127 <= exponent - 1 <= 127 else None
    scaled = value * 64
    return int(scaled) & 0xFF if -128 <= scaled <= 127 and scaled == int(scaled) else None


def float_text(bits: int, layout: FloatFormat) -> str:
    """A float as the disassembler prints it: %g with enough digits, or a hexadecimal float."""
    if layout is MXINT8:
        byte = bits & 0xFF
        scaled = (byte - 256 if byte & 0x80 else byte) / 64
        return hex_float(int(struct.unpack("<I", struct.pack("<f", scaled))[0]), SINGLE)
    if layout is SINGLE:
        exponent = bits >> 23 & 0xFF
        if 0 < exponent < 0xFF or bits & 0x7FFFFFFF == 0:
            return f"{struct.unpack('<f', struct.pack('<I', bits))[0]:.9g}"
    elif layout is DOUBLE:
        exponent = bits >> 52 & 0x7FF
        if 0 < exponent < 0x7FF or bits & 0x7FFFFFFFFFFFFFFF == 0:
            return f"{struct.unpack('<d', struct.pack('<Q', bits))[0]:.17g}"
    return hex_float(bits & ((1 << layout.bits) - 1), layout)


def hex_float(bits: int, layout: FloatFormat) -> str:
    """0x1.8p+1: leading digit, fraction without trailing zeros, power of two. Denormals are normalised, NaNs kept."""
    exponent = bits >> layout.fraction & ((1 << layout.exponent) - 1)
    fraction = bits & ((1 << layout.fraction) - 1)
    sign = "-" if layout.signed and bits >> (layout.bits - 1) & 1 else ""
    power = exponent - layout.bias
    lead = 1
    if layout.signed and exponent == 0:
        if fraction == 0:
            lead = power = 0
        else:
            shift = layout.fraction - fraction.bit_length()
            power -= shift
            fraction = fraction << (shift + 1) & ((1 << layout.fraction) - 1)
    nibbles = (layout.fraction + 3) // 4
    digits = f"{fraction << (nibbles * 4 - layout.fraction):0{nibbles}x}".rstrip("0") if nibbles else ""
    return f"{sign}0x{lead}{'.' + digits if digits else ''}p{power:+d}"
