"""The garbage collector, off while a verb runs: modules are many small objects that all live, and a look at them costs
more than they do.

    @uncollected
    def load(...): ...         no look while it runs: what it leaves in circles is bounded by the module
    @collecting_rarely
    def run(...): ...          a 285th of the looks: what runs for hours makes garbage in circles, too

What was set before is set again when the last verb, in all threads, is over. Nothing but InputError and InternalError
leaves a verb (`source/boundary.py`), also where a limit is exceeded in it.
"""

import gc
from _thread import allocate_lock
from functools import wraps
from typing import TYPE_CHECKING

from reknit.source.interrupt import Exceeded

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


class _NoLooks:
    """The same of verbs that run without any."""

    __slots__ = ("lock", "verbs", "before")

    def __init__(self) -> None:
        self.lock = allocate_lock()
        self.verbs = 0
        self.before = True

    def __enter__(self) -> None:
        with self.lock:
            if self.verbs == 0:
                self.before = gc.isenabled()
                gc.disable()
            self.verbs += 1

    def __exit__(self, *fault: object) -> None:
        with self.lock:
            self.verbs -= 1
            if self.verbs == 0 and self.before:
                gc.enable()


_LOOKS = _Looks()
_NO_LOOKS = _NoLooks()


def collecting_rarely(verb: "Callable[_Taken, _Given]") -> "Callable[_Taken, _Given]":
    return _within(_LOOKS, verb)


def uncollected(verb: "Callable[_Taken, _Given]") -> "Callable[_Taken, _Given]":
    return _within(_NO_LOOKS, verb)


def _within(looks: "_Looks | _NoLooks", verb: "Callable[_Taken, _Given]") -> "Callable[_Taken, _Given]":
    @wraps(verb)
    def calm(*arguments: "_Taken.args", **named: "_Taken.kwargs") -> "_Given":
        with looks:
            try:
                return verb(*arguments, **named)
            except Exceeded as error:
                from reknit.source.limits import exceeded

                raise exceeded(error) from None
            except Exception as error:
                if error.__traceback__ is None or error.__traceback__.tb_next is None:
                    raise  # the call itself: arguments that the verb does not have
                from reknit.source.diagnostic import InputError, InternalError

                if isinstance(error, (InputError, InternalError)) or verb.__name__ == "reduce":
                    raise  # what the callback of `reduce` raises is the caller's
                from reknit.source.boundary import instead_of

                raise instead_of(error, arguments) from error

    return calm
