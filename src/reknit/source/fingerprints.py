"""What tells a finding from others, and stays when lines move: for baselines, and code scanners.

    code, file, the words of the line at fault (of a binary: the message), and which one it is of those that are alike
"""

import os
from collections import Counter
from collections.abc import Sequence

from reknit.source.diagnostic import Diagnostic
from reknit.source.render import Lines, LinesOf, remembering


def fingerprints(diagnostics: Sequence[Diagnostic], lines: Lines, folder: str = "") -> list[str]:
    """Of each, of which no two are the same; files are named from `folder`."""
    import hashlib  # which is for findings that are kept

    seen: Counter[str] = Counter()
    marks: list[str] = []
    once = remembering(lines)
    for diagnostic in diagnostics:
        place = diagnostic.place
        file = named_from(folder, place.file) if place is not None else ""
        words = " ".join(_line(diagnostic, once).split()) or diagnostic.message
        text = "\0".join([diagnostic.code, file, words])
        seen[text] += 1
        whole = f"{text}\0{seen[text]}".encode("utf-8", "surrogateescape")
        marks.append(hashlib.sha256(whole).hexdigest()[:32])
    return marks


def named_from(folder: str, file: str) -> str:
    """The name of a file from a folder ("" is the current one); of a file without a name "", of one on another drive
    its own."""
    if not file:
        return ""
    try:
        return os.path.relpath(file, folder or None).replace(os.sep, "/")
    except ValueError:
        return file.replace(os.sep, "/")


def _line(diagnostic: Diagnostic, lines: LinesOf) -> str:
    place = diagnostic.place
    if place is None or place.word >= 0 or place.line <= 0:
        return ""
    source = lines(place.file)
    return source[place.line - 1] if place.line <= len(source) else ""
