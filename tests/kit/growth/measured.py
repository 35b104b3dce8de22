"""The exponent of a command's work on a shape, from three sizes, and the functions that make it.

    work(n / 4)   work(n)   work(4 n)          exponent = log4 (work(4n) - work(n)) / (work(n) - work(n / 4))

The differences leave out what a command does whatever its input's size is. Each size is one process, forked from one in
which all commands have run once, so that the counts don't depend on what was measured before.
"""

import json
import math
import os
import re
import resource
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

from kit.growth import counted
from kit.growth.commands import COMMANDS
from kit.growth.shapes import BETWEEN_FILES, SHAPES

STEP: Final = 4
ROOT: Final = Path(__file__).resolve().parents[3]


class Run(NamedTuple):
    code: int
    units: dict[str, int]
    written: int
    """Bytes of output, in files and on the terminal."""
    seconds: float

    def total(self) -> int:
        return sum(self.units.values())


class Growth(NamedTuple):
    command: str
    form: str
    shape: str
    size: int
    runs: tuple[Run, Run, Run]

    @property
    def exponent(self) -> float:
        return power(*[run.total() for run in self.runs])

    @property
    def of_output(self) -> float:
        return power(*[run.written for run in self.runs])

    @property
    def of_seconds(self) -> float:
        return power(*[int(run.seconds * 1e6) for run in self.runs])

    def culprits(self, most: int = 4) -> list[str]:
        """The functions whose work beyond linear growth is largest."""
        small, middle, large = (run.units for run in self.runs)
        beyond: list[tuple[int, str]] = []
        for name, count in large.items():
            before = middle.get(name, 0)
            expected = before + STEP * max(before - small.get(name, 0), 0)
            if count - expected > 0:
                beyond.append((count - expected, name))
        beyond.sort(reverse=True)
        whole = max(self.runs[2].total(), 1)
        return [
            f"{name} {power(*[run.units.get(name, 0) for run in self.runs]):.2f}, {over * 100 // whole} %"
            for over, name in beyond[:most]
            if over * 50 > whole
        ]


def power(small: int, middle: int, large: int) -> float:
    """The differences' exponent; that of the whole where an input stops to be worked on beyond a size."""
    before, after = middle - small, large - middle
    if after <= 0:
        return 0.0
    return math.log(after / before, STEP) if before > 0 else math.log(large / max(middle, 1), STEP)


def prepare(folder: Path, kept: Path | None) -> Callable[[list[str]], int]:
    """Make reknit's counted modules ready; gives the command's `main`."""
    counted.start(kept)
    from reknit.cli.main import main

    os.chdir(folder)
    os.environ["PATH"] = ""
    return main


def warm(main: Callable[[list[str]], int], commands: list[str], name: str) -> None:
    """Run each command here, so that what it imports is imported before processes are forked."""
    shown, errors = sys.stdout, sys.stderr
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        sys.stdout = sys.stderr = nowhere
        try:
            for command in commands:
                if COMMANDS[command][-1] != "<IN":
                    main([*words(command, name, f"other-{name}", "out"), "--no-config"])
        finally:
            sys.stdout, sys.stderr = shown, errors


def words(command: str, name: str, other: str, out: str) -> list[str]:
    """Of the command on a file; the last one is <NAME where an editor speaks to it."""
    size = name.partition(".")[0].removeprefix("in")
    meant = {"IN": name, "IN2": other, "COUNT": size, "<IN": f"<{name}"}
    return [meant.get(word, word.replace("OUT", out)) for word in COMMANDS[command]]


def session(path: Path) -> bytes:
    """What an editor says that opens a file, asks for what it shows of it, and ends."""
    text = path.read_text()
    document = {"uri": path.resolve().as_uri()}
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": text.count("\n"), "character": 0}}
    last = {"line": text.count("\n") - 2, "character": 2}
    said: list[tuple[str, Any]] = [
        ("initialize", {"processId": None, "rootUri": None, "capabilities": {}}),
        ("initialized", {}),
        ("textDocument/didOpen", {"textDocument": {**document, "languageId": "", "version": 1, "text": text}}),
        ("textDocument/documentSymbol", {"textDocument": document}),
        ("textDocument/semanticTokens/full", {"textDocument": document}),
        ("textDocument/hover", {"textDocument": document, "position": last}),
        ("textDocument/definition", {"textDocument": document, "position": last}),
        ("textDocument/codeAction", {"textDocument": document, "range": whole, "context": {"diagnostics": []}}),
        ("shutdown", None),
        ("exit", None),
    ]
    frames: list[bytes] = []
    for number, (method, params) in enumerate(said):
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        if method not in ("initialized", "textDocument/didOpen", "exit"):
            message["id"] = number
        body = json.dumps(message).encode()
        frames.append(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    return b"".join(frames)


def run(main: Callable[[list[str]], int], given: list[str], folder: Path, seconds: int = 600) -> Run | None:
    """In a process of its own; None where it took too long."""
    read, write = os.pipe()
    spoken = session(folder / given[-1][1:]) if given[-1].startswith("<") else b""
    given = given[:-1] if spoken else given
    output = folder / "output"
    for left in folder.glob("out*"):
        if left.is_dir():
            for file in left.iterdir():
                file.unlink()
            left.rmdir()
        else:
            left.unlink()
    pid = os.fork()
    if pid == 0:
        try:
            os.close(read)
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
            (folder / "spoken").write_bytes(spoken)
            os.dup2(os.open(folder / "spoken", os.O_RDONLY), 0)
            into = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(into, 1)
            os.dup2(into, 2)
            sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
            sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
            before = counted.by_function()
            code = main([*given, "--no-config"])
            sys.stdout.flush()
            units = {name: count - before.get(name, 0) for name, count in counted.by_function().items()}
            with open(write, "w") as pipe:
                json.dump([code, {name: count for name, count in units.items() if count}], pipe)
        finally:
            os._exit(0)
    os.close(write)
    with open(read) as pipe:
        told = pipe.read()
    _, _, usage = os.wait4(pid, 0)
    if not told:
        return None
    code, units = json.loads(told)
    written = output.stat().st_size
    for left in folder.glob("out*"):
        if left != output:
            written += sum(file.stat().st_size for file in left.iterdir()) if left.is_dir() else left.stat().st_size
    return Run(code, units, written, usage.ru_utime + usage.ru_stime)


def source(form: str, shape: str, size: int) -> str:
    return SHAPES["spvasm" if form in ("spv", "rk") else form][shape](size)


def file(main: Callable[[list[str]], int], form: str, shape: str, size: int, folder: Path) -> str:
    """A shape as a file of the form; .spv and .rk are made of the assembly."""
    name = f"in{size}.{form}"
    if form == "folder":
        (folder / name).mkdir()
        for number, text in enumerate(source(form, shape, size).split(BETWEEN_FILES)):
            (folder / name / f"{number}.spvasm").write_text(text)
    elif form in ("spv", "rk"):
        (folder / f"as{size}.spvasm").write_text(source(form, shape, size))
        done = run(main, ["opt", f"as{size}.spvasm", "--no-check", "-o", name], folder)
        assert done is not None and done.code == 0, (folder / "output").read_text()
    else:
        (folder / name).write_text(source(form, shape, size))
    return name


def another(name: str, folder: Path) -> str:
    """The same with the operands of a sum exchanged, where there is one, for commands that compare."""
    path = folder / name
    if path.is_dir():
        return name
    other = f"other-{name}"
    (folder / other).write_bytes(re.sub(rb"(IAdd %u32) (%\w+) (%\w+)", rb"\1 \3 \2", path.read_bytes(), count=1))
    return other


def growth(
    main: Callable[[list[str]], int], command: str, form: str, shape: str, size: int, folder: Path, seconds: int = 600
) -> Growth | None:
    runs: list[Run] = []
    for count in (size // STEP, size, size * STEP):
        name = f"in{count}.{form}"
        done = run(main, words(command, name, f"other-{name}", "out"), folder, seconds)
        if done is None:
            return None
        runs.append(done)
    return Growth(command, form, shape, size, (runs[0], runs[1], runs[2]))


def files(main: Callable[[list[str]], int], form: str, shape: str, size: int, folder: Path) -> None:
    for count in (size // STEP, size, size * STEP):
        another(file(main, form, shape, count, folder), folder)
