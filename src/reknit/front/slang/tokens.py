"""Tokens as parallel lists, which cost a third of what an object a token would.

    int a = 1;      kinds  NAME NAME PUNCT INT PUNCT END
                    texts  int  a    =     1   ;     ""
                    ats    where each stands (see sources)

Between the lexer and the preprocessor a kind also says what stood before the token: SPACE, or a line's start.
"""

from typing import Final, final

END: Final = 0
NAME: Final = 1
INT: Final = 2
FLOAT: Final = 3
STRING: Final = 4
CHAR: Final = 5
PUNCT: Final = 6
BAD: Final = 7  # no token; `faults` says why

KIND: Final = 15
SPACE: Final = 16  # white space or a comment stood before it
LINE_START: Final = 32  # it is the first of its line

KIND_NAMES: Final = (
    "end of file",
    "identifier",
    "integer literal",
    "floating-point literal",
    "string literal",
    "character literal",
    "",
    "invalid character",
)


@final
class Tokens:
    """The columns; the last is an END token. `faults` has the code and the message of each BAD one, by its index: they
    are reported where the token is used, and never in a group that `#if` leaves out."""

    __slots__ = ("kinds", "texts", "ats", "faults")

    def __init__(self) -> None:
        self.kinds: list[int] = []
        self.texts: list[str] = []
        self.ats: list[int] = []
        self.faults: dict[int, tuple[str, str]] = {}

    def add(self, kind: int, text: str, at: int) -> None:
        self.kinds.append(kind)
        self.texts.append(text)
        self.ats.append(at)

    def __len__(self) -> int:
        return len(self.kinds)


def shown(kind: int, text: str) -> str:
    """What a message calls the token: "identifier", "';'"."""
    return f"'{text}'" if kind & KIND == PUNCT else KIND_NAMES[kind & KIND]


def spelled(text: str) -> frozenset[str]:
    """The words of a list that is written as one string."""
    return frozenset(text.split())
