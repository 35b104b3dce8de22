"""Names that are left out: patterns for files and folders, wherever they are named or found.

    *.inc.slang       each file or folder of that name, at any depth
    shaders/old       the one at that place, from the current folder, with all below
    shaders/*.comp    what is like it; * is any part of a name, of folders too
"""

import glob
import os
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import final


@final
class Exclusion:
    """`patterns` as they were given, and which of them are of a name alone, and which of a whole path."""

    __slots__ = ("patterns", "names", "paths", "folder")

    def __init__(self, patterns: Sequence[str]) -> None:
        self.patterns = list(patterns)
        self.folder = os.path.abspath("")
        plain = [pattern.replace(os.sep, "/").removeprefix("./").rstrip("/") for pattern in patterns]
        self.names = [pattern for pattern in plain if pattern and "/" not in pattern]
        escaped = glob.escape(self.folder).replace(os.sep, "/").rstrip("/")
        self.paths = [
            pattern if os.path.isabs(pattern) else f"{escaped}/{pattern}" for pattern in plain if "/" in pattern
        ]

    def __repr__(self) -> str:
        return f"<left out: {', '.join(self.patterns)}>"

    def holds(self, name: str) -> bool:
        """Whether a name, or a folder in it, is left out."""
        if not self.patterns:
            return False
        parts = [part for part in name.replace(os.sep, "/").split("/") if part not in ("", ".", "..")]
        if any(fnmatchcase(part, pattern) for part in parts for pattern in self.names):
            return True
        if not self.paths:
            return False
        path = self._whole(name)
        while True:
            if self._is_path(path):
                return True
            above = path.rpartition("/")[0]
            if not above:
                return False
            path = above

    def holds_entry(self, path: str) -> bool:
        """The same of what lies in a folder that is not left out."""
        if not self.patterns:
            return False
        return any(fnmatchcase(os.path.basename(path), pattern) for pattern in self.names) or self._is_path(
            self._whole(path)
        )

    def _whole(self, name: str) -> str:
        return os.path.normpath(os.path.join(self.folder, name)).replace(os.sep, "/")

    def _is_path(self, path: str) -> bool:
        return any(fnmatchcase(path, pattern) for pattern in self.paths)
