"""How much work something is, counted, so that a bound on it holds on a machine that is busy.

    with Work() as work:
        parse(text)
    assert work.calls < 40 * len(text)      calls of functions that Python makes, of its own and of C

Calls inside of compiled modules are not seen: the count bounds what the sources do as plain Python.
"""

import sys
from collections.abc import Callable
from types import FrameType, FunctionType
from typing import final


def is_seen(function: Callable[..., object]) -> bool:
    """Whether what a function does is counted: it is Python's, not compiled."""
    return isinstance(function, FunctionType)


@final
class Work:
    """`calls` are those since the block was entered."""

    def __init__(self) -> None:
        self.calls = 0

    def __enter__(self) -> "Work":
        self.before = sys.getprofile()
        sys.setprofile(self.seen)
        return self

    def __exit__(self, *fault: object) -> None:
        sys.setprofile(self.before)

    def seen(self, frame: FrameType, event: str, argument: object) -> None:
        self.calls += event in ("call", "c_call")
