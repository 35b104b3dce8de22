"""Ctrl-C ends any command within a second, with what was done so far, or what was being done."""

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import reknit
from reknit.fuzzing.generate import generate
from reknit.fuzzing.to_module import module_of

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are sent as POSIX does")

SCRIPT = """
import signal, sys
from reknit.cli.main import main
from reknit.source.interrupt import LISTENERS
signal.signal(signal.SIGINT, signal.default_int_handler)  # a parent in the background has it ignored
words = ["running"]
LISTENERS.append(lambda: words and print(words.pop(), file=sys.stderr, flush=True))
sys.exit(main(sys.argv[1:]))
"""
SLANG = """RWStructuredBuffer<int> o;
[shader("compute")] [numthreads(SIZE, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {"""
ENDLESS = SLANG.replace("SIZE", "1") + " int n = 0; while (true) { n += 2; if (n == 1) break; } o[0] = n; }"
CHOICE = "switch ((id.x + N) & 1) { case 0: s += WaveActiveSum(1); default: s += WaveActiveSum(2); }\n"
CHOICES = "int s = 0; " + "".join([CHOICE.replace("N", str(number)) for number in range(12)]) + "o[id.x] = s; }"
MACROS = "".join([f"#define M{n + 1} M{n} M{n}\n" for n in range(19)]) + "#define M0 o[0] += 1;\n"
STRAIGHT = SLANG.replace("SIZE", "1") + " M14 }"

COMMANDS: dict[str, tuple[list[str], str]] = {
    "run": (["run", "endless.slang"], "interrupted while the program was run"),
    "trace": (["trace", "endless.slang", "--max-steps", "100000000"], "interrupted while the program was run"),
    "outcomes": (["outcomes", "choices.slang", "--limit", "1000000"], "interrupted while the program was run"),
    "fuzz": (["fuzz", "--count", "100000"], ""),
    "generate": (["generate", "out", "--count", "100000"], "interrupted while"),
    "compile": (["compile", "straight.slang", "-o", "out.spv"], "interrupted while"),
    "check": (["check", "large.spvasm"], "interrupted while"),
    "lint": (["lint", "large.spvasm"], "interrupted while"),
    "opt": (["opt", "large.spvasm", "-p", "inline,fold,cse,licm"], "interrupted while"),
    "show": (["show", "large.spvasm"], "interrupted while"),
    "prove": (["prove", "large.spvasm", "large.spvasm", "--runs"], "interrupted"),
}
QUICK = ("run", "outcomes")


def large() -> str:
    """A module of some thousand blocks, each function of a random program's."""
    module = module_of(generate(5, 3000))
    reknit.compile(module)
    return reknit.to_bytes(module, "spvasm").decode()


@pytest.mark.parametrize(
    "command", [pytest.param(name, marks=() if name in QUICK else pytest.mark.full) for name in COMMANDS]
)
def test_an_interrupt(command: str, tmp_path: Path) -> None:
    words, says = COMMANDS[command]
    (tmp_path / "endless.slang").write_text(ENDLESS)
    (tmp_path / "choices.slang").write_text(SLANG.replace("SIZE", "64") + CHOICES)
    (tmp_path / "straight.slang").write_text(MACROS + STRAIGHT)
    if "large.spvasm" in words:
        (tmp_path / "large.spvasm").write_text(large())
    before = set(os.listdir(tmp_path))
    environment = {**os.environ, "PYTHONPATH": str(Path(reknit.__file__).parent.parent), "PATH": ""}
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, *words],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
    )
    assert process.stderr is not None
    assert process.stderr.readline() == b"running\n"
    time.sleep(0.3)
    spent = seconds_of(process.pid)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=60)[1].decode()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert process.returncode == 130, said
    assert says in said and "Traceback" not in said
    more = after.ru_utime + after.ru_stime - used.ru_utime - used.ru_stime - spent
    assert more < 1, "of processor time: how long that takes is the machine's affair"
    assert {name for name in set(os.listdir(tmp_path)) - before if not name.startswith(("out", "reknit-fuzz"))} == set()


def seconds_of(process: int) -> float:
    """Processor time that a process has used."""
    if not sys.platform.startswith("linux"):
        return 0.3
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_what_was_found_so_far_is_shown(tmp_path: Path) -> None:
    """A search for outcomes that is stopped shows those that it found."""
    path = tmp_path / "choices.slang"
    path.write_text(SLANG.replace("SIZE", "8") + CHOICES)
    done = subprocess.run(
        [sys.executable, "-m", "reknit", "outcomes", str(path), "--limit", "1000000", "--max-nodes", "40000"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(reknit.__file__).parent.parent)},
    )
    assert done.returncode == 3
    assert "outcomes" in done.stdout.splitlines()[0] and "(stopped after " in done.stdout
    assert "error[RK0022]: the limit of 40000 nodes was exceeded while the program was run" in done.stderr
