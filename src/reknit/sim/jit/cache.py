"""Machine code on disk, so that a program is compiled once for a processor.

    LLVM text, LLVM's version, processor ──▶ key ──▶ FOLDER/<key>     head, digest of key and code, code

REKNIT_CACHE names the folder; else it is $XDG_CACHE_HOME/reknit, else ~/.cache/reknit (macOS: ~/Library/Caches/reknit).
REKNIT_CACHE=off keeps nothing. The text says all of the module, the options and the machine that code depends on, and
writing it takes a tenth of what compiling does, so that no change of reknit's own can find old code.

A file is written beside its place and renamed, so that processes share the folder. What is not whole, or not what it
says, is deleted and compiled again; a folder or file of another user, or that others may write, is not read.
"""

import hashlib
import os
import stat
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

from reknit.source.interrupt import sandboxes
from reknit.source.ownership import is_own, not_own

OFF: Final = ("off", "0", "")
MAX_BYTES: Final = 64 << 20
MAX_FILES: Final = 2_000
KEPT: Final = 0.75
"""What is left of the bounds once they are passed: those that were asked for last."""
HEAD: Final = b"reknit native code 2\n"
DIGEST: Final = 32


def folder() -> Path | None:
    """Where code is kept; None where it is not: in a sandbox, among others."""
    if sandboxes():
        return None
    named = os.environ.get("REKNIT_CACHE")
    if named is not None:
        return None if named in OFF else Path(named).absolute() / "native"
    given = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(given):  # others are to be ignored, by the XDG Base Directory Specification
        return Path(given) / "reknit" / "native"
    home = os.path.expanduser("~")
    if not os.path.isabs(home):
        return None
    return Path(home, "Library/Caches" if sys.platform == "darwin" else ".cache", "reknit", "native")


def key_of(*parts: str) -> str:
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode()
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()


def sealed(key: str, code: bytes) -> bytes:
    return HEAD + hashlib.sha256(key.encode() + code).digest() + code


def find(key: str) -> bytes | None:
    """The code that was kept."""
    place = folder()
    if place is None:
        return None
    path = place / key
    try:
        if not is_own(os.stat(place)):
            return None
        number = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return None
    status = os.fstat(number)
    if not stat.S_ISREG(status.st_mode) or not is_own(status) or status.st_size > MAX_BYTES:
        os.close(number)
        return None
    with open(number, "rb") as file:
        data = file.read()
    code = data[len(HEAD) + DIGEST :]
    if data != sealed(key, code):
        remove(path)
        return None
    with suppress(OSError):  # another process has just removed it
        os.utime(path)  # the last to go
    return code


def keep(key: str, code: bytes) -> None:
    """For the next time. A folder that can't be written keeps nothing, which `reknit doctor` says."""
    place = folder()
    if place is None or len(code) > MAX_BYTES // 4:
        return
    try:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not is_own(os.stat(place)):
            return
        number, beside = tempfile.mkstemp(prefix=".", dir=place)
    except OSError:
        return
    try:
        with open(number, "wb") as file:
            file.write(sealed(key, code))
        os.replace(beside, place / key)
    except OSError:
        remove(Path(beside))
        return
    trim(place)


def trim(place: Path) -> None:
    """Keeps the folder within its bounds."""
    held = contents(place)
    size, count = sum([status.st_size for _, status in held]), len(held)
    if size <= MAX_BYTES and count <= MAX_FILES:
        return
    for path, status in sorted(held, key=lambda each: each[1].st_mtime):
        if size <= MAX_BYTES * KEPT and count <= MAX_FILES * KEPT:
            return
        remove(path)
        size -= status.st_size
        count -= 1


def contents(place: Path) -> list[tuple[Path, os.stat_result]]:
    """The files of a folder, those that a process left half-written too."""
    held: list[tuple[Path, os.stat_result]] = []
    try:
        with os.scandir(place) as entries:
            for entry in entries:
                try:
                    held.append((Path(entry.path), entry.stat(follow_symlinks=False)))
                except OSError:
                    continue  # removed by another process
    except OSError:
        return []
    return held


def remove(path: Path) -> None:
    with suppress(OSError):  # another process did, or the folder can't be written
        path.unlink()


def described() -> str:
    """For `reknit doctor`."""
    if sys.platform == "win32":
        return "none: it is for Linux and macOS"
    place = folder()
    if place is None:
        return "not kept (REKNIT_CACHE)" if "REKNIT_CACHE" in os.environ else "not kept: there is no home folder"
    nearest = next((each for each in (place, *place.parents) if each.exists()), place)
    if not nearest.is_dir() or not os.access(nearest, os.W_OK | os.X_OK):
        return f"not kept: {nearest} can't be written"
    if place.exists() and (fault := not_own(str(place))):
        return f"neither read nor kept in {place}: {fault}"
    held = contents(place)
    size = sum([status.st_size for _, status in held])
    return f"{len(held)} programs, {size / (1 << 20):.1f} of at most {MAX_BYTES >> 20} MiB, in {place}"
