"""Findings that a project has and lives with, in a file: those are not reported again, new ones are.

    baseline = read_baseline("reknit-baseline.json")
    baseline.left(diagnostics, lines)       without those that it has
    baseline.gone()                         what it has of the files that were looked at, and that is no longer there

A finding is known by its fingerprint, so that it stays known where lines move (`source.fingerprints`).
"""

import json
import os
from collections.abc import Sequence
from typing import Any, Final, final

from reknit.files.streams import as_text, read_bytes, write_bytes
from reknit.source.diagnostic import NOTE, Diagnostic, InputError
from reknit.source.fingerprints import fingerprints, named_from
from reknit.source.place import Place
from reknit.source.render import Lines

VERSION: Final = 1


@final
class Baseline:
    """`known` has by fingerprint what the file says; `met` the findings that came, in their order."""

    __slots__ = ("path", "known", "met", "files")

    def __init__(self, path: str, known: dict[str, dict[str, str]]) -> None:
        self.path = path
        self.known = known
        self.met: dict[str, dict[str, str]] = {}
        self.files: set[str] = set()

    def __repr__(self) -> str:
        return f"<baseline: {len(self.known)} findings>"

    def left(self, diagnostics: Sequence[Diagnostic], lines: Lines, path: str) -> list[Diagnostic]:
        """What is to be reported of the input `path`: notes, and what isn't known."""
        folder = os.path.dirname(os.path.abspath(self.path))
        self.files.add(named_from(folder, path))
        new: list[Diagnostic] = []
        for diagnostic, mark in zip(diagnostics, fingerprints(diagnostics, lines, folder), strict=True):
            if diagnostic.severity != NOTE:
                file = "" if diagnostic.place is None else named_from(folder, diagnostic.place.file)
                place = {"input": named_from(folder, path), "file": file}
                self.met[mark] = {"code": diagnostic.code, **place, "message": diagnostic.message}
            if diagnostic.severity == NOTE or mark not in self.known:
                new.append(diagnostic)
        return new

    def gone(self) -> list[Diagnostic]:
        """A note, where findings of files that were looked at, or of files that are gone, are no longer there."""
        count = sum(1 for mark, has in self.known.items() if mark not in self.met and not self._is_elsewhere(has))
        if not count:
            return []
        message = f"{count} finding{'' if count == 1 else 's'} of the baseline {'is' if count == 1 else 'are'} gone"
        help = "--write-baseline takes out what is gone"
        return [Diagnostic("RK3024", message, Place(self.path), NOTE, help=help)]

    def _is_elsewhere(self, has: dict[str, str]) -> bool:
        """Whether a finding is of a file, or a member of an archive, that is there and was not looked at."""
        if has["input"] in self.files:
            return False
        path = os.path.join(os.path.dirname(self.path), has["input"])
        if os.path.exists(path):
            return True
        while path and not os.path.exists(path):
            path = os.path.dirname(path)
        return os.path.isfile(path)

    def write(self) -> None:
        """What came, and what the file had of files that were not looked at. Raises InputError (RK0007)."""
        kept = {mark: has for mark, has in self.known.items() if self._is_elsewhere(has)}
        rows = sorted(({"fingerprint": mark, **has} for mark, has in {**kept, **self.met}.items()), key=_order)
        text = json.dumps({"version": VERSION, "findings": rows}, indent=1) + "\n"
        write_bytes(self.path, text.encode())


def read_baseline(path: str, may_be_absent: bool = False) -> Baseline:
    """Raises InputError: RK0001, RK0008, RK3023."""
    if may_be_absent and not os.path.exists(path):
        return Baseline(path, {})
    text = as_text(read_bytes(path), path)
    try:
        data: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        from reknit.source.boundary import has_too_many_digits, too_many_digits

        if has_too_many_digits(error):
            raise too_many_digits(error, Place(path)) from None
        raise _wrong(path, f"it is not JSON: {error}") from None
    if not isinstance(data, dict) or data.get("version") != VERSION or not isinstance(data.get("findings"), list):
        raise _wrong(path, f"it has no findings of version {VERSION}")
    known: dict[str, dict[str, str]] = {}
    for row in data["findings"]:
        keys = ("fingerprint", "code", "input", "file", "message")
        if not isinstance(row, dict) or not all(isinstance(row.get(key), str) for key in keys):
            raise _wrong(path, f"a finding of it has not all of {', '.join(keys)}")
        known[row["fingerprint"]] = {key: row[key] for key in keys[1:]}
    return Baseline(path, known)


def _order(row: dict[str, str]) -> tuple[str, ...]:
    return row["input"], row["file"], row["code"], row["message"], row["fingerprint"]


def _wrong(path: str, message: str) -> InputError:
    help = "--write-baseline writes one"
    return InputError([Diagnostic("RK3023", f"the baseline can't be used: {message}", Place(path), help=help)])
