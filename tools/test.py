"""Everything that is checked, from a bare clone: python3 tools/test.py [pytest's arguments, e.g. --full or a path]

    environment, outside tools  ->  mypy --strict  ->  ruff  ->  pytest on plain Python  ->  pytest on what is installed

The plain-Python pass runs the tests marked `core` on src/ itself; the last pass runs all tests on the package as
installed, which is the compiled one where there is a C compiler. Each step runs even when one before it failed. The
exit code is that of the first step that failed; the last line printed is pytest's own.
"""

import subprocess
import sys
import time

import environment
from environment import ROOT, say

NO_TESTS_COLLECTED = 5  # pytest's exit code
SIDE_BY_SIDE = ["-n", "auto", "--dist", "worksteal"]  # a process a processor; one that is done takes of another's


def main(arguments: list[str]) -> int:
    environment.make()
    python = str(environment.python())
    oracles = subprocess.Popen(
        [python, "tools/get_oracles.py"], cwd=ROOT, stdout=subprocess.PIPE, text=True, env=environment.clean()
    )
    try:
        environment.install("test")
        found, _ = oracles.communicate()
    finally:
        if oracles.poll() is None:
            oracles.terminate()
    say("outside tools that the tests compare with")
    print(found, end="", flush=True)

    pytest = [python, "-m", "pytest", *SIDE_BY_SIDE]
    core = [argument for argument in arguments if argument != "--full"]
    codes = [
        _step("mypy --strict", [python, "-m", "mypy", "--strict"]),
        _step("ruff check", [python, "-m", "ruff", "check"]),
        _step("pytest on plain Python", [*pytest, "-q", "-m", "core", *core], "src"),
    ]
    say("pytest on the installed build")
    last = subprocess.run([*pytest, *arguments], cwd=ROOT, env=environment.clean()).returncode
    return next((code for code in codes if code != 0), last)


def _step(title: str, command: list[str], path: str = "") -> int:
    """Run from the root, with `path` first on Python's import path, and say how it went; gives the exit code."""
    say(title)
    started = time.monotonic()
    variables = environment.clean()
    if path:
        variables["PYTHONPATH"] = str(ROOT / path)
    code = subprocess.run(command, cwd=ROOT, env=variables).returncode
    if code == NO_TESTS_COLLECTED and "pytest" in command:  # the arguments name tests that run on the other build only
        code = 0
    say(f"{title}: {'passed' if code == 0 else f'FAILED with exit code {code}'}, {time.monotonic() - started:.0f} s")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
