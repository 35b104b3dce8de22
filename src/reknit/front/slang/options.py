"""What a compilation is given besides its source: macros (`-D`), where included files are looked for (`-I`), and how
data lies in memory where the source doesn't say it (`--buffer-layout`, `--matrix-layout`, `--bit-fields`).

#include "a/b.h" in dir/x.slang    ->   dir/a/b.h, then each search path's a/b.h
"""

import os
from typing import final

from reknit.front.slang.lexer import with_plain_line_ends
from reknit.source.reading import is_reachable, text_of_file


class OutOfReach(Exception):
    """A sandbox does not let the input name the file."""


class Unreadable(Exception):
    """A file of that name is there, which is no text; the message says why."""


def out_of_reach(wanted: str) -> str:
    """The message of RK0023."""
    return f"'{wanted}' is outside of the folders that the sandbox includes from: the input's own and those of --root"


@final
class Options:
    """`defines` maps a macro's name to its text ("" for none); `files` are texts by name that need not be on a disk.
    The layouts are two of `layout_options`; `matrix_layout` is "" for the language's own: by rows in Slang, by columns
    in HLSL. `bit_fields` is "msvc" where they are packed as Microsoft's compiler does it, else "". `year` is the
    version of the language where the source doesn't say it."""

    __slots__ = ("defines", "search_paths", "files", "buffer_layout", "matrix_layout", "bit_fields", "year")

    def __init__(
        self,
        defines: dict[str, str] | None = None,
        search_paths: list[str] | None = None,
        files: dict[str, str] | None = None,
        buffer_layout: str = "std",
        matrix_layout: str = "",
        bit_fields: str = "",
        year: int = 2025,
    ) -> None:
        self.defines: dict[str, str] = defines if defines is not None else {}
        self.search_paths: list[str] = search_paths if search_paths is not None else []
        self.files: dict[str, str] = files if files is not None else {}
        self.buffer_layout = buffer_layout
        self.matrix_layout = matrix_layout
        self.bit_fields = bit_fields
        self.year = year

    def find(self, wanted: str, folder: str, main: str, errors: str = "strict") -> tuple[str, str] | None:
        """The path and the text of a file that one in `folder` includes or imports, for the source `main`; None if it
        is nowhere. Raises OutOfReach where a sandbox is all that stands before it, Unreadable where it is no regular
        file or neither UTF-8 nor UTF-16, unless `errors` is another way of str to take that."""
        refused = False
        unreadable = ""
        for start in [folder, *self.search_paths]:
            path = os.path.normpath(os.path.join(start, wanted))
            if path in self.files:
                return path, self.files[path]
            if not is_reachable(path, None if main.startswith("<") else os.path.dirname(main), self.search_paths):
                refused = True
                continue
            try:
                return path, with_plain_line_ends(text_of_file(path, errors))
            except (FileNotFoundError, NotADirectoryError):
                continue
            except (OSError, ValueError) as error:
                reason = error.strerror if isinstance(error, OSError) else str(error)
                unreadable = unreadable or f"{path} can't be read: {reason}"
        if refused:
            raise OutOfReach
        if unreadable:
            raise Unreadable(unreadable)
        return None
