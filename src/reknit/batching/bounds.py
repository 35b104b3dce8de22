"""What one input may take of a worker, kept by the process itself: processor time and, by `Limits`, memory and nodes.

    with bounded(Limits(seconds=60, memory=2 << 30)): ...
        processor time     SIGPROF ends the process wherever it is: the same input on a busy machine has as much
        the clock          SIGALRM, later than the parent does: a process that only waits ends where the parent is gone
        memory, nodes      LimitExceeded; where compiled code can't get out of its memory, the process ends

Systems without that signal have the parent's clock alone (`worker`).
"""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

from reknit.batching.job import AT_LEAST, clock_seconds
from reknit.source.limits import Limits


@contextmanager
def bounded(limits: Limits) -> Iterator[None]:
    """Nothing inside takes more. Raises LimitExceeded."""
    timed = limits.seconds is not None and hasattr(signal, "setitimer")
    by_clock = clock_seconds(limits)
    if timed:
        assert limits.seconds is not None and by_clock is not None
        signal.setitimer(signal.ITIMER_PROF, limits.seconds)
        signal.setitimer(signal.ITIMER_REAL, by_clock + AT_LEAST)
    others = Limits(memory=limits.memory, nodes=limits.nodes, sandbox=limits.sandbox, roots=limits.roots)
    try:
        with others.on_this_process():
            yield
    finally:
        if timed:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.setitimer(signal.ITIMER_REAL, 0)
