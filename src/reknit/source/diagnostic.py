"""One thing to report to the user: what, where, why, what to do.

    error[RK0102]: merge block %m is not declared
      --> blur.spvasm:41:20
       |
    41 |   OpSelectionMerge %m None
       |                    ^^
    note: ...
    help: ...

Errors of the user are diagnostics, raised together as one `InputError`; errors of ours are `InternalError`.
"""

import re
from typing import TYPE_CHECKING, Any, Final, final

from reknit.source.place import Place
from reknit.source.visible import visible_line

if TYPE_CHECKING:
    from re import Match

ERROR = "error"
WARNING = "warning"
NOTE = "note"

MAX_LENGTH: Final = 2000
"""Signs of a message: it may quote a name or a list from the input, which may be megabytes."""
_AT_THE_START: Final = 100
_AT_THE_END: Final = 100
_LONG_WORD: Final = re.compile(r"[^\s]{300,}")


@final
class Note:
    """A line under a diagnostic that walks the reason; it may point somewhere of its own."""

    __slots__ = ("message", "place")

    def __init__(self, message: str, place: Place | None = None) -> None:
        self.message = _short(message)
        self.place = place

    def __repr__(self) -> str:
        return f"<note: {self.message}>" if self.place is None else f"<{self.place}: note: {self.message}>"


@final
class Diagnostic:
    """`code` is stable ("RK0102"); `severity` is ERROR, WARNING or NOTE; `help` says what to do about it."""

    __slots__ = ("code", "severity", "message", "place", "notes", "help")

    def __init__(
        self,
        code: str,
        message: str,
        place: Place | None = None,
        severity: str = ERROR,
        notes: list[Note] | None = None,
        help: str = "",
    ) -> None:
        self.code = code
        self.severity = severity
        self.message = _short(message)
        self.place = place
        self.notes: list[Note] = notes if notes is not None else []
        self.help = _short(help)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        from reknit.source.shown import shown

        return shown(self)

    def __str__(self) -> str:
        where = f"{self.place}: " if self.place is not None else ""
        return visible_line(f"{where}{self.severity}[{self.code}]: {self.message}")

    def __repr__(self) -> str:
        return f"<{self}>"


def _short(text: str) -> str:
    """Both ends of each long word, and of what is still too long: what is wrong is often said after what is quoted."""
    if len(text) <= MAX_LENGTH:
        return text
    text = _LONG_WORD.sub(_both_ends, text)
    return text if len(text) <= MAX_LENGTH else f"{text[: MAX_LENGTH - _AT_THE_END]}...{text[-_AT_THE_END:]}"


def _both_ends(word: "Match[str]") -> str:
    return f"{word[0][:_AT_THE_START]}...{word[0][-_AT_THE_END:]}"


class InputError(Exception):
    """What was given can't be read, run or written: at least one error diagnostic says why."""

    def __init__(self, diagnostics: list[Diagnostic]) -> None:
        super().__init__("\n".join(str(diagnostic) for diagnostic in diagnostics))
        self.diagnostics = diagnostics

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.diagnostics,)


class EditRefused(InputError):
    """An edit of the program that can't be made; nothing was changed. `code` is stable, `reason` says why."""

    def __init__(self, code: str, reason: str, help: str = "") -> None:
        super().__init__([Diagnostic(code, reason, None, ERROR, None, help)])
        self.code = code
        self.reason = reason

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.code, self.reason, self.diagnostics[0].help)


class InternalError(Exception):
    """A fault of reknit's own."""
