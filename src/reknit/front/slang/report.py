"""What is said about a Slang source while it is read: errors and warnings, collected so that one run reports several.

    reports.error("E30015", at, "undefined identifier 'x'", length=1)    any number of these
    reports.refuse()                    -> InputError with all of them, if one is an error

Codes are Slang's own where Slang has one ("E20001"). The same code twice at the same place is said once, and after
LIMIT errors the rest is counted only.
"""

from typing import Final, final

from reknit.front.slang.sources import Sources
from reknit.source.diagnostic import ERROR, WARNING, Diagnostic, InputError, Note

LIMIT: Final = 100


@final
class Reports:
    """Diagnostics in the order in which they were found."""

    __slots__ = ("sources", "diagnostics", "errors", "limit", "_said")

    def __init__(self, sources: Sources, limit: int = LIMIT) -> None:
        self.sources = sources
        self.diagnostics: list[Diagnostic] = []
        self.errors = 0  # found, reported or not
        self.limit = limit
        self._said: set[tuple[str, int]] = set()

    def error(
        self, code: str, at: int, message: str, notes: list[Note] | None = None, length: int = 1, help: str = ""
    ) -> None:
        if self._new(code, at):
            self.errors += 1
            if self.errors <= self.limit:
                self._add(code, at, message, ERROR, notes, length, help)

    def warning(
        self, code: str, at: int, message: str, notes: list[Note] | None = None, length: int = 1, help: str = ""
    ) -> None:
        if self._new(code, at) and len(self.diagnostics) < 2 * self.limit:
            self._add(code, at, message, WARNING, notes, length, help)

    def note(self, at: int, message: str, length: int = 1) -> Note:
        """A note that points at `at`, for the `notes` of the others."""
        return Note(message, self.sources.place(at, length))

    @property
    def full(self) -> bool:
        """So many errors that looking for more is of no use."""
        return self.errors >= self.limit

    def refuse(self) -> None:
        """Raise what was collected if there is an error in it."""
        if self.errors:
            raise InputError(self.diagnostics)

    def _new(self, code: str, at: int) -> bool:
        if (code, at) in self._said:
            return False
        self._said.add((code, at))
        return True

    def _add(
        self, code: str, at: int, message: str, severity: str, notes: list[Note] | None, length: int, help: str
    ) -> None:
        place = self.sources.place(at, length)
        self.diagnostics.append(Diagnostic(code, message, place, severity, notes, help))
