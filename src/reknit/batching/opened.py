"""Which files a result depends on besides its input: what was looked for while it was made, also what wasn't there.

    with Opened() as opened: ...      #include "a/b.h" looks at dir/a/b.h, then at each folder of -I
    opened.files()  ──▶  [("/x/dir/a/b.h", ""), ("/x/include/a/b.h", "5f0c...")]

A file that appears in a folder that is looked at first changes the result as an edited one does, so both are kept.
What other programs open isn't seen (`Keyed.is_lasting`).
"""

import hashlib
import os
import sys
from typing import Any, Final, final

from reknit.files.formats import ending
from reknit.source.reading import SOURCES, regular_file

_TEMPORARY: Final = ("tempfile.mkdtemp", "tempfile.mkstemp")
_SYSTEM: Final = ("/proc/", "/sys/")


@final
class Opened:
    """An audit hook can't be taken out again: there is one in a process, which listens while it is entered. Left out
    are the system's files, reknit's own, what of Python's folders is no source of a shader, and temporary files."""

    __slots__ = ("paths", "temporary", "listening", "installed", "own", "python")

    def __init__(self) -> None:
        self.paths: dict[str, None] = {}
        self.temporary: list[str] = []
        self.listening = False
        self.installed = False
        self.own: tuple[str, ...] = _SYSTEM
        self.python: tuple[str, ...] = ()

    def __enter__(self) -> "Opened":
        if not self.installed:
            import sysconfig

            package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
            self.own = (*_SYSTEM, os.path.join(package, ""))
            names = ("stdlib", "platstdlib", "purelib", "platlib")
            self.python = tuple(os.path.join(sysconfig.get_path(name), "") for name in names)
            sys.addaudithook(self.hear)
            self.installed = True
        self.paths = {}
        self.temporary = []
        self.listening = True
        return self

    def __exit__(self, *_: object) -> None:
        self.listening = False

    def hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.listening:
            return
        if event == "open" and isinstance(arguments[0], str | bytes):
            self.paths[os.path.abspath(os.fsdecode(arguments[0]))] = None
        elif event in _TEMPORARY:
            self.temporary.append(os.path.abspath(os.fsdecode(arguments[0])))

    def files(self, path: str) -> list[tuple[str, str]]:
        """(path, digest) of each, but of the input itself, which lies at `path`."""
        temporary = {os.path.abspath(path) if path else "", *self.temporary}
        below = tuple(os.path.join(folder, "") for folder in self.temporary)
        return [
            (file, digest_of(file))
            for file in self.paths
            if file not in temporary
            and not file.startswith((*self.own, *below))
            and not (file.startswith(self.python) and ending(file) not in SOURCES)
        ]


def digest_of(path: str) -> str:
    """The SHA-256 of a file's contents; "" where there is none that can be read."""
    try:
        with open(regular_file(path), "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""
