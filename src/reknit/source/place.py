"""A place in an input: where a diagnostic points.

    text      file:line:column  (+ length of what is underlined)
    binary    file:word offset  (+ the line of the disassembly, when it is known)
"""

from typing import final


@final
class Place:
    """A position in one input. Lines and columns count from 1; 0 means unknown. `word` is -1 for text."""

    __slots__ = ("file", "line", "column", "length", "word")

    def __init__(self, file: str, line: int = 0, column: int = 0, length: int = 1, word: int = -1) -> None:
        self.file = file
        self.line = line
        self.column = column
        self.length = length
        self.word = word

    def __reduce__(self) -> tuple[object, ...]:
        return Place, (self.file, self.line, self.column, self.length, self.word)

    def __repr__(self) -> str:
        return f"<{self}>"

    def __str__(self) -> str:
        if self.word >= 0:
            return f"{self.file}:word {self.word}"
        if self.line == 0:
            return self.file
        if self.column == 0:
            return f"{self.file}:{self.line}"
        return f"{self.file}:{self.line}:{self.column}"
