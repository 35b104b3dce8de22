"""The process that makes and runs native code: whatever happens to it, the interpreter's results are there, and a note
says what it was."""

import os
import signal
import time
from typing import Any

import pytest

pytest.importorskip("llvmlite", reason="native code needs llvmlite")

import reknit
from reknit.front.slang.compile import compile_slang
from reknit.sim.jit import outside
from reknit.sim.jit.outside import Code, resident
from reknit.source.resident import Resident, _Process

SOURCE = """RWStructuredBuffer<uint> o;
[shader("compute")] [numthreads(16, 1, 1)]
void main(uint3 t : SV_DispatchThreadID) { o[t.x] += t.x * 5; }
"""
BEFORE = [100 + at for at in range(16)]
AFTER = [100 + at + 5 * at for at in range(16)]
ENDLESS = """RWStructuredBuffer<uint> o;
[shader("compute")] [numthreads(16, 1, 1)]
void main(uint3 t : SV_DispatchThreadID) { uint n = 0; while (n != 1) n += 2; o[t.x] = n; }
"""

pytestmark = pytest.mark.usefixtures("nothing_kept")


@pytest.fixture
def nothing_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REKNIT_CACHE", "off")


def process() -> int:
    running = resident().process
    assert running is not None
    return running.running.pid


def is_there(number: int) -> bool:
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    return True


def notes_of(source: str = SOURCE) -> list[str]:
    """Of a run, whose results are right."""
    result = reknit.run(compile_slang(source, "kernel.slang"), engine="jit", buffers={"o": BEFORE})
    assert result.buffers["o"].words == AFTER
    assert [diagnostic.code for diagnostic in result.diagnostics] == ["RK1030"] * (result.engine != "jit")
    return [diagnostic.message for diagnostic in result.diagnostics]


def test_one_process_serves_all_runs() -> None:
    assert notes_of() == []
    first, starts = process(), resident().starts
    assert notes_of() == [] and (process(), resident().starts) == (first, starts)


@pytest.mark.parametrize("number", [signal.SIGABRT, signal.SIGSEGV, signal.SIGKILL, signal.SIGTERM])
@pytest.mark.parametrize("moment", ["while LLVM compiles", "when code is loaded", "while it runs"])
def test_a_process_that_ends(moment: str, number: signal.Signals, monkeypatch: pytest.MonkeyPatch) -> None:
    assert notes_of() == []
    owner, name = {
        "while LLVM compiles": (outside, "compiled"),
        "when code is loaded": (Code, "ready"),
        "while it runs": (Code, "run"),
    }[moment]
    whole, ask = getattr(owner, name), _Process.ask
    reached = False

    def at_that_moment(*given: Any) -> Any:
        nonlocal reached
        reached = True
        return whole(*given)

    def ended(asked: _Process, kind: bytes, data: bytes, seconds: float) -> tuple[bytes, bytes]:
        """After it was found to be there, before it gets the request."""
        if reached:
            os.kill(process(), signal.SIGSTOP)  # it answers nothing more
            os.kill(process(), number)
            os.kill(process(), signal.SIGCONT)
        return ask(asked, kind, data, seconds)

    monkeypatch.setattr(owner, name, at_that_moment)
    monkeypatch.setattr(_Process, "ask", ended)
    (note,) = notes_of()
    assert note == (
        "the interpreter ran entry point 'main': the process that compiles and runs native code failed: "
        f"it was killed by signal {int(number)} ({number.name})"
    )
    monkeypatch.undo()
    monkeypatch.setenv("REKNIT_CACHE", "off")
    assert notes_of() == []  # another one was started


def test_a_process_that_ends_while_it_is_idle() -> None:
    """Another one is started, and nothing is said."""
    assert notes_of() == []
    first = process()
    os.kill(first, signal.SIGKILL)
    os.waitid(os.P_PID, first, os.WEXITED | os.WNOWAIT)
    assert notes_of() == [] and process() != first


def test_compiling_that_takes_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    assert notes_of() == []
    monkeypatch.setattr(outside, "COMPILING", 0.0)
    (note,) = notes_of()
    assert note.endswith("failed: it took more than 0 seconds")


def test_a_process_without_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """64 MiB of addresses: Python starts, and LLVM isn't loaded."""
    code = "from reknit.sim.jit import compiler; compiler.MEMORY = 1 << 26; compiler.main()"
    short = Resident(code, (outside._shared_file(),))
    monkeypatch.setattr(outside, "resident", lambda: short)
    outside.host.cache_clear()
    try:
        (note,) = notes_of()
    finally:
        short.close()
    assert "llvmlite can't be imported" in note or "code failed" in note


def test_a_process_that_can_not_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    resident().close()

    def refused(*given: object, **named: object) -> None:
        raise OSError(11, "Resource temporarily unavailable")

    monkeypatch.setattr("subprocess.Popen", refused)
    (note,) = notes_of()
    assert note.endswith("failed: it can't be started: Resource temporarily unavailable")


def test_no_file_for_buffers(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused() -> int:
        raise OSError(24, "Too many open files")

    outside._resident.cache_clear()
    outside.host.cache_clear()
    monkeypatch.setattr(outside, "_shared_file", refused)
    refused.cache_clear = lambda: None  # type: ignore[attr-defined]
    (note,) = notes_of()
    assert note.endswith("failed: it can't be started: Too many open files")


@pytest.mark.parametrize("limits", [reknit.Limits(seconds=0.5), reknit.Limits(processor=0.5)])
def test_a_limit_ends_it(limits: reknit.Limits) -> None:
    """What it uses counts as the time of the one that asked, which waits for it."""
    module = compile_slang(ENDLESS, "kernel.slang")
    reknit.run(module, engine="jit", max_steps=100)
    before, start = process(), time.monotonic()
    with pytest.raises(reknit.LimitExceeded) as caught, limits:
        reknit.run(module, engine="jit", max_steps=1 << 60)
    assert caught.value.limit in repr(limits) and time.monotonic() - start < 20
    assert not is_there(before)


def test_an_early_start() -> None:
    """The process is there before it is asked."""
    from reknit.sim.engine import expect

    resident().close()
    expect("auto", (1, 1, 1))
    expect("interpreter", (1000, 1, 1))
    assert resident().process is None
    expect("auto", (4, 8, 1))  # 2,048 invocations of a usual workgroup
    assert is_there(process())
