"""The memory that a command may take where no limit was given: a share of what the machine has free.

    with usual_memory():      half of it: a request for more raises MemoryError, which is RK0021 at the end of the block
        with lifted():        a program that is started here isn't bounded by it
            Popen(...)

The system keeps the limit (RLIMIT_AS), so that nothing is polled, and a request for too much at once is refused before
it takes anything. Only Linux does; elsewhere there is no limit unless one is given.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

SHARE = 0.5
"""Of what is free when the command starts."""
MIN_BYTES = 1 << 30
SPARE = 256 << 20
"""Bytes of addresses beyond the memory: what is reserved and never touched, as threads do."""
GROUP = "/sys/fs/cgroup/memory.max"
"""What a container may have."""

_LIFTED: list[tuple[int, int]] = []
"""The limits of addresses, soft and hard, from before `usual_memory`: one where it is in force."""


def free_memory() -> int:
    """Bytes that the machine, or the container, could give; 0 where that is not known."""
    try:
        with open("/proc/meminfo", "rb") as file:
            lines = [line.split() for line in file.read(4096).splitlines()]
        free = next((int(line[1]) << 10 for line in lines if line[0] == b"MemAvailable:"), 0)
    except (OSError, ValueError, IndexError):
        return 0
    try:
        with open(GROUP, "rb") as file:
            text = file.read(64).strip()
        if text.isdigit():
            free = min(free, int(text))
    except OSError:
        pass  # no such group, or another version of them
    return free


def usual_share(share: float = SHARE) -> int:
    """Bytes that a command may take; 0 where there is no limit."""
    free = free_memory() if sys.platform.startswith("linux") else 0
    return max(int(free * share), MIN_BYTES) if free else 0


@contextmanager
def usual_memory() -> Iterator[None]:
    """Raises LimitExceeded (RK0021)."""
    most = usual_share()
    if not most or _LIFTED:
        yield
        return
    import resource

    before = resource.getrlimit(resource.RLIMIT_AS)
    with open("/proc/self/statm", "rb") as file:
        addresses = int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    allowed = addresses + most + SPARE
    if before[0] != resource.RLIM_INFINITY and before[0] <= allowed:
        yield
        return
    resource.setrlimit(resource.RLIMIT_AS, (allowed, before[1]))
    _LIFTED.append(before)
    try:
        yield
    except MemoryError as error:
        _LIFTED.pop()
        resource.setrlimit(resource.RLIMIT_AS, before)
        from reknit.source.interrupt import Exceeded
        from reknit.source.limits import exceeded

        raise exceeded(Exceeded("memory", most).with_traceback(error.__traceback__)) from None
    finally:
        if _LIFTED:
            _LIFTED.pop()
            resource.setrlimit(resource.RLIMIT_AS, before)


@contextmanager
def lifted() -> Iterator[None]:
    """What is started within has the limits that this process had: another program may reserve as many addresses as it
    likes, as drivers and sanitizers do."""
    if not _LIFTED:
        yield
        return
    import resource

    now = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, _LIFTED[-1])
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, now)
