"""The garbage collector, looking rarely: modules are many small objects that all live, and a look costs more than they.

    @collecting_rarely
    def load(...): ...         while it runs, a 285th of the looks; what was set before is set again after the last one

It is not turned off: what runs for hours makes garbage in circles, too.
"""

import gc
from _thread import allocate_lock

TYPE_CHECKING = False  # this is imported with the package, whose start has no time for typing and functools
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import ParamSpec, TypeVar

    _Taken = ParamSpec("_Taken")
    _Given = TypeVar("_Given")

RARELY = (200_000, 30, 30)


class _Looks:
    """How many verbs are running, in all threads, and what was set before the first of them began."""

    __slots__ = ("lock", "verbs", "before")

    def __init__(self) -> None:
        self.lock = allocate_lock()
        self.verbs = 0
        self.before = RARELY

    def __enter__(self) -> None:
        with self.lock:
            if self.verbs == 0:
                self.before = gc.get_threshold()
                if 0 < self.before[0] < RARELY[0]:
                    gc.set_threshold(*RARELY)
            self.verbs += 1

    def __exit__(self, *fault: object) -> None:
        with self.lock:
            self.verbs -= 1
            if self.verbs == 0:
                gc.set_threshold(*self.before)


_LOOKS = _Looks()


def collecting_rarely(verb: "Callable[_Taken, _Given]") -> "Callable[_Taken, _Given]":
    def calm(*arguments: "_Taken.args", **named: "_Taken.kwargs") -> "_Given":
        with _LOOKS:
            return verb(*arguments, **named)

    for name in ("__module__", "__name__", "__qualname__", "__doc__", "__annotations__"):
        setattr(calm, name, getattr(verb, name))
    calm.__dict__["__wrapped__"] = verb  # by which help and inspect show its signature
    return calm
