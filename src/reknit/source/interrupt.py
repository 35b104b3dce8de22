"""Where a long computation is stopped: lets signals through, and ends what has used up its limits (`source/limits.py`).

    loop ── spend(units) of source/meter.py ──▶ look(units), now and then ──▶ goes on
                                                                          ──▶ KeyboardInterrupt, Exceeded

Compiled code runs no Python of its own, which is where Python looks at signals that came. This file stays plain: to
call anything in it is to look.
"""

from _contextvars import ContextVar
from time import monotonic, thread_time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from reknit.source.limits import Limits, Running

OFTEN = 1023
"""About as many units are spent between two looks: in plain Python, a few hundredths of a second."""

LISTENERS: "list[Callable[[], None]]" = []
"""Called at each look, some thousand times a second."""

RUNNING: "ContextVar[Running | None]" = ContextVar("RUNNING", default=None)
"""The innermost limits that are in force, of this thread or task."""


class Exceeded(BaseException):
    """A limit is used up. It travels to where the limits were set, past all that handles faults of the input, and is a
    `LimitExceeded` from there on. `limit` is the field of `Limits`; notes say what was being done."""

    def __init__(self, limit: str, allowed: float) -> None:
        super().__init__(f"{limit}: more than {allowed:g}")
        self.limit = limit
        self.allowed = allowed


class Terminated(KeyboardInterrupt):
    """SIGTERM came: what is under way is ended as by Ctrl-C."""


def look(units: int = OFTEN + 1) -> None:
    """Raises KeyboardInterrupt if it was asked for, Exceeded where a limit is used up."""
    running = RUNNING.get()
    if running is not None:
        running.spend(units)
    for listener in LISTENERS:
        listener()


def seconds_left(most: float, works_here: bool = True) -> float:
    """How long something outside may be waited for: `most`, or what the limits in force leave. Where it doesn't do our
    own work, but a device's, limits of processor time say nothing."""
    running = RUNNING.get()
    while running is not None:
        if running.end is not None:
            most = min(most, max(running.end - monotonic(), 0.0))
        if running.used is not None and works_here:
            most = min(most, max(running.used - thread_time(), 0.0))
        running = running.around
    return most


def waited(seconds: float) -> None:
    """For a process of reknit's own, whose processor time counts as this thread's."""
    running = RUNNING.get()
    while running is not None:
        if running.used is not None:
            running.used -= seconds
        running = running.around


def memory_left() -> int:
    """Bytes that a process of reknit's own may take; 0 where there is no limit."""
    allowed = 0
    running = RUNNING.get()
    while running is not None:
        memory = running.limits.memory
        if memory is not None:
            allowed = min(allowed, memory) if allowed else memory
        running = running.around
    return allowed


def sandboxes() -> "list[Limits]":
    """The limits in force that are a sandbox: only regular files may be read, and no program be asked."""
    strict: list[Limits] = []
    running = RUNNING.get()
    while running is not None:
        if running.limits.sandbox:
            strict.append(running.limits)
        running = running.around
    return strict
