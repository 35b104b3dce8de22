"""The side of a process that answers another one's requests (`source/resident.py` is the other side).

    kind (a byte), length, bytes  ──▶  answer(kind, bytes)  ──▶  kind, length, bytes

It takes requests from standard input until that ends, or until the process that started it does.
"""

import os
import signal
import struct
import sys
import threading
import time
from collections.abc import Callable
from typing import BinaryIO, Final

HEAD: Final = struct.Struct("<cQ")
MEMORY: Final = 6 << 30
"""Bytes of address space: hundreds of times what the largest shaders take."""
_OFTEN: Final = 0.5
"""Seconds between two looks at whether the parent process is there."""


def serve(answer: Callable[[bytes, bytes], tuple[bytes, bytes]]) -> None:
    """Answers until there are no more requests."""
    given: BinaryIO = sys.stdin.buffer
    out: BinaryIO = sys.stdout.buffer
    while True:
        head = given.read(HEAD.size)
        if len(head) < HEAD.size:
            return
        kind, length = HEAD.unpack(head)
        status, reply = answer(kind, given.read(length))
        out.write(HEAD.pack(status, len(reply)))
        out.write(reply)
        out.flush()


def stand_alone(memory: int = MEMORY) -> None:
    """Bounds the memory, where the system can; leaves no core file; leaves Ctrl-C to the parent process, and ends with
    it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=[os.getppid()], daemon=True).start()
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    if soft == resource.RLIM_INFINITY or soft > memory:
        resource.setrlimit(resource.RLIMIT_AS, (memory, hard))


def _end_with(parent: int) -> None:
    """What is under way has no reader any more; standard input is not looked at meanwhile."""
    while os.getppid() == parent:
        time.sleep(_OFTEN)
    os._exit(1)
