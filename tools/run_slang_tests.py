"""Run the compute tests of Slang's repository, as they are, on this project's simulator.

    python3 tools/run_slang_tests.py ~/slang/tests/compute          a table: passed, failed, unsupported and why
    python3 tools/run_slang_tests.py ~/slang/tests --filter '*/dynamic-dispatch/*' -j 4 --json found.json
    python3 tools/run_slang_tests.py ~/slang/tests --compiler slangc      what can be had: Slang's own compiler

A file is one test. It passes where its output buffers are what it expects, is unsupported where it or what compiles or
runs it says no, and fails otherwise. Files without a compute test that expects values are skipped, and counted by kind.
Ends with 1 where a test failed; with `--floors tools/slang_tests/floors.json`, where a folder passes fewer than that or
another test fails than failing.json beside it says.
"""

import sys
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Iterable
from fnmatch import fnmatchcase
from pathlib import Path

from slang_tests.directives import chosen, kinds, read_directives, read_source
from slang_tests.engine import ENGINES
from slang_tests.expected import has_expected
from slang_tests.floors import judged_by
from slang_tests.pool import Limits, Outcome, run_all
from slang_tests.report import reasons, table, write_json

ENDINGS = (".slang", ".hlsl", ".glsl")


def parser() -> ArgumentParser:
    made = ArgumentParser(description="Run Slang's own compute tests on the simulator.")
    made.add_argument("folder", nargs="+", type=Path, help="a folder of Slang's repository, or a test")
    made.add_argument("--filter", metavar="GLOB", help="only tests whose path is like this")
    made.add_argument("--only", metavar="FILE", type=Path, help="only tests that this file lists, a path a line")
    made.add_argument("--compiler", choices=sorted(ENGINES), default="reknit", help="what compiles them")
    made.add_argument("--subgroup-size", type=int, default=32, help="where a test doesn't say (32)")
    made.add_argument("-j", "--processes", type=int, default=2, help="how many tests at a time (2)")
    made.add_argument("--seconds", type=int, default=60, help="time limit of a test (60)")
    made.add_argument("--memory", metavar="MIB", type=int, default=4096, help="memory limit of a test (4096)")
    made.add_argument("--floors", metavar="FILE", type=Path, help="how many must pass, by folder")
    made.add_argument("--json", metavar="FILE", type=Path, help="write the outcomes")
    made.add_argument("--list", action="store_true", help="show which tests there are, run none")
    made.add_argument("-v", "--verbose", action="store_true", help="show each test's outcome")
    return made


def repository(path: Path) -> Path:
    """The folder that tests' paths are relative to: where `tests` is, else the path itself."""
    full = path.resolve()
    for folder in (full, *full.parents):
        if folder.name == "tests":
            return folder.parent
    return full if full.is_dir() else full.parent


def files_of(paths: Iterable[Path]) -> list[Path]:
    """Every file below that may be a test, in order, each once."""
    found: list[Path] = []
    for path in paths:
        inside = sorted(path.rglob("*")) if path.is_dir() else [path]
        found.extend(file.resolve() for file in inside if file.suffix in ENDINGS and file.is_file())
    return list(dict.fromkeys(found))


def sort_out(path: Path) -> str:
    """ "" for a test that is run, else why not."""
    directives = read_directives(read_source(path))
    directive = chosen(directives)
    if directive is not None:
        return "" if has_expected(path, directive) else "no expected values"
    return f"other kind: {kinds(directives)[0]}" if directives else "no test"


def main(words: list[str]) -> int:
    options = parser().parse_args(words)
    root = repository(options.folder[0])
    tests: list[tuple[str, dict[str, object]]] = []
    skipped: dict[str, str] = {}
    for path in selected(options, root):
        name = path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)
        why = sort_out(path)
        if why:
            skipped[name] = why
        else:
            asked = {"path": str(path), "folder": str(root), "engine": options.compiler}
            tests.append((name, {**asked, "subgroup_size": options.subgroup_size}))
    if options.list:
        print("\n".join(name for name, _ in tests))
        return 0
    outcomes: list[Outcome] = []
    for outcome in run_all(tests, Limits(options.seconds, options.memory, options.processes)):
        outcomes.append(outcome)
        if options.verbose:
            print(f"{outcome.status:12} {outcome.test}  {outcome.reason}", flush=True)
    show(outcomes, skipped)
    if options.json is not None:
        write_json(options.json, outcomes, skipped)
    return judged_by(outcomes, options.floors)


def selected(options: Namespace, root: Path) -> list[Path]:
    files = files_of(options.folder)
    if options.only is not None:
        wanted = {(root / line.strip()).resolve() for line in options.only.read_text().splitlines() if line.strip()}
        files = [file for file in files if file in wanted]
    if options.filter:
        files = [file for file in files if fnmatchcase(file.as_posix(), options.filter)]
    return files


def show(outcomes: list[Outcome], skipped: dict[str, str]) -> None:
    print(table(outcomes))
    why = reasons(outcomes)
    if why:
        print(why)
    kinds_skipped = Counter(reason for reason in skipped.values() if reason != "no test")
    if kinds_skipped:
        print(f"\nnot run: {', '.join(f'{count} {reason}' for reason, count in sorted(kinds_skipped.items()))}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
