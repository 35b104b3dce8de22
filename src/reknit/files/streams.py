"""Bytes from a file or standard input, and back; what the system refuses is a diagnostic.

    read_bytes("a.spv")  read_bytes("-")         write_bytes("a.spv", data)  write_bytes("-", data)
"""

import errno
import os
import stat
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import BinaryIO, Final

from reknit.files.formats import STANDARD
from reknit.source.diagnostic import Diagnostic, InputError
from reknit.source.interrupt import sandboxes
from reknit.source.place import Place
from reknit.source.reading import (
    MAX_BYTES,
    decoded,
    is_reachable,
    is_utf16,
    may_be_quoted,
    regular_file,
    was_read,
)
from reknit.source.visible import visible

INPUT_NAME = "<stdin>"

CHUNK: Final = 1 << 24

OPEN_FILES: Final = ("/dev/", "/proc/")
"""Where names are of files that a process has open, such as /dev/stdout."""


def shown_name(path: str) -> str:
    """What diagnostics call the input."""
    return INPUT_NAME if path == STANDARD else path


def lines_of(path: str) -> Sequence[str]:
    """A file's lines, to quote; none of one that is no text, that was not given to be read, or can't be read again
    (standard input)."""
    if not may_be_quoted(path):
        return ()
    try:
        with open(regular_file(path), "rb") as file:
            text = decoded(file.read(MAX_BYTES), "replace")
        return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    except (OSError, ValueError):
        return ()


def read_bytes(path: str) -> bytes:
    """The contents. Raises InputError (RK0001)."""
    if path == STANDARD:
        return _all_of(sys.stdin.buffer, path)
    was_read(path)
    try:
        with open(regular_file(path) if sandboxes() else path, "rb") as file:
            return _all_of(file, path)
    except OSError as error:
        raise InputError([_fault("RK0001", "can't be read", path, error)]) from None
    except ValueError:  # a name that no file can have
        raise InputError([Diagnostic("RK0001", f"no file can be called {path!r}")]) from None


def read_input(path: str) -> bytes:
    """The contents of an input. Raises InputError (RK0001, RK0023)."""
    if path != STANDARD:
        refuse_link(path)
    return read_bytes(path)


def refuse_link(path: str) -> None:
    """Raises InputError (RK0023) where a sandbox is in force and the input is a link that leads out of its folder: what
    it leads to may be no shader, and messages quote inputs."""
    if "\0" not in path and not is_reachable(path, os.path.dirname(path), []):
        message = "the input is a link that leads out of its folder, and the sandbox does not follow it"
        help = "name the file that it leads to, or allow that one's folder with --root"
        raise InputError([Diagnostic("RK0023", message, Place(path), help=help)])


def read_named(name: str, folder: str, place: Place) -> bytes:
    """The contents of a regular file that an input in `folder` names at `place`. Raises InputError (RK0001, RK0023)."""
    path = os.path.join(folder, name)
    if not is_reachable(path, folder, []):
        message = f"{name!r} is outside of the folders that the sandbox reads from: the input's own and those of --root"
        raise InputError([Diagnostic("RK0023", message, place)])
    try:
        with open(regular_file(path), "rb") as file:
            return _all_of(file, path)
    except OSError as error:
        raise InputError([_fault("RK0001", "can't be read", path, error, place)]) from None
    except ValueError:  # a name that no file can have
        raise InputError([Diagnostic("RK0001", f"no file can be called {path!r}", place)]) from None


def write_text(path: str, text: str) -> None:
    """A text for people and browsers: bytes of names that are no UTF-8 are written as messages show them, as `\\udcff`,
    which is an escape in JSON. Raises InputError (RK0007)."""
    write_bytes(path, text.encode("utf-8", "backslashreplace"))


def write_bytes(path: str, data: bytes) -> None:
    """Write all of it, or leave what was there: a file is written beside and renamed. Raises InputError (RK0007)."""
    if path == STANDARD:
        sys.stdout.flush()
        sys.stdout.buffer.write(_for_terminal(data) if sys.stdout.isatty() else data)
        sys.stdout.buffer.flush()
        return
    try:
        if _is_plain(path):
            _replace(os.path.realpath(path), data)
        else:
            with open(path, "wb") as file:
                file.write(data)
    except OSError as error:
        raise InputError([_fault("RK0007", "can't be written", path, error)]) from None
    except ValueError:  # a name that no file can have
        raise InputError([Diagnostic("RK0007", f"no file can be called {path!r}")]) from None


def _is_plain(path: str) -> bool:
    """Whether the name can be given to another file: no folder, device, pipe or open file has it."""
    if path.endswith(os.sep) or os.path.abspath(path).startswith(OPEN_FILES):
        return False
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except FileNotFoundError:
        return True


def _replace(path: str, data: bytes) -> None:
    """Give the name `path` to a file with `data`, which was written beside it: a reader sees the old contents or
    all of the new ones. Its mode stays."""
    old = os.stat(path) if os.path.exists(path) else None
    if old is not None and not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
    folder = os.path.dirname(path)
    number = 0
    while True:
        beside = os.path.join(folder, f".reknit-{os.getpid()}-{number}.tmp")
        try:
            handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
            break
        except FileExistsError:
            number += 1
        except PermissionError:
            if old is None:
                raise
            with open(path, "wb") as file:  # the folder takes no new files, but this one may be written
                file.write(data)
            return
    try:
        with open(handle, "wb") as file:
            file.write(data)
            if old is not None:
                os.chmod(beside, stat.S_IMODE(old.st_mode))
        os.replace(beside, path)
    except BaseException:
        with suppress(FileNotFoundError):  # it has just got its name
            os.unlink(beside)
        raise


def _for_terminal(data: bytes) -> bytes:
    """The same text, in which nothing steers the terminal."""
    return visible(data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")


def as_text(data: bytes, name: str, errors: str = "strict") -> str:
    """The contents as UTF-8, or as UTF-16 where a byte order mark says so, without that; `errors` is how str takes
    what is neither. Raises InputError (RK0008) with the fault's place."""
    wrong = -1 if is_utf16(data) else data.find(b"\0")
    if wrong < 0:
        try:
            text = decoded(data, errors)
            wrong = text.find("\0")
            if wrong < 0:
                return text
            data = text.encode("utf-8", "replace")
            wrong = data.find(b"\0")
        except UnicodeDecodeError as error:
            wrong = error.start
    before = data[:wrong]
    line = before.count(b"\n") + 1
    column = len(before) - (before.rfind(b"\n") + 1) + 1
    what = "not UTF-8" if data[wrong] else "a NUL"
    message = f"byte 0x{data[wrong]:02x} is {what}, so this is no text"
    help = "name the format with --from if the ending is wrong"
    raise InputError([Diagnostic("RK0008", message, Place(name, line, column), help=help)])


def _all_of(file: BinaryIO, path: str) -> bytes:
    chunks: list[bytes] = []
    size = 0
    while chunk := file.read(CHUNK):
        chunks.append(chunk)
        size += len(chunk)
        if size > MAX_BYTES:
            message = f"the file can't be read: it has more than {MAX_BYTES >> 20} MiB"
            raise InputError([Diagnostic("RK0001", message, Place(shown_name(path)))])
    return chunks[0] if len(chunks) == 1 else b"".join(chunks)


def _fault(code: str, what: str, path: str, error: OSError, place: Place | None = None) -> Diagnostic:
    reason = error.strerror or str(error)
    named = "the file" if place is None else repr(path)
    return Diagnostic(code, f"{named} {what}: {reason[:1].lower()}{reason[1:]}", place or Place(path))
