"""The numbers that `random(...)` inputs are made of: a Mersenne Twister by its original seeding.

    seed 0x34234, from which Slang's runner starts for every file

Its state is used as seeded, before the first round of mixing.
"""

import random
import struct
from typing import final

SEED = 0x34234
_STATE = 624


@final
class Randomness:
    __slots__ = ("source",)

    def __init__(self, seed: int = SEED) -> None:
        state = [seed & 0xFFFFFFFF]
        for index in range(1, _STATE):
            last = state[-1]
            state.append((1812433253 * (last ^ last >> 30) + index) & 0xFFFFFFFF)
        self.source = random.Random()
        self.source.setstate((3, (*state, 0), None))

    def word(self) -> int:
        return self.source.getrandbits(32)

    def between(self, low: int, high: int) -> int:
        """A number from `low` up to but without `high`, as a word."""
        apart = (max(high, low) - low) & 0xFFFFFFFF
        return low & 0xFFFFFFFF if apart <= 1 else (self.word() % apart + low) & 0xFFFFFFFF

    def unit(self) -> float:
        """A 32-bit float from 0 to 1."""
        return _single(float(self.word() & 0x7FFFFFFF)) * _single(1.0 / 2147483648.0)


def _single(value: float) -> float:
    """The nearest 32-bit float."""
    return float(struct.unpack("<f", struct.pack("<f", value))[0])
