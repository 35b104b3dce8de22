"""How much of the code the nearest tests hold: python3 tools/mutants.py AREA [--count 300] [--seed 0]

    src of AREA  --one change each-->  mutants  --the nearest tests that reach the line-->  killed | survived

A mutant is one small fault (`<` for `<=`, `and` for `or`, a call left out) in a copy of the sources. It is killed when
a test fails or runs past its time. A survivor is a missing test, code that nothing needs, or a change without effect;
it is printed with its line. Tests run on plain Python and are imported once: each mutant is the code of a function in a
fork of that process, which runs the nearest tests first. Which test reaches which line, and how long it takes, is
measured once with coverage (`pip install coverage`). Exit code 1 if fewer than `--floor` percent are killed.
"""

import argparse
import itertools
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mutation import Mutant, mutants_of, planted, replace_code

if TYPE_CHECKING:
    import pytest

ROOT = Path(__file__).resolve().parent.parent
SECONDS = 30  # of tests that reach its line a mutant has to pass, as measured without it: the quickest first
SLOWER = 4  # times as long as measured may a test run before it is said not to end, and
GRACE = 5  # seconds more; all in processor time, so that a busy machine kills nothing
STUCK = 900  # seconds after which a process ends that waits for something

AREAS: dict[str, tuple[list[str], list[str]]] = {
    "rules": (
        ["spirv/rules/*.py", "!spirv/rules/catalog.py"],
        [
            "tests/unit/spirv/rules",
            "tests/conformance/test_rule_examples.py",
            "tests/conformance/test_validator.py",
            "tests/property/test_rules.py",
            "tests/property/test_rules_by_definition.py",
            "tests/property/test_rules_of_values.py",
        ],
    ),
    "analysis": (
        ["analysis/**/*.py"],
        [
            "tests/unit/analysis",
            "tests/property/test_analysis_manager.py",
            "tests/property/test_graph_analyses.py",
            "tests/spec/test_control_flow.py",
            "tests/spec/test_uniformity.py",
            "tests/spec/test_guarantees.py",
            "tests/conformance/test_typeflow_probes.py",
            "tests/property/test_random_callables.py",
            "tests/property/test_random_dispatch.py",
            "tests/property/test_random_guarded.py",
            "tests/property/test_guarded_calls.py",
            "tests/property/test_types_of_calls.py",
            "tests/property/test_uniformity.py",
            "tests/property/test_flat_divergence.py",
            "tests/property/test_tangle_promises.py",
            "tests/unit/checks/test_lint_pages.py",
            "tests/unit/passes",
            "!tests/unit/passes/test_fold_sweep.py",
        ],
    ),
    "ir": (
        ["ir/*.py", "ir/text/*.py", "ir/verify/*.py", "!ir/op.py", "!ir/enums.py", "!ir/opcodes.py"],
        [
            "tests/unit/ir",
            "tests/spec/test_control_flow.py",
            "tests/spec/test_verify_table.py",
            "tests/property/test_random_edits.py",
            "tests/unit/passes/test_fold.py",
            "tests/unit/passes/test_parts.py",
        ],
    ),
    "passes": (
        ["passes/**/*.py"],
        [
            "tests/unit/passes",
            "tests/unit/sim/test_sets.py",
            "tests/spec/test_documents.py",
            "tests/property/test_if_and_loop_passes.py",
            "tests/property/test_random_callables.py",
            "tests/property/test_random_dispatch.py",
            "tests/property/test_random_guarded.py",
            "tests/property/test_repair_dominance.py",
            "tests/property/test_structurize.py",
            "tests/property/test_switch_passes.py",
        ],
    ),
}


def main() -> int:
    options = _options()
    patterns, tests = AREAS[options.area]
    files = [path for path in _sources(patterns) if options.only in str(path)]
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copy = Path(folder) / "src"
        shutil.copytree(ROOT / "src", copy, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
        sys.path[:0] = [str(copy), str(ROOT / "tests"), str(ROOT / "tools")]
        os.environ["PYTHONPATH"] = str(copy)  # of processes that tests start
        reached, seconds = _measured(copy, files, tests, Path(folder))
        everything = [mutant for path in files for mutant in mutants_of(path, (copy / path).read_text())]
        chosen = random.Random(options.seed).sample(everything, min(options.count, len(everything)))
        chosen.sort(key=lambda mutant: (str(mutant.path), mutant.line))
        print(f"{options.area}: {len(chosen)} of {len(everything)} mutants in {len(files)} files", flush=True)
        killed = killed_of(copy, chosen, tests, reached, seconds)
    share = 100 * killed / max(1, len(chosen))
    print(f"{options.area}: {killed} of {len(chosen)} killed, {share:.0f} %")
    return 0 if share >= options.floor else 1


def _options() -> argparse.Namespace:
    made = argparse.ArgumentParser(description="Plant small faults and see whether the nearest tests find them.")
    made.add_argument("area", choices=list(AREAS))
    made.add_argument("--count", type=int, default=300, help="mutants to sample (default 300)")
    made.add_argument("--seed", type=int, default=0, help="of the sample (default 0)")
    made.add_argument("--only", default="", metavar="TEXT", help="files whose path holds TEXT")
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


def _measured(
    copy: Path, files: list[Path], tests: list[str], folder: Path
) -> tuple[dict[str, list[str]], dict[str, float]]:
    """Which tests reach "path:line", and how long each test takes. A test that fails without a mutant is left out."""
    result = folder / "reached.json"
    if _forked(lambda: _measure(copy, files, tests, result), None) != 0:
        raise SystemExit("the tests can't be run: `pytest` says why")
    found: dict[str, Any] = json.loads(result.read_text())
    for name in found["failing"]:
        print(f"left out  {name}  (it fails without a mutant)", flush=True)
    return found["reached"], found["seconds"]


def _measure(copy: Path, files: list[Path], tests: list[str], result: Path) -> int:
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
    result.write_text(json.dumps({"reached": reached, "seconds": seconds, "failing": list(failing)}))
    return 0 if code in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED) else 1


def _chosen(tests: list[str]) -> list[str]:
    return [f"--ignore={test[1:]}" if test.startswith("!") else test for test in tests]


_QUIET = ["-q", "-p", "no:cacheprovider", "-p", "no:benchmark", "--no-header", "--no-summary"]


def nearest(names: list[str], seconds: dict[str, float], lines: dict[str, int]) -> dict[str, float]:
    """The tests to run, with the processor time that each may take: those that are quick, and those that reach few
    `lines` of the area, in turns; for SECONDS in all, but at least one."""
    quick = sorted(names, key=lambda name: (seconds[name], name))
    special = sorted(names, key=lambda name: (lines[name], seconds[name], name))
    found: dict[str, float] = {}
    total = 0.0
    for name in dict.fromkeys(itertools.chain.from_iterable(zip(quick, special, strict=True))):
        if found and total + seconds[name] > SECONDS:
            continue
        total += seconds[name]
        found[name] = SLOWER * seconds[name] + GRACE
    return found


def killed_of(
    copy: Path, chosen: list[Mutant], tests: list[str], reached: dict[str, list[str]], seconds: dict[str, float]
) -> int:
    """How many of the mutants are killed; prints the others. Tests are collected once, and each mutant is planted in a
    fork of the process that did."""
    import pytest

    killed = 0
    lines = Counter(itertools.chain.from_iterable(reached.values()))

    class EachMutant:
        def pytest_runtestloop(self, session: pytest.Session) -> bool:
            nonlocal killed
            items = {item.nodeid: item for item in session.items}
            for mutant in chosen:
                names = reached.get(f"{mutant.path}:{mutant.line}", [])
                limits = {items[name]: limit for name, limit in nearest(names, seconds, lines).items()}
                if limits and _kills(copy, mutant, limits):
                    killed += 1
                    continue
                why = f"{len(names)} tests reach it" if names else "no test reaches it"
                change = f"{mutant.before}  ->  {mutant.after}"
                print(f"survived  {mutant.path}:{mutant.line}  {change}  ({why})", file=sys.__stdout__, flush=True)
            return True

    pytest.main([*_QUIET, "--capture=no", *_chosen(tests)], plugins=[EachMutant()])
    return killed


def _kills(copy: Path, mutant: Mutant, limits: "dict[pytest.Item, float]") -> bool:
    """Whether one of the tests fails, or does not end, with the mutant in place: in this process, and in the file for
    those that the tests start."""
    place = copy / mutant.path
    kept = place.read_text()
    changed = planted(kept, mutant.number)

    def work() -> int:
        replace_code(str(place), kept, changed)
        return _run(limits)

    place.write_text(changed)
    try:
        return _forked(work, STUCK) != 0
    finally:
        place.write_text(kept)


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
        sys.dont_write_bytecode = True  # a mutant's compiled file must not outlive it
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
    sys.exit(main())
