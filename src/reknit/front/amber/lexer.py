"""Lines of tokens: comments gone, continued lines joined, every token with its place.

    BUFFER out DATA_TYPE uint32 \\          Line 4: BUFFER out DATA_TYPE uint32 SIZE 8
           SIZE 8      # eight

A token may be put into quotes. The source of a shader is taken as it stands, between two lines of the script.
"""

import re
from typing import Final, final

from reknit.source.diagnostic import Diagnostic, InputError
from reknit.source.digits import MAX_DIGITS, integer, is_signed_decimal
from reknit.source.place import Place

SYNTAX: Final = "RK0701"
OUTSIDE: Final = "RK0702"

_TOKEN: Final = re.compile(r'"([^"]*)"|[(),]|[^\s(),"]+')


@final
class Token:
    __slots__ = ("text", "place")

    def __init__(self, text: str, place: Place) -> None:
        self.text = text
        self.place = place


@final
class Line:
    """The tokens of a line, taken from the front; `text` is the line as it was written."""

    __slots__ = ("tokens", "at", "text", "place")

    def __init__(self, tokens: list[Token], text: str, place: Place) -> None:
        self.tokens = tokens
        self.at = 0
        self.text = text
        self.place = place

    def peek(self) -> str:
        return self.tokens[self.at].text if self.at < len(self.tokens) else ""

    def next(self, what: str) -> Token:
        """The next token. Raises InputError (RK0701) where the line ends before `what`."""
        if self.at == len(self.tokens):
            raise syntax(f"{what} is missing", self.place)
        self.at += 1
        return self.tokens[self.at - 1]

    def take(self, *words: str) -> bool:
        """Whether the next tokens are these; they are taken then."""
        if [token.text for token in self.tokens[self.at : self.at + len(words)]] != list(words):
            return False
        self.at += len(words)
        return True

    def integer(self, what: str) -> int:
        token = self.next(what)
        try:
            return integer(token.text, 0)
        except ValueError:
            long = f" of at most {MAX_DIGITS} digits" if len(token.text) > MAX_DIGITS else ""
            raise syntax(f"{what} is {token.text!r}, not an integer{long}", token.place) from None

    def number(self, what: str) -> float:
        return number_of(self.next(what), what)

    def end(self) -> None:
        """Raises InputError (RK0701) where something is left."""
        if self.at < len(self.tokens):
            token = self.tokens[self.at]
            raise syntax(f"{token.text!r} is not expected here", token.place)


@final
class Lexer:
    """Lines one after another."""

    __slots__ = ("path", "lines", "at")

    def __init__(self, text: str, path: str) -> None:
        self.path = path
        self.lines = text.split("\n")
        self.at = 0

    def next(self) -> Line | None:
        """The next line that has tokens; None at the end."""
        while self.at < len(self.lines):
            first = self.at
            tokens: list[Token] = []
            shown: list[str] = []
            while self.at < len(self.lines):
                text = self.lines[self.at].split("#", 1)[0].rstrip()
                self.at += 1
                more = text.endswith("\\")
                body = text[:-1] if more else text
                shown.append(" ".join(body.split()))
                for match in _TOKEN.finditer(body):
                    place = Place(self.path, self.at, match.start() + 1, len(match[0]))
                    tokens.append(Token(match[1] if match[1] is not None else match[0], place))
                if not more:
                    break
            if tokens:
                return Line(tokens, " ".join(shown).strip(), Place(self.path, first + 1))
        return None

    def body(self, what: Line, end: str = "END") -> tuple[str, int]:
        """(lines as they stand up to one that says `end`, the number of the first)."""
        first = self.at
        while self.at < len(self.lines):
            line = self.lines[self.at].split("#", 1)[0].strip() if end == "END" else self.lines[self.at].strip()
            if line == end:
                self.at += 1
                return "\n".join(self.lines[first : self.at - 1]) + "\n", first + 1
            self.at += 1
        raise syntax(f"{what.text!r} has no {end}", what.place)


def number_of(token: Token, what: str) -> float:
    """An integer, hexadecimal too, stays one."""
    try:
        return integer(token.text, 10 if is_signed_decimal(token.text) else 0)
    except ValueError:
        pass
    try:
        return float(token.text)
    except ValueError:
        raise syntax(f"{what} is {token.text!r}, no number", token.place) from None


def syntax(message: str, place: Place) -> InputError:
    return InputError([Diagnostic(SYNTAX, message, place)])


def outside(what: str, place: Place) -> InputError:
    """What a script may have, and reknit does not run."""
    help = "reknit runs compute pipelines with storage, uniform and push constant buffers"
    return InputError([Diagnostic(OUTSIDE, f"{what} is not run here", place, help=help)])
