"""The instructions of an assembly text or a binary as rows: function by function, label by label.

    %main = OpFunction ...      Part 0            rows are matched with what was read by counting: the third ballot
    %a = OpLabel                  label 0           after label 2 of function 1 is the third in the block that this
    %x = OpGroupNonUniform...       row  <--        label became
    OpBranch %b                     row (ending)

A place is a line of the text, or a word of the binary.
"""

from array import array
from typing import final

from reknit.ir import op
from reknit.ir.opcodes import by_name
from reknit.source.place import Place
from reknit.spirv.lexer import Lines, statements
from reknit.spirv.words import HEADER_WORDS

DEBUG = (op.Line, op.NoLine)


@final
class Label:
    """What stands between one OpLabel and the next: opcodes with places, the last one the terminator."""

    __slots__ = ("place", "rows")

    def __init__(self, place: Place) -> None:
        self.place = place
        self.rows: list[tuple[int, Place]] = []

    def of(self, code: int) -> list[Place]:
        return [place for each, place in self.rows if each == code]

    def ending(self) -> Place:
        for code, place in reversed(self.rows):
            if code not in DEBUG:
                return place
        return self.place


@final
class Part:
    """One function."""

    __slots__ = ("place", "labels")

    def __init__(self, place: Place) -> None:
        self.place = place
        self.labels: list[Label] = []


def rows_of_assembly(text: str, name: str) -> list[Part]:
    """Of a text that has been read without a fault."""
    lines = Lines(text, name)
    rows: list[tuple[int, Place]] = []
    for statement in statements(text):
        words = statement.words
        head = 2 if len(words) > 2 and words[1] == "=" else 0
        about = by_name(words[head][2:])
        length = statement.starts[-1] + len(words[-1]) - statement.starts[0]
        rows.append((about.code if about is not None else -1, lines.place(statement.starts[0], length)))
    return _parts(rows)


def rows_of_binary(data: bytes, name: str) -> list[Part]:
    """Of a binary that has been read without a fault."""
    words = array("I")
    words.frombytes(data[: len(data) // 4 * 4])
    if words[0] != 0x07230203:
        words.byteswap()
    rows: list[tuple[int, Place]] = []
    at = HEADER_WORDS
    while at < len(words) and words[at] >> 16:
        rows.append((words[at] & 0xFFFF, Place(name, word=at)))
        at += words[at] >> 16
    return _parts(rows)


def _parts(rows: list[tuple[int, Place]]) -> list[Part]:
    parts: list[Part] = []
    for code, place in rows:
        if code == op.Function:
            parts.append(Part(place))
        elif parts and code == op.Label:
            parts[-1].labels.append(Label(place))
        elif parts and parts[-1].labels and code != op.FunctionEnd:
            parts[-1].labels[-1].rows.append((code, place))
    return parts
