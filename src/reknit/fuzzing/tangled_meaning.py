"""What a tangled operation gives each lane, worked out from which lanes are here and what they have.

    tangled_result("scan", [0, 1, 3], {0: 5, 1: 2, 3: 1}, size=4, words=2)   ->   {0: 5, 1: 7, 3: 8}

Written from SPIR-V 1.6, 3.42.24 Non-Uniform Instructions, apart from the simulator, which it is to judge.
"""

from collections.abc import Callable
from functools import reduce

MASK = 0xFFFFFFFF
MIXING = 31
CLUSTER = 4


def tangled_result(kind: str, lanes: list[int], value: dict[int, int], size: int, words: int) -> dict[int, int]:
    """For each of `lanes`, which ascend. Each subgroup, `size` lanes in a row, is by itself; `words` of a ballot
    count."""
    results: dict[int, int] = {}
    for base in sorted({lane - lane % size for lane in lanes}):
        mine = [lane for lane in lanes if base <= lane < base + size]
        results.update(in_subgroup(kind, mine, value, base, words))
    return results


def in_subgroup(kind: str, lanes: list[int], value: dict[int, int], base: int, words: int) -> dict[int, int]:
    if kind in SAME_FOR_ALL:
        answer = SAME_FOR_ALL[kind]([value[lane] for lane in lanes])
        return dict.fromkeys(lanes, answer & MASK)
    if kind == "ballot":
        return dict.fromkeys(lanes, mixed_ballot(lanes, base, words))
    if kind == "elect":
        return {lane: int(lane == lanes[0]) for lane in lanes}
    if kind in ("scan", "exclusive"):
        through = kind == "scan"
        return {lane: sum(value[other] for other in lanes if other < lane + through) & MASK for lane in lanes}
    if kind == "before":
        return {lane: sum(1 for other in lanes if other < lane and value[other]) for lane in lanes}
    if kind == "partner":
        next_one = {lane: base + ((lane - base) ^ 1) for lane in lanes}
        return {lane: value[next_one[lane] if next_one[lane] in value else lane] for lane in lanes}
    if kind == "quad-swap":  # direction 1: along the column
        return {lane: value[base + ((lane - base) ^ 2)] for lane in lanes}
    if kind == "quad-first":
        return {lane: value[base + (lane - base) // 4 * 4] for lane in lanes}
    results: dict[int, int] = {}
    for lane in lanes:
        group = [value[other] for other in lanes if (other - base) // 4 == (lane - base) // 4]
        results[lane] = IN_FOUR[kind](group) & MASK
    return results


def mixed_ballot(lanes: list[int], base: int, words: int) -> int:
    """bits 0..31 + 31 * bits 32..63 + 32 * bits 64..95 + 33 * bits 96..127"""
    bits = sum(1 << (lane - base) for lane in lanes)
    total = bits & MASK
    for index in range(1, words):
        total += (bits >> (32 * index) & MASK) * (MIXING + index - 1)
    return total & MASK


SAME_FOR_ALL: dict[str, Callable[[list[int]], int]] = {
    "count": lambda values: sum(1 for value in values if value),
    "sum": sum,
    "first": lambda values: values[0],
    "last": lambda values: values[-1],
    "any": lambda values: int(any(values)),
    "all": lambda values: int(all(values)),
    "same": lambda values: int(len(set(values)) == 1),
    "different": lambda values: reduce(lambda a, b: a ^ b, values),
    "union": lambda values: reduce(lambda a, b: a | b, values),
    "least": min,
    "greatest": max,
}
IN_FOUR: dict[str, Callable[[list[int]], int]] = {
    "cluster": sum,
    "quad-any": lambda values: int(any(values)),
    "quad-all": lambda values: int(all(values)),
}
