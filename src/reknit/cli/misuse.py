"""A command line that is wrong whatever the files hold: exit code 2, where a faulty input has 1."""

from reknit.source.diagnostic import Diagnostic, InputError


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
