"""How much of the code the nearest tests hold: python3 tools/mutants.py AREA [--count 250] [--seed 0]

    src of AREA  --one change each-->  mutants  --the nearest tests that reach the line-->  killed | survived

A mutant is one small fault (`<` for `<=`, `and` for `or`, a call left out) in a copy of the sources. It is killed when
a test fails or runs past its time. A survivor is a missing test, code that nothing needs, or a change without effect;
it is printed with its line. Nothing is taken out of the count: a line that no near test reaches is a survivor, and so
is a change without effect. The table at the end has a row for each folder of the area (`mutant_areas.py`), with the
margin that a sample of that size leaves (95 %).

Tests run on plain Python and are imported once: each mutant is the code of a function in a fork of that process, which
runs the nearest tests first (quick ones, those that reach few lines, and those that reach the lines around it that few
others do, in turns), for `--seconds` in all. Where a line is only executed by imports, a new process runs those
nearest to its file. Which test reaches which line, and how long it takes, is measured
once with coverage (`pip install coverage`), and kept in the file `--measured` for as long as sources and tests stay as
they are. Drivers and other compilers are not asked, which take long: the score is that of expectations written down, at
any checkout. Exit code 1 if fewer than `--floor` percent are killed.
"""

import argparse
import ast
import functools
import hashlib
import itertools
import json
import math
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mutant_areas import AREAS
from mutation import Mutant, mutants_of, planted, replace_code

if TYPE_CHECKING:
    import pytest

ROOT = Path(__file__).resolve().parent.parent
SLOWER = 4  # times as long as measured may a test run before it is said not to end, and
GRACE = 5  # seconds more; all in processor time, so that a busy machine kills nothing
ASKED = ("glslangValidator", "slang-glslang", "spirv-as", "spirv-dis", "spirv-val", "spirv-opt", "spirv-cfg")
START = 120  # seconds that a process may take to import and collect tests
UNPLANTED = 97  # exit code of a process whose code could not be replaced
STUCK = 900  # seconds after which a process ends that waits for something


def main() -> int:
    options = _options()
    patterns, tests = AREAS[options.area]
    files = [path for path in _sources(patterns) if options.only in str(path)]
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copy = Path(folder) / "src"
        shutil.copytree(ROOT / "src", copy, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
        sys.path[:0] = [str(copy), str(ROOT / "tests"), str(ROOT / "tools")]
        os.environ["PYTHONPATH"] = os.pathsep.join((str(copy), str(ROOT / "tests")))  # of processes that tests start
        os.environ["PYTHONDONTWRITEBYTECODE"] = "1"  # a mutant's compiled file must not outlive it
        _ask_few()
        measured = _measured(copy, files, tests, Path(options.measured or Path(folder) / "measured.json"))
        everything = [mutant for path in files for mutant in mutants_of(path, (copy / path).read_text())]
        chosen = random.Random(options.seed).sample(everything, min(options.count, len(everything)))
        chosen.sort(key=lambda mutant: (str(mutant.path), mutant.line))
        print(f"{options.area}: {len(chosen)} of {len(everything)} mutants in {len(files)} files", flush=True)
        killed = killed_of(copy, chosen, tests, measured, options.seconds)
    share = 100 * len(killed) / max(1, len(chosen))
    print(table_of(options.area, everything, chosen, killed))
    return 0 if share >= options.floor else 1


def table_of(area: str, everything: list[Mutant], chosen: list[Mutant], killed: set[Mutant]) -> str:
    """A row for each folder, and one for the area."""
    rows = ["| folder | mutants | sampled | killed | share |", "|---|---|---|---|---|"]
    folders = sorted({mutant.path.parent for mutant in everything})
    for name, inside in [*((str(one), {one}) for one in folders), (f"**{area}**", set(folders))]:
        many = sum(mutant.path.parent in inside for mutant in everything)
        drawn = [mutant for mutant in chosen if mutant.path.parent in inside]
        found = sum(mutant in killed for mutant in drawn)
        counts = f"{many} | {len(drawn)} | {found} | {_share(found, len(drawn))}"
        rows.append(f"| {name.removeprefix('reknit/')} | {counts} |")
    return "\n".join(rows)


def _share(found: int, drawn: int) -> str:
    """In percent, with Wald's 95 % margin, which counts two more of each (Agresti and Coull)."""
    if not drawn:
        return "-"
    likely = (found + 2) / (drawn + 4)
    margin = 1.96 * math.sqrt(likely * (1 - likely) / (drawn + 4))
    return f"{100 * found / drawn:.0f} % ± {100 * margin:.0f}"


def _options() -> argparse.Namespace:
    made = argparse.ArgumentParser(description="Plant small faults and see whether the nearest tests find them.")
    made.add_argument("area", choices=list(AREAS))
    made.add_argument("--count", type=int, default=250, help="mutants to sample (default 250: 5 points more or less)")
    made.add_argument("--seed", type=int, default=0, help="of the sample (default 0)")
    made.add_argument("--only", default="", metavar="TEXT", help="files whose path holds TEXT")
    made.add_argument("--seconds", type=float, default=20, help="of tests that a mutant has to pass (default 20)")
    made.add_argument("--measured", metavar="FILE", help="where to keep which test reaches which line")
    made.add_argument("--floor", type=float, default=80, help="percent that must be killed (default 80)")
    return made.parse_args()


def _sources(patterns: list[str]) -> list[Path]:
    """Paths below src that the patterns name; "!" takes files out again."""
    package = ROOT / "src" / "reknit"
    found: dict[Path, None] = {}
    for pattern in patterns:
        for path in sorted(package.glob(pattern.removeprefix("!"))):
            if pattern.startswith("!"):
                found.pop(path, None)
            elif path.name != "__init__.py":
                found[path] = None
    return [path.relative_to(ROOT / "src") for path in found]


def _ask_few() -> None:
    """Tests that ask other tools than those are skipped."""
    from kit import oracles

    found = oracles.find
    oracles.find = functools.cache(lambda tool: found(tool) if tool in ASKED else None)


@dataclass(frozen=True)
class Measured:
    """The tests that reach "path:line", and how long each takes."""

    reached: dict[str, list[str]]
    seconds: dict[str, float]

    def is_imported(self, mutant: Mutant) -> bool:
        """Whether its line is executed, but by no test."""
        return self.reached.get(f"{mutant.path}:{mutant.line}") == []

    def around(self, mutant: Mutant, functions: dict[int, range]) -> list[list[str]]:
        """The tests that reach each line of its function."""
        inside = functions.get(mutant.line, range(0))
        return [row for line in inside if (row := self.reached.get(f"{mutant.path}:{line}"))]

    def of_file(self, path: Path) -> list[str]:
        """The tests that reach any line of a file."""
        start = f"{path}:"
        return sorted({name for line, names in self.reached.items() if line.startswith(start) for name in names})


def _measured(copy: Path, files: list[Path], tests: list[str], result: Path) -> Measured:
    """What the tests reach without a mutant. One that fails already then is left out, and named."""
    state = _state_of(files, tests)
    kept: dict[str, Any] = json.loads(result.read_text()) if result.exists() else {}
    if kept.get("state") != state:
        if _forked(lambda: _measure(copy, files, tests, result, state), None) != 0:
            raise SystemExit("the tests can't be run: `pytest` says why")
        kept = json.loads(result.read_text())
    for name in kept["failing"]:
        print(f"left out  {name}  (it fails without a mutant)", flush=True)
    return Measured(kept["reached"], kept["seconds"])


def _state_of(files: list[Path], tests: list[str]) -> str:
    """Another text for other sources or tests."""
    whole = hashlib.sha256(json.dumps([str(path) for path in files] + tests).encode())
    for path in sorted(itertools.chain((ROOT / "src").rglob("*.py"), (ROOT / "tests").rglob("*.*"))):
        if path.is_file() and path.suffix != ".pyc":
            whole.update(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes() + b"\0")
    return whole.hexdigest()


def _measure(copy: Path, files: list[Path], tests: list[str], result: Path, state: str) -> int:
    import coverage
    import pytest

    cover = coverage.Coverage(data_file=None, include=[str(copy / path) for path in files], config_file=False)
    seconds: dict[str, float] = {}
    failing: dict[str, None] = {}

    class ContextPerTest:
        def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
            if report.failed:
                failing[report.nodeid] = None

        @pytest.hookimpl(hookwrapper=True)
        def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
            cover.switch_context(item.nodeid)
            started = time.process_time()
            yield
            seconds[item.nodeid] = time.process_time() - started

    cover.start()
    code = pytest.main([*_QUIET, *_chosen(tests)], plugins=[ContextPerTest()])
    cover.stop()
    for name in failing:
        seconds.pop(name, None)
    data = cover.get_data()
    reached: dict[str, list[str]] = {}
    for name in sorted(data.measured_files()):
        path = Path(name).relative_to(copy)
        for line, contexts in data.contexts_by_lineno(name).items():
            reached[f"{path}:{line}"] = sorted(context for context in contexts if context in seconds)
    found = {"state": state, "reached": reached, "seconds": seconds, "failing": list(failing)}
    result.write_text(json.dumps(found))
    return 0 if code in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED) else 1


def _chosen(tests: list[str]) -> list[str]:
    return [_but(test[1:]) if test.startswith("!") else test for test in tests]


def _but(test: str) -> str:
    return f"--deselect={test}" if "::" in test else f"--ignore={test}"


_QUIET = ["-q", "-p", "no:cacheprovider", "-p", "no:benchmark", "--no-header", "--no-summary"]


def nearest(
    names: list[str], seconds: dict[str, float], lines: dict[str, int], most: float, around: Sequence[list[str]] = ()
) -> dict[str, float]:
    """The tests to run, with the processor time that each may take: those that are quick, those that reach few `lines`
    of the area, and those that reach what is near, in turns; for `most` seconds in all, but at least one. `around` are
    the tests of each line near the mutant: of the lines that few tests reach first, one test of each in turns."""
    quick = sorted(names, key=lambda name: (seconds[name], name))
    special = sorted(names, key=lambda name: (lines[name], seconds[name], name))
    wanted = set(names)
    rows = [sorted(wanted.intersection(row), key=lambda name: (seconds[name], name)) for row in around]
    rows = sorted(rows, key=len)
    near = [name for turn in itertools.zip_longest(*rows) for name in turn if name is not None]
    found: dict[str, float] = {}
    total = 0.0
    turns = itertools.zip_longest(quick, special, dict.fromkeys(near))
    for name in dict.fromkeys(name for turn in turns for name in turn if name is not None):
        if found and total + seconds[name] > most:
            continue
        total += seconds[name]
        found[name] = SLOWER * seconds[name] + GRACE
    return found


def killed_of(copy: Path, chosen: list[Mutant], tests: list[str], measured: Measured, most: float) -> set[Mutant]:
    """Which of the mutants are killed; prints the others. Tests are collected once, and each mutant is planted in a
    fork of the process that did."""
    import pytest

    killed: set[Mutant] = set()
    lines = Counter(itertools.chain.from_iterable(measured.reached.values()))
    starts = {path: _starts((copy / path).read_text()) for path in {mutant.path for mutant in chosen}}
    functions = {path: _functions((copy / path).read_text()) for path in starts}

    class EachMutant:
        def pytest_runtestloop(self, session: pytest.Session) -> bool:
            items = {item.nodeid: item for item in session.items}
            for mutant in chosen:
                names = _reaching(mutant, measured, starts[mutant.path])
                around = measured.around(mutant, functions[mutant.path])
                near = nearest(names, measured.seconds, lines, most, around)
                limits = {items[name]: limit for name, limit in near.items()}
                if limits and _kills(copy, mutant, limits):
                    killed.add(mutant)
                    continue
                why = f"{len(names)} tests reach it" if names else "no test reaches it"
                if not names and measured.is_imported(mutant):
                    near = nearest(measured.of_file(mutant.path), measured.seconds, lines, most)
                    if near and _kills_import(copy, mutant, near):
                        killed.add(mutant)
                        continue
                    why = "imports reach it"
                change = f"{mutant.before}  ->  {mutant.after}"
                print(f"survived  {mutant.path}:{mutant.line}  {change}  ({why})", file=sys.__stdout__, flush=True)
            return True

    pytest.main([*_QUIET, "--capture=no", *_chosen(tests)], plugins=[EachMutant()])
    return killed


def _reaching(mutant: Mutant, measured: Measured, starts: dict[int, int]) -> list[str]:
    """The tests that reach a mutant's line or, if that is a later line of a statement, which may have no code of its
    own, its statement."""
    found = measured.reached.get(f"{mutant.path}:{mutant.line}", [])
    return found or measured.reached.get(f"{mutant.path}:{starts.get(mutant.line, mutant.line)}", [])


def _starts(text: str) -> dict[int, int]:
    """The first line of the simple statement, or of the head of the compound one, that each line belongs to."""
    found: dict[int, int] = {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.stmt):
            inside = [each.lineno for each in ast.iter_child_nodes(node) if isinstance(each, ast.stmt)]
            last = min(inside) - 1 if inside else node.end_lineno or node.lineno
            found.update(dict.fromkeys(range(node.lineno, last + 1), node.lineno))
    return found


def _functions(text: str) -> dict[int, range]:
    """The lines of the innermost function that each line belongs to."""
    found: dict[int, range] = {}
    for node in ast.walk(ast.parse(text)):  # those inside come later
        if isinstance(node, ast.FunctionDef):
            inside = range(node.lineno, (node.end_lineno or node.lineno) + 1)
            found.update(dict.fromkeys(inside, inside))
    return found


def _kills(copy: Path, mutant: Mutant, limits: "dict[pytest.Item, float]") -> bool:
    """Whether one of the tests fails, or does not end, with the mutant in place: in this process, and in the file for
    those that the tests start."""
    place = copy / mutant.path
    kept = place.read_text()
    changed = planted(kept, mutant.number)

    def work() -> int:
        try:
            replace_code(str(place), kept, changed)
        except Exception:
            return UNPLANTED
        return _run(limits)

    place.write_text(changed)
    try:
        code = _forked(work, STUCK)
        if code == UNPLANTED:
            raise RuntimeError(f"{mutant} can't be planted")
        return code != 0
    finally:
        place.write_text(kept)


def _kills_import(copy: Path, mutant: Mutant, limits: dict[str, float]) -> bool:
    """The same of what is executed while modules are imported, in a process that imports them again."""
    names, end = json.dumps(list(limits)), sum(limits.values()) + START
    if not _passes(names, end):
        return False  # it proves nothing
    place = copy / mutant.path
    kept = place.read_text()
    place.write_text(planted(kept, mutant.number))
    try:
        return not _passes.__wrapped__(names, end)
    finally:
        place.write_text(kept)


@functools.cache
def _passes(names: str, end: float) -> bool:
    command = [sys.executable, __file__, "--tests", names]
    try:
        return subprocess.run(command, cwd=ROOT, capture_output=True, timeout=end, check=False).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def run_tests(names: list[str]) -> int:
    """0 if all of these pass, in this process."""
    import pytest

    class Only:
        def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
            items[:] = [item for item in items if item.nodeid in wanted]

    wanted = set(names)
    _ask_few()
    files = sorted({name.partition("::")[0] for name in names})
    return int(pytest.main([*_QUIET, "-x", *files], plugins=[Only()]))


def _run(limits: "dict[pytest.Item, float]") -> int:
    """0 if all of the tests pass in their time."""
    items = list(limits)
    signal.signal(signal.SIGPROF, lambda number, frame: os._exit(98))
    for item, following in zip(items, [*items[1:], None], strict=True):
        signal.setitimer(signal.ITIMER_PROF, limits[item])
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if item.session.testsfailed:
            return 1
    return 0


def _forked(work: Any, limit: int | None) -> int:
    """The exit code of `work` in a process of its own, without output; a process that is stopped at the limit fails."""
    import pytest  # noqa: F401  (imported before forking, once for all mutants)

    child = os.fork()
    if child == 0:
        os.setsid()
        os.chdir(ROOT)
        sys.dont_write_bytecode = True
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, 1)
        if limit is not None:
            os.dup2(nothing, 2)
        code = 99
        try:
            code = work()
        finally:
            os._exit(code)
    end = None if limit is None else time.monotonic() + limit
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        if end is not None and time.monotonic() > end:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return 98
        time.sleep(0.02)


if __name__ == "__main__":
    sys.exit(run_tests(json.loads(sys.argv[2])) if sys.argv[1:2] == ["--tests"] else main())
