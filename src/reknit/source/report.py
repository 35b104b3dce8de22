"""A list of diagnostics in the form that the reader wants.

    full      rustc's layout, for people             (render.py)
    concise   file:line:column: severity[code]: message, a line each
    json      a list of objects, for scripts
    sarif     SARIF 2.1.0, for code scanners
    github    workflow commands, which GitHub shows at the line

Each gives text that ends with a line end, or nothing where there is nothing to say (json and sarif always say so).
"""

import os
from collections import Counter
from collections.abc import Sequence
from typing import Any, Final, final

from reknit.source.diagnostic import ERROR, NOTE, WARNING, Diagnostic, InternalError, Note
from reknit.source.explain import page, title
from reknit.source.place import Place
from reknit.source.render import Lines, concise, remembering, render, render_all, summary
from reknit.source.visible import visible

FORMATS: Final = ("full", "concise", "json", "sarif", "github")

SARIF_SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
COLUMN_KIND: Final = "unicodeCodePoints"  # not UTF-16's units, which would be the default
SARIF_LEVELS: Final = {ERROR: "error", WARNING: "warning", NOTE: "note"}
GITHUB_COMMANDS: Final = {ERROR: "error", WARNING: "warning", NOTE: "notice"}


def report(diagnostics: Sequence[Diagnostic], form: str, lines: Lines, colour: bool = False) -> str:
    """The diagnostics in their order as `form`, one of FORMATS; `lines` is for full, `colour` for full and concise."""
    if form == "full":
        return render_all(diagnostics, lines, colour)
    if form == "concise":
        return "".join(concise(diagnostic, colour) + "\n" for diagnostic in diagnostics)
    if form == "json":
        return _dumped([as_json(diagnostic) for diagnostic in diagnostics])
    if form == "sarif":
        return _dumped(_sarif(diagnostics, lines))
    if form == "github":
        return "".join(_github(diagnostic) + "\n" for diagnostic in diagnostics)
    raise InternalError(f"no report format {form!r}")


@final
class Report:
    """The same of diagnostics that come a few at a time: `add` gives what can be printed already, `end` what is left.
    `counts` are by severity."""

    __slots__ = ("form", "lines", "colour", "counts", "kept")

    def __init__(self, form: str, lines: Lines, colour: bool) -> None:
        self.form = form
        self.lines = lines
        self.colour = colour
        self.counts: Counter[str] = Counter()
        self.kept: list[Diagnostic] = []

    def __repr__(self) -> str:
        return f"<{self.form}: {summary(self.counts)}>"

    def add(self, diagnostics: Sequence[Diagnostic]) -> str:
        self.counts.update(diagnostic.severity for diagnostic in diagnostics)
        if self.form in ("json", "sarif"):
            self.kept.extend(diagnostics)
            return ""
        if self.form == "full":
            once = remembering(self.lines)
            return "".join(f"{render(diagnostic, once, self.colour)}\n\n" for diagnostic in diagnostics)
        return report(diagnostics, self.form, self.lines, self.colour)

    def end(self) -> str:
        if self.form in ("json", "sarif"):
            return report(self.kept, self.form, self.lines)
        return f"{summary(self.counts)}\n" if self.form == "full" and self.counts else ""


def _dumped(value: object) -> str:
    import json  # which the other forms do without

    return json.dumps(value, indent=2) + "\n"


def as_json(diagnostic: Diagnostic) -> dict[str, Any]:
    """The object a script reads. Line and column count from 1, 0 is unknown; only a place in a binary has a `word`."""
    out: dict[str, Any] = {
        "code": diagnostic.code,
        "severity": diagnostic.severity,
        "message": diagnostic.message,
        **_place(diagnostic.place),
        "notes": [_note(note) for note in diagnostic.notes],
    }
    if diagnostic.help:
        out["help"] = diagnostic.help
    return out


def _place(place: Place | None) -> dict[str, Any]:
    if place is None:
        return {"file": "", "line": 0, "column": 0}
    out: dict[str, Any] = {"file": place.file, "line": place.line, "column": place.column}
    if place.word >= 0:
        out["word"] = place.word
    return out


def _note(note: Note) -> dict[str, Any]:
    return {"message": note.message} if note.place is None else {"message": note.message, **_place(note.place)}


def _sarif(diagnostics: Sequence[Diagnostic], lines: Lines) -> dict[str, Any]:
    from reknit.source.fingerprints import fingerprints

    codes = sorted({diagnostic.code for diagnostic in diagnostics})
    results = [
        sarif_result(diagnostic, codes.index(diagnostic.code), mark)
        for diagnostic, mark in zip(diagnostics, fingerprints(diagnostics, lines), strict=True)
    ]
    run = {"tool": _sarif_tool(codes), "columnKind": COLUMN_KIND, "results": results}
    return {"version": "2.1.0", "$schema": SARIF_SCHEMA, "runs": [run]}


def _sarif_tool(codes: Sequence[str]) -> dict[str, Any]:
    from reknit.source.version import HOME, VERSION

    driver = {"name": "reknit", "semanticVersion": VERSION, "version": VERSION, "informationUri": HOME}
    return {"driver": {**driver, "rules": [_sarif_rule(code) for code in codes]}}


def _sarif_rule(code: str) -> dict[str, Any]:
    """With its page as help, which code scanners show beside a finding."""
    from reknit.source.version import HOME

    text = page(code)
    if text is None:
        return {"id": code, "shortDescription": {"text": code}}
    body = text.partition("\n")[2].strip()
    first = body.removeprefix("## What it does").strip().partition("\n\n")[0]
    return {
        "id": code,
        "shortDescription": {"text": title(code)},
        "fullDescription": {"text": first},
        "help": {"text": body, "markdown": body},
        "helpUri": f"{HOME}codes/{code}.html",
    }


def sarif_head(codes: Sequence[str]) -> tuple[str, str]:
    """What stands before and behind the results of a file that is written result by result; `codes` are the sorted ones
    of all."""
    import json

    tool = json.dumps(_sarif_tool(codes))
    head = f'{{"version": "2.1.0", "$schema": {json.dumps(SARIF_SCHEMA)}, "runs": [{{"tool": {tool}, '
    head += f'"columnKind": "{COLUMN_KIND}", "results": ['
    return head, "]}]}\n"


def sarif_result(diagnostic: Diagnostic, rule: int, fingerprint: str = "") -> dict[str, Any]:
    """`rule` is the place of its code among all; `fingerprint` finds it again where lines have moved."""
    text = diagnostic.message + (f"\n{diagnostic.help}" if diagnostic.help else "")
    out: dict[str, Any] = {
        "ruleId": diagnostic.code,
        "ruleIndex": rule,
        "level": SARIF_LEVELS[diagnostic.severity],
        "message": {"text": text},
    }
    if diagnostic.place is not None and diagnostic.place.file:
        out["locations"] = [_sarif_location(diagnostic.place)]
    related = [
        {**_sarif_location(note.place), "message": {"text": note.message}}
        for note in diagnostic.notes
        if note.place is not None and note.place.file
    ]
    if related:
        out["relatedLocations"] = related
    if fingerprint:
        out["partialFingerprints"] = {"reknit/v1": fingerprint}
    return out


def _uri(file: str) -> str:
    """A reference that is relative, or absolute with its scheme: `//host/x` alone names a machine (RFC 3986, 4.2)."""
    from urllib.parse import quote

    path = file.replace(os.sep, "/")
    if not os.path.isabs(file):
        return quote(path, errors="surrogateescape")
    return f"file://{'' if path.startswith('/') else '/'}{quote(path, errors='surrogateescape', safe='/:')}"


def _sarif_location(place: Place) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": {"uri": _uri(place.file)}}
    if place.word >= 0:
        physical["region"] = {"byteOffset": 4 * place.word, "byteLength": 4}
    elif place.line > 0 and place.column == 0:
        physical["region"] = {"startLine": place.line}  # the whole line (SARIF 2.1.0, 3.30.2)
    elif place.line > 0:
        last = place.column + max(place.length, 1)  # exclusive, as SARIF counts
        physical["region"] = {"startLine": place.line, "startColumn": place.column, "endColumn": last}
    return {"physicalLocation": physical}


def _github(diagnostic: Diagnostic) -> str:
    fields: list[str] = []
    place = diagnostic.place
    text = diagnostic.message
    if place is not None:
        fields.append(f"file={_github_property(place.file)}")
        if place.word >= 0:
            text = f"{text} (word {place.word})"
        elif place.line > 0:
            fields.append(f"line={place.line}")
            if place.column > 0:
                fields.append(f"col={place.column}")
    fields.append(f"title={_github_property(diagnostic.code)}")
    for note in diagnostic.notes:
        text += f"\nnote: {note.message}"
    if diagnostic.help:
        text += f"\nhelp: {diagnostic.help}"
    return f"::{GITHUB_COMMANDS[diagnostic.severity]} {','.join(fields)}::{_github_data(text)}"


def _github_data(text: str) -> str:
    return visible(text).replace("%", "%25").replace("\n", "%0A")


def _github_property(text: str) -> str:
    return _github_data(text).replace(":", "%3A").replace(",", "%2C")
