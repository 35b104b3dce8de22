"""Where an operation says that what it computes is undefined.

    OpUDiv %a %zero   ->   undefined.say("OpUDiv by zero")   ->   tell(lane, message), and the lane goes on

The columns set `lane` before each operation that may be undefined; group operations name lanes in the message too.
"""

from collections.abc import Callable
from typing import final


@final
class Undefined:
    """Holds the machine's listener and the lane (invocation number) that is being computed; -1 where there is none.
    `broken` is the listener where behaviour is undefined, not a result alone; without it `tell` is."""

    __slots__ = ("lane", "tell", "broken")

    def __init__(self, tell: Callable[[int, str], None], broken: Callable[[int, str], None] | None = None) -> None:
        self.lane = -1
        self.tell = tell
        self.broken = broken if broken is not None else tell

    def say(self, message: str) -> int:
        """Reports, and returns 0: the value that an undefined integer is taken to be."""
        self.tell(self.lane, message)
        return 0

    def differ(self, message: str) -> None:
        """Reports an operand that has to be the same for all invocations that execute the operation, and isn't."""
        self.broken(self.lane, message)
