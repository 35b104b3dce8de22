"""What a run came to, for programs: JSON lines, CSV and SARIF, an input after the other, in the order of the inputs.

    write_report("r.jsonl", state)     {"input": ..., "verdict": ..., "diagnostics": [...], ...} in a line each
    write_report("r.csv", state)       a line an input, with its gravest message
    write_report("r.sarif", state)     every diagnostic, for code scanners
    write_report("r.html", state)      `page`

Nothing in them depends on how many workers there were, on their order, or on the time that they took.
"""

import csv
import io
import json
import os
from collections.abc import Callable, Iterator
from typing import IO, Any, Final, final

from reknit.batching.inputs import Source
from reknit.batching.keys import named
from reknit.batching.outputs import replaced
from reknit.batching.reply import Reply, reply_of
from reknit.batching.state import State
from reknit.files.formats import ending
from reknit.source.diagnostic import ERROR, NOTE, WARNING, Diagnostic, InputError
from reknit.source.render import Lines
from reknit.source.report import as_json, sarif_head, sarif_result
from reknit.source.visible import visible, visible_line

ENDINGS: Final = ("html", "jsonl", "csv", "sarif")
SEVERITIES: Final = (ERROR, WARNING, NOTE)
COLUMNS: Final = ("input", "verdict", "errors", "warnings", "notes", "code", "line", "column", "message", "output")
FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
"""What spreadsheets take for a formula at the start of a cell."""


@final
class Item:
    """One input of a run: `output` is the name of what was written for it, "" for nothing; `group` names the failures
    that are equal to this one, "" where nothing is wrong; `seconds` are processor time, which no report has."""

    __slots__ = ("input", "verdict", "group", "diagnostics", "details", "output", "seconds")

    def __init__(self, source: Source, reply: Reply, group: str, written: bool) -> None:
        self.input = source.name
        self.verdict = reply.verdict
        self.group = group
        self.diagnostics = reply.diagnostics
        self.details = reply.details
        self.output = source.place if written else ""
        self.seconds = reply.seconds

    def __repr__(self) -> str:
        return f"<{visible_line(self.input)}: {self.verdict}>"

    def to_json(self) -> dict[str, Any]:
        return {
            "input": self.input,
            "verdict": self.verdict,
            "group": self.group,
            "output": self.output,
            "diagnostics": [as_json(diagnostic) for diagnostic in self.diagnostics],
            **({"details": self.details} if self.details else {}),
        }

    def gravest(self) -> Diagnostic | None:
        for severity in SEVERITIES:
            for diagnostic in self.diagnostics:
                if diagnostic.severity == severity:
                    return diagnostic
        return None


def items(state: State, verdict: str = "", group: str = "", most: int = -1) -> Iterator[Item]:
    """Each input of the run, of a group at most so many."""
    for task, _, stored in state.rows(verdict, group, most):
        reply = reply_of(named(stored, task.source.name), None)
        yield Item(task.source, reply, stored.family, stored.output is not None)


def check_report(path: str) -> None:
    """Raises InputError (RK0002) for an ending that no report has, RK0007 where there is no folder for it."""
    from reknit.source.place import Place

    if ending(path) not in ENDINGS:
        help = f"let the name end in one of {', '.join('.' + name for name in ENDINGS)}"
        raise InputError([Diagnostic("RK0002", "the ending names no kind of report", Place(path), help=help)])
    if not os.path.isdir(os.path.dirname(path) or "."):
        raise InputError([Diagnostic("RK0007", "the report can't be written: there is no such folder", Place(path))])


def write_report(
    path: str,
    state: State,
    title: str,
    pictures: dict[tuple[str, str], bytes] | None = None,
    lines: Lines | None = None,
) -> None:
    """`title` says what was run; `pictures` are of groups, by verdict and group; `lines` are files to quote. Raises
    InputError (RK0007)."""
    with replaced(path) as file:
        if ending(path) == "html":
            from reknit.batching.page import write_page

            write_page(file, state, title, pictures or {}, lines if lines is not None else {})
        else:
            _WRITERS[ending(path)](file, state)


def _json_lines(file: IO[bytes], state: State) -> None:
    for item in items(state):
        file.write(json.dumps(item.to_json(), separators=(",", ":")).encode() + b"\n")


def _csv(file: IO[bytes], state: State) -> None:
    text = io.TextIOWrapper(file, "utf-8", "backslashreplace", newline="", write_through=True)
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    for item in items(state):
        counts = [sum(1 for each in item.diagnostics if each.severity == severity) for severity in SEVERITIES]
        gravest = item.gravest()
        what: list[object] = ["", 0, 0, ""]
        if gravest is not None:
            place = gravest.place
            what = [gravest.code, *((place.line, place.column) if place else (0, 0)), gravest.message]
        row = [item.input, item.verdict, *counts, *what, item.output]
        writer.writerow([_cell(value) if isinstance(value, str) else value for value in row])
    text.detach()


def _cell(text: str) -> str:
    shown = visible(text)
    return "'" + shown if shown.startswith(FORMULA) else shown


def _sarif(file: IO[bytes], state: State) -> None:
    codes = sorted({diagnostic.code for item in items(state) for diagnostic in item.diagnostics})
    head, tail = sarif_head(codes)
    file.write(head.encode())
    first = True
    numbers = {code: number for number, code in enumerate(codes)}
    for item in items(state):
        for diagnostic in item.diagnostics:
            result = json.dumps(sarif_result(diagnostic, numbers[diagnostic.code]))
            file.write((("\n" if first else ",\n") + result).encode())
            first = False
    file.write(tail.encode())


_WRITERS: Final[dict[str, Callable[[IO[bytes], State], None]]] = {
    "jsonl": _json_lines,
    "csv": _csv,
    "sarif": _sarif,
}
