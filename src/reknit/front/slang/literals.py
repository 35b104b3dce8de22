r"""What a literal's text says.

    0x1Fu -> 31, "u", not decimal      1.5h -> 1.5, "h"      'a' -> 97      "a\n" -> a and a line end

Source: Slang's language reference, "Literal expressions".
"""

import math
import re
import struct
from typing import Final

from reknit.front.slang.report import Reports

_INT: Final = re.compile(r"(0[xX][0-9a-fA-F]*|0[bB][0-9]*|[0-9]+)(\w*)")
_FLOAT: Final = re.compile(
    r"((?:0[xX][0-9a-fA-F.]+(?:[pP][+-]?[0-9]+|#INF))|[0-9.]+(?:#INF)?(?:[eE][+-]?[0-9]+)?)(\w*)"
)
_INT_SUFFIXES: Final = {
    "": "", "u": "u", "l": "l", "ul": "ul", "lu": "ul", "ll": "ll", "ull": "ull", "llu": "ull", "z": "z", "uz": "uz",
    "zu": "uz",
}  # fmt: skip
_FLOAT_SUFFIXES: Final = {"": "", "f": "f", "h": "h", "hf": "h", "fh": "h", "l": "l", "lf": "lf", "fl": "lf"}
_WIDTHS: Final = {"h": 16, "l": 64, "lf": 64}
_FORMATS: Final = {16: (11, -24), 32: (24, -149), 64: (53, -1074)}  # bits of precision, the exponent of the last one
_ESCAPE: Final = re.compile(
    r"\\(?:([0-7]{1,3})|o\{([0-7]+)\}|x([0-9a-fA-F]+)|[xu]\{([0-9a-fA-F]+)\}|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(\n)|(.))",
    re.S,
)
_ESCAPES: Final = {
    "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\\": "\\", "'": "'", '"': '"',
    "?": "?", "0": "\0",
}  # fmt: skip
_RAW: Final = re.compile(r'R"([^"()\\ \n]*)\((.*)\)\1"', re.S)
_MAX_UINT64: Final = 2**64 - 1


def int_literal(text: str, at: int, reports: Reports) -> tuple[int, str, bool]:
    """(value, suffix, whether it is written in decimal)."""
    match = _INT.fullmatch(text)
    assert match is not None
    digits, suffix = match[1], match[2]
    base = 10
    if digits[:2] in ("0x", "0X"):
        base = 16
    elif digits[:2] in ("0b", "0B"):
        base = 2
    elif len(digits) > 1 and digits[0] == "0":
        base = 8
        reports.warning("E10002", at, "'0' prefix indicates octal literal", length=len(text))
    bare = digits[2:] if base in (16, 2) else digits
    value = 0
    try:
        value = int(bare, base) if len(bare) < 1000 else _MAX_UINT64 + 1
    except ValueError:
        digit_signs = "0123456789abcdef"[:base]
        first = next(
            (i for i in range(len(text) - len(bare + suffix), len(text)) if text[i].lower() not in digit_signs), 0
        )
        reports.error("E10003", at + first, f"invalid digit for base-{base} literal: '{text[first]}'")
    if value > _MAX_UINT64:
        message = "integer literal is too large to be represented in any integer type"
        reports.error("E10012", at, message, length=len(text))
        value = _MAX_UINT64
    sorted_suffix = _INT_SUFFIXES.get(suffix.lower())
    if sorted_suffix is None or "lL" in suffix or "Ll" in suffix:
        reports.error("E39999", at, f"invalid suffix '{suffix}' on integer literal", length=len(text))
        sorted_suffix = ""
    return value, sorted_suffix, base == 10


def float_literal(text: str, at: int, reports: Reports) -> tuple[float, str]:
    """(value, suffix). The value of a half or float rounds to what the text says."""
    match = _FLOAT.fullmatch(text)
    assert match is not None
    digits, suffix = match[1], match[2].lower()
    if suffix not in _FLOAT_SUFFIXES:
        reports.error("E39999", at, f"invalid suffix '{match[2]}' on floating-point literal", length=len(text))
    suffix = _FLOAT_SUFFIXES.get(suffix, "")
    if digits.endswith("#INF"):
        return float("inf"), suffix
    width = _WIDTHS.get(suffix, 32)
    try:
        return (_hexadecimal(digits, width) if digits[:2] in ("0x", "0X") else _decimal(digits, width)), suffix
    except ValueError:
        what = f"invalid floating-point number '{digits}' on floating-point literal"
        reports.error("E39999", at, what, length=len(text))
        return 0.0, suffix


def _decimal(digits: str, width: int) -> float:
    """A double that rounds to the float of `width` bits that is nearest to the number. What is rounded to a double and
    then again may be one off, but not where a double that isn't exact ends in a one (Boldo and Melquiond, "Emulation of
    a FMA and correctly rounded sums: proved algorithms using rounding to odd", IEEE Transactions on Computers 57)."""
    nearest = float(digits)
    bits: int = struct.unpack("<Q", struct.pack("<d", nearest))[0]
    if width == 64 or bits & 1 or nearest == 0 or math.isinf(nearest):
        return nearest
    from decimal import Decimal

    exact, rounded = Decimal(digits), Decimal(nearest)
    if exact == rounded:
        return nearest
    return math.nextafter(nearest, math.inf if exact > rounded else -math.inf)


def _hexadecimal(digits: str, width: int) -> float:
    """0x1.8p3 -> 12, cut off toward zero after the last bit that a float of `width` bits has."""
    written, _, power = digits[2:].lower().partition("p")
    whole, _, fraction = written.partition(".")
    mantissa = int(whole + fraction, 16)
    exponent = int(power) - 4 * len(fraction)
    precision, least = _FORMATS[width]
    highest = mantissa.bit_length() + exponent
    if mantissa == 0 or highest < least:
        return 0.0
    if highest > 1024:
        return math.inf
    cut = max(highest - precision, least) - exponent
    return math.ldexp(mantissa >> cut, exponent + cut) if cut > 0 else math.ldexp(mantissa, exponent)


def string_literal(text: str, at: int, reports: Reports) -> str:
    raw = _RAW.fullmatch(text)
    if raw is not None:
        return raw[2]
    return _unescaped(text[1:-1], at, reports)


def char_literal(text: str, at: int, reports: Reports) -> int:
    body = text[1:-1]
    match = _ESCAPE.fullmatch(body)
    if match is not None and match[7] is None and match[8] is None:
        value = _code(match)
        if value > 0xFFFFFFFF:
            return _out_of_range(value, at, reports)
        return value
    plain = _unescaped(body, at, reports)
    if len(plain) != 1:
        reports.error("E10001", at, "illegal character literal", length=len(text))
    return ord(plain[0]) if plain else 0


def _unescaped(body: str, at: int, reports: Reports) -> str:
    if "\\" not in body:
        return body
    out: list[str] = []
    done = 0
    for match in _ESCAPE.finditer(body):
        out.append(body[done : match.start()])
        out.append(_escaped(match, at, reports))
        done = match.end()
    out.append(body[done:])
    return "".join(out)


def _escaped(match: re.Match[str], at: int, reports: Reports) -> str:
    if match[7] is not None:  # an escaped line end
        return ""
    if match[8] is not None:
        plain = _ESCAPES.get(match[8])
        if plain is None:
            reports.error("E10007", at, f"invalid string escape: '\\{match[8]}'")
            return ""
        return plain
    code = _code(match)
    return chr(code) if code <= 0x10FFFF else chr(_out_of_range(code, at, reports))


def _code(match: re.Match[str]) -> int:
    """The number that an escape of digits says."""
    octal = match[1] or match[2]
    if octal:
        return int(octal, 8)
    return int(match[3] or match[4] or match[5] or match[6], 16)


def _out_of_range(code: int, at: int, reports: Reports) -> int:
    message = (
        f"invalid string escape: code unit {code} (0x{code:x}) is out of range"
        if code < 2**64
        else ("invalid string escape: a code unit is out of range")
    )
    reports.error("E10009", at, message)
    return 0
