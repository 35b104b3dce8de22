"""trip_count: every counter of up to four bits and every comparison, against running the loop.

The oracle is the loop itself: x = start; while x compares with limit: x = x + step modulo 2^width, counted, and endless
once it has taken more steps than there are numbers.
"""

import operator
import random
from collections.abc import Callable

import pytest

from reknit.ir import op, traits
from reknit.passes.loops.trip_count import first_in, trip_count

UNSIGNED: dict[int, Callable[[int, int], bool]] = {
    op.IEqual: operator.eq,
    op.INotEqual: operator.ne,
    op.ULessThan: operator.lt,
    op.ULessThanEqual: operator.le,
    op.UGreaterThan: operator.gt,
    op.UGreaterThanEqual: operator.ge,
}
SIGNED: dict[int, Callable[[int, int], bool]] = {
    op.SLessThan: operator.lt,
    op.SLessThanEqual: operator.le,
    op.SGreaterThan: operator.gt,
    op.SGreaterThanEqual: operator.ge,
}


def holds(compare: int, left: int, right: int, width: int) -> bool:
    if compare in UNSIGNED:
        return UNSIGNED[compare](left, right)
    half = 1 << (width - 1)
    return SIGNED[compare]((left ^ half) - half, (right ^ half) - half)


def run_loop(start: int, step: int, compare: int, limit: int, width: int, most: int) -> int | None:
    size = 1 << width
    trips = 0
    x = start % size
    while holds(compare, x, limit % size, width):
        x = (x + step) % size
        trips += 1
        if trips > most:
            return None
    return trips


@pytest.mark.parametrize("width", (1, 2, 3, 4))
@pytest.mark.parametrize("compare", [*UNSIGNED, *SIGNED])
def test_every_small_counter(compare: int, width: int) -> None:
    numbers = range(1 << width)
    for start in numbers:
        for step in numbers:
            for limit in numbers:
                expected = run_loop(start, step, compare, limit, width, 1 << width)
                assert trip_count(start, step, compare, limit, width) == expected, (start, step, limit)


@pytest.mark.parametrize(
    "start, step, compare, limit, width, trips",
    [
        (0, 1, op.ULessThan, 4, 32, 4),
        (0, 1, op.ULessThanEqual, 4, 32, 5),
        (10, -3, op.SGreaterThan, 0, 32, 4),  # 10 7 4 1
        (10, -3, op.UGreaterThan, 0, 32, 2863311534),  # past zero: 3 * 2863311534 = 2 * 2^32 + 10
        (0, 2, op.INotEqual, 7, 32, None),  # odd numbers are not reached
        (1, 2, op.INotEqual, 7, 32, 3),
        (0, 3, op.INotEqual, 1, 32, 2863311531),  # 3 * 2863311531 = 2 * 2^32 + 1
        (0, 1, op.UGreaterThanEqual, 0, 32, None),
        (0, 0, op.ULessThan, 5, 32, None),
        (5, 0, op.ULessThan, 5, 32, 0),
        (0, 1, op.ULessThan, 1 << 63, 64, 1 << 63),
        (0x7FFFFFFF, 1, op.SGreaterThan, 0, 32, 1),  # wraps to the least number
    ],
)
def test_by_hand(start: int, step: int, compare: int, limit: int, width: int, trips: int | None) -> None:
    assert trip_count(start, step, compare, limit, width) == trips


def test_larger_counters_that_end_soon() -> None:
    rng = random.Random(7)
    for _ in range(20_000):
        width = rng.choice((5, 8, 16, 32, 64))
        compare = rng.choice([*UNSIGNED, *SIGNED])
        step = rng.choice((rng.getrandbits(width), rng.randrange(-9, 10)))
        start = rng.choice((rng.getrandbits(width), rng.randrange(-9, 10)))
        limit = start + rng.randrange(-30, 30) if rng.random() < 0.7 else rng.getrandbits(width)
        expected = run_loop(start, step, compare, limit, width, 100)
        found = trip_count(start, step, compare, limit, width)
        if expected is None:
            assert found is None or found > 100
        else:
            assert found == expected


def test_the_inverse_and_the_swapped() -> None:
    for compare in [*UNSIGNED, *SIGNED]:
        for left in range(8):
            for right in range(8):
                assert holds(compare, left, right, 3) != holds(traits.NEGATED[compare], left, right, 3)
                assert holds(compare, left, right, 3) == holds(traits.SWAPPED[compare], right, left, 3)


def test_the_first_multiple_in_an_interval() -> None:
    for size in range(1, 14):
        for step in range(size):
            for low in range(size):
                for high in range(low, size):
                    hits = [n for n in range(size) if low <= n * step % size <= high]
                    assert first_in(step, size, low, high) == (hits[0] if hits else None)
