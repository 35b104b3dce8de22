"""The projects of projects.toml, and their files at the commit that it names.

read()                          the rows
lay_out(project, folder, out)   folder has a clone (a work tree or a bare one) named owner+name, owner/name or name;
                                its files at the commit, below out; None where there is no such clone
"""

import os
import subprocess
import tomllib
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from offload_tests.sections import sections

ROWS = Path(__file__).parent / "projects.toml"
MAX_BYTES = 4 << 20
"""Bytes of a file: above are textures and models."""
LANGUAGES = ("glsl", "hlsl", "slang", "dxil", "spirv", "llvm")


@dataclass(frozen=True)
class Set:
    """Files of one project that are read in one way.

    `language` is one of LANGUAGES; `dxil` means HLSL that its compiler makes DXIL of first. `include` are folders that
    no include or import of the files leads to by itself.
    A shader is tried once for each of `variants`: words for its compiler ("-g", and "-O" for spirv-opt afterwards);
    `defines` may have several sets of macros, of which the first that compiles is taken. `options` are more
    words for it. `lines` go behind a shader's first line, and so do the macros that the project's own build defines:
    what the pattern `macro` finds in the file `macros_of` (name, text), of each name the last. `generator` is a program
    in C++ that the project's build compiles its shaders with, each several times: `recorded` asks it for the macros.
    """

    language: str
    files: tuple[str, ...]
    exclude: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    defines: tuple[str, ...] = ("",)
    variants: tuple[str, ...] = ("",)
    options: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    macros_of: str = ""
    macro: str = ""
    generator: str = ""


@dataclass(frozen=True)
class Project:
    """`split` are patterns of files that hold several: each part of one is laid out as a file of the folder
    `<file>.parts`."""

    name: str
    commit: str
    sets: tuple[Set, ...]
    split: tuple[str, ...] = ()

    @property
    def address(self) -> str:
        return f"https://github.com/{self.name}"


class Malformed(Exception):
    """A row that can't be meant."""


def read(path: Path = ROWS) -> list[Project]:
    """Raises Malformed."""
    projects: list[Project] = []
    for row in tomllib.loads(path.read_text())["project"]:
        sets = tuple(_set(row["name"], each) for each in row["set"])
        projects.append(Project(row["name"], row["commit"], sets, tuple(row.get("split", ()))))
    return projects


def _set(project: str, row: dict[str, object]) -> Set:
    known = Set.__dataclass_fields__
    for key in row:
        if key not in known:
            raise Malformed(f"{project}: a set has no {key!r}")
    if row["language"] not in LANGUAGES:
        raise Malformed(f"{project}: {row['language']!r} is none of {', '.join(LANGUAGES)}")
    return Set(**{key: tuple(value) if isinstance(value, list) else value for key, value in row.items()})  # type: ignore[arg-type]


def clone_of(project: Project, folder: Path) -> Path | None:
    """The git directory of the project's clone in the folder."""
    owner, name = project.name.split("/")
    for place in (folder / f"{owner}+{name}", folder / owner / name, folder / name):
        for git in (place / ".git", place / "repo" / ".git", place / "repo", place):
            if (git / "HEAD").is_file():
                return git
    return None


def lay_out(project: Project, folder: Path, out: Path) -> Path | None:
    """The folder with the project's files at its commit; what lies there already stays. Raises Malformed where the
    clone lacks the commit."""
    place = out / project.name.replace("/", "+") / project.commit[:12]
    if place.is_dir():
        return place
    git = clone_of(project, folder)
    if git is None:
        return None
    listed = _git(git, ["ls-tree", "-r", "-z", project.commit])
    if listed is None:
        raise Malformed(f"{git} has no commit {project.commit}")
    rows = [row.split(b"\t", 1) for row in listed.split(b"\0") if row.startswith(b"100")]  # files, no links
    found = _git(git, ["cat-file", "--batch"], b"\n".join(row[0].split()[2] for row in rows)) or b""
    part = place.with_suffix(".part")
    at = 0
    for _, name in rows:
        end = found.index(b"\n", at)
        said = found[at:end].split()
        at = end + 1
        if said[1] == b"missing":  # a clone may lack what is large
            continue
        size = int(said[2])
        if size <= MAX_BYTES:
            path = part / name.decode()
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(found[at : at + size])
            if any(fnmatchcase(name.decode(), pattern) for pattern in project.split):
                _split(path)
        at += size + 1
    part.rename(place)
    return place


def _split(path: Path) -> None:
    for name, text in sections(path.read_text(errors="replace")).items():
        part = path.with_name(f"{path.name}.parts") / Path(name).name
        part.parent.mkdir(exist_ok=True)
        part.write_text(text)


def _git(git: Path, words: list[str], given: bytes = b"") -> bytes | None:
    """What the command prints; None where it fails."""
    done = subprocess.run(
        ["git", f"--git-dir={git}", *words],
        input=given,
        capture_output=True,
        env={**os.environ, "GIT_NO_LAZY_FETCH": "1"},
    )
    return done.stdout if done.returncode == 0 else None


def clone(project: Project, folder: Path) -> None:
    """Fetches the one commit. Raises CalledProcessError."""
    place = folder / project.name.replace("/", "+")
    place.mkdir(parents=True, exist_ok=True)
    for words in (["init", "-q"], ["fetch", "-q", "--depth=1", project.address, project.commit]):
        subprocess.run(["git", *words], cwd=place, check=True)
