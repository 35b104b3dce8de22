"""The words of a //TEST_INPUT line.

set a.b[2] = new T{ x: -1.5h }   ->   set a . b [ 2 ] = new T { x : - 1.5h }
"""

import re
from typing import final

from slang_tests.arguments import Malformed

WORD, INTEGER, FLOAT, HALF, MARK, END = "word", "integer", "float", "half", "mark", "end"
MAX_DEPTH = 100
_TOKEN = re.compile(
    r"\s*(?:(?P<word>[A-Za-z_]\w*)|(?P<hex>0[xX][0-9a-fA-F]+)[uUlL]*"
    r"|(?P<float>(?:\d+\.\d*|\.\d+)(?:[eE][-+]?\d+)?|\d+[eE][-+]?\d+|\d+(?=[fh]\b))(?P<suffix>[fFhH]?)"
    r"|(?P<integer>\d+)[uUlL]*|(?P<mark>\S))"
)


@final
class Tokens:
    """A place in a line's tokens, which are (kind, text) pairs. `depth` is how many values are open there."""

    __slots__ = ("text", "found", "at", "depth")

    def __init__(self, text: str) -> None:
        self.text = text
        self.found: list[tuple[str, str]] = []
        self.at = 0
        self.depth = 0
        end = len(text.rstrip())
        start = 0
        while start < end:
            match = _TOKEN.match(text, start)
            assert match is not None  # any character that isn't white is a mark
            self.found.append(_token(match))
            start = match.end()

    def peek(self, ahead: int = 0) -> tuple[str, str]:
        at = self.at + ahead
        return self.found[at] if at < len(self.found) else (END, "")

    def kind(self) -> str:
        return self.peek()[0]

    def take(self, kind: str = "") -> str:
        found, text = self.peek()
        if found == END or (kind and found != kind):
            raise Malformed(f"TEST_INPUT syntax: {self.text.strip()!r}")
        self.at += 1
        return text

    def eat(self, text: str) -> bool:
        """Step over `text` if it is next."""
        if self.peek()[1] != text:
            return False
        self.at += 1
        return True

    def need(self, text: str) -> None:
        if not self.eat(text):
            raise Malformed(f"TEST_INPUT syntax: {self.text.strip()!r}")

    def integer(self) -> int:
        sign = -1 if self.eat("-") else 1
        return sign * int(self.take(INTEGER), 0)

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise Malformed(f"TEST_INPUT nested more than {MAX_DEPTH} deep")

    def at_end(self) -> bool:
        return self.at >= len(self.found)


def _token(match: re.Match[str]) -> tuple[str, str]:
    if match["word"]:
        return WORD, match["word"]
    if match["hex"]:
        return INTEGER, match["hex"]
    if match["float"]:
        return (HALF if match["suffix"] in ("h", "H") else FLOAT), match["float"]
    if match["integer"]:
        return INTEGER, match["integer"].lstrip("0") or "0"
    return MARK, match["mark"]
