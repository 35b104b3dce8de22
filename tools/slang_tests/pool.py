"""Several tests at a time, each in a process of its own that may run so long and use so much.

requests   ->   outcomes in the same order, each told as soon as it and all before it are there
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import final

TOOLS = Path(__file__).resolve().parent.parent
COMMAND = [sys.executable, "-P", "-m", "slang_tests.one"]


@final
class Outcome:
    __slots__ = ("test", "status", "reason", "detail")

    def __init__(self, test: str, status: str, reason: str, detail: str) -> None:
        self.test = test
        self.status = status
        self.reason = reason
        self.detail = detail


@final
class Limits:
    """Seconds and MiB for each test, how many at a time, and what runs one: COMMAND if that isn't said."""

    __slots__ = ("seconds", "memory", "processes", "command")

    def __init__(
        self, seconds: int = 60, memory: int = 4096, processes: int = 2, command: list[str] | None = None
    ) -> None:
        self.command = command
        self.seconds = seconds
        self.memory = memory
        self.processes = processes


def run_all(tests: list[tuple[str, dict[str, object]]], limits: Limits) -> Iterator[Outcome]:
    """`tests` are names with what the command is asked."""
    with ThreadPoolExecutor(limits.processes) as pool:
        yield from pool.map(lambda test: run_one(test[0], test[1], limits), tests)


def run_one(name: str, asked: dict[str, object], limits: Limits) -> Outcome:
    paths = [str(TOOLS), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in paths if path)}
    process = subprocess.Popen(
        limits.command or COMMAND,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        start_new_session=True,
    )
    try:
        said, complaints = process.communicate(json.dumps({**asked, "memory": limits.memory}), timeout=limits.seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return Outcome(name, "fail", "time limit", f"more than {limits.seconds} s")
    if process.returncode != 0:
        last = (complaints.strip().splitlines() or [f"exit code {process.returncode}"])[-1]
        reason = "memory limit" if last.startswith("MemoryError") else f"crash: {last.partition(':')[0]}"
        return Outcome(name, "fail", reason, complaints[-4000:])
    found = json.loads(said)
    return Outcome(name, found["status"], found["reason"], found["detail"])
