"""A place in the text being read, a line of tokens at a time; faults are made here, since they need the place.

    next_line -> tokens -> peek / take / accept / expect        fault -> a diagnostic with line, column and length
"""

from typing import final

from reknit.ir.text.lexer import span, tokens
from reknit.source.diagnostic import Diagnostic
from reknit.source.place import Place


class Fault(Exception):
    """What is wrong with one statement."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(str(diagnostic))
        self.diagnostic = diagnostic


def is_comment(token: str) -> bool:
    return token.startswith((";", "//"))


@final
class Cursor:
    """`line` counts from 0; `tokens[at]` is what comes next. A comment ends a line and is never among the tokens."""

    __slots__ = ("lines", "file", "line", "tokens", "at", "comment")

    def __init__(self, text: str, file: str) -> None:
        self.lines = text.removeprefix("\ufeff").split("\n")
        self.file = file
        self.line = -1
        self.tokens: list[str] = []
        self.at = 0
        self.comment = ""

    def next_line(self) -> bool:
        """Go to the start of the next line; False after the last."""
        if self.line + 1 >= len(self.lines):
            self.tokens = []
            self.at = 0
            return False
        self.seek(self.line + 1, 0)
        return True

    def seek(self, line: int, at: int) -> None:
        """Go to token `at` of a line."""
        self.line = line
        self.at = at
        self.tokens = tokens(self.lines[line])
        self.comment = self.tokens.pop() if self.tokens and is_comment(self.tokens[-1]) else ""

    def peek(self) -> str:
        """The next token, "" at the end of the line."""
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def ahead(self) -> str:
        """The token after the next."""
        return self.tokens[self.at + 1] if self.at + 1 < len(self.tokens) else ""

    def take(self) -> str:
        token = self.peek()
        if token == "":
            raise self.fault("RK0301", "the line ends too early")
        self.at += 1
        return token

    def accept(self, token: str) -> bool:
        if self.at < len(self.tokens) and self.tokens[self.at] == token:
            self.at += 1
            return True
        return False

    def expect(self, token: str) -> None:
        if not self.accept(token):
            actual = self.peek()
            raise self.fault("RK0301", f"`{token}` was expected here" + (f", not `{actual}`" if actual else ""))

    def place(self, line: int, at: int) -> Place:
        column, length = span(self.lines[line], at) if 0 <= line < len(self.lines) else (1, 1)
        return Place(self.file, line + 1, column, length)

    def fault(self, code: str, message: str, back: int = 0, help: str = "") -> Fault:
        """A fault at the next token, or `back` tokens before it."""
        return Fault(Diagnostic(code, message, self.place(self.line, self.at - back), help=help))
