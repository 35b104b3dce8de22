"""Members of .zip and .tar archives, by name and contents, never written to a disk by their own names.

    entries("a.zip")  ──▶  Entry(name, number, fault) in the archive's order
    Reader("a.tar.gz").read(number, name)        in that order too: a tar has no other

What a hostile archive may try is refused by name: a name that leads elsewhere, links and devices, a member or archive
whose contents are larger than a shader can be, or many times what they take packed.
"""

import io
import os
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from typing import IO, Any, Final, final

from reknit.files.formats import ZIP
from reknit.source.diagnostic import Diagnostic, InputError
from reknit.source.place import Place

MAX_BYTES: Final = 64 << 20
"""Bytes of a member: no shader is that long."""
MAX_UNPACKED: Final = 16 << 30
"""Bytes of all members together."""
MAX_TIMES: Final = 100
"""How many times what the archive takes that may be: shaders pack to a tenth, to a fiftieth where many are alike."""
ALWAYS_UNPACKED: Final = 256 << 20
"""Bytes that any archive may have."""
MAX_ENTRIES: Final = 1_000_000
MAX_NAME_LENGTH: Final = 4096
ENCRYPTED: Final = 1  # general purpose bit 0 (APPNOTE.TXT 4.4.4)

DAMAGED: Final = (
    OSError, EOFError, ValueError, OverflowError, NotImplementedError, RuntimeError, KeyError,
    tarfile.TarError, zipfile.BadZipFile, zlib.error,
)  # fmt: skip
"""What the standard library raises for archives that are damaged, encrypted, or packed in a manner it doesn't know."""


@final
class Entry:
    """A member that is a file, or would be: `fault` says why it isn't read, None for one that is."""

    __slots__ = ("name", "number", "fault")

    def __init__(self, name: str, number: int, fault: Diagnostic | None = None) -> None:
        self.name = name
        self.number = number
        self.fault = fault


def entries(path: str) -> Iterator[Entry]:
    """Its members but folders. Raises InputError (RK1402, RK1405) for the archive, also in the middle of it."""
    with Reader(path) as reader:
        most = min(max(MAX_TIMES * os.path.getsize(path), ALWAYS_UNPACKED), MAX_UNPACKED)
        total = 0
        for number, (name, size, kind) in enumerate(reader.heads()):
            if kind == FOLDER:
                continue
            total += max(size, 0)
            if number >= MAX_ENTRIES:
                raise refused(path, "RK1405", f"the archive has more than {MAX_ENTRIES} members")
            if total > most and size <= MAX_BYTES:
                times = f", {MAX_TIMES} times what it takes" if most < MAX_UNPACKED else ""
                what = f"the members of the archive have more than {most >> 20} MiB in all{times}"
                raise refused(path, "RK1405", what)
            yield Entry(plain_name(name), number, _fault(f"{path}/{name}", name, size, kind))


def plain_name(name: str) -> str:
    """`a/b.spv` of `./a//b.spv`: members whose files would be the same have the same name."""
    if "//" not in name and "./" not in name:
        return name
    start = "/" if name.startswith("/") else ""
    return start + "/".join(part for part in name.split("/") if part not in ("", "."))


FILE: Final = "file"
FOLDER: Final = "folder"


def _fault(place: str, name: str, size: int, kind: str) -> Diagnostic | None:
    where = Place(place)
    if kind != FILE:
        help = "pack the file that is meant in its place"
        return Diagnostic("RK1404", f"the member of the archive is a {kind}, which is not followed", where, help=help)
    if leads_elsewhere(name):
        help = "pack the archive again with names below its own folder"
        return Diagnostic("RK1403", "the member's name leads out of the archive", where, help=help)
    if size > MAX_BYTES:
        return too_large(place, size)
    return None


def too_large(place: str, size: int) -> Diagnostic:
    """Of a file or a member; a `size` of 0 is not known."""
    has = f"it has {size >> 20} MiB" if size else "it has more"
    message = f"the input is larger than {MAX_BYTES >> 20} MiB, and no shader is: {has}"
    return Diagnostic("RK1405", message, Place(place))


def leads_elsewhere(name: str) -> bool:
    """Whether a name would not be of a file below the folder that it is unpacked in, on any system."""
    parts = name.replace("\\", "/").split("/")
    return (
        not name
        or len(name) > MAX_NAME_LENGTH
        or name.startswith(("/", "\\"))
        or ".." in parts
        or ":" in parts[0]
        or "\0" in name
    )


def refused(path: str, code: str, message: str) -> InputError:
    return InputError([Diagnostic(code, message, Place(path))])


@final
class Reader:
    """An open archive. Members of a tar are read in the order of their numbers."""

    __slots__ = ("path", "zip", "tar", "infos", "file", "at")

    def __init__(self, path: str) -> None:
        self.path = path
        self.zip: zipfile.ZipFile | None = None
        self.tar: Any = None  # a TarFile, with the members that it keeps
        self.infos: list[zipfile.ZipInfo] = []
        self.file: Any = None
        self.at = -1  # of a tar: the number of the member that was come to last
        try:
            if path.lower().endswith(ZIP):
                self.zip = zipfile.ZipFile(path)
                self.infos = self.zip.infolist()
            else:
                self.file = _unpacked(path)
                self.tar = tarfile.open(fileobj=self.file, mode="r:")  # noqa: SIM115 - `close` closes it
        except DAMAGED as error:
            self.close()
            raise self._damaged(error) from None

    def __enter__(self) -> "Reader":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        for opened in (self.zip, self.tar, self.file):
            if opened is not None:
                opened.close()

    def heads(self) -> Iterator[tuple[str, int, str]]:
        """(name, size, FILE, FOLDER or what else it is) of each member."""
        if self.zip is not None:
            for info in self.infos:
                mode = info.external_attr >> 16
                kind = "link" if stat.S_ISLNK(mode) else FOLDER if info.is_dir() else FILE
                yield info.filename, info.file_size, kind
            return
        while (member := self._next()) is not None:
            kind = FILE if member.isreg() and not member.issparse() else FOLDER if member.isdir() else _kind(member)
            yield member.name, member.size, kind

    def _next(self) -> tarfile.TarInfo | None:
        """The next member of a tar; the library keeps none of those before."""
        assert self.tar is not None
        try:
            member: tarfile.TarInfo | None = self.tar.next()
        except DAMAGED as error:
            raise self._damaged(error) from None
        self.tar.members = []
        self.at += 1
        if member is not None and member.size > MAX_BYTES and not isinstance(self.file, io.BufferedReader):
            name = plain_name(member.name)
            what = f"{name} of {member.size >> 20} MiB would have to be unpacked for what is behind it"
            raise refused(self.path, "RK1405", f"the archive is given up at a member that is too large: {what}")
        return member

    def read(self, number: int, name: str) -> bytes:
        """The contents of a member. Raises InputError (RK1402, RK1405)."""
        place = f"{self.path}/{name}"
        try:
            if self.zip is not None:
                if self.infos[number].flag_bits & ENCRYPTED:
                    raise refused(place, "RK1402", "the member of the archive is encrypted")
                with self.zip.open(self.infos[number]) as file:
                    return _all_of(file, place)
            assert self.tar is not None
            while self.at < number:
                member = self._next()
                if member is None:
                    raise refused(place, "RK1402", "the archive was changed: the member is no longer in it")
            assert member is not None
            opened = self.tar.extractfile(member)
            if opened is None:
                raise refused(place, "RK1402", "the archive was changed: the member is no file any more")
            with opened:
                return _all_of(opened, place)
        except DAMAGED as error:
            raise self._damaged(error, place) from None

    def _damaged(self, error: Exception, place: str = "") -> InputError:
        said = str(error) or type(error).__name__
        return refused(place or self.path, "RK1402", f"the archive can't be read: {said[:1].lower()}{said[1:]}")


def _all_of(file: IO[bytes], place: str) -> bytes:
    """What is unpacked, up to the bound: a size that the archive gives may be wrong."""
    data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise InputError([too_large(place, 0)])
    return data


def _kind(member: tarfile.TarInfo) -> str:
    if member.issym() or member.islnk():
        return "link"
    return "sparse file" if member.issparse() else "device or pipe"


def _unpacked(path: str) -> Any:
    """The tar itself. What its heads ask to be read at once is bounded."""
    lower = path.lower()
    if lower.endswith(("gz", "tgz")):
        import gzip

        return _Bounded(gzip.open(path, "rb"))
    if lower.endswith(("bz2", "tbz2")):
        import bz2

        return _Bounded(bz2.open(path, "rb"))
    if lower.endswith(("xz", "txz")):
        import lzma

        return _Bounded(lzma.open(path, "rb"))
    return open(path, "rb")


class _Bounded(io.RawIOBase):
    """Refuses to unpack more than a shader can have in one piece: long names are such pieces, and the library has no
    bound of its own for them."""

    def __init__(self, file: Any) -> None:
        super().__init__()
        self.inner = file

    def read(self, size: int = -1) -> bytes:
        if not 0 <= size <= MAX_BYTES + tarfile.BLOCKSIZE:
            raise tarfile.ReadError(f"a piece of it has more than {MAX_BYTES >> 20} MiB")
        try:
            data: bytes = self.inner.read(size)
        except MemoryError:
            raise
        except Exception as error:  # lzma and zlib have exceptions of their own for damaged data
            raise tarfile.ReadError(str(error)) from None
        return data

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, place: int, whence: int = os.SEEK_SET) -> int:
        try:
            return int(self.inner.seek(place, whence))
        except MemoryError:
            raise
        except Exception as error:
            raise tarfile.ReadError(str(error)) from None

    def tell(self) -> int:
        return int(self.inner.tell())

    def close(self) -> None:
        self.inner.close()
        super().close()
