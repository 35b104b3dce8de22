"""What is done with the findings of a file before they are reported: a baseline has some, and what this machine lacks
is reported once, not for every file that needs it.

    known = baseline_of(options)
    known.left(diagnostics, lines, path)    of a file's findings, what is to be reported now
    known.end()                             what is to be reported of all files; a baseline is written
"""

from argparse import Namespace
from typing import TYPE_CHECKING, Final

from reknit.cli.misuse import misuse
from reknit.cli.terminal import remark
from reknit.source.diagnostic import NOTE, Diagnostic, InputError, Note

if TYPE_CHECKING:
    from reknit.checks.baseline import Baseline
    from reknit.source.render import Lines

LACKS: Final = ("RK0003", "RK0023", "RK0802")
"""No compiler for a shading language, no outside programs in a sandbox, no LLVM: true of every file that needs it."""

SHOWN: Final = 3
"""Files that are named beside the first."""


class Known:
    """What is known of findings before they are reported: nothing, or a baseline, which may be written at the end."""

    def __init__(self, baseline: "Baseline | None" = None, writes: bool = False) -> None:
        self.baseline = baseline
        self.writes = writes
        self.lacking: dict[tuple[str, str], list[Diagnostic]] = {}

    def left(self, diagnostics: list[Diagnostic], lines: "Lines", path: str) -> list[Diagnostic]:
        """What of a file's is reported. A file that was not judged leaves the baseline as it is."""
        if any(_is_lacking(each) for each in diagnostics):
            for each in diagnostics:
                if _is_lacking(each):
                    self.lacking.setdefault((each.code, each.message), []).append(each)
            return [each for each in diagnostics if not _is_lacking(each)]
        if self.baseline is None:
            return diagnostics
        new = self.baseline.left(diagnostics, lines, path)
        return [each for each in new if each.severity == NOTE] if self.writes else new

    def end(self) -> list[Diagnostic]:
        """What is to be said of all files. The baseline is written where that was asked for."""
        said = [_once(same) for same in self.lacking.values()]
        if self.baseline is None:
            return said
        if not self.writes:
            return [*said, *self.baseline.gone()]
        self.baseline.write()
        count = len(self.baseline.met)
        remark(f"{self.baseline.path} has {count} finding{'' if count == 1 else 's'} of these files\n")
        return said


def baseline_of(options: Namespace) -> Known:
    """Raises Misuse for a baseline that can't be used."""
    if options.baseline is None:
        if options.write_baseline:
            raise misuse("RK0010", "--write-baseline needs --baseline FILE, which it writes")
        return Known()
    from reknit.checks.baseline import read_baseline

    try:
        return Known(read_baseline(options.baseline, options.write_baseline), options.write_baseline)
    except InputError as error:
        raise misuse(error) from None


def _is_lacking(diagnostic: Diagnostic) -> bool:
    """Whether it is of the machine and no line of the file: RK0023 is also said of what a line includes."""
    return diagnostic.code in LACKS and (diagnostic.place is None or diagnostic.place.line == 0)


def _once(same: list[Diagnostic]) -> Diagnostic:
    """The first of what is the same of several files, with their count."""
    first, *others = same
    if not others:
        return first
    names = [str(each.place) for each in others[:SHOWN]]
    more = f" and {len(others) - SHOWN} more" if len(others) > SHOWN else ""
    note = Note(f"the same holds of {', '.join(names)}{more}")
    message = f"{first.message}; {len(same)} files were not judged"
    return Diagnostic(first.code, message, first.place, first.severity, [note, *first.notes], first.help)
