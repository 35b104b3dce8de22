"""Limits: what exceeds one is an InputError that says which and what was being done, whoever handles faults inside."""

import pickle
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

import reknit
from reknit.cli.main import main
from reknit.source.diagnostic import InputError
from reknit.source.interrupt import RUNNING, look, sandboxes, seconds_left
from reknit.source.limits import LimitExceeded, Limits
from reknit.source.meter import spend

ENDLESS = """RWStructuredBuffer<int> o;
[shader("compute")] [numthreads(1, 1, 1)]
void main() { int n = 0; while (true) { n += 2; if (n == 1) break; } o[0] = n; }
"""


def endless(units: int = 1, step: Callable[[], object] = bool) -> None:
    while True:
        step()
        try:
            spend(units)
        except InputError:  # as much in reknit does of what it only tries
            continue


@pytest.mark.parametrize(
    ("limits", "code", "limit"),
    [
        (Limits(seconds=0.01), "RK0020", "seconds"),
        (Limits(memory=1), "RK0021", "memory"),
        (Limits(nodes=10_000), "RK0022", "nodes"),
    ],
)
def test_what_exceeds_a_limit(limits: Limits, code: str, limit: str) -> None:
    kept: list[bytes] = []
    for _ in range(2):  # the same object, with a fresh clock
        with pytest.raises(LimitExceeded) as raised, limits:
            endless(4096, lambda: kept.append(bytes(range(256)) * 4000))  # 1 MB, for the system may take other pages
        assert raised.value.diagnostics[0].code == code
        assert raised.value.limit == limit
        assert isinstance(raised.value, InputError)
        assert RUNNING.get() is None
    spend(1 << 20)  # nothing is limited any more


def test_nodes_are_counted_from_the_beginning() -> None:
    """By hand: a look comes with each 1024th unit, and 5 * 1024 units are more than 5000 where 4 * 1024 are not."""

    def count() -> int:
        units = 0
        with pytest.raises(LimitExceeded), Limits(nodes=5000):
            while True:
                spend(1)
                units += 1
        return units

    spend(1234)
    assert [count(), count()] == [5119, 5119]


def test_limits_within_limits() -> None:
    with pytest.raises(LimitExceeded) as raised, Limits(seconds=60), Limits(nodes=5000, seconds=100):
        assert 59 < seconds_left(100) <= 60
        endless()
    assert raised.value.limit == "nodes"


def test_another_thread_is_not_limited() -> None:
    seen: list[object] = []

    def work() -> None:
        look()
        seen.append(sandboxes())

    with Limits(nodes=1, sandbox=True):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        assert len(sandboxes()) == 1
    assert seen == [[]]


def test_a_verb_raises_an_input_error_inside(tmp_path: Path) -> None:
    module = reknit.load(ENDLESS.encode(), format="slang")
    with Limits(nodes=50_000):
        with pytest.raises(LimitExceeded) as raised:
            reknit.run(module)
        assert raised.value.diagnostics[0].message == (
            "the limit of 50000 nodes was exceeded while the program was run"
        )
        with pytest.raises(LimitExceeded):  # it stays exceeded
            reknit.run(module)


def test_limits_are_values() -> None:
    limits = Limits(seconds=2.5, memory=1 << 20, sandbox=True, roots=["a"])
    again = pickle.loads(pickle.dumps(limits))
    assert again == limits and hash(again) == hash(limits) and again != Limits(seconds=2.5)
    assert repr(limits) == "Limits(seconds=2.5, memory=1048576, sandbox=True, roots=('a',))"
    fault = pickle.loads(pickle.dumps(LimitExceeded("nodes", 3, [reknit.Diagnostic("RK0022", "x")])))
    assert (fault.limit, fault.allowed, fault.diagnostics[0].code) == ("nodes", 3, "RK0022")
    for wrong in (0, -1, "5", float("nan")):
        with pytest.raises(InputError, match="RK0010"):
            Limits(seconds=wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("options", "code", "exit"),
    [
        (["--max-seconds", "1"], "RK0020", 3),
        (["--max-nodes", "100000"], "RK0022", 3),
        (["--max-memory", "1.5G"], "RK0010", 2),
        (["--max-memory", "99999999T"], "RK0010", 2),
        (["--max-nodes", "99999999999999999999999"], "RK0010", 2),
        (["--max-seconds", "0"], "RK0010", 2),
        (["--max-nodes", "0"], "RK0010", 2),
        (["--root", "."], "RK0010", 2),
    ],
)
def test_on_the_command_line(
    options: list[str], code: str, exit: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "endless.slang"
    path.write_text(ENDLESS)
    assert main(["run", str(path), *options]) == exit
    assert f"error[{code}]: " in capsys.readouterr().err


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only there does the system keep the limit")
def test_a_module_of_python_that_finds_no_memory_is_a_limit() -> None:
    """The message is that of glibc's loader."""
    with pytest.raises(LimitExceeded) as raised, Limits(memory=1 << 30).on_this_process():
        raise ImportError("math.cpython-311-x86_64-linux-gnu.so: failed to map segment from shared object")
    assert raised.value.diagnostics[0].code == "RK0021"
    with pytest.raises(ImportError, match="no module"), Limits(memory=1 << 30).on_this_process():
        raise ImportError("no module named x")


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no such timers")
def test_a_signal_that_comes_late_ends_nothing() -> None:
    """It may come while the block that it would have ended is left, for this limit or for another reason: what is
    outside of the block has no such limit."""
    before = signal.getsignal(signal.SIGALRM)
    with Limits(seconds=600).on_this_process():
        late = signal.getsignal(signal.SIGALRM)
        assert callable(late) and signal.getitimer(signal.ITIMER_REAL)[0] > 0
        with pytest.raises(BaseException, match="seconds: more than 600"):
            late(signal.SIGALRM, None)
    late(signal.SIGALRM, None)
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0 and signal.getsignal(signal.SIGALRM) == before
