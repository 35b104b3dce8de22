"""Small inputs that ask for much, each in a process of its own with the usual limits: within 10 seconds of processor
time and 1 GB it is done, or a diagnostic says what is too large. `python -m kit.bomb_table` prints them as a table."""

import sys
from pathlib import Path

import pytest
from kit.bomb_table import detonate
from kit.bombs import BOMBS, Bomb

SAMPLE = (
    "nested ##", "names that came out of many macros", "a chain of includes that doubles", "a device",
    "aliases that double", "structs that double, in a buffer", "a number of a million digits in assembly",
    "an id bound of 2^32 - 1, rewritten", "a number in TOML", "keys in TOML", "a member at 64 MiB, proved",
    "twenty members at 128 MiB", "2^24 elements, their outcomes", "a buffer of 2^26 zeros",
    "a private array of a million in each of 1024", "workgroups in Amber", "a thousand overloads",
    "digits of a struct in Amber", "a trillion programs", "a thousand loops, natively",
)  # fmt: skip
"""What CI's tests run; the others take as long again, and have the marker `full`."""


def parameters() -> list[object]:
    assert set(SAMPLE) <= set(BOMBS)
    full = pytest.mark.full
    return [pytest.param(name, bomb, id=name, marks=() if name in SAMPLE else full) for name, bomb in BOMBS.items()]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of memory are Linux's")
@pytest.mark.parametrize(("name", "bomb"), parameters())
def test_a_bomb(name: str, bomb: Bomb, tmp_path: Path) -> None:
    row = detonate(name, bomb, tmp_path)
    assert row.is_inside, row
