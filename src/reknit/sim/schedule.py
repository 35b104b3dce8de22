"""Which of the tangles that are ready runs next.

    lifo      the one that became ready last: runs a tangle until it waits
    fifo      the one that has been ready longest: block by block in turn
    random    any, by a seed
    script    by a list of choices; used to go through all orders

SPV_KHR_maximal_reconvergence fixes which invocations are in a tangle, not when it runs. A tangle runs a code block at
a time.
"""

import random
from typing import final

from reknit.sim.frames import Tangle


class Schedule:
    __slots__ = ()

    def take(self, ready: list[Tangle]) -> Tangle:
        """Remove one of `ready`, which is not empty."""
        return ready.pop()


@final
class Lifo(Schedule):
    __slots__ = ()


@final
class Fifo(Schedule):
    __slots__ = ()

    def take(self, ready: list[Tangle]) -> Tangle:
        return ready.pop(0)


@final
class Random(Schedule):
    __slots__ = ("source",)

    def __init__(self, seed: int) -> None:
        self.source = random.Random(seed)

    def take(self, ready: list[Tangle]) -> Tangle:
        count = len(ready)
        return ready.pop(int(self.source.random() * count)) if count > 1 else ready.pop()


@final
class Script(Schedule):
    """`choices[k]` is the index taken the k-th time there was a choice, counted round where there are fewer, then
    always 0; `widths` records how many there were."""

    __slots__ = ("choices", "widths")

    def __init__(self, choices: list[int]) -> None:
        self.choices = choices
        self.widths: list[int] = []

    def take(self, ready: list[Tangle]) -> Tangle:
        count = len(ready)
        if count == 1:
            return ready.pop()
        at = len(self.widths)
        self.widths.append(count)
        choice = self.choices[at] if at < len(self.choices) else 0
        return ready.pop(choice % count)
