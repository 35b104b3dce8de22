"""What became of files, a line each, so that a run can be taken up again where it was ended.

{"project": "o/n", "commit": ..., "set": 0, "language": "glsl", "path": ..., "variants": 4, "by": ..., "tried": [...]}

`by` is the commit of reknit that they were run with, where the run knows it.
"""

import json
import subprocess
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path

import reknit
from corpus_runs.projects import Project
from corpus_runs.table import Row
from corpus_runs.tried import Tried, from_json

ROOT = Path(__file__).resolve().parents[2]


@dataclass
class Kept:
    project: str
    commit: str
    set: int
    language: str
    path: str
    variants: int
    by: str
    tried: list[Tried]
    values: bool = False
    """Whether they were run."""

    def key(self) -> tuple[str, int, str]:
        return (self.project, self.set, self.path)

    def rows(self) -> list[Row]:
        return [(self.project, self.language, each) for each in self.tried]


def read(path: Path | None, projects: Iterable[Project]) -> list[Kept]:
    """Those of the projects' commits; of a file that is there twice, the last."""
    if path is None or not path.exists():
        return []
    commits = {project.name: project.commit for project in projects}
    found: dict[tuple[str, int, str], Kept] = {}
    for line in path.read_text().splitlines():
        given = json.loads(line)
        each = Kept(**{**given, "tried": [from_json(tried) for tried in given["tried"]]})
        if commits.get(each.project) == each.commit:
            found[each.key()] = each
    return list(found.values())


def add(path: Path | None, each: Kept) -> None:
    if path is not None:
        with path.open("a") as file:
            file.write(json.dumps(asdict(each)) + "\n")


def head() -> str:
    """The commit of reknit; its version where it is not this clone's; "" where this is none."""
    if ROOT / "src" not in Path(reknit.__file__).parents:
        return f"version {version('reknit')}"
    done = subprocess.run(["git", "-C", str(ROOT), "rev-parse", "--short=8", "HEAD"], capture_output=True, text=True)
    return done.stdout.strip()
