"""python -m tests.bench.commands [--python PYTHON]

    each command on a small input  ──▶  a process  ──▶  processor time, waiting time, most memory
                                                        bare Python's are in the first row

Times are the least of nine runs, memory is the process's peak. PYTHON is another interpreter, whose reknit is measured
beside this one's (an older version, or one in plain Python); a command that it does not know is a dash.
"""

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
EXAMPLES: Final = ROOT / "examples"
RUNS: Final = 9

BALLOTS: Final = str(EXAMPLES / "break_ballot.spvasm")
FALLING: Final = str(EXAMPLES / "fallthrough.spvasm")
SHAPES: Final = str(EXAMPLES / "shapes.slang")
COMMANDS: Final[dict[str, tuple[str, ...]]] = {
    "bare Python": (),
    "--version": ("--version",),
    "--help": ("--help",),
    "check": ("check", BALLOTS),
    "lint": ("lint", BALLOTS),
    "show": ("show", BALLOTS),
    "opt": ("opt", BALLOTS, "--passes", "reconverge"),
    "compile, SPIR-V": ("compile", BALLOTS, "-o", "OUT.spv"),
    "compile, Slang": ("compile", SHAPES, "-o", "OUT.spv"),
    "structurize": ("structurize", BALLOTS, "-o", "OUT.rk"),
    "run": ("run", BALLOTS),
    "outcomes": ("outcomes", BALLOTS),
    "trace": ("trace", BALLOTS),
    "trace, HTML": ("trace", BALLOTS, "-o", "OUT.html"),
    "prove": ("prove", FALLING, FALLING),
    "explain": ("explain", "RK2501"),
}
Cost = tuple[float, float, float]
"""Processor seconds, seconds of waiting, MiB."""


def as_installed(folder: str) -> dict[str, str]:
    """An environment in which Python has the compiled code of every module, as pip leaves it, from the second run on:
    where none may be written, a run would compile each module that it imports."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPYCACHEPREFIX": str(Path(folder, "compiled"))}


def cost(python: str, arguments: tuple[str, ...], folder: str) -> Cost | None:
    """Nothing where the command fails."""
    command = [python, *(["-m", "reknit", *arguments] if arguments else ["-c", "pass"])]
    command = [word.replace("OUT", str(Path(folder, "out"))) for word in command]
    least: Cost | None = None
    for _ in range(RUNS):
        start = time.perf_counter()
        pid = os.fork()
        if pid == 0:
            quiet = os.open(os.devnull, os.O_WRONLY)
            os.dup2(quiet, 1)
            os.dup2(quiet, 2)
            os.chdir(folder)
            os.execve(command[0], command, {**as_installed(folder), "PATH": "/nonexistent"})  # no tools from outside
        _, status, usage = os.wait4(pid, 0)
        waited = time.perf_counter() - start
        if os.waitstatus_to_exitcode(status) not in (0, 1):  # 1: findings, which is an answer
            return None
        one = (usage.ru_utime + usage.ru_stime, waited, usage.ru_maxrss / 1024)
        least = one if least is None else (min(least[0], one[0]), min(least[1], one[1]), min(least[2], one[2]))
    return least


def cells(one: Cost | None) -> str:
    return " - | - | - " if one is None else f" {one[0] * 1e3:.0f} | {one[1] * 1e3:.0f} | {one[2]:.0f} "


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.commands")
    parser.add_argument("--python", help="an interpreter whose reknit is measured beside this one's")
    given = parser.parse_args()
    pythons = [sys.executable, *([given.python] if given.python else [])]
    names = ["", " there"]
    head = "".join(f" CPU ms{name} | ms{name} | MiB{name} |" for name in names[: len(pythons)])
    print(f"| command |{head}\n|---|" + "---|---|---|" * len(pythons))
    with tempfile.TemporaryDirectory() as folder:
        for name, arguments in COMMANDS.items():
            costs = [cells(cost(python, arguments, folder)) for python in pythons]
            print(f"| {name} |{'|'.join(costs)}|", flush=True)


if __name__ == "__main__":
    main()
