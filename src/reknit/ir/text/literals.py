"""Numbers of the text form, read and written.

    i32 -3    u32 7u    i8 7i8    u64 7u64    f32 1.5f    f16 1.5h    f64 1.5d    others by their bits  f32(0x7fc00000)

A number is printed with the fewest digits that read back as the same bits.
"""

import math
import re
from typing import Final

from reknit.ir.floats import decoded, nearest

_SUFFIXES: Final = {16: "h", 32: "f", 64: "d"}
_WIDTHS: Final = {"h": 16, "f": 32, "d": 64}
_INTEGER: Final = re.compile(r"([-+]?(?:0[xX][0-9a-fA-F]+|[0-9]+))(?:([iu])([0-9]*))?\Z")
_FLOAT: Final = re.compile(r"([-+]?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)([hfd]?)\Z")
MAX_DIGITS: Final = 4000  # of an integer: Python refuses to convert more, and no type is that wide


def int_suffix(width: int, signed: bool) -> str:
    if width == 32:
        return "" if signed else "u"
    return f"{'i' if signed else 'u'}{width}"


def read_integer(token: str) -> tuple[int, int, str] | None:
    """Value, width and sign ("i", "u") of an integer token; width 0 and "" without a suffix; None if it is none."""
    match = _INTEGER.match(token)
    if match is None or len(token) > MAX_DIGITS:
        return None
    digits: str = match.group(1)
    sign: str | None = match.group(2)
    width: str | None = match.group(3)
    base = 16 if "x" in digits or "X" in digits else 10
    value = int(digits, base)
    if sign is None:
        return value, 0, ""
    if not width:
        return value, 32, sign
    return (value, int(width), sign) if len(width) <= 4 and int(width) > 0 else None


def read_float(token: str) -> tuple[float, int] | None:
    """Value and width of a float token, width 0 without a suffix; None if it is none."""
    match = _FLOAT.match(token)
    if match is None or len(token) > MAX_DIGITS:
        return None
    digits: str = match.group(1)
    suffix: str = match.group(2)
    value = float(digits)
    if math.isinf(value):
        return None
    return value, _WIDTHS[suffix] if suffix else 0


def float_text(bits: int, width: int, suffix: bool = True) -> str | None:
    """A float's decimal text, or None where only its bits will do (NaN, infinity, widths that Python lacks)."""
    if width not in _SUFFIXES:
        return None
    value = decoded(bits, width)
    if math.isnan(value) or math.isinf(value):
        return None
    text = repr(value)
    if width < 64:
        for digits in range(1, 10):
            short = repr(float(f"{value:.{digits}g}"))
            if nearest(float(short), width) == bits:
                text = short
                break
    return text + _SUFFIXES[width] if suffix else text
