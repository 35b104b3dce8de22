"""Run shaders of public projects through reknit, and say what became of each.

    python3 tools/corpora.py CLONES                     40 files of each set, by a fixed seed, each in its first variant
    python3 tools/corpora.py CLONES --full              all files, with debug information and optimized, too
    python3 tools/corpora.py CLONES --only ncnn -v      projects whose name has the word; and each that is not valid
    python3 tools/corpora.py CLONES --values --sample 10        and runs the shaders beside what other compilers make
    python3 tools/corpora.py CLONES --clone             clones what is not there, at the commits of projects.toml
    python3 tools/corpora.py CLONES --write docs/corpora.md    and writes the tables into the page
    python3 tools/corpora.py CLONES --full --keep FILE --minutes 30    ends after them; the next run goes on

A shader is read (GLSL by glslang, HLSL as DXIL by DXC, Slang and HLSL by reknit itself), its control flow judged,
rewritten by the pipeline `reconverge` and written; spirv-val judges what is written. Only what the compiler accepts
that the shader was written for is in scope. Nothing of the projects is kept but counts. Ends with 1 where anything was
written that spirv-val refuses, values differ, or reknit crashed. With --keep the tables have all that the file has.
"""

import datetime
import json
import random
import sys
import tempfile
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path

from corpus_runs import kept
from corpus_runs.kept import Kept
from corpus_runs.one import DONE
from corpus_runs.projects import Malformed, Project, clone, lay_out, read
from corpus_runs.settled import settle
from corpus_runs.shaders import files_of
from corpus_runs.table import by_project, by_values, by_variant, not_run, reasons
from corpus_runs.tried import CRASHED, DIFFERS, INVALID, LIMIT, OTHER_STAGE, OUT_OF_SCOPE, VALID, Tried, from_json
from slang_tests.pool import Limits, run_all

COUNTS = ("<!-- counts -->", "<!-- end of counts -->")
VALUES = ("<!-- values -->", "<!-- end of values -->")
"""Marks of the page that tables are written between: with --values those of values."""
COMMAND = [sys.executable, "-P", "-m", "corpus_runs.one"]
SEED = 1
BUNCH = 16
"""Files of one process."""
AHEAD = 8
"""Bunches for each process that are given out at a time: few wait for the slowest."""


def parser() -> ArgumentParser:
    made = ArgumentParser(description="Run shaders of public projects through reknit.")
    made.add_argument("clones", type=Path, help="the folder with clones, named owner+name, owner/name or name")
    made.add_argument("--only", action="append", default=[], metavar="WORD", help="projects whose name has the word")
    made.add_argument("--language", action="append", default=[], help="only sets that are read as this")
    made.add_argument("--sample", type=int, default=40, metavar="N", help="at most N files of a set (40)")
    made.add_argument("--variants", action="store_true", help="all variants, of a sample too")
    made.add_argument("--values", action="store_true", help="run them, beside what others make of them")
    made.add_argument("--full", action="store_true", help="all files in all variants")
    made.add_argument("--clone", action="store_true", help="get clones that are not there")
    made.add_argument("--files", type=Path, metavar="FOLDER", help="where files are laid out, to be found there again")
    made.add_argument("-j", "--processes", type=int, default=2, help="how many files at a time (2)")
    made.add_argument("--seconds", type=int, default=120, help="time limit of a file, or of 16 easy ones (120)")
    made.add_argument("--memory", metavar="MIB", type=int, default=4096, help="memory limit of a file (4096)")
    made.add_argument("--keep", metavar="FILE", type=Path, help="what became of each file; run are those it lacks")
    made.add_argument("--by", metavar="COMMIT", help="the commit that an installed reknit was built from")
    made.add_argument("--minutes", type=float, help="begin no more files after so long; 0: the tables of what is kept")
    made.add_argument("--write", metavar="PAGE", type=Path, help="write the tables between two marks of the page")
    made.add_argument("-v", "--verbose", action="store_true", help="show each shader that is not valid")
    return made


def main(words: list[str]) -> int:
    options = parser().parse_args(words)
    projects = [each for each in read() if not options.only or any(word in each.name for word in options.only)]
    with tempfile.TemporaryDirectory() as made:
        each_last = {each.key(): each for each in run(projects, options, options.files or Path(made))}
    found = list(each_last.values())
    if not found:
        print(f"{options.clones} has no clone of a project that was asked for", file=sys.stderr)
        return 2
    settle(found)
    tables = values_of(found) if options.values else tables_of(found)
    print(tables)
    if options.write is not None:
        write_page(options.write, tables, VALUES if options.values else COUNTS)
    wrong = [
        tried
        for each in found
        for tried in each.tried
        if tried.outcome in (INVALID, CRASHED) or any(one.verdict == DIFFERS for one in tried.compared)
    ]
    return int(bool(wrong))


def tables_of(found: list[Kept]) -> str:
    rows = [row for each in found for row in each.rows()]
    return "\n\n".join([counted(found), by_project(rows), by_variant(rows), reasons(rows)]) + "\n"


def values_of(found: list[Kept]) -> str:
    rows = [row for each in found for row in each.rows()]
    return "\n\n".join(table for table in (counted(found), by_values(rows), not_run(rows)) if table) + "\n"


def counted(found: list[Kept]) -> str:
    today = datetime.datetime.now(datetime.UTC).date()
    by = ", ".join(sorted({each.by for each in found if each.by}))
    return f"{today}, {len(found)} files, by reknit at {by or 'an unnamed commit'}."


def run(projects: list[Project], options: Namespace, out: Path) -> Iterator[Kept]:
    """All that is kept of the projects, then what is run."""
    before = kept.read(options.keep, projects)
    yield from before
    known = {each.key(): each.variants for each in before if each.values or not options.values}
    end = None if options.minutes is None else time.monotonic() + 60 * options.minutes
    for project in projects:
        if end is not None and time.monotonic() >= end:
            return
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
        yield from run_project(project, root, known, end, options)


def run_project(
    project: Project, root: Path, known: dict[tuple[str, int, str], int], end: float | None, options: Namespace
) -> Iterator[Kept]:
    started = time.monotonic()
    count = 0
    by = options.by or kept.head()
    for number, chosen in enumerate(project.sets):
        if options.language and chosen.language not in options.language:
            continue
        paths = files_of(chosen, root)
        if not options.full and len(paths) > options.sample:
            random.Random(SEED).shuffle(paths)  # so that a larger sample has all of a smaller one
            paths = sorted(paths[: options.sample])
        variants = len(chosen.variants) if options.full or options.variants else 1
        names = [path.relative_to(root).as_posix() for path in paths]
        names = [name for name in names if known.get((project.name, number, name), 0) < variants]
        words = {"root": str(root), "project": project.name, "set": number, "variants": variants}
        words["values"] = options.values
        for name, tried in run_files(names, words, end, options):
            for each in tried if options.verbose else ():
                if each.outcome not in (VALID, OTHER_STAGE, OUT_OF_SCOPE):
                    said = f"{each.outcome:9} {each.path} {each.entry} {each.variant}: {each.reason}"
                    print(said, file=sys.stderr, flush=True)
                for one in each.compared:
                    if one.verdict == DIFFERS:
                        said = f"{one.verdict:9} {each.path} {one.entry} with {one.with_}: {one.why}"
                        print(said, file=sys.stderr, flush=True)
            made = Kept(
                project.name, project.commit, number, chosen.language, name, variants, by, tried, options.values
            )
            kept.add(options.keep, made)
            count += len(tried)
            yield made
    print(f"{project.name}: {count} in {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)


def run_files(
    names: list[str], words: dict[str, object], end: float | None, options: Namespace
) -> Iterator[tuple[str, list[Tried]]]:
    """In order, each with its shaders. Where one of the files of a process ends it, each has one of its own."""
    limits = Limits(options.seconds, options.memory, options.processes, COMMAND)
    step = BUNCH * AHEAD * options.processes
    for start in range(0, len(names), step):
        if end is not None and time.monotonic() >= end:
            return
        some = names[start : start + step]
        bunches = [some[at : at + BUNCH] for at in range(0, len(some), BUNCH)]
        asked: list[tuple[str, dict[str, object]]] = [(bunch[0], {**words, "paths": bunch}) for bunch in bunches]
        for bunch, outcome in zip(bunches, run_all(asked, limits), strict=True):
            if outcome.status == DONE:
                tried = [from_json(each) for each in json.loads(outcome.detail)]
                yield from ((name, [each for each in tried if each.path == name]) for name in bunch)
            elif len(bunch) > 1:
                for name in bunch:
                    yield from run_files([name], words, end, options)
            else:
                limit = outcome.reason in ("time limit", "memory limit")
                said = f"{outcome.reason} {outcome.detail[-200:]}"
                yield bunch[0], [Tried(bunch[0], "", "", "", LIMIT if limit else CRASHED, said)]


def write_page(page: Path, tables: str, marks: tuple[str, str]) -> None:
    """The page with `tables` between two marks."""
    begin, end = marks
    before, _, rest = page.read_text().partition(begin)
    _, _, after = rest.partition(end)
    page.write_text(f"{before}{begin}\n\n{tables}\n{end}{after}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
