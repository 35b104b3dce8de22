r"""Text from outside as a terminal may show it: what would steer the terminal is written as its number.

    "\x1b]0;owned\x07"  ->  \x1b]0;owned\x07        "\u202egnp.exe"  ->  \u202egnp.exe

Names, paths, quoted lines and what other programs say may hold escape sequences, which move the cursor or rewrite what
was shown, and marks of direction, which show text in another order than it is read in. Line ends and tabs stay.
"""

import re
from typing import Final

STEERS: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters (ECMA-48, C0 and C1) but tab and line feed
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # marks, embeddings, overrides and isolates (UAX #9, 2)
    "\u200b-\u200d\u2060-\u2064\ufeff"  # joiners and spaces without width
    "\u2028\u2029\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)


def visible(text: str) -> str:
    """`text`, with every sign that steers a terminal as \\x1b or \\u202e."""
    if text.replace("\n", "").replace("\t", "").isprintable():  # nothing of STEERS is
        return text
    return STEERS.sub(_number, text)


def visible_line(text: str) -> str:
    """The same of what is one line: a line end in it is a number too."""
    return visible(text).replace("\n", "\\n")


def _number(match: "re.Match[str]") -> str:
    code = ord(match[0])
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
