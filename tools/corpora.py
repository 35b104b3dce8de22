"""Run shaders of public projects through reknit, and say what became of each.

    python3 tools/corpora.py CLONES                     40 files of each set, by a fixed seed, each in its first variant
    python3 tools/corpora.py CLONES --full              all files, with debug information and optimized, too
    python3 tools/corpora.py CLONES --only ncnn -v      projects whose name has the word; and each that is not valid
    python3 tools/corpora.py CLONES --clone             clones what is not there, at the commits of projects.toml
    python3 tools/corpora.py CLONES --write docs/corpora.md    and writes the tables into the page

A shader is read (GLSL by glslang, HLSL as DXIL by DXC, Slang and HLSL by reknit itself), its control flow judged,
rewritten by the pipeline `reconverge` and written; spirv-val judges what is written. Only what the compiler accepts
that the shader was written for is in scope. Nothing of the projects is kept but counts. Ends with 1 where anything was
written that spirv-val refuses, or reknit crashed.
"""

import json
import random
import sys
import tempfile
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from corpus_runs.one import CRASHED, DONE, INVALID, LIMIT, OUT_OF_SCOPE, VALID, Tried
from corpus_runs.projects import Malformed, Project, clone, lay_out, read
from corpus_runs.shaders import files_of
from corpus_runs.table import Row, by_project, reasons
from slang_tests.pool import Limits, run_all

BEGIN, END = "<!-- counts -->", "<!-- end of counts -->"
COMMAND = [sys.executable, "-P", "-m", "corpus_runs.one"]
SEED = 1
BUNCH = 16
"""Files of one process."""


def parser() -> ArgumentParser:
    made = ArgumentParser(description="Run shaders of public projects through reknit.")
    made.add_argument("clones", type=Path, help="the folder with clones, named owner+name, owner/name or name")
    made.add_argument("--only", action="append", default=[], metavar="WORD", help="projects whose name has the word")
    made.add_argument("--language", action="append", default=[], help="only sets that are read as this")
    made.add_argument("--sample", type=int, default=40, metavar="N", help="at most N files of a set (40)")
    made.add_argument("--full", action="store_true", help="all files in all variants")
    made.add_argument("--clone", action="store_true", help="get clones that are not there")
    made.add_argument("--files", type=Path, metavar="FOLDER", help="where files are laid out, to be found there again")
    made.add_argument("-j", "--processes", type=int, default=2, help="how many files at a time (2)")
    made.add_argument("--seconds", type=int, default=120, help="time limit of a file, or of 16 easy ones (120)")
    made.add_argument("--memory", metavar="MIB", type=int, default=4096, help="memory limit of a file (4096)")
    made.add_argument("--json", metavar="FILE", type=Path, help="write what became of each shader, a line each")
    made.add_argument("--write", metavar="PAGE", type=Path, help="write the tables between the page's two marks")
    made.add_argument("-v", "--verbose", action="store_true", help="show each shader that is not valid")
    return made


def main(words: list[str]) -> int:
    options = parser().parse_args(words)
    projects = [each for each in read() if not options.only or any(word in each.name for word in options.only)]
    with tempfile.TemporaryDirectory() as made:
        rows = list(run(projects, options, options.files or Path(made)))
    if not rows:
        print(f"{options.clones} has no clone of a project that was asked for", file=sys.stderr)
        return 2
    tables = f"{by_project(rows)}\n\n{reasons(rows)}\n"
    print(tables)
    if options.json is not None:
        lines = [json.dumps({"project": name, "language": language, **asdict(tried)}) for name, language, tried in rows]
        options.json.write_text("\n".join(lines) + "\n")
    if options.write is not None:
        write_page(options.write, tables)
    return int(any(tried.outcome in (INVALID, CRASHED) for _, _, tried in rows))


def run(projects: list[Project], options: Namespace, out: Path) -> Iterator[Row]:
    for project in projects:
        if options.clone and not (options.clones / project.name.replace("/", "+")).exists():
            clone(project, options.clones)
        try:
            root = lay_out(project, options.clones, out)
        except Malformed as reason:
            print(f"{project.name}: {reason}", file=sys.stderr)
            continue
        if root is None:
            print(f"{project.name}: no clone", file=sys.stderr)
            continue
        yield from run_project(project, root, options)


def run_project(project: Project, root: Path, options: Namespace) -> Iterator[Row]:
    started = time.monotonic()
    count = 0
    for number, chosen in enumerate(project.sets):
        if options.language and chosen.language not in options.language:
            continue
        paths = files_of(chosen, root)
        if not options.full and len(paths) > options.sample:
            paths = sorted(random.Random(SEED).sample(paths, options.sample))
        names = [path.relative_to(root).as_posix() for path in paths]
        words = {"root": str(root), "project": project.name, "set": number}
        for each in run_files(names, {**words, "variants": len(chosen.variants) if options.full else 1}, options):
            if options.verbose and each.outcome not in (VALID, OUT_OF_SCOPE):
                said = f"{each.outcome:9} {each.path} {each.entry} {each.variant}: {each.reason}"
                print(said, file=sys.stderr, flush=True)
            count += 1
            yield project.name, chosen.language, each
    print(f"{project.name}: {count} in {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)


def run_files(names: list[str], words: dict[str, object], options: Namespace) -> Iterator[Tried]:
    """In order. A process has several files; where one of them ends it, each has one of its own."""
    bunches = [names[start : start + BUNCH] for start in range(0, len(names), BUNCH)]
    limits = Limits(options.seconds, options.memory, options.processes, COMMAND)
    asked: list[tuple[str, dict[str, object]]] = [(bunch[0], {**words, "paths": bunch}) for bunch in bunches]
    for bunch, outcome in zip(bunches, run_all(asked, limits), strict=True):
        if outcome.status == DONE:
            yield from (Tried(**each) for each in json.loads(outcome.detail))
        elif len(bunch) > 1:
            for name in bunch:
                yield from run_files([name], words, options)
        else:
            limit = outcome.reason in ("time limit", "memory limit")
            said = f"{outcome.reason} {outcome.detail[-200:]}"
            yield Tried(bunch[0], "", "", "", LIMIT if limit else CRASHED, said)


def write_page(page: Path, tables: str) -> None:
    """The page with `tables` between its two marks."""
    before, _, rest = page.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    page.write_text(f"{before}{BEGIN}\n\n{tables}\n{END}{after}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
