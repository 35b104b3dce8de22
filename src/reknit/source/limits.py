"""What a computation may use, and reach outside of itself: for untrusted inputs.

    with Limits(seconds=10, memory=1 << 30, sandbox=True):       an InputError (RK0020, RK0021, RK0022) where one is
        module = load("upload.slang")                            exceeded, that says which and what was being done

    seconds   of the clock            polled at each look (`source/interrupt.py`), so exceeded by some milliseconds
    processor seconds of the thread's processor time, polled as well
    memory    bytes that the process may grow by
    nodes     tokens, instructions, blocks and steps that are gone through: the same on every machine
    sandbox   files: regular ones alone; included ones: below the folder of the input or one of `roots`, wherever
              symbolic links lead; no outside programs (RK0023)

Limits hold for the thread or task that set them. Those within others hold beside them.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic, thread_time
from types import TracebackType
from typing import Any, Final, final

from reknit.source.diagnostic import Diagnostic, InputError, Note
from reknit.source.interrupt import RUNNING, Exceeded
from reknit.source.meter import METER
from reknit.source.place import Place

CODES: Final = {"seconds": "RK0020", "processor": "RK0020", "memory": "RK0021", "nodes": "RK0022"}
AGAIN: Final = 2.0
"""Seconds after which a signal that nothing took comes again."""
NO_SEGMENT: Final = "failed to map segment"
"""What the system's loader says of an extension module for which there is no memory."""
SPARE: Final = 256 << 20
"""Bytes of addresses beyond the memory that a process may have: what is reserved and never touched, as threads do."""


class LimitExceeded(InputError):
    """A limit was exceeded: `limit` is "seconds", "processor", "memory" or "nodes", `allowed` how much there was."""

    def __init__(self, limit: str, allowed: float, diagnostics: list[Diagnostic]) -> None:
        super().__init__(diagnostics)
        self.limit = limit
        self.allowed = allowed

    def __reduce__(self) -> tuple[Any, ...]:
        return LimitExceeded, (self.limit, self.allowed, self.diagnostics)


@final
class Limits:
    """None is no limit. It can be entered as often as one likes, each time with a fresh clock, and is compared and
    pickled by its fields."""

    __slots__ = ("seconds", "memory", "nodes", "sandbox", "roots", "processor")

    def __init__(
        self,
        *,
        seconds: float | None = None,
        memory: int | None = None,
        nodes: int | None = None,
        sandbox: bool = False,
        roots: tuple[str, ...] | list[str] = (),
        processor: float | None = None,
    ) -> None:
        numbers = (("seconds", seconds), ("memory", memory), ("nodes", nodes), ("processor", processor))
        for name, value in numbers:
            if value is not None and not (isinstance(value, int | float) and 0 < value < 1 << 62):
                raise InputError([Diagnostic("RK0010", f"{name}={value!r}: a limit is a number above 0, or None")])
        self.seconds = seconds
        self.processor = processor
        self.memory = memory
        self.nodes = nodes
        self.sandbox = sandbox
        if not isinstance(roots, list | tuple) or not all(isinstance(root, str | os.PathLike) for root in roots):
            raise InputError([Diagnostic("RK0010", f"roots={roots!r}: it is a list of paths")])
        self.roots = tuple(os.fspath(root) for root in roots)

    def _fields(self) -> tuple[object, ...]:
        return self.seconds, self.memory, self.nodes, self.sandbox, self.roots, self.processor

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Limits) and self._fields() == other._fields()

    def __hash__(self) -> int:
        return hash(self._fields())

    def __repr__(self) -> str:
        given = [f"{name}={getattr(self, name)!r}" for name in self.__slots__ if getattr(self, name)]
        return f"Limits({', '.join(given)})"

    def __enter__(self) -> "Limits":
        running = Running(self, RUNNING.get())
        RUNNING.set(running)
        METER.restart()
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: TracebackType | None) -> None:
        running = RUNNING.get()
        assert running is not None
        RUNNING.set(running.around)
        METER.restart()
        if isinstance(error, Exceeded):
            raise exceeded(error) from None

    @contextmanager
    def on_this_process(self) -> Iterator[None]:
        """The same, kept by the system where it can: a signal ends what never looks, and what asks for too much memory
        at once does not get it. For a process whose signals and memory are its own, in its main thread."""
        import signal
        from threading import current_thread, main_thread

        timed = self.seconds is not None and hasattr(signal, "setitimer") and current_thread() is main_thread()
        over = False
        with self, _bounded_memory(self.memory):
            if timed:
                seconds = self.seconds
                assert seconds is not None

                def end(number: int, frame: object) -> None:
                    if not over:
                        raise Exceeded("seconds", seconds)

                before = signal.signal(signal.SIGALRM, end)
                signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
            try:
                try:
                    yield
                finally:
                    over = True  # the signal may come in this very block, which then goes no further
            finally:
                over = True
                if timed:
                    signal.setitimer(signal.ITIMER_REAL, 0)
                    signal.signal(signal.SIGALRM, before)


@contextmanager
def _bounded_memory(memory: int | None) -> Iterator[None]:
    try:
        import resource
    except ImportError:  # not on this system
        yield
        return
    if memory is None or not sys.platform.startswith("linux"):
        yield
        return
    before = resource.getrlimit(resource.RLIMIT_AS)
    most = _pages(0) + memory + min(memory, SPARE)
    if before[1] != resource.RLIM_INFINITY:
        most = min(most, before[1])
    resource.setrlimit(resource.RLIMIT_AS, (most, before[1]))
    try:
        yield
    except (MemoryError, ImportError) as error:
        if isinstance(error, ImportError) and NO_SEGMENT not in str(error):
            raise
        resource.setrlimit(resource.RLIMIT_AS, before)
        raise exceeded(Exceeded("memory", memory).with_traceback(error.__traceback__)) from None
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


@final
class Running:
    """Limits that are in force; `around` are those that they are within."""

    __slots__ = ("limits", "around", "end", "bytes", "nodes", "used")

    def __init__(self, limits: Limits, around: "Running | None") -> None:
        self.limits = limits
        self.around = around
        self.end = monotonic() + limits.seconds if limits.seconds is not None else None
        self.used = thread_time() + limits.processor if limits.processor is not None else None
        self.bytes = resident() + limits.memory if limits.memory is not None else None
        self.nodes = limits.nodes

    def spend(self, units: int) -> None:
        """Raises Exceeded."""
        one: Running | None = self
        while one is not None:
            one._spend(units)
            one = one.around

    def _spend(self, units: int) -> None:
        limits = self.limits
        if self.nodes is not None:
            self.nodes -= units
            if self.nodes < 0:
                assert limits.nodes is not None
                raise Exceeded("nodes", limits.nodes)
        if self.end is not None and monotonic() > self.end:
            assert limits.seconds is not None
            raise Exceeded("seconds", limits.seconds)
        if self.used is not None and thread_time() > self.used:
            assert limits.processor is not None
            raise Exceeded("processor", limits.processor)
        if self.bytes is not None and resident() > self.bytes:
            assert limits.memory is not None
            raise Exceeded("memory", limits.memory)


def exceeded(error: Exceeded) -> LimitExceeded:
    """What is reported of a limit, with what was being done."""
    from reknit.source.phases import phase_of

    if error.limit == "processor":
        amount, option = f"{error.allowed:g} s of processor time", "--max-seconds"
    elif error.limit == "seconds":
        amount, option = f"{error.allowed:g} s", "--max-seconds"
    elif error.limit == "memory":
        amount, option = _bytes_text(int(error.allowed)), "--max-memory"
    else:
        amount, option = f"{int(error.allowed)} nodes", "--max-nodes"
    message = f"the limit of {amount} was exceeded while {phase_of(error)}"
    notes = [Note(text) for text in getattr(error, "__notes__", ())]
    help = f"raise the limit ({option}, Limits({error.limit}=...)) if the input is worth it"
    place: Place | None = getattr(error, "place", None)
    fault = Diagnostic(CODES[error.limit], message, place, notes=notes, help=help)
    return LimitExceeded(error.limit, error.allowed, [fault])


def _bytes_text(count: int) -> str:
    for unit, size in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if count >= size:
            return f"{count / size:.4g} {unit}"
    return f"{count} bytes"


def resident() -> int:
    """Bytes of memory that the process has; where the system says only how many it had at most, that. Raises
    InputError (RK0021) where it says neither."""
    if sys.platform.startswith("linux"):
        return _pages(1)
    try:
        import resource
    except ImportError:
        message = "this system does not say how much memory a process has, so that memory can't be limited"
        raise InputError([Diagnostic("RK0021", message, help="leave the limit of memory out")]) from None
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most << 10


def _pages(column: int) -> int:
    """Bytes by a column of the kernel's account: 0 addresses, 1 memory."""
    with open("/proc/self/statm", "rb") as file:
        return int(file.read().split()[column]) * os.sysconf("SC_PAGE_SIZE")
