"""Files that an input may name, and what of files is shown.

    text_of_file("include/a.h")          contents of a regular file; an OSError for a device, a pipe, a folder
    is_reachable(path, home, roots)      whether the sandbox lets an input of the folder `home` include the file
    may_be_quoted(path)                  whether messages show its lines: a file that was read as an input

Debug information and `#line` may call any file of this machine the source: its lines are shown where it was read, or,
outside of a sandbox, where its name is that of a shader.
"""

import errno
import os
import stat
from typing import Final

from reknit.source.interrupt import sandboxes

REPOSITORY: Final = (".git", ".hg", ".jj", ".svn")
"""What the root of a repository has: a folder, or a file in a work tree beside it."""
MAX_BYTES: Final = 1 << 28
"""No shader is that long; a device or a pipe may have no end."""

SOURCES: Final = (
    "glsl", "hlsl", "slang", "hlsli", "h", "hpp", "inc", "inl", "glslh", "glsli", "fx", "fxh", "cl", "metal", "wgsl",
    "vert", "tesc", "tese", "geom", "frag", "comp", "mesh", "task", "rgen", "rint", "rahit", "rchit", "rmiss", "rcall",
    "spvasm", "rk", "ll", "cfg", "amber", "vkscript",
)  # fmt: skip
"""Endings of what shaders are written in, and of what they include."""

_READ: Final[dict[str, None]] = {}
_FLAGS: Final = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


def was_read(path: str) -> None:
    """The file is an input, which messages may quote."""
    _READ[path] = None


def may_be_quoted(path: str) -> bool:
    """Whether a message that points into the file may show its lines."""
    return path in _READ or (not sandboxes() and path.rpartition(".")[2].lower() in SOURCES)


def regular_file(path: str) -> int:
    """A handle of the file, opened for reading without waiting. Raises OSError where it is none: a pipe
    that has no writer would wait for ever, a device may have no end."""
    handle = os.open(path, _FLAGS)
    mode = os.fstat(handle).st_mode
    if stat.S_ISREG(mode):
        return handle
    os.close(handle)
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    raise OSError(errno.EINVAL, "it is a device or a pipe, and no regular file", path)


def is_utf16(data: bytes) -> bool:
    """Whether the contents begin with UTF-16's byte order mark, and not with UTF-32's."""
    return data[:2] == b"\xfe\xff" or data[:2] == b"\xff\xfe" and data[2:4] != b"\0\0"


def decoded(data: bytes, errors: str = "strict") -> str:
    """Text in UTF-8, or in UTF-16 where a byte order mark says so, without that. Raises UnicodeDecodeError."""
    return data.decode("utf-16" if is_utf16(data) else "utf-8-sig", errors)


def text_of_file(path: str, errors: str = "strict") -> str:
    """The text of a regular file. Raises OSError; ValueError where it is longer than any shader, or neither UTF-8 nor
    UTF-16 with a byte order mark unless `errors` is another way of str to take that."""
    with open(regular_file(path), "rb") as file:
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise ValueError(f"it has more than {MAX_BYTES >> 20} MiB")
    try:
        text = decoded(data, errors)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        form = "UTF-16" if is_utf16(data) else "UTF-8"
        raise ValueError(f"byte {data[error.start]:#04x} in line {line} is not {form}") from None
    was_read(path)
    return text


def is_reachable(path: str, home: str | None, roots: list[str]) -> bool:
    """Whether every sandbox in force lets an input in the folder `home` (None: it lies nowhere) name the file: links
    resolved, it lies below that folder, one of `roots`, or one of the sandbox's own."""
    named = [home, *roots] if home is not None else roots
    return all(_is_below(path, [*named, *sandbox.roots]) for sandbox in sandboxes())


def _is_below(path: str, folders: list[str]) -> bool:
    try:
        real = os.path.realpath(path)
    except ValueError:  # a name that no file can have, which lies nowhere
        return False
    for folder in folders:
        root = os.path.realpath(folder)
        if real == root or real.startswith(root.rstrip(os.sep) + os.sep):
            return True
    return False


def folders_upward(folder: str) -> list[str]:
    """The folders in which a project's configuration is looked for: from `folder`, an absolute path, to the root of the
    repository or the home folder, whichever comes first; `folder` alone if it is in neither.

        ~/games/pond/shaders     ──▶   ~/games/pond/shaders, ~/games/pond           (.git is here: no further)
        ~/scratch/x              ──▶   ~/scratch/x, ~/scratch, ~
        /srv/x                   ──▶   /srv/x

    A file that others put into `/`, `/tmp` or `/srv` configures nothing below.
    """
    home = os.path.expanduser("~")
    homes = {home, os.path.realpath(home)} if os.path.isabs(home) else set()
    folders: list[str] = []
    current = folder
    while True:
        above = os.path.dirname(current)
        if above == current:
            return [folder]
        folders.append(current)
        if current in homes or any(os.path.lexists(os.path.join(current, name)) for name in REPOSITORY):
            return folders
        current = above
