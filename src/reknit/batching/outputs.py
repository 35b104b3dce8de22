"""Where outputs go: files below a folder, as they are made, or members of an archive, when all are.

-o fixed/          fixed/sub/a.spv, each written beside its place and renamed; one that is there already stays
-o fixed.zip       the same names in it, in the order of the inputs, written beside its place and renamed
"""

import os
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import IO, Any, Final, final

from reknit.batching.inputs import Source, real_path
from reknit.batching.state import State
from reknit.files.formats import OTHER_ARCHIVES, TAR, WRITTEN, ZIP, ending, is_archive
from reknit.files.streams import write_bytes
from reknit.source.diagnostic import Diagnostic, InputError
from reknit.source.place import Place

EPOCH: Final = (1980, 1, 1, 0, 0, 0)  # the first that .zip can say: an archive has the same bytes each time


def output_name(place: str, format: str) -> str:
    """`a.spv` stays, `a.comp` is `a.comp.spv`: two inputs never have one output."""
    return place if format in WRITTEN and ending(place) == format else f"{place}.{format}"


def check_out(out: str) -> None:
    """Raises InputError: RK0010 where `out` is an empty name, RK0007 where it is a file and called as no archive, or is
    called as one that can't be written; a folder of that name may be there, or be meant by a slash behind it."""
    if not out:
        help = "name a folder or an archive; without -o nothing is written"
        raise InputError([Diagnostic("RK0010", "the name of what outputs go to is empty", help=help)])
    if not is_archive(out) and os.path.exists(out) and not os.path.isdir(out):
        help = "name a folder, or an archive, whose ending is .zip, .tar, .tar.gz ..."
        raise InputError([Diagnostic("RK0007", "outputs go into a folder, and this is a file", Place(out), help=help)])
    if is_archive(out) or not out.lower().endswith(OTHER_ARCHIVES) or os.path.isdir(out):
        return
    message = f"an archive with the ending '.{ending(out)}' can't be written"
    help = f"archives are written as {', '.join((*ZIP, *TAR))}; a folder of this name is {out}/"
    raise InputError([Diagnostic("RK0007", message, Place(out), help=help)])


def opened_beside(path: str) -> IO[bytes]:
    """A new file beside `path`."""
    return tempfile.NamedTemporaryFile(dir=os.path.dirname(path) or ".", prefix=".reknit-", suffix=".tmp", delete=False)


@contextmanager
def replaced(path: str) -> Iterator[IO[bytes]]:
    """A file that gets its name once all of it is written. Raises InputError (RK0007)."""
    beside = ""
    try:
        with opened_beside(path) as file:
            beside = file.name
            yield file
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(beside, 0o666 & ~umask)
        os.replace(beside, path)
    except BaseException as error:
        if beside and os.path.exists(beside):
            os.unlink(beside)
        if isinstance(error, OSError):
            message = f"the file can't be written: {(error.strerror or str(error)).lower()}"
            raise InputError([Diagnostic("RK0007", message, Place(path))]) from None
        raise


def ignores_case(folder: str) -> bool:
    """Whether a.spv and A.spv would be one file in a folder that is there."""
    path = os.path.realpath(folder)
    other = path.swapcase()
    try:
        return other != path and os.path.samefile(path, other)
    except OSError:
        return False


@final
class Outputs:
    """`out` is a folder, or an archive by its ending."""

    __slots__ = ("out", "format", "in_archive", "folders", "held")

    def __init__(self, out: str, format: str) -> None:
        self.out = out
        self.format = format
        self.in_archive = is_archive(out)
        self.folders: set[str] = set()
        self.held = False  # whether an input was left out, since it lies here

    def holds(self, source: Source) -> bool:
        """Whether an input lies where outputs go: it is one of an earlier run."""
        path = real_path(source.path)
        out = os.path.realpath(self.out)
        here = path == out or (not self.in_archive and path.startswith(os.path.join(out, "")))
        self.held = self.held or here
        return here

    def refuses(self, source: Source) -> Diagnostic | None:
        """Why an output can't be called as it would be: the names in a .zip are UTF-8, those of files any bytes."""
        if not self.out.lower().endswith(ZIP):
            return None
        try:
            source.place.encode()
        except UnicodeEncodeError:
            help = "rename the input, or write to a folder or a .tar"
            message = "its name is not UTF-8, and so none that an output in a .zip can have"
            return Diagnostic("RK0007", message, Place(source.name), help=help)
        return None

    def begin(self, state: State) -> None:
        """Raises InputError: RK0007 where the folder can't be made, RK1406 where two outputs would be at one place."""
        if self.in_archive:
            state.check_places(False)
            return
        self._make(self.out)
        state.check_places(ignores_case(self.out))

    def _make(self, folder: str) -> None:
        """Raises InputError (RK0007)."""
        if folder in self.folders:
            return
        try:
            os.makedirs(folder, exist_ok=True)
        except OSError as error:
            message = f"the folder can't be made: {(error.strerror or str(error)).lower()}"
            raise InputError([Diagnostic("RK0007", message, Place(folder))]) from None
        if len(self.folders) > 1000:
            self.folders.clear()
        self.folders.add(folder)

    def put(self, source: Source, data: bytes) -> None:
        """Write an output to the folder. Raises InputError (RK0007)."""
        if self.in_archive:
            return
        path = os.path.join(self.out, *source.place.split("/"))
        self._make(os.path.dirname(path))
        if not _is_there(path, data):
            write_bytes(path, data)

    def finish(self, state: State) -> None:
        """Write the archive. Raises InputError (RK0007)."""
        if not self.in_archive:
            return
        with replaced(self.out) as file, _Packer(file, self.out.lower()) as packer:
            for task, _, stored in state.rows():
                if stored.output is not None:
                    packer.add(task.source.place, stored.output)


def _is_there(path: str, data: bytes) -> bool:
    try:
        if os.stat(path).st_size != len(data):
            return False
        with open(path, "rb") as file:
            return file.read() == data
    except OSError:
        return False


@final
class _Packer:
    """An archive that is being written."""

    def __init__(self, file: IO[bytes], name: str) -> None:
        self.zip: zipfile.ZipFile | None = None
        self.tar: Any = None  # a TarFile, with the members that it keeps
        self.outer: Any = None
        if name.endswith(".zip"):
            self.zip = zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED)
        elif name.endswith((".gz", ".tgz")):
            import gzip

            self.outer = gzip.GzipFile("", "wb", fileobj=file, mtime=0)
            self.tar = tarfile.open(fileobj=self.outer, mode="w:")  # noqa: SIM115
        else:
            packed = "xz" if name.endswith("xz") else "bz2" if name.endswith("bz2") else ""
            mode: Any = f"w:{packed}"
            self.tar = tarfile.open(fileobj=file, mode=mode)  # noqa: SIM115

    def __enter__(self) -> "_Packer":
        return self

    def __exit__(self, *_: object) -> None:
        for each in (self.zip, self.tar, self.outer):
            if each is not None:
                each.close()

    def add(self, name: str, data: bytes) -> None:
        if self.zip is not None:
            info = zipfile.ZipInfo(name, EPOCH)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            self.zip.writestr(info, data)
            return
        assert self.tar is not None
        about = tarfile.TarInfo(name)
        about.size = len(data)
        self.tar.addfile(about, BytesIO(data))
        self.tar.members = []
