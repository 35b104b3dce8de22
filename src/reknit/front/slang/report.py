"""What is said about a Slang source while it is read: errors and warnings, collected so that one run reports several.

    reports.error("E30015", at, "undefined identifier 'x'", length=1)    any number of these
    reports.refuse()                    -> InputError with all of them, if one is an error
    reports.hold(functions)             -> what isn't supported in one of them waits for release(that function)

Codes are Slang's own where Slang has one ("E20001"). The same code twice at the same place is said once, and after
LIMIT errors the rest is counted only.
"""

from bisect import bisect_right
from typing import Final, final

from reknit.front.slang.sources import Sources
from reknit.source.diagnostic import ERROR, WARNING, Diagnostic, InputError, Note

LIMIT: Final = 100
UNSUPPORTED: Final = "RK0910"


@final
class Reports:
    """Diagnostics in the order in which they were found."""

    __slots__ = ("sources", "diagnostics", "errors", "limit", "_said", "_functions", "_starts", "_held")

    def __init__(self, sources: Sources, limit: int = LIMIT) -> None:
        self.sources = sources
        self.diagnostics: list[Diagnostic] = []
        self.errors = 0  # found, reported or not
        self.limit = limit
        self._said: set[tuple[str, int]] = set()
        self._functions: list[tuple[int, int, int]] = []
        self._starts: list[int] = []
        self._held: dict[int, list[Diagnostic]] = {}

    def error(
        self, code: str, at: int, message: str, notes: list[Note] | None = None, length: int = 1, help: str = ""
    ) -> None:
        if self._new(code, at):
            owner = self._function_at(at) if code == UNSUPPORTED else -1
            if owner >= 0:
                held = Diagnostic(code, message, self.sources.place(at, length), ERROR, notes, help)
                self._held.setdefault(owner, []).append(held)
                return
            self.errors += 1
            if self.errors <= self.limit:
                self._add(code, at, message, ERROR, notes, length, help)

    def warning(
        self, code: str, at: int, message: str, notes: list[Note] | None = None, length: int = 1, help: str = ""
    ) -> None:
        if self._new(code, at) and len(self.diagnostics) < 2 * self.limit:
            self._add(code, at, message, WARNING, notes, length, help)

    def take(self, errors: list[Diagnostic]) -> None:
        """Errors that were found apart from the others."""
        self.errors += len(errors)
        self.diagnostics += errors[: max(self.limit - len(self.diagnostics), 0)]

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

    # ---- what may not matter

    def hold(self, functions: list[tuple[int, int, int]]) -> None:
        """From now on what isn't supported between the first two positions of one waits for `release` of the third."""
        self._functions = sorted(functions)
        self._starts = [start for start, _, _ in self._functions]

    def release(self, function: int) -> None:
        """The function at that position is part of the module. Raises what was held for it."""
        held = self._held.pop(function, [])
        if held:
            self.errors += len(held)
            self.diagnostics.extend(held)
            self.refuse()

    def _function_at(self, at: int) -> int:
        index = bisect_right(self._starts, at) - 1
        if index >= 0 and self._functions[index][0] <= at <= self._functions[index][1]:
            return self._functions[index][2]
        return -1

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
