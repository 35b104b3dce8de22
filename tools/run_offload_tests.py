"""Run the HLSL tests of LLVM's offload-test-suite, as they are, on this project's reader and simulator.

    python3 tools/run_offload_tests.py ~/offload-test-suite/test          a table: passed, failed, unsupported and why
    python3 tools/run_offload_tests.py ~/offload-test-suite/test --floors tools/offload_tests/floors.json

A .test file is one test: a compute shader, what its buffers hold, and what they must hold in the end. It is unsupported
where it asks for what this runner or the reader has not, and says no by name. Ends with 1 where a folder passes fewer
tests than its floor or another test fails than failing.json beside it says; without floors where a test failed.
"""

import sys
from argparse import ArgumentParser
from pathlib import Path

from slang_tests.floors import judged_by
from slang_tests.pool import Limits, Outcome, run_all
from slang_tests.report import reasons, table, write_json

COMMAND = [sys.executable, "-P", "-m", "offload_tests.one"]


def parser() -> ArgumentParser:
    made = ArgumentParser(description="Run the offload-test-suite's compute tests on the simulator.")
    made.add_argument("folder", nargs="+", type=Path, help="its folder `test`, one inside, or a test")
    made.add_argument("-j", "--processes", type=int, default=2, help="how many tests at a time (2)")
    made.add_argument("--seconds", type=int, default=60, help="time limit of a test (60)")
    made.add_argument("--memory", metavar="MIB", type=int, default=4096, help="memory limit of a test (4096)")
    made.add_argument("--floors", metavar="FILE", type=Path, help="how many must pass, by folder")
    made.add_argument("--json", metavar="FILE", type=Path, help="write the outcomes")
    made.add_argument("-v", "--verbose", action="store_true", help="show each test's outcome")
    return made


def main(words: list[str]) -> int:
    options = parser().parse_args(words)
    tests: list[tuple[str, dict[str, object]]] = []
    for folder in options.folder:
        for path in sorted(folder.rglob("*.test")) if folder.is_dir() else [folder]:
            full = path.resolve().as_posix()
            tests.append((full[full.rfind("/test/") + 1 :], {"path": full}))
    outcomes: list[Outcome] = []
    for outcome in run_all(tests, Limits(options.seconds, options.memory, options.processes, COMMAND)):
        outcomes.append(outcome)
        if options.verbose:
            print(f"{outcome.status:12} {outcome.test}  {outcome.reason}", flush=True)
    print(table(outcomes))
    print(reasons(outcomes))
    if options.json is not None:
        write_json(options.json, outcomes, {})
    return judged_by(outcomes, options.floors)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
