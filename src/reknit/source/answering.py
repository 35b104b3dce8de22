"""The side of a process that answers another one's requests (`source/resident.py` is the other side).

    kind (a byte), length, memory, bytes  ──▶  answer(kind, bytes)  ──▶  kind, length, bytes

`memory` is how many bytes it may take for that; where it's 0, only the process's own limit holds. It takes requests
from standard input until that ends, or until the process that started it does.
"""

import os
import signal
import struct
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import BinaryIO, Final

ASKED: Final = struct.Struct("<cQQ")
ANSWERED: Final = struct.Struct("<cQ")
MEMORY: Final = 6 << 30
"""Bytes of address space: hundreds of times what the largest shaders take."""
SPARE: Final = 1 << 30
"""Bytes of addresses beyond the memory that a request is given: what threads reserve and don't touch."""
_SIGNAL_OF_PARENT: Final = 1
"""PR_SET_PDEATHSIG: a signal to be had when the parent process, or the thread of it that started this one, ends."""
_OFTEN: Final = 0.5
"""Seconds between two looks at whether the parent process is there."""


def serve(answer: Callable[[bytes, bytes], tuple[bytes, bytes]]) -> None:
    """Answers until there are no more requests."""
    given: BinaryIO = sys.stdin.buffer
    out: BinaryIO = sys.stdout.buffer
    while True:
        head = given.read(ASKED.size)
        if len(head) < ASKED.size:
            return
        kind, length, memory = ASKED.unpack(head)
        with _bounded(memory):
            status, reply = answer(kind, given.read(length))
        out.write(ANSWERED.pack(status, len(reply)))
        out.write(reply)
        out.flush()


def stand_alone(memory: int = MEMORY) -> None:
    """Bounds the memory, where the system can; leaves no core file; leaves Ctrl-C to the parent process, and ends with
    it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _go_on_at_its_end()
    threading.Thread(target=_end_with, args=[os.getppid()], daemon=True).start()
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    if soft == resource.RLIM_INFINITY or soft > memory:
        resource.setrlimit(resource.RLIMIT_AS, (memory, hard))


@contextmanager
def _bounded(memory: int) -> Iterator[None]:
    if not memory or not sys.platform.startswith("linux"):
        yield
        return
    import resource

    before = resource.getrlimit(resource.RLIMIT_AS)
    with open("/proc/self/statm", "rb") as file:
        addresses = int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    allowed = addresses + memory + SPARE
    resource.setrlimit(resource.RLIMIT_AS, (min(allowed, before[0]) if before[0] > 0 else allowed, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def _go_on_at_its_end() -> None:
    """Where this process is stopped when its parent ends, it has to go on to see that."""
    if sys.platform.startswith("linux"):
        import ctypes

        ctypes.CDLL(None).prctl(_SIGNAL_OF_PARENT, int(signal.SIGCONT), 0, 0, 0)


def _end_with(parent: int) -> None:
    """What is under way has no reader any more; standard input is not looked at meanwhile."""
    while os.getppid() == parent:
        time.sleep(_OFTEN)
    os._exit(1)
