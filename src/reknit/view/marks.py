"""Marks on instructions of a picture: a line of their own in the block, with a number, and what is told of them.

+-----------------------------------------------+
| %b1                                           |
| [1] %r = IFoo.foo -> A, B                     |   <- the line; in SVG on a coloured ground, with a tooltip
| 3 more instructions                           |
+-----------------------------------------------+
[1] IFoo.foo in main: switch of 2 ...               <- what is told, below or beside the picture
"""

from typing import final

from reknit.ir.function import Function
from reknit.ir.value import Value
from reknit.ir.walk import instructions


@final
class Mark:
    """`line` has no number. `told` are paragraphs, each with the lines that belong to it."""

    __slots__ = ("number", "line", "told")

    def __init__(self, number: int, line: str, told: list[tuple[str, list[str]]]) -> None:
        self.number = number
        self.line = line
        self.told = told

    def tip(self) -> list[str]:
        """All that is told, in lines for a tooltip."""
        return [line for head, lines in self.told for line in [head, *["  " + one for one in lines]]]


Marks = dict[Value, Mark]
"""By instruction, in the order of their numbers."""


def marks_of(functions: list[Function], marks: Marks | None) -> Marks:
    """Those in some functions."""
    if not marks:
        return {}
    inside = [instr for function in functions for instr in instructions(function)]
    return {instr: marks[instr] for instr in inside if instr in marks}


def marks_text(marks: Marks) -> str:
    """What is told of each, a paragraph a mark."""
    out: list[str] = []
    for mark in marks.values():
        margin = " " * (len(str(mark.number)) + 3)
        for index, (head, lines) in enumerate(mark.told):
            out.append(f"[{mark.number}] {head}" if index == 0 else margin + head)
            out.extend([f"{margin}  {line}" for line in lines])
    return "\n".join(out) + "\n" if out else ""
