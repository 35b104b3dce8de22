"""A process that answers: whose answers they are, what its time counts as, and how it ends."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from reknit.source.answering import ASKED
from reknit.source.child import python_running
from reknit.source.limits import LimitExceeded, Limits
from reknit.source.resident import Died, Resident

BUSY = """
from time import process_time
from reknit.source.answering import serve

def answer(kind, data):
    end = process_time() + float(data)
    while process_time() < end:
        pass
    return b"k", data

serve(answer)
"""


def test_its_processor_time_counts() -> None:
    busy = Resident(BUSY)
    with pytest.raises(LimitExceeded) as raised, Limits(processor=0.5):
        for _ in range(100):
            assert busy.ask(b"x", b"0.05") == (b"k", b"0.05")
    assert raised.value.limit == "processor"
    with pytest.raises((LimitExceeded, Died)), Limits(processor=0.5):
        busy.ask(b"x", b"60")  # it is ended meanwhile
    assert busy.ask(b"x", b"0") == (b"k", b"0") and busy.starts > 1
    busy.close()


@pytest.mark.parametrize(
    ("end", "said"),
    [
        ("os.kill(os.getpid(), 11)", r"^it was killed by signal 11 \(SIGSEGV\)$"),
        ("os._exit(3)", "^it exited with code 3$"),
        ("print('LLVM ERROR: no such register', file=sys.stderr, flush=True); os.abort()", "^no such register$"),
    ],
)
def test_how_it_ended(end: str, said: str) -> None:
    dying = Resident(f"import os, sys\nsys.stdin.buffer.read(1)\n{end}")
    with pytest.raises(Died, match=said):
        dying.ask(b"x", b"")


SAYING = """
from reknit.source.answering import serve

serve(lambda kind, data: (b"k", kind + data))
"""
WAITING = """
import time
from reknit.source.answering import serve, stand_alone

def answer(kind, data):
    if kind == b"w":
        time.sleep(600)
    return b"k", kind + data

stand_alone()
serve(answer)
"""


def test_an_answer_is_to_what_was_asked() -> None:
    """A second interrupt, while the first one ends the process, may leave it there with a request under way: its answer
    must not be taken for that of the next."""
    resident = Resident(SAYING)
    assert resident.ask(b"a", b"1") == (b"k", b"a1")
    first = resident.process
    assert first is not None and first.running.stdin is not None
    resident.asked = True  # as an interrupted `ask` leaves it
    first.running.stdin.write(ASKED.pack(b"b", 1, 0) + b"2")
    first.running.stdin.flush()
    assert resident.ask(b"c", b"3") == (b"k", b"c3")
    assert resident.starts == 2 and first.running.poll() is not None
    resident.close()


def test_one_that_ended_between_requests_is_started_anew() -> None:
    resident = Resident(SAYING)
    assert resident.ask(b"a", b"1") == (b"k", b"a1")
    assert resident.process is not None
    resident.process.running.kill()
    resident.process.running.wait()
    assert resident.ask(b"b", b"2") == (b"k", b"b2")
    assert resident.starts == 2
    resident.close()


def test_no_thread_to_watch_it(monkeypatch: pytest.MonkeyPatch) -> None:
    resident = Resident(SAYING)
    resident.start()

    def refuse(timer: threading.Timer) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patched:
        patched.setattr(threading.Timer, "start", refuse)
        with pytest.raises(Died, match="can't start new thread"):
            resident.ask(b"a", b"1")
    assert resident.ask(b"b", b"2") == (b"k", b"b2")
    resident.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_forked_while_a_thread_asks() -> None:
    """The thread that holds the lock is not there in the new process."""
    resident = Resident(WAITING)
    resident.start()
    asked = threading.Event()

    def hold() -> None:
        with resident.lock():
            asked.set()
            released.wait(60)

    released = threading.Event()
    thread = threading.Thread(target=hold)
    thread.start()
    asked.wait(60)
    child = os.fork()
    if child == 0:
        signal.alarm(30)
        code = 1
        try:
            code = 0 if resident.ask(b"b", b"2") == (b"k", b"b2") else 2
            resident.close()
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0
    released.set()
    thread.join()
    resident.close()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux tells a child of its parent's end")
def test_stopped_when_its_parent_ends() -> None:
    """It ends nevertheless, and isn't left behind."""
    code = f"""
import os, signal
from reknit.source.resident import Resident
resident = Resident({WAITING!r})
resident.ask(b"a", b"1")
os.kill(resident.process.running.pid, signal.SIGSTOP)
print(resident.process.running.pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
    parent = subprocess.run(python_running(code), stdout=subprocess.PIPE, timeout=60)
    assert parent.returncode == -signal.SIGKILL
    pid = int(parent.stdout)
    end = time.monotonic() + 20
    try:
        while _runs(pid):
            assert time.monotonic() < end
            time.sleep(0.05)
    finally:
        if _runs(pid):
            os.kill(pid, signal.SIGKILL)


def _runs(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rsplit(b")", 1)[1].split()[0] not in (b"Z", b"X")
    except OSError:
        return False
