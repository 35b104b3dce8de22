"""What sums, products and extremes of several floats may be, in any order: every tree over half floats, each step
rounded either way or flushed, as the model of `test_float_sets` has it.
"""

import itertools
import math
import operator
import random
from collections.abc import Callable
from fractions import Fraction

import pytest
from unit.sim.ops.test_float_sets import FINITE, flushed, half, rounded

from reknit.sim.ops import float_sets
from reknit.sim.ops.float_sets import EITHER, Env, FloatSet
from reknit.sim.ops.ieee import FORMAT16
from reknit.sim.shadow.bounds import folded

PLAIN = Env(FORMAT16, False, False, True, EITHER)
FLUSHES = Env(FORMAT16, True, False, True, EITHER)


def points(words: list[int]) -> list[FloatSet | None]:
    return [float_sets.exactly(word, FORMAT16) for word in words]


def trees(words: tuple[int, ...], combine: Callable[[Fraction, Fraction], Fraction], env: Env) -> set[int]:
    if len(words) == 1:
        return flushed(words[0], env)
    every: set[int] = set()
    for a, b in itertools.combinations(range(len(words)), 2):
        rest = tuple(word for at, word in enumerate(words) if at not in (a, b))
        for x in flushed(words[a], env):
            for y in flushed(words[b], env):
                for one in rounded(combine(FINITE[x], FINITE[y]), 0, env):
                    every |= trees((*rest, one), combine, env)
    return every


@pytest.mark.parametrize("env", [PLAIN, FLUSHES], ids=["plain", "flushes"])
@pytest.mark.parametrize("kind", ["f-add", "f-mul"])
def test_every_tree_is_allowed_and_little_else(kind: str, env: Env) -> None:
    """No more than a rounding (2^-10) for each of the operations, of all sizes together."""
    combine = operator.add if kind == "f-add" else operator.mul
    draws = random.Random(kind)
    for _ in range(60):
        words = [
            half(draws.choice([draws.uniform(-8, 8), draws.uniform(0.5, 2), 1.0, 3.0]))
            for _ in range(draws.choice([2, 3, 3]))
        ]
        allowed = folded(kind, points(words), env)
        assert allowed is not None
        model = trees(tuple(words), combine, env)
        for word in model:
            assert allowed.holds(word), (words, word)
        numbers = [FINITE[word] for word in words]
        sizes = sum(map(abs, numbers)) if kind == "f-add" else Fraction(abs(math.prod(numbers, start=Fraction(1))))
        far = len(words) * sizes / 1024 + 2 * len(words) * len(words) * Fraction(1, 1 << 14)
        assert min(FINITE[word] for word in model) - far <= allowed.least
        assert allowed.most <= max(FINITE[word] for word in model) + far


@pytest.mark.parametrize(
    ("kind", "numbers", "result"),
    [
        ("f-add", [1.0, 2.0, 4.0, -7.0, 100.0], 100.0), ("f-add", [0.5, 0.25, 8.0], 8.75), ("f-add", [0.1], 0.1),
        ("f-add", [0.1, 0.0, 0.0], 0.1), ("f-add", [0.0, 0.0], 0.0), ("f-mul", [2.0, 3.0, 7.0], 42.0),
        ("f-mul", [0.1, 1.0, 1.0], 0.1), ("f-mul", [1.0, 1.0], 1.0), ("f-mul", [0.5, 3.0], 1.5),
        ("f-mul", [0.0, 3.0, 0.1], 0.0), ("f-min", [3.0, 1.0, 2.0], 1.0), ("f-max", [3.0, 1.0, 7.5], 7.5),
        ("f-min", [3.0, math.inf, 5.0], 3.0), ("f-max", [-math.inf, 1.0, 0.5], 1.0), ("f-max", [math.nan, 1.0], 1.0),
        ("f-min", [2.0, math.nan], 2.0),
    ],
)  # fmt: skip
def test_what_is_the_same_in_every_order(kind: str, numbers: list[float], result: float) -> None:
    """Sums and products that half floats hold in every part; extremes, of numbers rather than NaNs."""
    allowed = folded(kind, points([half(number) for number in numbers]), PLAIN)
    assert allowed is not None and allowed.least == allowed.most == float(FINITE[half(result)])
    assert not allowed.nan


def test_two_parts_are_rounded_once() -> None:
    """0.1 + 0.2: either neighbour of the exact sum; so are 0.1 * 0.3 and a sum whose others are 0."""
    for kind, combine in (("f-add", operator.add), ("f-mul", operator.mul)):
        words = [half(0.1), half(0.3)]
        exact = rounded(combine(FINITE[words[0]], FINITE[words[1]]), 0, PLAIN)
        neutral = half(0.0 if kind == "f-add" else 1.0)
        for given in (words, [neutral, *words], [words[0], neutral, neutral, words[1]]):
            allowed = folded(kind, points(given), PLAIN)
            assert allowed is not None and set(allowed.words) == exact


@pytest.mark.parametrize(
    ("kind", "numbers"),
    [
        ("f-add", [60000.0, 30000.0, -50000.0]),  # a part may overflow
        ("f-mul", [300.0, 300.0, 0.001]),
        ("f-mul", [0.001, 0.001, 1000.0]),  # a part may be a denormal
        ("f-add", [math.inf, 1.0]), ("f-add", [math.nan, 1.0]), ("f-mul", [-math.inf, 1.0]), ("f-mul", [1.0, math.nan]),
    ],
)  # fmt: skip
def test_what_has_no_bounds(kind: str, numbers: list[float]) -> None:
    assert folded(kind, points([half(number) for number in numbers]), PLAIN) is None
    assert folded(kind, [*points([half(1.0)]), None], PLAIN) is None


def test_of_sets_the_extremes_are_those_of_their_members() -> None:
    """Sums of intervals; products of signs that differ; a minimum takes the least ends."""
    low, high = half(1.0), half(1.25)
    wide = float_sets.interval(low, high, FORMAT16)
    other = float_sets.interval(half(-3.0), half(2.0), FORMAT16)
    for kind, expected in (
        ("f-add", (-2.0, 3.25)),
        ("f-mul", (-3.75, 2.5)),
        ("f-min", (-3.0, 1.25)),
        ("f-max", (1.0, 2.0)),
    ):
        allowed = folded(kind, [wide, other], PLAIN)
        assert allowed is not None
        assert (
            allowed.least <= expected[0] <= allowed.least + 0.02 and allowed.most - 0.02 <= expected[1] <= allowed.most
        )
    both = folded("f-add", [wide, wide, wide], PLAIN)
    assert both is not None and 2.97 <= both.least <= 3.0 and 3.75 <= both.most <= 3.78


def test_denormals_may_be_flushed() -> None:
    """The least denormal alone, and as an extreme, may be a zero; where nothing is flushed it is itself."""
    for kind in ("f-min", "f-max", "f-add"):
        kept, may = folded(kind, points([0x0001]), PLAIN), folded(kind, points([0x0001]), FLUSHES)
        assert kept is not None and set(kept.words) == {0x0001}
        assert may is not None and may.holds(0x0001) and may.holds(0x0000) and not may.holds(0x3C00)
    least = folded("f-max", points([0x0001, 0x8001]), FLUSHES)
    assert least is not None and least.holds(0x0001) and least.holds(0x0000) and not least.holds(0x0400)
