"""What operations over a tangle's lanes give, worked out lane by lane: what is said to be the same never differs, and
what never differs is said to be the same.

Sixteen lanes are two subgroups of eight in a workgroup, or one subgroup with its clusters. Of each operand it is
drawn whether its lanes have the same in each group. Sources: SPIR-V 1.6, 3.56.24 "Non-Uniform Instructions".
"""

import random
from collections.abc import Callable

import pytest

from reknit.analysis.uniformity.operations import same_group_result
from reknit.analysis.uniformity.scope import Scope, is_scope
from reknit.ir import enums, op
from reknit.ir.constants import int_constant
from reknit.ir.instr import Instr, Operand
from reknit.ir.module import Module
from reknit.ir.types import int_type

Lanes = list[int]
LANES = range(16)
REDUCE, INCLUSIVE, EXCLUSIVE = (
    enums.GroupOperationReduce, enums.GroupOperationInclusiveScan, enums.GroupOperationExclusiveScan,
)  # fmt: skip
CLUSTERED = enums.GroupOperationClusteredReduce
SCOPES = {"workgroup": 16, "subgroup": 16, "cluster(2)": 2, "quad": 4, "cluster(8)": 8}


def fold(code: int, values: Lanes) -> int:
    if code == op.GroupNonUniformIAdd:
        return sum(values)
    if code == op.GroupNonUniformBitwiseXor:
        found = 0
        for value in values:
            found ^= value
        return found
    return max(values, default=0)


def folded(code: int, operation: int, size: int) -> Callable[[Lanes, list[int], int], int]:
    def of(values: Lanes, here: list[int], lane: int) -> int:
        before = [one for one in here if one < lane]
        who = {REDUCE: here, INCLUSIVE: [*before, lane], EXCLUSIVE: before}.get(operation)
        if who is None:
            who = [one for one in here if one // size == lane // size]
        return fold(code, [values[one] for one in who])

    return of


Case = tuple[int, list[object], Callable[..., int], str]
V, W = "value", "other"  # operands that lanes have each their own of
CASES: list[Case] = [
    (op.GroupNonUniformAll, [V], lambda v, here, lane: int(all(v[one] & 1 for one in here)), ""),
    (op.GroupNonUniformAny, [V], lambda v, here, lane: int(any(v[one] & 1 for one in here)), ""),
    (op.GroupNonUniformAllEqual, [V], lambda v, here, lane: int(len({v[one] for one in here}) == 1), ""),
    (op.GroupNonUniformBallot, [V], lambda v, here, lane: sum(1 << one for one in here if v[one] & 1), ""),
    (op.GroupNonUniformElect, [], lambda here, lane: int(lane == here[0]), ""),
    (op.GroupNonUniformBroadcastFirst, [V], lambda v, here, lane: v[here[0]], ""),
    (op.GroupNonUniformBroadcast, [V, W], lambda v, w, here, lane: v[here[w[lane] % len(here)]], ""),
    (op.GroupNonUniformShuffle, [V, W], lambda v, w, here, lane: v[here[w[lane] % len(here)]], ""),
    (op.GroupNonUniformInverseBallot, [V], lambda v, here, lane: v[lane] >> lane & 1, ""),
    (op.GroupNonUniformBallotBitExtract, [V, W], lambda v, w, here, lane: v[lane] >> w[lane] & 1, ""),
    (op.GroupNonUniformBallotFindLSB, [V], lambda v, here, lane: v[lane] & -v[lane], ""),
    (op.GroupNonUniformBallotFindMSB, [V], lambda v, here, lane: v[lane].bit_length(), ""),
    (op.GroupNonUniformBallotBitCount, [REDUCE, V], lambda v, here, lane: v[lane].bit_count(), ""),
    (
        op.GroupNonUniformBallotBitCount, [INCLUSIVE, V],
        lambda v, here, lane: (v[lane] & ((2 << lane) - 1)).bit_count(), "",
    ),
]  # fmt: skip
for _code in (op.GroupNonUniformIAdd, op.GroupNonUniformBitwiseXor, op.GroupNonUniformUMax):
    for _operation in (REDUCE, INCLUSIVE, EXCLUSIVE):
        CASES.append((_code, [_operation, V], folded(_code, _operation, 0), ""))
    for _size in (2, 4, 8):
        CASES.append((_code, [CLUSTERED, V, Instr], folded(_code, CLUSTERED, _size), str(_size)))
OVER_ALL: list[tuple[int, list[object], Callable[..., int]]] = [
    (op.GroupNonUniformShuffleXor, [V, W], lambda v, w, here, lane: v[lane ^ (w[lane])]),
    (op.GroupNonUniformShuffleUp, [V, W], lambda v, w, here, lane: v[max(lane - (w[lane]), here[0])]),
    (op.GroupNonUniformShuffleDown, [V, W], lambda v, w, here, lane: v[min(lane + (w[lane]), here[-1])]),
    (op.GroupNonUniformQuadSwap, [V, W], lambda v, w, here, lane: v[lane ^ 1]),
    (op.GroupNonUniformQuadBroadcast, [V, W], lambda v, w, here, lane: v[(lane & ~3) | w[lane] & 3]),
]


def differs(
    scope: str, operands: list[object], same: dict[int, bool], give: Callable[..., int], group: bool, all_here: bool
) -> bool:
    """Whether some lanes of a group get different results in some trial. `group`: it is over the workgroup."""
    chance = random.Random(7)
    width = 8 if scope == "workgroup" else 16  # of a subgroup
    reach = 16 if group else width
    size = SCOPES[scope]
    for _ in range(80):
        here = list(LANES) if all_here else [lane for lane in LANES if chance.random() < 0.7] or [0]
        most = chance.choice((1, 2, 16))
        values: list[Lanes] = []
        for place, operand in enumerate(operands):
            if operand in (V, W):
                per_group = [chance.randrange(most) for _ in LANES]
                alike = same[place + 1]
                values.append([per_group[lane // size] if alike else chance.randrange(most) for lane in LANES])
        results = {}
        for lane in here:
            together = [one for one in here if one // reach == lane // reach]
            results[lane] = give(*values, together, lane)
        for lane in here:
            if results[lane] != results[next(one for one in here if one // size == lane // size)]:
                return True
    return False


def check(
    scope: str, code: int, operands: list[object], give: Callable[..., int], constant: str, all_here: bool
) -> None:
    module = Module()
    u32 = int_type(module, 32, False)
    places = [place + 1 for place, operand in enumerate(operands) if operand in (V, W)]
    for over in (enums.ScopeSubgroup, enums.ScopeWorkgroup) if scope == "workgroup" else (enums.ScopeSubgroup,):
        words: list[Operand] = [int_constant(module, u32, over)]
        for operand in operands:
            is_number = operand is Instr
            fresh = int_constant(module, u32, int(constant)) if is_number else Instr(op.Undef, u32, [])
            words.append(operand if isinstance(operand, int) else fresh)
        instr = Instr(code, u32, words)
        for flags in range(1 << len(places)):
            same = {place: bool(flags >> at & 1) for at, place in enumerate(places)}

            def holds(place: int, same: dict[int, bool] = same) -> bool:
                return same.get(place, True)

            said = same_group_result(instr, Scope(scope), holds)
            found = differs(scope, operands, same, give, over == enums.ScopeWorkgroup, all_here)
            if code == op.GroupNonUniformQuadBroadcast and not same[2]:
                assert not (said and found), scope  # the index is the same for a quad in a valid program
            else:
                assert said is not found, (scope, over, code, constant, same)


@pytest.mark.parametrize("scope", list(SCOPES))
def test_results(scope: str) -> None:
    for code, operands, give, constant in CASES:
        check(scope, code, operands, give, constant, False)


@pytest.mark.parametrize("scope", list(SCOPES))
def test_results_of_other_lanes(scope: str) -> None:
    """What reads a neighbour, with all lanes there: of one that is not the result is undefined."""
    for code, operands, give in OVER_ALL:
        check(scope, code, operands, give, "", True)


@pytest.mark.parametrize("name, size", [
    ("workgroup", 0), ("subgroup", 0), ("quad", 4), ("cluster(1)", 1), ("cluster(2)", 2), ("cluster(64)", 64),
])  # fmt: skip
def test_scopes(name: str, size: int) -> None:
    assert is_scope(name) and Scope(name).cluster == size
    assert Scope(name).is_workgroup() == (name == "workgroup")


@pytest.mark.parametrize("name", [
    "", "device", "cluster(0)", "cluster(3)", "cluster(6)", "cluster(-2)", "cluster(2", "cluster()", "quad(4)",
])  # fmt: skip
def test_no_scopes(name: str) -> None:
    assert not is_scope(name)
