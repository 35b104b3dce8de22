"""What a worker has to say of one input, and diagnostics as data that JSON can hold.

Reply  ──packed──▶  (JSON, output bytes)  ──unpacked──▶  Reply
"""

import json
from typing import Any, final

from reknit.source.diagnostic import ERROR, Diagnostic, Note
from reknit.source.place import Place


@final
class Reply:
    """`verdict` is one of `verdicts`. `output` is what is to be written, None for nothing. `details` are the recipe's
    own (a run's buffers, a proof's verdict, a fault's traceback). `depends` are the other files that the result depends
    on: (path, SHA-256 of the contents, "" where there is none). `seconds` are processor time,
    `held` is the memory that the worker has afterwards: no report has them."""

    __slots__ = ("verdict", "diagnostics", "output", "details", "depends", "seconds", "held")

    def __init__(
        self,
        verdict: str,
        diagnostics: list[Diagnostic] | None = None,
        output: bytes | None = None,
        details: dict[str, Any] | None = None,
    ) -> None:
        self.verdict = verdict
        self.diagnostics: list[Diagnostic] = diagnostics if diagnostics is not None else []
        self.output = output
        self.details: dict[str, Any] = details if details is not None else {}
        self.depends: list[tuple[str, str]] = []
        self.seconds = 0.0
        self.held = 0

    def __repr__(self) -> str:
        return f"<{self.verdict}: {len(self.diagnostics)} diagnostics>"

    def text(self) -> str:
        """As JSON, without the output."""
        return json.dumps(
            {
                "verdict": self.verdict,
                "diagnostics": [packed(diagnostic) for diagnostic in self.diagnostics],
                "details": self.details,
                "depends": self.depends,
                "seconds": round(self.seconds, 4),
                "held": self.held,
            },
            separators=(",", ":"),
        )


def reply_of(text: str, output: bytes | None) -> Reply:
    """The reply whose JSON is `text`."""
    data = json.loads(text)
    reply = Reply(data["verdict"], [unpacked(each) for each in data["diagnostics"]], output, data["details"])
    reply.depends = [(path, digest) for path, digest in data["depends"]]
    reply.seconds = data["seconds"]
    reply.held = data["held"]
    return reply


def packed(diagnostic: Diagnostic) -> dict[str, Any]:
    """All of a diagnostic; what is usual is left out."""
    out: dict[str, Any] = {"code": diagnostic.code, "message": diagnostic.message}
    if diagnostic.severity != ERROR:
        out["severity"] = diagnostic.severity
    if diagnostic.place is not None:
        out["place"] = _place(diagnostic.place)
    if diagnostic.notes:
        out["notes"] = [
            [note.message] if note.place is None else [note.message, _place(note.place)] for note in diagnostic.notes
        ]
    if diagnostic.help:
        out["help"] = diagnostic.help
    return out


def unpacked(data: dict[str, Any]) -> Diagnostic:
    place = Place(*data["place"]) if "place" in data else None
    notes = [Note(note[0], Place(*note[1]) if len(note) > 1 else None) for note in data.get("notes", [])]
    return Diagnostic(data["code"], data["message"], place, data.get("severity", ERROR), notes, data.get("help", ""))


def _place(place: Place) -> list[Any]:
    return [place.file, place.line, place.column, place.length, place.word]
