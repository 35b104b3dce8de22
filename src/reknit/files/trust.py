"""Which configurations may name code: those of the user's own files that the user has allowed.

    path, what the file says ──▶ digest ──▶ STATE/<digest>     holds the path

STATE is $XDG_STATE_HOME/reknit/trusted, else ~/.local/state/reknit/trusted. A file that changed has another digest, so
that it is to be allowed again. REKNIT_TRUST names folders that are allowed without that, as a job of CI needs it.
"""

import hashlib
import os
import stat
from contextlib import suppress
from typing import Final

from reknit.files.streams import read_bytes
from reknit.source.diagnostic import Diagnostic, InputError
from reknit.source.ownership import fault_of, not_own
from reknit.source.place import Place

VARIABLE: Final = "REKNIT_TRUST"
MAX_LENGTH: Final = 1 << 16
"""Bytes of an entry: a path."""
NOT_ALLOWED: Final = "not allowed"


def why_not(path: str, named: bool) -> str:
    """Why the configuration at `path` may not name code: NOT_ALLOWED, or what is wrong with its owner or mode; "" where
    it may. `named`: the command line names the file, which allows it."""
    whose = whose_not(path)
    if whose:
        return whose
    return "" if named or _by_variable(path) or is_allowed(path) else NOT_ALLOWED


def whose_not(path: str) -> str:
    """Why others may have written the file at `path`, or put it there; "" if they can't have."""
    real = os.path.realpath(path)
    try:
        for each in (real, os.path.dirname(real)):
            fault = not_own(each)
            if fault:
                return f"{each}: {fault}"
    except OSError as error:
        return f"{real}: {(error.strerror or str(error)).lower()}"
    return ""


def code_not_own(path: str) -> str:
    """The same of a file with code that a configuration names. One that is not there is reported where it is used."""
    real = os.path.realpath(path)
    if not os.path.exists(real):
        return ""
    for each in (real, os.path.dirname(real)):
        fault = not_own(each, system=True)
        if fault:
            return f"{each}: {fault}"
    return ""


def is_allowed(path: str) -> bool:
    """Whether the user allowed the file as it is now."""
    entry = os.path.join(state_folder(), _digest(path))
    return _path_of(entry) == os.path.realpath(path)


def allow(path: str) -> None:
    """The file as it is now. Raises InputError (RK0025) where it isn't the user's own, or this can't be written."""
    whose = whose_not(path)
    if whose:
        help = f"make the file and its folder your own (chown, chmod go-w {_short(path)}), or give options as arguments"
        raise InputError([Diagnostic("RK0025", f"the configuration can't be allowed: {whose}", Place(path), help=help)])
    digest = _digest(path)
    forget(path)
    folder = state_folder()
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        fault = not_own(folder)
        if fault:
            raise _unwritable(folder, fault)
        entry = os.path.join(folder, digest)
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0)
        with open(os.open(entry, flags, 0o600), "wb") as file:
            file.write(os.fsencode(os.path.realpath(path)) + b"\n")
    except OSError as error:
        raise _unwritable(folder, (error.strerror or str(error)).lower()) from None


def forget(path: str) -> bool:
    """No longer allow a file, whatever it says now: whether it was."""
    real = os.path.realpath(path)
    entries = [entry for entry, held in _entries() if held == real]
    for entry in entries:
        with suppress(OSError):  # another process did
            os.unlink(entry)
    return bool(entries)


def allowed() -> list[tuple[str, str]]:
    """The files that were allowed, by name, each with "", "changed since" or "gone"."""
    files: list[tuple[str, str]] = []
    for entry, path in sorted(_entries(), key=lambda each: each[1]):
        if not os.path.isfile(path):
            files.append((path, "gone"))
            continue
        try:
            same = os.path.basename(entry) == _digest(path)
        except InputError:
            same = False
        files.append((path, "" if same else "changed since"))
    return files


def state_folder() -> str:
    """Where it is held what was allowed. Raises InputError (RK0025) where there is no home folder."""
    given = os.environ.get("XDG_STATE_HOME", "")
    if os.path.isabs(given):  # others are to be ignored, by the XDG Base Directory Specification
        return os.path.join(given, "reknit", "trusted")
    home = os.path.expanduser("~")
    if not os.path.isabs(home):
        return os.devnull  # nothing is allowed, and nothing can be
    return os.path.join(home, ".local", "state", "reknit", "trusted")


def _by_variable(path: str) -> bool:
    folder = os.path.dirname(os.path.realpath(path))
    given = os.environ.get(VARIABLE, "").split(os.pathsep)
    return any(os.path.isabs(each) and os.path.realpath(each) == folder for each in given)


def _digest(path: str) -> str:
    """Raises InputError (RK0001)."""
    real = os.path.realpath(path)
    return hashlib.sha256(os.fsencode(real) + b"\0" + read_bytes(real)).hexdigest()


def _entries() -> list[tuple[str, str]]:
    """The entries, each with its path; none of a folder that isn't the user's own."""
    folder = state_folder()
    try:
        if not_own(folder):
            return []
        names = sorted(os.listdir(folder))
    except OSError:
        return []
    every = [os.path.join(folder, name) for name in names]
    return [(entry, path) for entry in every if (path := _path_of(entry))]


def _path_of(entry: str) -> str:
    """What an entry allows; "" where there is none, or others may have written it."""
    try:
        if not_own(os.path.dirname(entry)):
            return ""
        number = os.open(entry, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        return ""
    with open(number, "rb") as file:
        status = os.fstat(number)
        if not stat.S_ISREG(status.st_mode) or fault_of(status):
            return ""
        return os.fsdecode(file.read(MAX_LENGTH).removesuffix(b"\n"))


def _unwritable(folder: str, why: str) -> InputError:
    message = f"the configuration can't be allowed: {folder} can't be written: {why}"
    return InputError([Diagnostic("RK0025", message, help="XDG_STATE_HOME names another folder for it")])


def _short(path: str) -> str:
    import shlex

    return shlex.quote(os.path.relpath(path))
