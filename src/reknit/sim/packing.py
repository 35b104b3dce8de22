"""Packings: which invocations share a subgroup, and at which SubgroupLocalInvocationId.

    {0 1 2 3} {4 5}        six invocations in index order, in subgroups of 4
    {0 1 2} {3 4 5}        two subgroups that are not full
    {0 _ 1} {5-2}          an id that no invocation has; 5, 4, 3, 2

A number is a LocalInvocationIndex, or the number of a lane of a drawing, and its place in the braces its
SubgroupLocalInvocationId; braces are in the order of SubgroupId. Of several workgroups, each may have its own:
`{0 1} {2 3} | {0 2} {1 3}`; one packing stands for all of them.

Vulkan pins almost nothing. "For shaders that have defined workgroups, each invocation in a subgroup must be in the same
local workgroup." (Shaders, Subgroup.) SubgroupLocalInvocationId "is in range [0,SubgroupSize-1]", and "There is no
direct relationship between SubgroupLocalInvocationId and LocalInvocationId or LocalInvocationIndex." "If full subgroups
are not enabled, some subgroups may be dispatched with inactive invocations that do not correspond to a local workgroup
invocation" (Built-In Variables, SubgroupLocalInvocationId). "When full subgroups are required, subgroups must be
launched with all invocations active, i.e., there is an active invocation with SubgroupLocalInvocationId for each value
in range [0,SubgroupSize-1]." (Shaders, Full Subgroups.) "In all shaders, each invocation in a quad scope instance is
formed of invocations in adjacent subgroup invocation indices (si), where: (s0) = (s1 - 1) = (s2 - 2) = (s3 - 3)", "s0
is an integer multiple of 4" (Shaders, Quad): where the specification says which invocations are a quad, quads are
packed as wholes.

A subgroup without any invocation is not considered: it would show in NumSubgroups and SubgroupId alone.
"""

import random
from collections.abc import Iterator, Sequence
from itertools import combinations, permutations, product
from math import comb, factorial, perm
from typing import Final, final

from reknit.source.diagnostic import Diagnostic, InputError

ABSENT: Final = -1
"""A SubgroupLocalInvocationId that no invocation of a subgroup has."""

Subgroups = list[list[int]]
"""Of one workgroup: for each subgroup the invocation at each SubgroupLocalInvocationId, ABSENT where there is none."""

NOTHING: Final = 0
MEMBERS: Final = 1
ORDER: Final = 2
IDS: Final = 3
"""What of a packing may show: which invocations share a subgroup (MEMBERS); in which order they are, too (ORDER); or
the SubgroupLocalInvocationId of each (IDS)."""

MAX_COUNTED: Final = 10**60


@final
class Packing:
    """`groups` has the subgroups of each workgroup, or of all of them where there is one entry."""

    __slots__ = ("groups",)

    def __init__(self, groups: list[Subgroups]) -> None:
        self.groups = groups

    def of(self, group: int) -> Subgroups:
        return self.groups[group if len(self.groups) > 1 else 0]

    def lanes(self, size: int) -> int:
        """How many lanes hold it, where each subgroup starts at a multiple of `size`."""
        return max([(len(subgroups) - 1) * size + len(subgroups[-1]) for subgroups in self.groups])

    def order(self, group: int, size: int) -> list[int]:
        """By lane: the invocation."""
        order = [ABSENT] * self.lanes(size)
        for number, subgroup in enumerate(self.of(group)):
            order[number * size : number * size + len(subgroup)] = subgroup
        return order

    def __str__(self) -> str:
        return " | ".join([" ".join([_braces(subgroup) for subgroup in subgroups]) for subgroups in self.groups])


def _braces(subgroup: list[int]) -> str:
    """`{0-3 7 _ 5}`: three or more that follow each other are a range."""
    parts: list[str] = []
    at = 0
    while at < len(subgroup):
        end = at
        step = subgroup[at + 1] - subgroup[at] if at + 1 < len(subgroup) else 0
        if subgroup[at] != ABSENT and step in (1, -1):
            while end + 1 < len(subgroup) and subgroup[end + 1] == subgroup[end] + step != ABSENT:
                end += 1
        if end - at >= 2:
            parts.append(f"{subgroup[at]}-{subgroup[end]}")
        else:
            end = at
            parts.append("_" if subgroup[at] == ABSENT else str(subgroup[at]))
        at = end + 1
    return "{" + " ".join(parts) + "}"


class PackingError(InputError):
    """A packing (RK1006) that can't be read, or that the specification does not allow of the invocations there are."""


def parse_packing(text: str) -> Packing:
    """Raises PackingError."""
    groups: list[Subgroups] = []
    for part in text.split("|"):
        subgroups: Subgroups = []
        rest = part.strip()
        while rest:
            inside, closed, after = rest[1:].partition("}")
            if not rest.startswith("{") or not closed:
                raise _wrong(text, "each subgroup is written in braces, such as {0 1 2} {3-5}")
            subgroups.append(_invocations(text, inside))
            rest = after.strip()
        if not subgroups:
            raise _wrong(text, "it names no subgroup: each is written in braces, such as {0 1 2} {3-5}")
        groups.append(subgroups)
    return Packing(groups)


def _invocations(text: str, inside: str) -> list[int]:
    subgroup: list[int] = []
    for word in inside.replace(",", " ").split():
        first, dash, last = word.partition("-")
        if word == "_":
            subgroup.append(ABSENT)
        elif first.isdecimal() and first.isascii() and len(first) < 7 and not dash:
            subgroup.append(int(first))
        elif f"{first}{last}".isdecimal() and f"{first}{last}".isascii() and len(first) < 7 and len(last) < 7:
            low, high = int(first), int(last)
            subgroup.extend(range(low, high + 1) if low <= high else range(low, high - 1, -1))
        else:
            raise _wrong(text, f"'{word}' is no invocation")
    while subgroup and subgroup[-1] == ABSENT:
        subgroup.pop()
    if not subgroup:
        raise _wrong(text, "a subgroup has at least one invocation")
    return subgroup


def _wrong(text: str, why: str) -> PackingError:
    help = "in braces: LocalInvocationIndices in the order of SubgroupLocalInvocationId, _ for an id without invocation"
    return PackingError([Diagnostic("RK1006", f"subgroups {text[:60]!r}: {why}", help=help)])


def check_packing(
    packing: Packing, count: int, size: int, quads: Sequence[Sequence[int]] = (), full: bool = False
) -> None:
    """Whether it packs the `count` invocations of a workgroup as the specification allows. `quads` are those that it
    says are one; `full`: full subgroups are required. Raises InputError (RK1006)."""
    text = str(packing)
    whole = {tuple(quad) for quad in quads}
    for subgroups in packing.groups:
        those = [each for subgroup in subgroups for each in subgroup if each != ABSENT]
        if sorted(those) != list(range(count)):
            raise _wrong(text, f"each of the invocations 0 to {count - 1} must be in it once")
        if max([len(subgroup) for subgroup in subgroups]) > size:
            raise _wrong(text, f"a subgroup has at most {size} invocations")
        if full and any(len(subgroup) < size or ABSENT in subgroup for subgroup in subgroups):
            raise _wrong(text, f"subgroups are full here: each has {size} invocations")
        for subgroup in subgroups if whole else []:
            padded = [*subgroup, *[ABSENT] * (-len(subgroup) % 4)]
            parts = [tuple(padded[at : at + 4]) for at in range(0, len(padded), 4)]
            if any(part not in whole and part != (ABSENT,) * 4 for part in parts):
                raise _wrong(text, "a quad is four adjacent ids from a multiple of 4 on, and stays whole")


def check_groups(packing: Packing, groups: int) -> None:
    """Whether it is of so many workgroups, or of any. Raises InputError (RK1006)."""
    if len(packing.groups) not in (1, groups):
        raise _wrong(str(packing), f"it is of {len(packing.groups)} workgroups, and there are {groups}")


@final
class Space:
    """The packings of one workgroup that are distinguished. `order` are its invocations in index order, of which `unit`
    stay together (1, or 4 for quads); `level` is what shows, and `numbered` whether SubgroupId does."""

    __slots__ = ("units", "unit", "room", "level", "numbered", "full")

    def __init__(self, order: list[int], size: int, unit: int, level: int, numbered: bool, full: bool) -> None:
        self.units = [order[at : at + unit] for at in range(0, len(order), unit)]
        self.unit = unit
        self.room = size // unit
        self.level = level
        self.numbered = numbered
        self.full = full

    def is_single(self) -> bool:
        """Whether there is but one."""
        if self.level == NOTHING or not self.units:
            return True
        if len(self.units) == 1:
            return self.level < IDS or self.room == 1 or self.full
        if self.room == 1:
            return not self.numbered
        return self.full and self.level == MEMBERS and len(self.units) == self.room

    def sizes(self) -> range:
        """How many units a subgroup may have."""
        return range(self.room if self.full else 1, min(self.room, len(self.units)) + 1)

    def count(self) -> int:
        """How many there are, MAX_COUNTED where they are more. The subgroup that has the first invocation has
        others of the rest beside it, and what is left is packed in the same way; where SubgroupId shows, any of
        the subgroups may be that which is numbered first."""
        if self.level == NOTHING:
            return 1
        count = len(self.units)
        ways = [1]
        for left in range(1, count + 1):
            total = 0
            for members in self.sizes():
                if members > left:
                    break
                others = comb(left, members) if self.numbered else comb(left - 1, members - 1)
                total += others * self.arrangements(members) * ways[left - members]
            ways.append(min(total, MAX_COUNTED))
        return ways[count]

    def arrangements(self, members: int) -> int:
        if self.level == MEMBERS:
            return 1
        return factorial(members) if self.level == ORDER else perm(self.room, members)

    def every(self) -> list[Subgroups]:
        """All of them, that in index order first; only for few."""
        if self.level == NOTHING:
            return [self.in_order()]
        packings: list[Subgroups] = []
        work: list[tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]] = [(tuple(range(len(self.units))), ())]
        while work:
            left, blocks = work.pop()
            if not left:
                for ordered in permutations(blocks) if self.numbered else [blocks]:
                    packings.append([self.spelled(block) for block in ordered])
                continue
            following = []
            for members in reversed(self.sizes()):
                for others in combinations(left[1:], members - 1):
                    rest = tuple([each for each in left[1:] if each not in others])
                    for arranged in self.arranged((left[0], *others)):
                        following.append((rest, (*blocks, arranged)))
            work.extend(reversed(following))
        return packings

    def arranged(self, block: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        """The units of a subgroup at their ids, in each way that shows."""
        if self.level == MEMBERS:
            yield block
        elif self.level == ORDER:
            yield from permutations(block)
        else:
            for places in combinations(range(self.room), len(block)):
                for ordered in permutations(block):
                    slots = [ABSENT] * (places[-1] + 1)
                    for place, unit in zip(places, ordered, strict=True):
                        slots[place] = unit
                    yield tuple(slots)

    def spelled(self, block: tuple[int, ...] | list[int]) -> list[int]:
        """The invocations of units."""
        absent = [ABSENT] * self.unit
        return [each for unit in block for each in (absent if unit == ABSENT else self.units[unit])]

    def in_order(self) -> Subgroups:
        count = len(self.units)
        return [self.spelled(list(range(at, min(at + self.room, count)))) for at in range(0, count, self.room)]

    def some(self, most: int) -> list[Subgroups]:
        """At most so many that differ in what shows: those that devices may well have first, then random ones."""
        count = len(self.units)
        full = range(0, count, self.room)
        everyone = list(range(count))
        backwards = everyone[::-1]
        across = [everyone[at :: len(full)] for at in range(len(full))]
        candidates = [
            [everyone[at : at + self.room] for at in full],
            [backwards[at : at + self.room] for at in full],
            across,
        ]
        if not self.full:
            fewer = (count + len(full) - 1) // len(full)
            candidates.append([everyone[at : at + fewer] for at in range(0, count, fewer)])
            candidates.append([[each] for each in everyone])
            short = count % self.room
            if short:
                later = [everyone[at : at + self.room] for at in range(short, count, self.room)]
                candidates.append([everyone[:short], *later])
        coin = random.Random(0)
        packings: dict[object, Subgroups] = {}
        for number in range(4 * most + 16):
            if len(packings) >= most:
                break
            blocks = candidates[number] if number < len(candidates) else self.drawn(coin)
            if number < len(candidates) and any(len(block) > self.room for block in blocks):
                continue
            packings.setdefault(self.shown(blocks), [self.spelled(block) for block in blocks])
        return list(packings.values())

    def drawn(self, coin: random.Random) -> list[list[int]]:
        units = list(range(len(self.units)))
        coin.shuffle(units)
        blocks: list[list[int]] = []
        nearly_full = coin.random() < 0.5
        while units:
            most = min(self.room, len(units))
            members = most if self.full or nearly_full else coin.randint(1, most)
            block, units = units[:members], units[members:]
            if self.level == IDS and not self.full and coin.random() < 0.5:
                places = sorted(coin.sample(range(self.room), members))
                slots = [ABSENT] * (places[-1] + 1)
                for place, unit in zip(places, block, strict=True):
                    slots[place] = unit
                block = slots
            blocks.append(block)
        coin.shuffle(blocks)
        return blocks

    def shown(self, blocks: list[list[int]]) -> object:
        """What of it shows: two packings with the same are one."""
        parts = [tuple(block) for block in blocks]
        if self.level < IDS:
            parts = [tuple([unit for unit in part if unit != ABSENT]) for part in parts]
        if self.level < ORDER:
            parts = [tuple(sorted(part)) for part in parts]
        return tuple(parts if self.numbered else sorted(parts))


def packings_of(space: Space, groups: int, most: int) -> tuple[list[Packing], bool, int]:
    """Packings of `groups` workgroups that are alike, that in index order first: all of them, or `most` where there are
    more; whether these are all, and how many there are."""
    each = space.count()
    total = min(each**groups, MAX_COUNTED)
    if total <= most:
        ways = space.every()
        return [Packing(list(picked)) for picked in product(ways, repeat=groups)], True, total
    some = space.some(most)
    if groups == 1:
        return [Packing([one]) for one in some], False, total
    coin = random.Random(1)
    packings = [Packing([one]) for one in some[: most // 2]]
    while len(packings) < most:
        packings.append(Packing([coin.choice(some) for _ in range(groups)]))
    return packings, False, total
