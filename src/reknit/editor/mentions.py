"""The names in a text: where each is written, what it is, where it was declared.

    float sum = lanes * 2;       sum: a variable, declared here      lanes: a parameter, of line 3, `uint lanes`

A language gives its mentions in the order of the text; hover, definitions and the colours of names are made of them.
"""

from bisect import bisect_right
from collections.abc import Sequence
from typing import Final, final

from reknit.source.place import Place

KINDS: Final = (
    "namespace", "type", "struct", "interface", "enum", "enumMember", "typeParameter", "function", "method",
    "parameter", "variable", "property", "label", "keyword",
)  # fmt: skip
MODIFIERS: Final = ("declaration", "readonly", "defaultLibrary", "tangled", "divergent")
"""The last two are reknit's own: what depends on its tangle, and what may differ among the lanes of a subgroup."""


@final
class Mention:
    """A name at a line and column (from 1). `kind` is one of KINDS, `label` the declaration in a line, `declared` where
    it is, None for what the language itself has."""

    __slots__ = ("line", "column", "length", "kind", "modifiers", "label", "declared")

    def __init__(
        self,
        line: int,
        column: int,
        length: int,
        kind: str,
        modifiers: tuple[str, ...] = (),
        label: str = "",
        declared: Place | None = None,
    ) -> None:
        self.line = line
        self.column = column
        self.length = length
        self.kind = kind
        self.modifiers = modifiers
        self.label = label
        self.declared = declared

    def __repr__(self) -> str:
        return f"<{self.kind} at {self.line}:{self.column}>"


@final
class Outline:
    """A declaration as a list of symbols shows it; `last_line` is where it ends."""

    __slots__ = ("name", "kind", "detail", "line", "column", "length", "last_line", "inner")

    def __init__(
        self, name: str, kind: str, detail: str, line: int, column: int, length: int, last_line: int = 0
    ) -> None:
        self.name = name
        self.kind = kind
        self.detail = detail
        self.line = line
        self.column = column
        self.length = length
        self.last_line = max(last_line, line)
        self.inner: list[Outline] = []


def mention_at(mentions: Sequence[Mention], line: int, column: int) -> Mention | None:
    """The name that a cursor before the character at `column` touches; `mentions` are in order."""
    index = bisect_right(mentions, (line, column), key=lambda each: (each.line, each.column)) - 1
    if index < 0:
        return None
    nearest = mentions[index]
    return nearest if nearest.line == line and column <= nearest.column + nearest.length else None
