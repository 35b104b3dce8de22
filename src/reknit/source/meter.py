"""Units of work, counted where a loop may go on for long: a token, an instruction, a block, an entry of a worklist.

    spend(1)        in the loop: a subtraction, and now and then a look (`source/interrupt.py`)

A unit takes a microsecond or so, in plain Python some twenty, so that a look comes every few milliseconds. Where an
iteration takes longer, it spends more; where one takes much less, the loop spends for many at once.
"""

from typing import Final, final

from reknit.source.columns import i64
from reknit.source.interrupt import OFTEN, look


@final
class Meter:
    """`left` is what may be spent until the next look."""

    __slots__ = ("left",)

    def __init__(self) -> None:
        self.left: i64 = OFTEN

    def restart(self) -> None:
        """Limits begin or end here: what comes is counted from now on, whatever came before."""
        self.left = OFTEN


METER: Final = Meter()


def spend(units: i64) -> None:
    """Raises what `look` raises."""
    METER.left -= units
    if METER.left < 0:
        spent = OFTEN - METER.left
        METER.left = OFTEN
        look(spent)
