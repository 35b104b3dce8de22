"""What INPUT... names: files, folders, patterns, lists and archives, as one stream of inputs in a fixed order.

    a.spv                   the file, whatever its ending         @list.txt       what its lines name; @- standard input
    shaders/                its files with endings that are read  "x/**/*.spv"    the files that the pattern matches
    shaders.zip, a.tar.gz   their members with such endings       --exclude "*.inc.slang"

An input that is named twice comes once. Its `place` is where its output goes: as it lies below the folder or archive
that was named, under that one's name where several are. Folders whose name begins with a dot, links to folders,
devices and pipes are left out; of a project's folder also what git ignores, and sources that are no shaders by
themselves.
"""

import glob
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, final

from reknit.batching.archives import MAX_BYTES, entries, too_large
from reknit.batching.entries_shown import SOURCES, shows_entry
from reknit.batching.exclusion import Exclusion
from reknit.batching.gitignore import Rules, below, ignores, rules_of
from reknit.files.formats import BITCODE, CONTAINERS, ENDINGS, GRAPH, LLVM, STAGES, ending, is_archive
from reknit.source.diagnostic import Diagnostic, InputError
from reknit.source.place import Place
from reknit.source.reading import regular_file

LIST: Final = "@"
STANDARD_LIST: Final = "@-"
TAKEN: Final = frozenset((*ENDINGS, *STAGES, *CONTAINERS))
"""Endings of files that are taken from folders and archives."""
OF_PROJECTS: Final = TAKEN - {GRAPH, LLVM, BITCODE}
"""Those of a project's folders: `setup.cfg` is no graph, and an `.ll` seldom a shader."""
NOT_OURS: Final = ("node_modules", "__pycache__", "venv")
"""Folders of a project that others wrote, besides those that begin with a dot."""


@final
class Source:
    """One input: what it is called, where it lies (`member` is its number in the archive `path`, or -1), where its
    output goes, and why it can't be read, if that is known already."""

    __slots__ = ("name", "path", "member", "place", "fault")

    def __init__(self, name: str, path: str, member: int, place: str, fault: Diagnostic | None = None) -> None:
        self.name = name
        self.path = path
        self.member = member
        self.place = place
        self.fault = fault

    def origin(self) -> str:
        """The same for the same file, however it is named, and for members that unpacking writes to the same file."""
        path = real_path(self.path)
        return f"{path}\0{self.name[len(self.path) + 1 :]}" if self.member >= 0 else path

    def base(self) -> str:
        """The name that tells the format."""
        return self.name.rpartition("/")[2]


@final
class Inputs:
    """`given` are the words of INPUT...; `every` takes files of any ending from folders and archives; `project` leaves
    out of folders what is no shader by itself, `gitignore` what git ignores. `left_out` is whether anything of the word
    at hand was, `parts` whether it has sources that are no shaders by themselves."""

    __slots__ = ("given", "exclude", "every", "project", "gitignore", "left_out", "parts")

    def __init__(
        self,
        given: Sequence[str],
        exclude: Sequence[str] = (),
        every: bool = False,
        project: bool = False,
        gitignore: bool = False,
    ) -> None:
        self.given = list(given)
        self.exclude = Exclusion(exclude)
        self.every = every
        self.project = project
        self.gitignore = gitignore
        self.left_out = False
        self.parts = False

    def sources(self) -> Iterator[Source]:
        """Raises InputError (RK0001, RK1401) for words that name nothing."""
        several = len(self.given) > 1
        for word in self.given:
            some = self.left_out = self.parts = False
            for source in self._named(word, several):
                some = True
                if not self.exclude.holds(source.name):
                    yield source
            if not some and not self.left_out:
                raise _nothing(word, self.parts)

    def _named(self, word: str, several: bool) -> Iterator[Source]:
        if word.startswith(LIST):
            for line in _lines(word):
                if line.startswith(LIST):
                    raise _wrong(word[1:], f"the list names another list, {line}")
                yield from self._of_word(line, True)
        else:
            yield from self._of_word(word, several)

    def _of_word(self, word: str, several: bool) -> Iterator[Source]:
        """Of all but a list."""
        if os.path.isdir(word):
            yield from self._in_folder(word, several)
        elif is_archive(word) and os.path.exists(word):
            yield from self._in_archive(word, several)
        elif os.path.lexists(word) or not glob.has_magic(word):
            name = word.replace(os.sep, "/")
            yield Source(name, word, -1, _below(name) if several else name.rpartition("/")[2])
        else:
            for path in sorted(glob.iglob(word, recursive=True)):
                if not os.path.isdir(path):
                    yield from self._of_word(path, True)

    def _in_folder(self, folder: str, several: bool) -> Iterator[Source]:
        start = _below(folder) if several else ""
        for path, fault in self._walk(folder):
            name = path.replace(os.sep, "/")
            if fault is not None:
                yield Source(name, path, -1, "", fault)
            else:
                yield Source(name, path, -1, _joined(start, os.path.relpath(path, folder).replace(os.sep, "/")))

    def _walk(self, folder: str) -> Iterator[tuple[str, Diagnostic | None]]:
        """The inputs below a folder, by name, those of a folder before its folders; of one that can't be read, why."""
        work: list[tuple[str, Rules]] = [(folder, rules_of(folder) if self.gitignore else ())]
        while work:
            current, rules = work.pop()
            try:
                with os.scandir(current) as found_in:
                    listed = sorted(found_in, key=lambda entry: entry.name)
            except OSError as error:
                message = f"the folder can't be read: {(error.strerror or str(error)).lower()}"
                yield current, Diagnostic("RK0001", message, Place(current))
                continue
            folders: list[tuple[str, Rules]] = []
            for entry in listed:
                path = entry.name if current == os.curdir else os.path.join(current, entry.name)
                is_folder = entry.is_dir(follow_symlinks=False)
                if not is_folder and not self._takes(path):
                    continue
                if is_folder and (entry.name.startswith(".") or self.project and entry.name in NOT_OURS):
                    continue
                if self.exclude.holds_entry(path) or ignores(rules, path, is_folder):
                    self.left_out = True
                elif is_folder:
                    folders.append((path, below(rules, path) if self.gitignore else ()))
                elif _is_file(entry):
                    if self.project and _is_part(path):
                        self.parts = True
                    else:
                        yield path, None
            work.extend(reversed(folders))

    def _takes(self, path: str) -> bool:
        """Whether a file that is found in a folder is an input."""
        if self.every:
            return True
        return ending(path) in (OF_PROJECTS if self.project else TAKEN)

    def _in_archive(self, path: str, several: bool) -> Iterator[Source]:
        start = _below(path) if several else ""
        shown = path.replace(os.sep, "/")
        try:
            for entry in entries(path):
                if self.every or ending(entry.name) in TAKEN:
                    place = _joined(start, entry.name) if entry.fault is None else ""
                    yield Source(f"{shown}/{entry.name}", path, entry.number, place, entry.fault)
        except InputError as error:  # the members before are as good as any
            yield Source(shown, path, -1, "", error.diagnostics[0])


def _is_file(entry: "os.DirEntry[str]") -> bool:
    """Whether it is one, or leads to one."""
    try:
        return entry.is_file()
    except OSError:  # a link that leads to itself
        return False


def _is_part(path: str) -> bool:
    """Whether a source is no shader by itself. One that can't be read is reported when it is."""
    if ending(path) not in SOURCES:
        return False
    try:
        return not shows_entry(path, read_file(path))
    except InputError:
        return False


def real_path(path: str) -> str:
    """Where links lead; a name that no file can have is its own."""
    return path if "\0" in path else os.path.realpath(path)


def read_file(path: str) -> bytes:
    """The contents of a regular file. Raises InputError (RK0001, RK1405)."""
    try:
        with open(regular_file(path), "rb") as file:
            size = os.fstat(file.fileno()).st_size
            data = file.read(MAX_BYTES + 1) if size <= MAX_BYTES else b""
    except OSError as error:
        reason = error.strerror or str(error)
        raise _wrong(path, f"the file can't be read: {reason[:1].lower()}{reason[1:]}", "RK0001") from None
    except ValueError:  # a name that no file can have
        raise _wrong(path, "no file can be called that", "RK0001") from None
    if max(size, len(data)) > MAX_BYTES:
        raise InputError([too_large(path, size)])
    return data


def _lines(word: str) -> Iterator[str]:
    """What a list names, a line each; empty lines and those that begin with # are left out."""
    if word == STANDARD_LIST:
        yield from _of_lines(sys.stdin, word)
        return
    try:
        with open(word[1:], encoding="utf-8", errors="surrogateescape") as file:
            yield from _of_lines(file, word)
    except OSError as error:
        raise _wrong(word[1:], f"the list can't be read: {(error.strerror or str(error)).lower()}", "RK0001") from None


def _of_lines(lines: Iterable[str], word: str) -> Iterator[str]:
    for line in lines:
        text = line.rstrip("\r\n")
        if text.strip() and not text.startswith("#"):
            yield text


def _below(name: str) -> str:
    """A name as one below a folder: `../a/x.spv` and `/a/x.spv` are `a/x.spv`."""
    parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".", "..")]
    return "/".join(part.replace(":", "_") for part in parts)


def _joined(start: str, name: str) -> str:
    return f"{start}/{name}" if start else name


def all_are_outputs(out: str) -> InputError:
    """Of a run whose inputs all lie where its outputs go."""
    message = f"every input lies in {out}, where the outputs go: what lies there is no input"
    return InputError([Diagnostic("RK1401", message, Place(out), help="name another place with -o")])


def _nothing(word: str, parts: bool) -> InputError:
    help = "files of any ending are taken where --from names the format"
    message = f"'{word}' names no input: nothing in it has an ending that is read"
    if parts:
        help = "a file that is named is taken as a shader"
        message = f"'{word}' names no input: no source in it has an entry point that shows (`main`, [numthreads], ...)"
    return InputError([Diagnostic("RK1401", message, help=help)])


def _wrong(path: str, message: str, code: str = "RK1401") -> InputError:
    return InputError([Diagnostic(code, message, Place(path))])
