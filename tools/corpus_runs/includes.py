"""The folders that a source's includes and imports are found from, as the project's build would name them.

#include "Utils/Math.slangh"  in a file of a project that has Source/Falcor/Utils/Math.slangh   ──▶  Source/Falcor
"""

import os
import re
from functools import cache
from pathlib import Path

from corpus_runs.entries import COMMENTS

_INCLUDE = re.compile(r"^\s*#\s*include\s*[\"<]([^\">]+)[\">]", re.MULTILINE)
_IMPORT = re.compile(r"^\s*(?:__exported\s+|public\s+)?(?:import|__include)\s+\"?([\w./-]+)\"?\s*;", re.MULTILINE)


@cache
def _files_below(root: Path) -> dict[str, list[Path]]:
    """The project's files by name in small letters."""
    found: dict[str, list[Path]] = {}
    for path in sorted(root.rglob("*")):
        if path.is_file():
            found.setdefault(path.name.lower(), []).append(path)
    return found


def wanted(text: str) -> list[str]:
    plain = COMMENTS.sub(" ", text)
    modules = [
        name if name.endswith(".slang") else name.replace(".", "/") + ".slang" for name in _IMPORT.findall(plain)
    ]
    return [*(name.replace("\\", "/") for name in _INCLUDE.findall(plain)), *modules]


def folders_of(root: Path, source: Path) -> list[Path]:
    """In the order in which files ask for them, for all files that the source comes to read."""
    folders: list[Path] = []
    seen: set[Path] = set()
    work = [source]
    while work:
        path = work.pop()
        if path in seen:
            continue
        seen.add(path)
        for name in wanted(path.read_text(errors="replace")):
            near = [Path(os.path.normpath(folder / name)) for folder in (path.parent, *folders)]
            hit = next((each for each in near if each.is_file()), None)
            if hit is None:
                hit = _somewhere(root, path, name)
                if hit is not None and not name.startswith("../"):
                    folders.append(Path(str(hit)[: -len(name) - 1]))
            if hit is not None:
                work.append(hit)
    return list(dict.fromkeys(folders))


def _somewhere(root: Path, source: Path, name: str) -> Path | None:
    """The file of the project whose path ends so, the one nearest to the source where there are several."""
    end = re.sub(r"^(\.\./)+", "", name).lower()
    found = [
        each for each in _files_below(root).get(end.rsplit("/", 1)[-1], []) if str(each).lower().endswith(f"/{end}")
    ]
    return max(found, key=lambda each: len(os.path.commonprefix([str(each), str(source)])), default=None)
