"""A place in the tokens, and what to do when another token stands there than should.

    int x = 3          error E20001 at `float`: unexpected identifier, expected ';'
    float y = 4;       reported once; parsing goes on after the statement

A syntax error is reported where it is found and raised as `SyntaxStop`; lists of statements, members and the like catch
it and skip to where the next one begins, never past the end of their own brackets. A missing `;` at a line's end stops
nothing.
"""

from typing import Final, final

from reknit.front.slang.report import Reports
from reknit.front.slang.sources import line_of
from reknit.front.slang.tokens import END, KIND, NAME, Tokens, shown, spelled
from reknit.source.meter import spend

NESTING: Final = 100

_OPENERS: Final = {")": "(", "]": "[", "}": "{"}


class SyntaxStop(Exception):
    """A syntax error that was reported already."""


class GiveUp(Exception):
    """Reported already; the rest of the source is not looked at."""


@final
class Cursor:
    """`matching[i]` is the index of the bracket that goes with the one at i; -1 if none does, or it is no bracket.
    `in_angles`: a `>` closes a list of generic arguments. `year` is the language's version, `hlsl` whether it
    is HLSL."""

    __slots__ = ("kinds", "texts", "ats", "reports", "pos", "depth", "in_angles", "matching", "year", "hlsl")

    def __init__(self, tokens: Tokens, reports: Reports) -> None:
        self.kinds: list[int] = [kind & KIND for kind in tokens.kinds]
        self.texts: list[str] = tokens.texts
        self.ats: list[int] = tokens.ats
        self.reports = reports
        self.pos = 0
        self.depth = 0
        self.in_angles = False
        self.year = 2025
        self.hlsl = False
        self.matching: list[int] = _matched(self.texts)
        for _ in range(3):  # so that looking three ahead needs no test
            self.kinds.append(END)
            self.texts.append("")
            self.ats.append(self.ats[-1])
            self.matching.append(-1)

    # ---- looking

    @property
    def text(self) -> str:
        return self.texts[self.pos]

    @property
    def at(self) -> int:
        return self.ats[self.pos]

    @property
    def after(self) -> str:
        """The token after the next."""
        return self.texts[self.pos + 1]

    def name_next(self) -> bool:
        return self.kinds[self.pos] == NAME

    def starts_line(self, i: int) -> bool:
        """Whether the token at i is the first of its line."""
        return i == 0 or line_of(self.ats[i]) != line_of(self.ats[i - 1])

    # ---- taking

    def take_if(self, text: str) -> bool:
        if self.texts[self.pos] == text:
            self.pos += 1
            return True
        return False

    def expect(self, text: str) -> int:
        """Take it and say where it stood."""
        at = self.ats[self.pos]
        if self.texts[self.pos] != text:
            self.unexpected(f"'{text}'")
        self.pos += 1
        return at

    def expect_name(self) -> str:
        if self.kinds[self.pos] != NAME:
            self.unexpected("identifier")
        self.pos += 1
        return self.texts[self.pos - 1]

    def semicolon(self) -> None:
        """A missing one at a line's end, or before a `}`, is reported and nothing else is lost."""
        if self.texts[self.pos] == ";":
            self.pos += 1
            return
        if self.texts[self.pos] == "}" or (self.starts_line(self.pos) and self.kinds[self.pos] != END):
            self.tell("E20001", f"unexpected {self.shown()}, expected ';'")
        else:
            self.unexpected("';'")

    def open_braces(self) -> int:
        """Take a `{`; the index of its `}`. One that nothing closes is reported, and read up to the end."""
        at = self.expect("{")
        end = self.matching[self.pos - 1]
        if end < 0:
            end = len(self.kinds) - 4
            notes = [self.reports.note(at, "see opening '{'")]
            self.reports.error("E20010", self.ats[end], "'}' expected but end of file encountered.", notes)
        return end

    def close_braces(self, end: int) -> int:
        """Step over the `}` at `end`; where it stands."""
        self.pos = end + (self.texts[end] == "}")
        return self.ats[end]

    def skip_brackets(self) -> None:
        close = self.matching[self.pos]
        if close < 0:
            self.pos += 1
            self.unexpected("')'")
        self.pos = close + 1

    # ---- errors

    def shown(self) -> str:
        return shown(self.kinds[self.pos], self.texts[self.pos])

    def tell(self, code: str, message: str) -> None:
        self.reports.error(code, self.at, message, length=max(1, len(self.text)))
        if self.reports.full:
            raise GiveUp

    def unexpected(self, expected: str) -> None:
        """Report that the next token is not what it should be, and stop."""
        self.tell("E20001", f"unexpected {self.shown()}, expected {expected}")
        raise SyntaxStop

    def wrong(self, code: str, message: str) -> None:
        self.tell(code, message)
        raise SyntaxStop

    def enter(self) -> None:
        """One level deeper; each call needs its `leave`, unless an error ends both."""
        spend(2)
        self.depth += 1
        self.check_links(0)

    def check_links(self, links: int) -> None:
        """Refuse more than NESTING levels, `links` of them in a chain (`a.b.c`, `int[2][3]`) that grows here."""
        if self.depth + links > NESTING:
            self.reports.error("RK0901", self.at, f"nested more than {NESTING} deep", length=max(1, len(self.text)))
            raise GiveUp

    def leave(self) -> None:
        self.depth -= 1

    # ---- going on after an error

    def mark(self) -> tuple[int, int, bool]:
        """Where a statement or declaration begins, for `recover`."""
        spend(4)
        return self.pos, self.depth, self.in_angles

    def recover(self, mark: tuple[int, int, bool], end: int) -> None:
        """Go to where the next statement or declaration may begin: after a `;` or a `{...}`, at most to `end`. `mark`
        is where the broken one began, so that something is always skipped."""
        start, self.depth, self.in_angles = mark
        i = max(self.pos, start + 1) if self.pos < end else end
        texts = self.texts
        while i < end:
            text = texts[i]
            if text == ";":
                i += 1
                break
            if text in ("(", "[", "{"):
                i = self.matching[i] if start < self.matching[i] < end else i
                if texts[i] == "}":
                    i += 1
                    if texts[i] == ";":
                        i += 1
                    break
            elif text in _STARTERS and self.starts_line(i):
                break
            i += 1
        self.pos = min(i, end)


_STARTERS: Final = spelled(
    "if for while do switch return break continue discard struct interface extension enum class namespace cbuffer func "
    "typedef typealias import static groupshared public private internal ["
)


def _matched(texts: list[str]) -> list[int]:
    """The other end of each bracket. A `}` closes what stands open inside its braces as well."""
    matching = [-1] * len(texts)
    open_: list[int] = []
    for i, text in enumerate(texts):
        if text == "(" or text == "[" or text == "{":
            open_.append(i)
        elif text == ")" or text == "]":
            if open_ and texts[open_[-1]] == _OPENERS[text]:
                j = open_.pop()
                matching[i] = j
                matching[j] = i
        elif text == "}":
            k = len(open_) - 1
            while k >= 0 and texts[open_[k]] != "{":
                k -= 1
            if k >= 0:
                matching[i] = open_[k]
                matching[open_[k]] = i
                del open_[k:]
    return matching
