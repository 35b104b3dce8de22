"""Where things stand in the files of one compilation.

    at = file index << 48 | line << 20 | column        one int a token and a node

A place is made of it when something is said about it.
"""

from typing import Final, final

from reknit.source.place import Place

_FILE: Final = 48
_LINE: Final = 20
_COLUMNS: Final = 0xFFFFF
_LINES: Final = 0xFFFFFFF
COLUMNS: Final = 0xF0000
"""Columns of a line that positions tell from each other. There is room behind them for a place inside of a token."""
START: Final = 1 << _LINE | 1
"""The first column of the source's first line."""


def position(file: int, line: int, column: int) -> int:
    """The packed position; lines and columns count from 1."""
    return (file << _FILE) | (line << _LINE) | (column if column < COLUMNS else COLUMNS)


def file_of(at: int) -> int:
    return at >> _FILE


def line_of(at: int) -> int:
    """The number of a line among those of all files."""
    return at >> _LINE


def moved(ats: list[int], directive: int, line: int, file: int) -> list[int]:
    """The positions after a `#line` directive: the line after it is `line`, of another file unless `file` is -1."""
    first = ((directive >> _LINE) & _LINES) + 1
    out: list[int] = []
    for at in ats:
        now = max(1, line + ((at >> _LINE) & _LINES) - first)
        out.append(position((at >> _FILE) if file < 0 else file, now, at & _COLUMNS))
    return out


@final
class Sources:
    """The files read so far, in order of first use; `names` are as diagnostics show them, `texts` their contents."""

    __slots__ = ("names", "texts")

    def __init__(self) -> None:
        self.names: list[str] = []
        self.texts: list[str] = []

    def add(self, name: str, text: str) -> int:
        """The index of a new file."""
        self.names.append(name)
        self.texts.append(text)
        return len(self.names) - 1

    def place(self, at: int, length: int = 1) -> Place:
        column = at & _COLUMNS
        known = column if column < COLUMNS else 0
        return Place(self.names[at >> _FILE], (at >> _LINE) & _LINES, known, length)
