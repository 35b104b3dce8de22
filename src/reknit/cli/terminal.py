"""What is written for people: colours only where they are seen, sources quoted where they can be read.

    complain(diagnostics)     to standard error, as rustc shows them
    tell(text), remark(text)  tables, trees and traces: nothing in a name steers the terminal
    as_objects(diagnostics)   for what a command prints with --json: print_json(...)
"""

import os
import sys
from collections.abc import Sequence
from typing import Any, TextIO

from reknit.source.diagnostic import Diagnostic
from reknit.source.visible import visible

_asked: list[str] = []
"""What --color says: at most one."""


def choose_colour(asked: str) -> None:
    """"always" or "never", whatever the stream; "auto" leaves it to `wants_colour`."""
    _asked[:] = [] if asked == "auto" else [asked]


def wants_colour(stream: TextIO) -> bool:
    """Whether --color says so; else for a terminal that shows colours, whose user has not set NO_COLOR
    (https://no-color.org)."""
    if _asked:
        return _asked == ["always"]
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def complain(diagnostics: Sequence[Diagnostic], form: str = "full") -> None:
    """Write diagnostics to standard error."""
    if not diagnostics:
        return
    from reknit.files.streams import lines_of
    from reknit.source.report import report

    sys.stdout.flush()  # what was printed before stays before
    sys.stderr.write(report(diagnostics, form, lines_of, wants_colour(sys.stderr)))


def tell(text: str) -> None:
    """Write text with words from outside in it, such as names of a module, to standard output."""
    sys.stdout.write(visible(text))


def remark(text: str) -> None:
    """The same to standard error."""
    sys.stderr.write(visible(text))


def as_objects(diagnostics: Sequence[Diagnostic]) -> list[dict[str, Any]]:
    """Diagnostics as a script reads them."""
    from reknit.source.report import as_json

    return [as_json(diagnostic) for diagnostic in diagnostics]


def print_json(value: object) -> None:
    """What a script asks a command for, on one line."""
    import json

    print(json.dumps(value))


def can_show(text: str, stream: TextIO) -> bool:
    """Whether the stream's encoding has every sign of `text`."""
    try:
        text.encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
