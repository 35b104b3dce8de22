"""What ends a worker that takes more than one input may, where nothing in it would: the system does.

    with bounded(Bounds(seconds=60, memory=1 << 30)): ...
        processor time beyond it     SIGPROF, which ends the process wherever it is
        memory beyond it             MemoryError; where compiled code can't raise that, the process ends

Systems without these limits have the parent's clock alone (`worker`).
"""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from reknit.batching.job import Bounds

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

_STATM: Final = "/proc/self/statm"
_DATA: Final = 5  # of statm: pages of data and stack
PAGE: Final = 4096 if resource is None else resource.getpagesize()


def data_bytes() -> int:
    """The memory that the process may write to, by itself alone; 0 where the system doesn't say it."""
    try:
        with open(_STATM, encoding="ascii") as file:
            return int(file.read().split()[_DATA]) * PAGE
    except (OSError, ValueError, IndexError):
        return 0


def most_memory() -> int:
    """The most memory that the process has had, in bytes."""
    if resource is None:
        return 0
    import sys

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


@contextmanager
def bounded(bounds: Bounds) -> Iterator[None]:
    """Nothing inside takes more."""
    before = None
    if bounds.memory and resource is not None:
        before = resource.getrlimit(resource.RLIMIT_DATA)
        most = data_bytes() + bounds.memory
        if before[1] != resource.RLIM_INFINITY:
            most = min(most, before[1])
        resource.setrlimit(resource.RLIMIT_DATA, (most, before[1]))
    if bounds.seconds and hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, bounds.seconds)
    try:
        yield
    finally:
        if bounds.seconds and hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_PROF, 0)
        if before is not None:
            resource.setrlimit(resource.RLIMIT_DATA, before)
