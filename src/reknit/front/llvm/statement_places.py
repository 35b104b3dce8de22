"""Where a statement stands in the text that was given, when it was a text.

LLVM prints a module anew, so its lines are others; but the statements of a function stay in order. Where a function has
as many in the given text as in the printed one, the n-th is the n-th. Calls of llvm.dbg.value and its like need not be
there: newer versions of LLVM print them as records.
"""

import re
from typing import Final, final

from reknit.front.llvm.syntax import Program, Statement

_DEFINE: Final = re.compile(r"\s*define\b.*?@(\"[^\"]*\"|[-\w$.]+)\s*\(")
_DEBUGGING: Final = re.compile(r"\s*(?:tail\s+|notail\s+)?call void @llvm\.dbg\.")
_LABEL: Final = re.compile(r"\s*(?:[-\w$.]+|\"[^\"]*\"):\s*(?:;.*)?$")


@final
class Places:
    """The statements of a program as it was parsed, whatever becomes of it."""

    __slots__ = ("statements", "blocks", "index", "defined")

    def __init__(self, program: Program) -> None:
        self.statements = {
            routine.name: [statement for chunk in routine.chunks for statement in chunk.statements]
            for routine in program.routines.values()
        }
        self.blocks = {
            routine.name: [(chunk.name, len(chunk.statements)) for chunk in routine.chunks]
            for routine in program.routines.values()
        }
        self.index: dict[Statement, tuple[str, str]] | None = None
        self.defined: dict[str, int] = {}  # the lines of functions, once `given_lines` was asked

    def of(self, statement: Statement) -> tuple[str, str] | None:
        """The function and block of a statement."""
        if self.index is None:
            self.index = {}
            for name, blocks in self.blocks.items():
                following = iter(self.statements[name])
                for block, count in blocks:
                    self.index.update({next(following): (name, block) for _ in range(count)})
        return self.index.get(statement)

    def given_lines(self, text: str) -> dict[Statement, int]:
        """Lines from 1, for the statements whose place is certain."""
        by_routine: dict[str, list[int]] = {}
        debugging: dict[int, None] = {}
        current: list[int] | None = None
        in_switch = False
        for number, line in enumerate(text.split("\n"), 1):
            stripped = line.split(";", 1)[0].strip()
            if current is None:
                match = _DEFINE.match(line)
                if match is not None:
                    current = by_routine.setdefault(match[1].strip('"'), [])
                    self.defined[match[1].strip('"')] = number
                continue
            if stripped == "}":
                current = None
            elif in_switch:
                in_switch = "]" not in stripped
            elif stripped and stripped != "{" and not _LABEL.match(line) and not stripped.startswith("#"):
                current.append(number)
                if _DEBUGGING.match(line):
                    debugging[number] = None
                in_switch = stripped.startswith("switch") and "]" not in stripped
        line_of: dict[Statement, int] = {}
        for name, lines in by_routine.items():
            statements = self.statements.get(name, [])
            if len(statements) != len(lines):
                lines = [number for number in lines if number not in debugging]
            if len(statements) == len(lines):
                line_of.update(zip(statements, lines, strict=True))
        return line_of
