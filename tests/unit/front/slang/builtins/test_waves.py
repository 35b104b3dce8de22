"""Waves at several sizes; all lanes of a workgroup of 64 run together.

Expectations: for each wave of `size` consecutive lanes, by Python from the definitions in Microsoft's HLSL reference,
"Wave Intrinsics" (prefixes exclude the lane itself), Slang's core module for masks, SPIR-V 1.6 for rotations.
"""

import functools
import operator
from collections.abc import Callable

import pytest
from unit.front.slang.builtins.bench import run_builtin

from reknit.front.slang.builtins.names import numeric
from reknit.front.slang.types import BOOL, INT, UINT, Type

SIZES = [4, 8, 32, 64]
LANES = 64
VALUES = [(lane * 7) % 5 - 2 for lane in range(LANES)]
FLAGS = [lane % 3 == 0 for lane in range(LANES)]
Fold = Callable[[int, int], int]


def named(name: str) -> Type:
    found = numeric(name)
    assert found is not None
    return found


def by_wave(size: int, values: list[int], whole: Callable[[list[int], int], int]) -> list[int]:
    """whole(the wave's values, this lane's place in it), lane by lane."""
    return [whole(values[lane - lane % size :][:size], lane % size) for lane in range(LANES)]


FOLDS: list[tuple[str, Fold, int]] = [
    ("Sum", operator.add, 0),
    ("Min", min, 2**31 - 1),
    ("Max", max, -(2**31)),
    ("BitAnd", operator.and_, -1),
    ("BitOr", operator.or_, 0),
    ("BitXor", operator.xor, 0),
]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("name", "fold", "start"), FOLDS)
def test_folds(size: int, name: str, fold: Fold, start: int) -> None:
    active = by_wave(size, VALUES, lambda wave, at: functools.reduce(fold, wave))
    prefix = by_wave(size, VALUES, lambda wave, at: functools.reduce(fold, wave[:at], start))
    assert run_builtin(f"WaveActive{name}", [INT], [VALUES], size) == active
    assert run_builtin(f"WavePrefix{name}", [INT], [VALUES], size) == prefix
    masks = [0xFFFFFFFF] * LANES
    assert run_builtin(f"WaveMask{name}", [UINT, INT], [masks, VALUES], size) == active
    assert run_builtin(f"WaveMaskPrefix{name}", [UINT, INT], [masks, VALUES], size) == prefix


@pytest.mark.parametrize("size", SIZES)
def test_multi_folds_go_by_the_mask(size: int) -> None:
    """Even lanes and odd lanes apart."""
    even = sum(1 << bit for bit in range(0, 128, 2))
    odd = even << 1
    words = [[mask >> shift & 0xFFFFFFFF for shift in range(0, 128, 32)] for mask in (even, odd)]
    masks = [words[lane % 2] for lane in range(LANES)]
    found = run_builtin("WaveMultiSum", [INT, named("uint4")], [VALUES, masks], size)
    assert found == by_wave(size, VALUES, lambda wave, at: sum(wave[at % 2 :: 2]))
    prefix = run_builtin("WaveMultiPrefixSum", [INT, named("uint4")], [VALUES, masks], size)
    assert prefix == by_wave(size, VALUES, lambda wave, at: sum(wave[at % 2 : at : 2]))


@pytest.mark.parametrize("size", SIZES)
def test_votes_and_ballots(size: int) -> None:
    given = [[int(flag) for flag in FLAGS]]
    assert run_builtin("WaveActiveAnyTrue", [BOOL], given, size) == [True] * LANES
    assert run_builtin("WaveActiveAllTrue", [BOOL], given, size) == [False] * LANES
    counts = by_wave(size, given[0], lambda wave, at: sum(wave))
    assert run_builtin("WaveActiveCountBits", [BOOL], given, size) == counts
    before = by_wave(size, given[0], lambda wave, at: sum(wave[:at]))
    assert run_builtin("WavePrefixCountBits", [BOOL], given, size) == before
    low = by_wave(size, given[0], lambda wave, at: sum(bit << i for i, bit in enumerate(wave[:32])))
    high = by_wave(size, given[0], lambda wave, at: sum(bit << i for i, bit in enumerate(wave[32:])))
    ballots = [[a, b, 0, 0] for a, b in zip(low, high, strict=True)]
    assert run_builtin("WaveActiveBallot", [BOOL], given, size) == ballots
    assert run_builtin("WaveActiveAllEqual", [INT], [VALUES], size) == [False] * LANES
    assert run_builtin("WaveActiveAllEqual", [named("int2")], [[[3, 4]] * LANES], size) == [True] * LANES


@pytest.mark.parametrize("size", SIZES)
def test_match(size: int) -> None:
    def bits(wave: list[int], at: int, word: int) -> int:
        return sum(1 << (i % 32) for i, value in enumerate(wave) if value == wave[at] and i // 32 == word)

    low = by_wave(size, VALUES, lambda wave, at: bits(wave, at, 0))
    high = by_wave(size, VALUES, lambda wave, at: bits(wave, at, 1))
    expected = [[a, b, 0, 0] for a, b in zip(low, high, strict=True)]
    assert run_builtin("WaveMatch", [INT], [VALUES], size) == expected
    floats = [float(value) for value in VALUES]
    assert run_builtin("WaveMatch", [named("float")], [floats], size) == expected


@pytest.mark.parametrize("size", SIZES)
def test_reading_other_lanes(size: int) -> None:
    source = [(lane * 3 + 1) % size for lane in range(LANES)]
    expected = [VALUES[lane - lane % size + source[lane]] for lane in range(LANES)]
    assert run_builtin("WaveReadLaneAt", [INT, UINT], [VALUES, source], size) == expected
    assert run_builtin("WaveMaskShuffle", [UINT, INT, UINT], [[0xFFFFFFFF] * LANES, VALUES, source], size) == expected
    assert run_builtin("WaveReadLaneFirst", [INT], [VALUES], size) == by_wave(size, VALUES, lambda wave, at: wave[0])
    turned = by_wave(size, VALUES, lambda wave, at: wave[(at + 3) % size])
    assert run_builtin("WaveRotate", [INT, UINT], [VALUES, [3] * LANES], size) == turned


@pytest.mark.parametrize(("name", "change"), [("X", 1), ("Y", 2), ("Diagonal", 3)])
def test_quads(name: str, change: int) -> None:
    expected = [VALUES[lane ^ change] for lane in range(LANES)]
    assert run_builtin(f"QuadReadAcross{name}", [INT], [VALUES], 8) == expected


@pytest.mark.parametrize("size", SIZES)
def test_what_a_lane_knows(size: int) -> None:
    lanes = range(size)
    assert run_builtin("WaveGetLaneIndex", [], [], size) == list(lanes)
    assert run_builtin("WaveGetLaneCount", [], [], size) == [size] * size
    assert run_builtin("WaveIsFirstLane", [], [], size) == [lane == 0 for lane in lanes]
    active = (1 << min(size, 32)) - 1
    assert run_builtin("WaveGetActiveMask", [], [], size) == [active] * size
    equal = [[(1 << lane) >> shift & 0xFFFFFFFF for shift in (0, 32, 64, 96)] for lane in lanes]
    assert run_builtin("WaveGetLaneEqMask", [], [], size) == equal


def test_matrices_go_by_component() -> None:
    values = [[lane, 1, 2 * lane, 3] for lane in range(4)]
    assert run_builtin("WaveActiveSum", [named("float2x2")], [values], 4) == [[6.0, 4.0, 12.0, 12.0]] * 4
    assert run_builtin("WaveActiveMax", [named("int2x2")], [values], 4) == [[3, 1, 6, 3]] * 4
