"""Marks on instructions of a picture: a line of their own in the block, with a number, and the details of them.

+-----------------------------------------------+
| %b1                                           |
| [1] %r = IFoo.foo -> A, B                     |   <- the line; in SVG on a coloured ground, with a tooltip
| 3 more instructions                           |
+-----------------------------------------------+
[1] IFoo.foo in main: switch of 2 ...               <- the details, below or beside the picture
"""

from typing import final

from reknit.ir.function import Function
from reknit.ir.value import Value
from reknit.ir.walk import instructions


@final
class Mark:
    """`line` has no number. `details` are paragraphs, each with the lines that belong to it."""

    __slots__ = ("number", "line", "details")

    def __init__(self, number: int, line: str, details: list[tuple[str, list[str]]]) -> None:
        self.number = number
        self.line = line
        self.details = details

    def tip(self) -> list[str]:
        """The details, in lines for a tooltip."""
        return [line for head, lines in self.details for line in [head, *["  " + text for text in lines]]]


Marks = dict[Value, Mark]
"""By instruction, in the order of their numbers."""


def marks_of(functions: list[Function], marks: Marks | None) -> Marks:
    """Those in some functions."""
    if not marks:
        return {}
    inside = [instr for function in functions for instr in instructions(function)]
    return {instr: marks[instr] for instr in inside if instr in marks}


def marks_text(marks: Marks) -> str:
    """The details of each, a paragraph a mark."""
    out: list[str] = []
    for mark in marks.values():
        margin = " " * (len(str(mark.number)) + 3)
        for index, (head, lines) in enumerate(mark.details):
            out.append(f"[{mark.number}] {head}" if index == 0 else margin + head)
            out.extend([f"{margin}  {line}" for line in lines])
    return "\n".join(out) + "\n" if out else ""
