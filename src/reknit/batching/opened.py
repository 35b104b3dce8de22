"""Which files a result depends on besides its input: what was looked for while it was made, also what wasn't there.

    with Opened() as opened: ...      #include "a/b.h" looks at dir/a/b.h, then at each folder of -I
    opened.files()  ──▶  [("/x/dir/a/b.h", ""), ("/x/include/a/b.h", "5f0c...")]

A file that appears in a folder that is looked at first changes the result as an edited one does, so both are kept.
What other programs open isn't seen (`cache.is_lasting`).
"""

import hashlib
import os
import sys
import tempfile
from typing import Any, Final, final

_OWN: Final = "reknit-"
"""What folders are called that reknit makes for other programs."""


@final
class Opened:
    """An audit hook can't be taken out again: there is one in a process, which listens while it is entered."""

    __slots__ = ("paths", "listening", "installed", "ignored")

    def __init__(self) -> None:
        self.paths: dict[str, None] = {}
        self.listening = False
        self.installed = False
        temporary = os.path.join(os.path.realpath(tempfile.gettempdir()), _OWN)
        self.ignored: tuple[str, ...] = (temporary, "/proc/", "/dev/", "/sys/")

    def __enter__(self) -> "Opened":
        if not self.installed:
            import sysconfig

            folders = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
            package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
            self.ignored += tuple(os.path.join(folder, "") for folder in [package, *folders])
            sys.addaudithook(self.hear)
            self.installed = True
        self.paths = {}
        self.listening = True
        return self

    def __exit__(self, *_: object) -> None:
        self.listening = False

    def hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self.listening and event == "open" and isinstance(arguments[0], str | bytes):
            self.paths[os.path.abspath(os.fsdecode(arguments[0]))] = None

    def files(self, path: str) -> list[tuple[str, str]]:
        """(path, digest) of each, but of the input itself, which lies at `path`."""
        own = os.path.abspath(path) if path else ""
        return [(file, digest_of(file)) for file in self.paths if file != own and not file.startswith(self.ignored)]


def digest_of(path: str) -> str:
    """The SHA-256 of a file's contents; "" where there is none that can be read."""
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""
