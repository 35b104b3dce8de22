"""OpFConvert with FPRoundingMode, against the list of all 16-bit floats, where the neighbours of a number stand."""

import bisect
import random
import struct

import pytest

from reknit.sim.ops.directed import DOWN, TOWARD_ZERO, UP, rounded
from reknit.sim.ops.ieee import FORMAT16, FORMAT32

INFINITY = float("inf")


def half(word: int) -> float:
    return float(struct.unpack("<e", struct.pack("<H", word))[0])


HALVES = sorted({half(word): word for word in range(1 << 16) if half(word) == half(word)})
GIVEN = [
    0.0, -0.0, 1.0, 1.0004884, -1.0004884, 65504.0, 65519.0, 65536.0, -1e30, 1e-30, -1e-30, 5.9e-8, 6.1e-5, 6.0976e-5,
    INFINITY, -INFINITY, *[random.Random(seed).uniform(-70000, 70000) for seed in range(200)],
    *[random.Random(seed).uniform(-1e-4, 1e-4) for seed in range(200)],
]  # fmt: skip


def single(value: float) -> tuple[int, float]:
    """The word of the nearest 32-bit float, and what it is."""
    word = struct.pack("<f", value)
    return int(struct.unpack("<I", word)[0]), float(struct.unpack("<f", word)[0])


def expected(mode: int, exact: float) -> float:
    """SPIR-V 1.6, 3.16: RTZ "Round to zero", RTP "Round to positive infinity", RTN "Round to negative infinity"; IEEE
    754, 4.3.2: what is larger than the largest finite number rounds toward zero to that number."""
    if mode == UP or (mode == TOWARD_ZERO and exact < 0.0):
        return HALVES[bisect.bisect_left(HALVES, exact)]
    return HALVES[bisect.bisect_right(HALVES, exact) - 1]


@pytest.mark.parametrize("mode", [TOWARD_ZERO, UP, DOWN])
def test_the_neighbour_in_the_direction(mode: int) -> None:
    convert = rounded(mode, FORMAT32, FORMAT16)
    for value in GIVEN:
        word, exact = single(value)
        assert half(convert(word)) == expected(mode, exact), f"{exact!r}"


def test_an_f16_between_two() -> None:
    """1.0004884 is 1 + 2^-11 and a little more: 0x3c01 is nearer, RTZ gives 0x3c00."""
    word, _ = single(1.0004884)
    assert [rounded(mode, FORMAT32, FORMAT16)(word) for mode in (TOWARD_ZERO, UP, DOWN)] == [0x3C00, 0x3C01, 0x3C00]
