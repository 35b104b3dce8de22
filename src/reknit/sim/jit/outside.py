"""Native code in a process of its own (`compiler`), which is started once, and again only if it has died.

    host()                     the processor of this machine
    Code(text, processor, 0)   compiled there, or found on disk (`cache`), and loaded there
    memory(sizes)              memory for the buffers, which both processes have mapped: nothing is sent
    code.run(...)              workgroups of a dispatch, on these buffers

RuntimeError: LLVM refuses the text; Died: the process crashed, or took too long. An
interrupt of this process while the other works kills the other within a second.
"""

import json
import mmap
import os
import tempfile
import threading
from contextlib import suppress
from dataclasses import asdict, astuple
from functools import cache
from typing import Final

from reknit.sim.jit import cache as kept
from reknit.sim.jit.compiler import COMPILE, EXECUTE, HOST, LOAD, REFUSED, TIME
from reknit.sim.jit.kernel import FAULT
from reknit.sim.jit.processor import Processor
from reknit.source.resident import Died, Resident

COMPILING: Final = 10.0
"""Seconds that LLVM may take for a program; the interpreter runs what takes longer."""
RUNNING: Final = 3600.0 * 24 * 365
"""Of a part of a dispatch: what the limits in force leave."""
ALIGNED: Final = 64


def lock() -> threading.RLock:
    """Held for a dispatch: there is one memory, and one process. One that forks has its own."""
    return _lock(os.getpid())


@cache
def _lock(owner: int) -> threading.RLock:
    return threading.RLock()


@cache
def _shared_file() -> int:
    """A file without a name, empty; in memory where the system can."""
    if hasattr(os, "memfd_create"):
        return os.memfd_create("reknit")
    file = tempfile.TemporaryFile()  # noqa: SIM115 - open for the process's life
    _FILES.append(file)
    return file.fileno()


_FILES: Final[list[object]] = []


@cache
def _resident(owner: int) -> Resident:
    """Of a process: one that forks has its own, and a memory of its own."""
    _shared_file.cache_clear()
    return Resident("from reknit.sim.jit.compiler import main; main()", (_shared_file(),))


def resident() -> Resident:
    """Raises Died where there can't be one."""
    try:
        return _resident(os.getpid())
    except OSError as error:
        raise Died(f"it can't be started: {error.strerror or error}") from None


def start() -> None:
    """It will be asked. What may be wrong is said then."""
    with suppress(Died, OSError):
        resident().start()


@cache
def host() -> Processor:
    """Raises Died, OSError, RuntimeError."""
    return Processor(**json.loads(_asked(HOST, b"", COMPILING)))


def processor_time() -> float:
    """Seconds that the other process has used. Raises Died."""
    return float(_asked(TIME, b"", COMPILING))


def _asked(kind: bytes, data: bytes, seconds: float) -> bytes:
    status, answer = resident().ask(kind, data, seconds)
    if status == REFUSED:
        raise RuntimeError(answer.decode())
    return answer


def object_of(text: str, processor: Processor, level: int) -> bytes:
    """By `level`. Raises Died, RuntimeError."""
    key = kept.key_of(*astuple(processor), str(level), text)
    code = kept.find(key)
    if code is None:
        code = compiled(text, processor, level)
        kept.keep(key, code)
    return code


def compiled(text: str, processor: Processor, level: int) -> bytes:
    return _asked(COMPILE, json.dumps([level, asdict(processor)]).encode() + b"\n" + text.encode(), COMPILING)


def memory(sizes: list[int]) -> tuple[mmap.mmap, list[int]]:
    """Mapped memory of so many bytes each, and where each begins. Raises OSError where there is not so much."""
    starts: list[int] = []
    end = 0
    for size in sizes:
        starts.append(end)
        end += -(-size // ALIGNED) * ALIGNED
    resident()
    file = _shared_file()
    os.ftruncate(file, 0)  # what the last dispatch left is let go, and zeros come anew
    os.ftruncate(file, max(end, ALIGNED))
    return mmap.mmap(file, max(end, ALIGNED)), starts


class Code:
    """Machine code of a kernel, for as long as the process that holds it lives; it is loaded anew after that."""

    def __init__(self, text: str, processor: Processor, level: int) -> None:
        self.asked = json.dumps(asdict(processor)).encode() + b"\n" + object_of(text, processor, level)
        self.starts = self.owner = self.number = 0
        self.ready()

    def ready(self) -> None:
        """Raises Died, RuntimeError."""
        process = resident()
        process.start()
        if self.starts != process.starts or self.owner != os.getpid():
            self.number = int(_asked(LOAD, self.asked, COMPILING))
            self.starts = process.starts
            self.owner = os.getpid()

    def run(self, low: int, high: int, step: int, context: list[int], places: list[int], large: bool) -> int:
        """Workgroups low .. high - 1, `step` of them a thread. `context` is the kernel's, where at `places` it says how
        far into the memory. The workgroup of the first fault, from 1, or 0. Raises Died."""
        asked = {"code": self.number, "low": low, "high": high, "step": step, "large": large, "fault": FAULT}
        return int(_asked(EXECUTE, json.dumps({**asked, "context": context, "places": places}).encode(), RUNNING))
