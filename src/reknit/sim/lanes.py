"""Lanes of a tangle: a column of their numbers, ascending; bits of a mask where people or choices ask for them.

    column    0 2 5            what kernels go through, and what the machine splits and joins
    mask      0b100101         traces, choices, messages
"""

from typing import cast, final

from reknit.sim.registers import COMPILED, as_column
from reknit.source.columns import i64, vec


def shifted(word: i64, by: i64) -> i64:
    """mypyc shifts a literal as a C int, which has 32 bits."""
    return word << by


def mask_of(lanes: vec[i64]) -> int:
    mask = 0
    part: i64 = 0
    base: i64 = 0
    for lane in lanes:
        if lane - base >= 60:
            mask |= int(part) << int(base)
            part = 0
            base = lane
        part |= shifted(1, lane - base)
    return mask | int(part) << int(base)


def lanes_in(mask: int) -> vec[i64]:
    """The lanes of a mask, ascending."""
    if not COMPILED:
        return cast("vec[i64]", [lane for lane in range(mask.bit_length()) if mask >> lane & 1])
    lanes = vec[i64]([0] * mask.bit_length())
    at: i64 = 0
    base: i64 = 0
    while mask:
        part: i64 = mask & 0xFFFFFFFF
        lane = base
        while part:
            if part & 1:
                lanes[at] = lane
                at += 1
            part >>= 1
            lane += 1
        mask >>= 32
        base += 32
    return lanes[:at]


def without(lanes: vec[i64], mask: int) -> vec[i64]:
    """The lanes that are not in a mask."""
    return lanes_in(mask_of(lanes) & ~mask)


@final
class Sorter:
    """Splits and joins columns of lanes below `count`."""

    __slots__ = ("_yes", "_no", "_held", "_others", "_marks", "_mark")

    def __init__(self, count: int) -> None:
        spare = 1 if COMPILED else -count
        self._yes = as_column([0] * (count + spare))  # compiled: room for the parts, one longer than they can be
        self._no = as_column([0] * (count + spare))
        self._held: i64 = 0
        self._others: i64 = 0
        self._marks = as_column([0] * count)
        self._mark: i64 = 0

    def split(self, condition: vec[i64], lanes: vec[i64]) -> i64:
        """For how many of the lanes the condition holds; they are `yes` then, and the rest is `no`."""
        if not COMPILED:
            self._yes = cast("vec[i64]", [lane for lane in lanes if condition[lane]])
            if 0 < len(self._yes) < len(lanes):
                self._no = cast("vec[i64]", [lane for lane in lanes if not condition[lane]])
            return i64(len(self._yes))
        yes = self._yes
        no = self._no
        held: i64 = 0
        others: i64 = 0
        for lane in lanes:  # without a branch, which would be mispredicted
            holds: i64 = 1 if condition[lane] else 0
            yes[held] = lane
            no[others] = lane
            held += holds
            others += 1 - holds
        self._held = held
        self._others = others
        return held

    def yes(self) -> vec[i64]:
        return self._yes[: self._held] if COMPILED else self._yes

    def no(self) -> vec[i64]:
        return self._no[: self._others] if COMPILED else self._no

    def begin(self) -> None:
        """No lane is marked."""
        self._mark += 1

    def mark(self, lanes: vec[i64]) -> None:
        marks = self._marks
        mark = self._mark
        for lane in lanes:
            marks[lane] = mark

    def marked(self, lanes: vec[i64]) -> vec[i64]:
        """The lanes that are marked."""
        marks = self._marks
        mark = self._mark
        if not COMPILED:
            return cast("vec[i64]", [lane for lane in lanes if marks[lane] == mark])
        held = self._yes
        at: i64 = 0
        for lane in lanes:
            holds: i64 = 1 if marks[lane] == mark else 0
            held[at] = lane
            at += holds
        return held[:at]
