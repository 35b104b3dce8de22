"""The time that a process takes to answer counts as processor time of who asks; how a process ended is said."""

import pytest

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
