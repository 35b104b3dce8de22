"""Floats for the tests: bit patterns with all corners, and the nearest float to an exact rational, found by looking."""

from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import strategies as st

from reknit.sim.values import F16, F32, F64, Shape

FLOATS: dict[int, Any] = {16: np.float16, 32: np.float32, 64: np.float64}
WORDS: dict[int, Any] = {16: np.uint16, 32: np.uint32, 64: np.uint64}
SHAPES: dict[int, Shape] = {16: F16, 32: F32, 64: F64}
FRACTION = {16: 10, 32: 23, 64: 52}


def corners(width: int) -> list[int]:
    """Zero, the ends of the denormals, least normal, 1, its neighbours, greatest, infinity, NaNs: both signs."""
    fraction = FRACTION[width]
    inf = (1 << (width - 1)) - (1 << fraction)
    one = ((1 << (width - fraction - 2)) - 1) << fraction
    positive = [0, 1, (1 << fraction) - 1, 1 << fraction, one - 1, one, one + 1, inf - 1, inf, inf + 1]
    positive.append(inf | (1 << (fraction - 1)))
    return positive + [bits | (1 << (width - 1)) for bits in positive]


def bits(width: int) -> st.SearchStrategy[int]:
    return st.one_of(st.sampled_from(corners(width)), st.integers(0, (1 << width) - 1))


@st.composite
def cases(draw: st.DrawFn, count: int) -> tuple[int, tuple[int, ...]]:
    """(width, that many bit patterns)."""
    width = draw(st.sampled_from([16, 32, 64]))
    return width, tuple(draw(bits(width)) for _ in range(count))


def number(pattern: int, width: int) -> Any:
    """The numpy scalar."""
    return np.array([pattern], WORDS[width]).view(FLOATS[width])[0]


def quiet(pattern_: int, width: int) -> Any:
    """The numpy scalar, a signalling NaN made quiet: numpy's fmin and fmax don't leave those out, SPIR-V's do."""
    value = number(pattern_, width)
    return FLOATS[width](np.nan) if np.isnan(value) else value


def pattern(value: Any, width: int) -> int:
    """The bits of a numpy scalar; every NaN is the quiet one without payload, as the simulator's are."""
    if np.isnan(value):
        fraction = FRACTION[width]
        return (1 << (width - 1)) - (1 << fraction) + (1 << (fraction - 1))
    return int(np.array([value], FLOATS[width]).view(WORDS[width])[0])


def exact(pattern_: int, width: int) -> Fraction:
    """A finite pattern's number, read off IEEE 754's definition; the first infinity counts as the next power of two."""
    fraction = FRACTION[width]
    magnitude = pattern_ & ((1 << (width - 1)) - 1)
    exponent = magnitude >> fraction
    bias = (1 << (width - fraction - 2)) - 1
    part = Fraction(magnitude & ((1 << fraction) - 1), 1 << fraction)
    value = part * Fraction(2) ** (1 - bias) if exponent == 0 else (1 + part) * Fraction(2) ** (exponent - bias)
    return -value if pattern_ >> (width - 1) else value


def is_finite(pattern_: int, width: int) -> bool:
    return (pattern_ & ((1 << (width - 1)) - 1)) < (1 << (width - 1)) - (1 << FRACTION[width])


def nearest(value: Fraction, width: int) -> int:
    """The pattern of the nearest float, ties to even, by bisection over the magnitudes. Zero is +0."""
    inf = (1 << (width - 1)) - (1 << FRACTION[width])
    low, high = 0, inf
    wanted = abs(value)
    if wanted >= exact(inf, width):
        best = inf
    else:
        while high - low > 1:
            middle = (low + high) // 2
            if exact(middle, width) <= wanted:
                low = middle
            else:
                high = middle
        below = wanted - exact(low, width)
        above = exact(high, width) - wanted
        best = low if below < above or (below == above and low % 2 == 0) else high
    return best | (1 << (width - 1)) if value < 0 else best
