"""Ctrl-C and SIGTERM end any command within a second, with what was done so far, or what was being done. No process
that it started goes on, and no file is half written."""

import os
import resource
import signal
import subprocess
import sys
import time
import uuid
from importlib.util import find_spec
from pathlib import Path

import pytest

import reknit
from reknit.cli.commands import COMMANDS
from reknit.fuzzing.generate import generate
from reknit.fuzzing.to_module import module_of

ROOT = Path(__file__).resolve().parents[3]
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are sent as POSIX does")

SCRIPT = """
import signal, sys
from reknit.cli.main import program
from reknit.source.interrupt import LISTENERS
signal.signal(signal.SIGINT, signal.default_int_handler)  # a parent in the background has it ignored
words = ["running"]
LISTENERS.append(lambda: words and print(words.pop(), file=sys.stderr, flush=True))
program()
"""
"""Says when it looks for the first time."""

COMPILING = """
import signal, sys, threading
import reknit.sim.jit.outside
from reknit.cli.main import program
from reknit.sim.jit.kernel import Kernel
signal.signal(signal.SIGINT, signal.default_int_handler)
Kernel.level = lambda kernel, many: 2
compiled = reknit.sim.jit.outside.compiled

def told(text, processor, level):
    print("running", file=sys.stderr, flush=True)
    return compiled(text, processor, level)

reknit.sim.jit.outside.compiled = told
program()
"""
"""Says when LLVM begins, which is given what takes it long: the level of small programs for a large one."""

EXECUTING = COMPILING.replace("Kernel.level = lambda kernel, many: 2", "").replace("def told", """
run = reknit.sim.jit.outside.Code.run

def running(*given):
    print("running", file=sys.stderr, flush=True)
    return run(*given)

reknit.sim.jit.outside.Code.run = running

def told""").replace('    print("running", file=sys.stderr, flush=True)\n    return compiled', "    return compiled")
"""Says when native code begins."""

WAITING = """
import signal, sys
from reknit.cli.main import program
signal.signal(signal.SIGINT, signal.default_int_handler)
print("running", file=sys.stderr, flush=True)
program()
"""
"""Says so before it begins: for what waits and doesn't look."""

SLANG = """RWStructuredBuffer<int> o;
[shader("compute")] [numthreads(SIZE, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {"""
ENDLESS = SLANG.replace("SIZE", "1") + " int n = 0; while (true) { n += 2; if (n == 1) break; } o[0] = n; }"
CHOICE = "switch ((id.x + N) & 1) { case 0: s += WaveActiveSum(1); default: s += WaveActiveSum(2); }\n"
CHOICES = "int s = 0; " + "".join([CHOICE.replace("N", str(number)) for number in range(12)]) + "o[id.x] = s; }"
MACROS = "".join([f"#define M{n + 1} M{n} M{n}\n" for n in range(19)]) + "#define M0 o[0] += 1;\n"
STRAIGHT = SLANG.replace("SIZE", "1") + " M14 }"

LOOPS = SLANG.replace("SIZE", "64") + "int a = 0;" + "".join([
    f"for (int i{at} = 0; i{at} < id.x; i{at}++) a += o[i{at}];\n" for at in range(200)
]) + "o[id.x] = a; }"  # fmt: skip
LONG = "1000000000000000"
SLEEPS = "if [ -e $TMPDIR/seen ]; then /bin/sleep 100; fi; : > $TMPDIR/seen"
"""Holds of the module that it's given first, and never answers about a smaller one."""

SLOW: dict[str, tuple[str, list[str], str]] = {
    "run": (SCRIPT, ["run", "endless.slang"], "while the program was run"),
    "run, LLVM compiles": (COMPILING, ["run", "loops.slang", "--engine", "jit"], "while the program was run"),
    "run, native code": (EXECUTING, ["run", "endless.slang", "--engine", "jit", "--max-steps", LONG], ""),
    "trace": (SCRIPT, ["trace", "endless.slang", "--max-steps", "100000000"], "while the program was run"),
    "outcomes": (SCRIPT, ["outcomes", "choices.slang", "--limit", "1000000"], "while the program was run"),
    "fuzz": (SCRIPT, ["fuzz", "--count", "100000"], ""),
    "generate": (SCRIPT, ["generate", "out", "--count", "100000"], "while"),
    "compile": (SCRIPT, ["compile", "straight.slang", "-o", "out.spv"], "while"),
    "structurize": (SCRIPT, ["structurize", "large.spvasm", "-o", "out.spv"], "while"),
    "check": (SCRIPT, ["check", "large.spvasm"], "while"),
    "check, spirv-val": (WAITING, ["check", "large.spvasm"], ""),
    "lint": (SCRIPT, ["lint", "large.spvasm"], "while"),
    "opt": (SCRIPT, ["opt", "large.spvasm", "-p", "inline,fold,cse,licm"], "while"),
    "show": (SCRIPT, ["show", "large.spvasm"], "while"),
    "prove": (SCRIPT, ["prove", "large.spvasm", "large.spvasm", "--runs"], ""),
    "reduce": (WAITING, ["reduce", "small.spvasm", "--if", SLEEPS, "-o", "out.spv"], ""),
    "batch": (WAITING, ["batch", "run", "endless.slang", "--max-steps", LONG, "-o", "out", "--quiet"], ""),
    "batch, native code": (
        WAITING, ["batch", "run", "endless.slang", "--engine", "jit", "--max-steps", LONG, "-o", "out"], "",
    ),
    "compare": (WAITING, ["compare", "endless.slang", "--seconds", "50"], ""),
    "doctor": (WAITING, ["doctor"], ""),
    "lsp": (WAITING, ["lsp", "--stdio"], ""),
}
"""By command: what tells when to send the signal, the command line, and a part of what is said of an interrupt."""

SHORT: dict[str, str] = {
    "devices": "asks the driver's process what there is, as `compare` does",
    "explain": "prints a page of its own",
    "trust": "reads and writes one small file",
    "completion": "prints a script of its own",
}
"""Commands for which there is no slow input, and why."""

SAMPLE = ("run", "run, LLVM compiles", "run, native code", "doctor")
TOOLS = {"check, spirv-val": "spirv-val", "doctor": "spirv-val"}
"""A program that never answers, which a command is given to find on PATH."""


def test_each_command_is_here() -> None:
    assert {name.partition(",")[0] for name in SLOW} | set(SHORT) == set(COMMANDS)


def large() -> str:
    """A module of some thousand blocks, each function of a random program's."""
    module = module_of(generate(5, 3000))
    reknit.compile(module)
    return reknit.to_bytes(module, "spvasm").decode()


def has_driver() -> bool:
    from reknit.source.diagnostic import InputError
    from reknit.vulkan.run import devices
    from reknit.vulkan.target import Target

    try:
        return bool(devices(Target("", "")))
    except InputError:
        return False


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["SIGINT", "SIGTERM"])
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in SAMPLE else pytest.mark.full) for name in SLOW]
)
def test_an_interrupt(name: str, number: int, tmp_path: Path) -> None:
    script, words, says = SLOW[name]
    if "jit" in words and find_spec("llvmlite") is None:
        pytest.skip("native code needs llvmlite")
    if name == "lsp" and find_spec("pygls") is None:
        pytest.skip("it needs pygls")
    if name == "compare" and not has_driver():
        pytest.skip("it needs a Vulkan driver")
    texts = {
        "endless.slang": ENDLESS,
        "loops.slang": LOOPS,
        "choices.slang": SLANG.replace("SIZE", "64") + CHOICES,
        "straight.slang": MACROS + STRAIGHT,
        "small.spvasm": reknit.to_bytes(reknit.load(ROOT / "examples" / "fallthrough.spvasm"), "spvasm").decode(),
    }
    work, tools = tmp_path / "work", tmp_path / "tools"
    work.mkdir()
    tools.mkdir()
    for file, text in texts.items():
        if file in words:
            (work / file).write_text(text)
    if "large.spvasm" in words:
        (work / "large.spvasm").write_text(large())
    if name in TOOLS:
        tool = tools / TOOLS[name]
        tool.write_text("#!/bin/sh\nexec /bin/sleep 100\n")
        tool.chmod(0o755)
    mark = uuid.uuid4().hex
    environment = {
        **os.environ, "PYTHONPATH": str(ROOT / "src"), "PATH": str(tools), "REKNIT_TEST": mark, "REKNIT_CACHE": "off",
        "XDG_CACHE_HOME": str(tmp_path / "cache"), "TMPDIR": str(tools),
    }  # fmt: skip
    process = subprocess.Popen(
        [sys.executable, "-c", script, *words], cwd=work, env=environment, stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    assert process.stderr is not None
    assert process.stderr.readline() == b"running\n"
    time.sleep(0.3 if script != WAITING else 3)
    assert process.poll() is None, process.communicate()
    spent = seconds_of(process.pid)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    process.send_signal(number)
    begun = time.monotonic()
    said = process.communicate(timeout=60)[1].decode()
    assert time.monotonic() - begun < 15, "it waited for something; a second, where the machine does nothing else"
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert process.returncode == (130 if number == signal.SIGINT else 143) or name == "lsp", said
    assert says in said and "Traceback" not in said
    if words[0] != "batch" and "jit" not in words:  # what another process has used counts once it ends
        more = after.ru_utime + after.ru_stime - used.ru_utime - used.ru_stime - spent
        assert more < 1, "of processor time: how long that takes is the machine's affair"
    assert left_of(mark) == []
    names = {str(path.relative_to(work)) for path in work.rglob("*")} - {*texts, "large.spvasm"}
    assert [each for each in names if not each.startswith(("out", "reknit-fuzz", ".reknit"))] == []
    assert [each for each in names if ".tmp" in each or (each == "out.spv" and name != "reduce")] == []
    if name == "reduce":
        assert reknit.load(work / "out.spv").functions, "the smallest so far, which is the whole here"


def left_of(mark: str) -> list[str]:
    """The processes that have a mark in their environment, once those that were ended have had a second for it."""
    if not sys.platform.startswith("linux"):
        return []
    for _ in range(30):
        found = []
        for place in Path("/proc").iterdir():
            try:
                if place.name.isdigit() and mark.encode() in (place / "environ").read_bytes():
                    found.append((place / "cmdline").read_bytes().decode(errors="replace")[-200:])
            except OSError:
                continue  # it has ended, or is another user's
        if not found:
            return []
        time.sleep(0.1)
    return found


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
