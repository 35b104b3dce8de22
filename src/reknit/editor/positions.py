"""Places as the Language Server Protocol has them: lines and columns from 0, columns in units of UTF-16.

    "x = \U0001f600 + y"       y is the 9th character, and in column 9 of the protocol: the face before it counts twice
"""

from collections.abc import Sequence

from reknit.source.place import Place


def to_units(line: str, column: int) -> int:
    """The column (from 1, in characters) in units (from 0); past the end it is the end."""
    before = line[: max(column - 1, 0)]
    return len(before) + sum(char > "\uffff" for char in before)


def from_units(line: str, units: int) -> int:
    """The column (from 1) of the character that these units (from 0) are before or in."""
    at = 0
    for index, char in enumerate(line):
        if at >= units:
            return index + 1
        at += 2 if char > "\uffff" else 1
    return len(line) + 1


def span_of(lines: Sequence[str], place: Place | None) -> tuple[int, int, int]:
    """(line, first, last) of a place in a text: what is not known is the first line, or the whole of a line."""
    if place is None or not 0 < place.line <= len(lines):
        return 0, 0, to_units(lines[0], len(lines[0]) + 1) if lines else 0
    line = lines[place.line - 1]
    if place.column <= 0:
        return place.line - 1, len(line) - len(line.lstrip()), to_units(line, len(line) + 1)
    first = to_units(line, place.column)
    return place.line - 1, first, max(to_units(line, place.column + max(place.length, 1)), first)
