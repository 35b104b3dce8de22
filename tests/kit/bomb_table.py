"""The table of limits: every bomb of kit.bombs with the usual limits, one after another.

    python -m kit.bomb_table > limits.md
    python -m kit.bomb_table --only "outcomes" --only "2^26"

A row has the command, what came of it, processor seconds and the largest memory of the process, and of those that it
started. The exit code is 1 where a bomb needs more than 10 seconds or 1 GB, or ends in anything but a verdict or a
diagnostic.
"""

import argparse
import os
import re
import resource
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import reknit
from kit.bombs import BOMBS, Bomb

SECONDS: Final = 10.0
MEGABYTES: Final = 1000.0
GIVE_UP: Final = 60
"""Processor seconds after which a bomb is ended."""
SCRIPT: Final = "import sys; from reknit.cli.main import main; sys.exit(main(sys.argv[1:]))"
_CODE: Final = re.compile(r"\b(?:error|warning|note)\[(RK\d{4})\]|\b(RK0010)\b")


class Row(NamedTuple):
    name: str
    command: str
    outcome: str
    seconds: float
    megabytes: float
    is_fault: bool

    @property
    def is_inside(self) -> bool:
        return not self.is_fault and self.seconds <= SECONDS and self.megabytes <= MEGABYTES


def words_of(bomb: Bomb, more: tuple[str, ...] = ()) -> list[str]:
    """The words of the command, with the file in its place."""
    words = [*bomb.command, *more]
    if bomb.at <= len(words):
        words.insert(bomb.at, bomb.name)
    return words


def detonate(name: str, bomb: Bomb, folder: Path, more: tuple[str, ...] = ()) -> Row:
    """One run of a bomb in a folder of its own."""
    for file, data in {bomb.name: bomb.data, **bomb.files}.items():
        (folder / file).write_bytes(data)
    words = words_of(bomb, more)
    said, out = folder / ".said", folder / ".out"
    child = os.fork()
    if not child:
        _become(words, folder, said, out)
    timer = threading.Timer(4 * GIVE_UP, os.kill, (child, 9))
    timer.start()
    _, status, usage = os.wait4(child, 0)
    timer.cancel()
    text = said.read_text(errors="replace") + out.read_text(errors="replace")[:4000]
    code = os.waitstatus_to_exitcode(status)
    is_fault = code not in bomb.codes or "Traceback" in text or "RK0009" in text
    command = " ".join([word[:40] for word in words])
    seconds, megabytes = usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1000
    return Row(name, command, _outcome(code, text), seconds, megabytes, is_fault)


def _become(words: list[str], folder: Path, said: Path, out: Path) -> None:
    """Of the child: the command, in place of this program."""
    try:
        os.chdir(folder)
        for number, path in ((0, os.devnull), (1, out), (2, said)):
            flags = os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT | os.O_TRUNC
            os.dup2(os.open(path, flags, 0o600), number)
        resource.setrlimit(resource.RLIMIT_CPU, (GIVE_UP, GIVE_UP + 1))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        environment = {"PYTHONPATH": str(Path(reknit.__file__).parent.parent), "PATH": "", "HOME": str(folder)}
        os.execve(sys.executable, [sys.executable, "-c", SCRIPT, *words], environment)
    finally:
        os._exit(127)


def _outcome(code: int, text: str) -> str:
    codes = list(dict.fromkeys([first or second for first, second in _CODE.findall(text)]))
    if code < 0:
        return f"ended by signal {-code}"
    return f"exit {code}" + (": " + ", ".join(codes[:3]) if codes else "")


def rows(names: list[str], more: tuple[str, ...]) -> Iterator[Row]:
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            yield detonate(name, BOMBS[name], Path(folder), more)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--only", action="append", default=[], metavar="TEXT", help="bombs whose name has this text")
    options.add_argument("more", nargs="*", help="options for every command, after --")
    given = options.parse_args()
    names = [name for name in BOMBS if not given.only or any(text in name for text in given.only)]
    print("| bomb | command | outcome | seconds | MB |\n|---|---|---|---|---|")
    inside = 0
    for row in rows(names, tuple(given.more)):
        inside += row.is_inside
        mark = "" if row.is_inside else " **over**"
        used = f"{row.seconds:.1f} | {row.megabytes:.0f}"
        print(f"| {row.name} | `{row.command}` | {row.outcome}{mark} | {used} |", flush=True)
    print(f"\n{inside} of {len(names)} within {SECONDS:.0f} s of processor time and {MEGABYTES:.0f} MB")
    return 0 if inside == len(names) else 1


if __name__ == "__main__":
    sys.exit(main())
