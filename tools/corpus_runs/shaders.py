"""What is tried of a set of files: each with its stage and its entry point.

@shader("compute") / numthreads before a function  ──▶  ("main", "compute")
a.frag, a.frag.glsl                                ──▶  ("main", "fragment")
"""

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from corpus_runs import recorded
from corpus_runs.entries import entry_points
from corpus_runs.projects import Set

ENDINGS = {
    "comp": "compute", "vert": "vertex", "frag": "fragment", "geom": "geometry", "tesc": "hull", "tese": "domain",
    "mesh": "mesh", "task": "amplification", "rgen": "raygeneration", "rmiss": "miss", "rchit": "closesthit",
    "rahit": "anyhit", "rint": "intersection", "rcall": "callable", "rany": "anyhit", "rclosest": "closesthit",
    "rhit": "closesthit",
}  # fmt: skip
_SHORT = {"vs": "vertex", "ps": "fragment", "cs": "compute"}


@dataclass(frozen=True)
class Shader:
    """`defines` are sets of macros of its own, in place of those of all files; then `entry` names what they make."""

    path: str
    stage: str
    entry: str
    defines: tuple[str, ...] = ()


def files_of(chosen: Set, root: Path) -> list[Path]:
    """In order, each once."""
    found: dict[Path, None] = {}
    for pattern in chosen.files:
        for path in sorted(root.glob(pattern)):
            name = path.relative_to(root).as_posix()
            if path.is_file() and not any(fnmatchcase(name, each) for each in chosen.exclude):
                found[path] = None
    return list(found)


def stage_of(name: str) -> str:
    """By the last ending that is a stage's; "" for none."""
    for part in reversed(name.split("/")[-1].split(".")[1:]):
        if part in ENDINGS:
            return ENDINGS[part]
    short = re.search(r"(?:[a-z0-9_.](VS|PS|CS)|[_.](vs|ps|cs))(?=\.)", name.split("/")[-1])
    return _SHORT[short[0][-2:].lower()] if short is not None else ""


def shaders_of(chosen: Set, root: Path, path: Path) -> list[Shader]:
    """The shaders of one file: none where nothing says that it has an entry point."""
    name = path.relative_to(root).as_posix()
    if chosen.language in ("spirv", "llvm"):
        return [Shader(name, stage_of(name), "")]
    if chosen.language in ("hlsl", "slang", "dxil"):
        marked = entry_points(path.read_text(errors="replace"), stage_of(name))
        if marked:
            return [Shader(name, stage, entry) for entry, stage in marked]
    stage = stage_of(name)
    if chosen.generator:
        return [Shader(name, stage, each, (words,)) for each, words in recorded.calls(root, chosen.generator, path)]
    return [Shader(name, stage, "main")] if stage else []
