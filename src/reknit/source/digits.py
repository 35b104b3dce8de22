"""Integers in text from outside: ASCII digits, and no more of them than any number here has.

    is_decimal("12")  True      is_decimal("²"), is_decimal("١٢"), is_decimal("1" * 5000)  False
    integer("0x1f", 0)  31      integer("1_000"), integer("١٢"), integer("1" * 5000)  ValueError
    saturated("1" * 5000)       BEYOND, a number that no bound admits

Python's own int() takes underscores, spaces and the digits of every script, and str.isdigit() takes superscripts that
int() refuses; of more than 4,300 decimal digits int() raises ValueError where no digit is wrong.
"""

from typing import Final

MAX_DIGITS: Final = 250
"""Of any base: a float can still hold such a number."""

BEYOND: Final = 1 << 64


def is_decimal(text: str) -> bool:
    """Whether it is one decimal digit or more, as `integer` takes them."""
    return text.isascii() and text.isdecimal() and len(text) <= MAX_DIGITS


def is_signed_decimal(text: str) -> bool:
    """The same, perhaps after a sign."""
    return is_decimal(text[1:] if text[:1] in ("+", "-") else text)


def integer(text: str, base: int = 10) -> int:
    """The number that digits say, perhaps after a sign; of base 0, 0x, 0o and 0b say the base. Raises ValueError."""
    if not text.isascii() or "_" in text or len(text) > MAX_DIGITS or text != text.strip():
        raise ValueError(f"no integer of {MAX_DIGITS} digits or fewer")
    return int(text, base)


def saturated(digits: str) -> int:
    """What decimal digits say that a pattern has found, BEYOND where that or more is meant."""
    return min(int(digits), BEYOND) if is_decimal(digits) else BEYOND
