"""A command line that is wrong whatever the files hold: exit code 2, where a faulty input has 1."""

import re
from typing import Final

from reknit.cli.terminal import complain
from reknit.source.diagnostic import Diagnostic, InputError

LONG_WORD: Final = re.compile(r"\S{200,}")
"""Of a word that is quoted both ends are enough."""


class Misuse(Exception):
    """`diagnostics` say what is wrong."""

    def __init__(self, diagnostics: list[Diagnostic]) -> None:
        super().__init__("\n".join(str(diagnostic) for diagnostic in diagnostics))
        self.diagnostics = diagnostics


def misuse(what: InputError | str, message: str = "", help: str = "") -> Misuse:
    """From what parsing the option raised, or from a code and a message."""
    if isinstance(what, InputError):
        return Misuse(what.diagnostics)
    return Misuse([Diagnostic(what, message, help=help)])


def complain_of_misuse(error: Misuse) -> None:
    """A line each: what is wrong, and what to do. In full where a line of a file is quoted."""
    for diagnostic in error.diagnostics:
        if diagnostic.place is not None and diagnostic.place.line:
            complain([diagnostic])
            continue
        hints = [diagnostic.help] if diagnostic.help else []
        if not diagnostic.help.startswith("did you mean"):  # which says enough
            hints[:0] = [note.message for note in diagnostic.notes]
        hint = "; ".join(hints)
        diagnostic.message = LONG_WORD.sub(_ends, f"{diagnostic.message}; {hint}" if hint else diagnostic.message)
        if diagnostic.place is not None:
            diagnostic.place.file = LONG_WORD.sub(_ends, diagnostic.place.file)
        complain([diagnostic], "concise")


def _ends(word: re.Match[str]) -> str:
    return f"{word[0][:40]}...{word[0][-20:]}"
