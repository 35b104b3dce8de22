"""Group operations against a slow reading of the specification's sentences, one lane at a time, over random tangles."""

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from unit.sim.ops.ops_calls import run_group
from unit.sim.ops.ops_floats import bits, number, pattern, quiet

from reknit.ir import enums, op
from reknit.sim.values import BOOL, F32, I8, I32, U8, U32, U64, to_signed, vector

BALLOT = vector(U32, 4)


@st.composite
def tangles(draw: st.DrawFn) -> tuple[int, int, list[int]]:
    """(base, size, lanes) of a subgroup that isn't always the first."""
    size = draw(st.sampled_from([1, 2, 4, 8, 16, 64]))
    base = draw(st.integers(0, 2)) * size
    lanes = draw(st.sets(st.integers(base, base + size - 1), min_size=1))
    return base, size, sorted(lanes)


def column(draw_from: st.SearchStrategy[int], base: int, size: int, data: st.DataObject) -> list[int]:
    return data.draw(st.lists(draw_from, min_size=base + size, max_size=base + size))


def words(members: list[int]) -> tuple[int, ...]:
    """The ballot with these bits, by its definition in Vulkan's SubgroupEqMask: bit i is bit i % 32 of word i / 32."""
    return tuple(sum(1 << (bit % 32) for bit in members if bit // 32 == word) for word in range(4))


def expect(out: list[Any], lanes: list[int], value: Callable[[int], Any]) -> None:
    assert out == [value(lane) if lane in lanes else None for lane in range(len(out))]


def by_source(source: Callable[[int], int], value: list[Any], lanes: list[int]) -> Callable[[int], Any]:
    """What each lane reads from the lane that `source` names, 0 where that one isn't there."""
    return lambda lane: value[source(lane)] if source(lane) in lanes else 0


def folded(over: Callable[[list[int]], int], members: Callable[[int], list[int]]) -> Callable[[int], int]:
    """The fold over the lanes that count for each lane."""
    return lambda lane: over(members(lane))


def constantly(value: Any) -> Callable[[int], Any]:
    return lambda lane: value


@settings(deadline=None, max_examples=80)
@given(tangles(), st.data())
def test_votes_and_ballots(tangle: tuple[int, int, list[int]], data: st.DataObject) -> None:
    base, size, lanes = tangle
    predicate = column(st.integers(0, 1), base, size, data)
    voters = [lane for lane in lanes if predicate[lane]]

    def out(opcode: int, *operands: Any, literals: list[int] | None = None) -> list[Any]:
        shapes = [BALLOT if isinstance(operand[0], tuple) else U32 for operand in operands]
        found, said = run_group(opcode, U32, shapes, lanes, *operands, base=base, size=size, literals=literals)
        assert said == []
        return found

    expect(out(op.GroupNonUniformElect), lanes, lambda lane: int(lane == min(lanes)))
    for opcode in (op.GroupNonUniformAll, op.SubgroupAllKHR, op.GroupAll):
        expect(out(opcode, predicate), lanes, lambda lane: int(len(voters) == len(lanes)))
    for opcode in (op.GroupNonUniformAny, op.SubgroupAnyKHR, op.GroupAny):
        expect(out(opcode, predicate), lanes, lambda lane: int(voters != []))
    for opcode in (op.GroupNonUniformAllEqual, op.SubgroupAllEqualKHR):
        expect(out(opcode, predicate), lanes, lambda lane: int(len({predicate[other] for other in lanes}) == 1))
    ballot = words([lane - base for lane in voters])
    for opcode in (op.GroupNonUniformBallot, op.SubgroupBallotKHR):
        expect(out(opcode, predicate), lanes, lambda lane: ballot)
    # Bits that stand for no invocation of the group don't count.
    everywhere = [tuple(word | word_ for word, word_ in zip(ballot, words(list(range(size, 128))), strict=True))]
    everywhere = everywhere * (base + size)
    expect(out(op.GroupNonUniformInverseBallot, everywhere), lanes, lambda lane: int(lane in voters))
    for operation, counted in [
        (enums.GroupOperationReduce, lambda lane: len(voters)),
        (enums.GroupOperationInclusiveScan, lambda lane: sum(other <= lane for other in voters)),
        (enums.GroupOperationExclusiveScan, lambda lane: sum(other < lane for other in voters)),
    ]:
        expect(out(op.GroupNonUniformBallotBitCount, everywhere, literals=[operation]), lanes, counted)
    index = column(st.integers(0, size - 1), base, size, data)
    expect(
        out(op.GroupNonUniformBallotBitExtract, everywhere, index),
        lanes,
        lambda lane: int(base + index[lane] in voters),
    )
    if voters:
        expect(out(op.GroupNonUniformBallotFindLSB, everywhere), lanes, lambda lane: min(voters) - base)
        expect(out(op.GroupNonUniformBallotFindMSB, everywhere), lanes, lambda lane: max(voters) - base)


def test_what_a_ballot_leaves_undefined_is_reported() -> None:
    empty = [(0, 0, 0, 0)] * 4
    for opcode in (op.GroupNonUniformBallotFindLSB, op.GroupNonUniformBallotFindMSB):
        # Bit 4 stands for nobody in a group of 4.
        for ballot in (empty, [(16, 0, 0, 0)] * 4):
            out, said = run_group(opcode, U32, [BALLOT], [1, 3], ballot)
            assert out == [None, 0, None, 0] and [lane for lane, _ in said] == [1, 3]
    out, said = run_group(op.GroupNonUniformBallotBitExtract, BOOL, [BALLOT, U32], [0, 1], empty, [3, 4, 0, 0])
    assert [lane for lane, _ in said] == [1]
    differing = [(1, 0, 0, 0), (2, 0, 0, 0), (1, 0, 0, 0), (1, 0, 0, 0)]
    out, said = run_group(op.GroupNonUniformInverseBallot, BOOL, [BALLOT], [0, 1, 2], differing)
    assert [lane for lane, _ in said] == [1] and "lanes 0 and 1" in said[0][1]


def test_all_equal_compares_floats_as_ordered() -> None:
    """SPIR-V: for floating point an ordered-and-equal compare, so 0 equals -0, and a NaN not even itself."""

    def all_equal(shape: Any, values: list[Any]) -> Any:
        out, said = run_group(op.GroupNonUniformAllEqual, BOOL, [shape], [0, 2], values)
        assert said == [] and out[1] is None and out[0] == out[2]
        return out[0]

    assert all_equal(F32, [0, 5, 0x80000000, 0]) == 1
    assert all_equal(U32, [0, 5, 0x80000000, 0]) == 0
    assert all_equal(F32, [0x7FC00000] * 4) == 0
    assert all_equal(vector(F32, 2), [(0, 1), (5, 5), (0x80000000, 1), (0, 0)]) == 1
    assert all_equal(vector(F32, 2), [(0, 1), (0, 1), (0, 2), (0, 1)]) == 0
    assert all_equal(vector(U32, 2), [(0, 1), (0, 3), (0, 1), (0, 1)]) == 1


@settings(deadline=None, max_examples=120)
@given(tangles(), st.data())
def test_exchanges(tangle: tuple[int, int, list[int]], data: st.DataObject) -> None:
    """The value of the lane that the sentence names; where it isn't in the tangle, 0 and a report that names both."""
    base, size, lanes = tangle
    value = column(st.integers(1, 1 << 32), base, size, data)
    operand = column(st.one_of(st.integers(0, 2 * size), st.just(0xFFFFFFFF)), base, size, data)
    same = [operand[0]] * (base + size)
    cases: list[tuple[int, list[int], Callable[[int], int]]] = [
        (op.GroupNonUniformShuffle, operand, lambda lane: base + operand[lane]),
        (op.GroupNonUniformShuffleXor, operand, lambda lane: base + ((lane - base) ^ operand[lane])),
        (op.GroupNonUniformShuffleUp, operand, lambda lane: lane - operand[lane]),
        (op.GroupNonUniformShuffleDown, operand, lambda lane: lane + operand[lane]),
        (op.GroupNonUniformBroadcast, same, lambda lane: base + same[0]),
        (op.SubgroupReadInvocationKHR, same, lambda lane: base + same[0]),
        (op.GroupBroadcast, same, lambda lane: base + same[0]),
        (op.GroupNonUniformRotateKHR, same, lambda lane: base + (lane - base + same[0]) % size),
    ]
    for opcode, second, source in cases:
        out, said = run_group(opcode, U32, [U32, U32], lanes, value, second, base=base, size=size)
        expect(out, lanes, by_source(source, value, lanes))
        missing = [lane for lane in lanes if source(lane) not in lanes]
        assert [lane for lane, _ in said] == missing
        for lane, message in said:
            assert f"lane {lane} reads" in message
            assert not base <= source(lane) < base + size or f"reads lane {source(lane)}," in message
    for opcode in (op.GroupNonUniformBroadcastFirst, op.SubgroupFirstInvocationKHR):
        out, said = run_group(opcode, U32, [U32], lanes, value, base=base, size=size)
        expect(out, lanes, lambda lane: value[min(lanes)])
        assert said == []


def test_clustered_rotation_by_hand() -> None:
    """SPV_KHR_subgroup_rotate: within 4 of 8, by 5, which is by 1: lane 3 reads lane 0, lane 7 reads lane 4."""
    out, said = run_group(
        op.GroupNonUniformRotateKHR, U32, [U32] * 3, list(range(8)), list(range(8)), [5] * 8, [4] * 8, size=8
    )
    assert out == [1, 2, 3, 0, 5, 6, 7, 4] and said == []
    out, said = run_group(
        op.GroupNonUniformRotateKHR, U32, [U32] * 3, list(range(8)), list(range(8)), [5] * 8, [3] * 8, size=8
    )
    assert len(said) == 1 and "cluster of 3" in said[0][1]


def test_an_id_that_is_not_uniform_is_reported_once() -> None:
    out, said = run_group(op.GroupNonUniformBroadcast, U32, [U32, U32], [0, 1, 2], [5, 6, 7, 8], [0, 1, 1, 0])
    assert out == [5, 6, 6, None]
    assert len(said) == 1 and "0 in lane 0, 1 in lane 1" in said[0][1]


def test_quads_by_hand() -> None:
    """Quad of lane 6 is 4 5 / 6 7: horizontal 7, vertical 4, diagonal 5."""
    lanes = list(range(8))
    value = [10, 11, 12, 13, 14, 15, 16, 17]
    swaps = [run_group(op.GroupNonUniformQuadSwap, U32, [U32, U32], lanes, value, [d] * 8, size=8) for d in range(3)]
    assert [out[6] for out, _ in swaps] == [17, 14, 15]
    assert [out for out, _ in swaps] == [
        [11, 10, 13, 12, 15, 14, 17, 16],
        [12, 13, 10, 11, 16, 17, 14, 15],
        [13, 12, 11, 10, 17, 16, 15, 14],
    ]
    out, said = run_group(op.GroupNonUniformQuadBroadcast, U32, [U32, U32], lanes, value, [2] * 8, size=8)
    assert out == [12] * 4 + [16] * 4 and said == []
    out, said = run_group(op.GroupNonUniformQuadBroadcast, U32, [U32, U32], [0, 1, 4, 6], value, [2] * 8, size=8)
    assert out == [0, 0, None, None, 16, None, 16, None]
    assert [lane for lane, _ in said] == [0, 1] and "lane 2" in said[0][1]
    for bad, opcode in [(4, op.GroupNonUniformQuadBroadcast), (3, op.GroupNonUniformQuadSwap)]:
        assert len(run_group(opcode, U32, [U32, U32], [0], value, [bad] * 8, size=8)[1]) == 1
    votes = [1, 1, 1, 1, 1, 0, 0, 1]
    tangle = [0, 1, 2, 3, 5, 7]
    assert run_group(op.GroupNonUniformQuadAllKHR, BOOL, [BOOL], tangle, votes, size=8)[0] == [
        1, 1, 1, 1, None, 0, None, 0
    ]  # fmt: skip
    assert run_group(op.GroupNonUniformQuadAnyKHR, BOOL, [BOOL], [5, 6], votes, size=8)[0][5:7] == [0, 0]
    assert run_group(op.GroupNonUniformQuadAnyKHR, BOOL, [BOOL], [5, 7], votes, size=8)[0][5:] == [1, None, 1]


def f(*values: float) -> list[int]:
    return [pattern(np.float32(value), 32) for value in values]


def test_derivatives_by_hand() -> None:
    """Values 1 3 / 7 15: across 2 and 8, down 6 and 12. Vulkan, "Derivative Operations": they "must be executed in
    control flow that is uniform within a derivative group", so that without lane 1 all of the quad is undefined."""
    value = f(1, 3, 7, 15)
    expected = {
        op.DPdx: f(2, 2, 8, 8),
        op.DPdy: f(6, 12, 6, 12),
        op.Fwidth: f(8, 14, 14, 20),
        op.DPdxCoarse: f(2, 2, 2, 2),
        op.DPdyCoarse: f(6, 6, 6, 6),
        op.FwidthCoarse: f(8, 8, 8, 8),
    }
    for opcode, result in expected.items():
        assert run_group(opcode, F32, [F32], [0, 1, 2, 3], value) == (result, [])
    pairs = [(x, x) for x in value]
    assert run_group(op.DPdy, vector(F32, 2), [vector(F32, 2)], [0, 1, 2, 3], pairs)[0][1] == (f(12)[0], f(12)[0])
    out, said = run_group(op.DPdx, F32, [F32], [0, 2, 3], value)
    assert out == [0, None, 0, 0] and [lane for lane, _ in said] == [0, 2, 3] and "lane 1" in said[0][1]


INTEGER_FOLDS: dict[int, tuple[Callable[[int, int], int], int]] = {
    # The operation on mathematical integers (signed for S), and the identity that SPIR-V states for it.
    op.GroupNonUniformIAdd: (lambda a, b: a + b, 0),
    op.GroupNonUniformIMul: (lambda a, b: a * b, 1),
    op.GroupNonUniformUMin: (min, 0xFF),
    op.GroupNonUniformUMax: (max, 0),
    op.GroupNonUniformSMin: (lambda a, b: min(to_signed(a, 8), to_signed(b, 8)) & 0xFF, 0x7F),
    op.GroupNonUniformSMax: (lambda a, b: max(to_signed(a, 8), to_signed(b, 8)) & 0xFF, 0x80),
    op.GroupNonUniformBitwiseAnd: (lambda a, b: a & b, 0xFF),
    op.GroupNonUniformBitwiseOr: (lambda a, b: a | b, 0),
    op.GroupNonUniformBitwiseXor: (lambda a, b: a ^ b, 0),
}


@settings(deadline=None, max_examples=60)
@given(tangles(), st.data())
def test_reductions_and_scans(tangle: tuple[int, int, list[int]], data: st.DataObject) -> None:
    base, size, lanes = tangle
    value = column(st.integers(0, 255), base, size, data)
    cluster = data.draw(st.sampled_from([width for width in (1, 2, 4, 8, 64) if width <= size]))

    def out(opcode: int, operation: int, *more: list[Any]) -> list[Any]:
        found, said = run_group(
            opcode, U8, [U8] + [U32] * len(more), lanes, value, *more, base=base, size=size, literals=[operation]
        )
        assert said == []
        return found

    for opcode, (operation, identity) in INTEGER_FOLDS.items():

        def over(members: list[int], operation: Callable[[int, int], int] = operation, identity: int = identity) -> int:
            total = identity
            for lane in members:
                total = operation(total, value[lane]) & 0xFF
            return total

        expect(out(opcode, enums.GroupOperationReduce), lanes, folded(over, lambda lane: lanes))
        expect(
            out(opcode, enums.GroupOperationInclusiveScan),
            lanes,
            folded(over, lambda lane: [other for other in lanes if other <= lane]),
        )
        expect(
            out(opcode, enums.GroupOperationExclusiveScan),
            lanes,
            folded(over, lambda lane: [other for other in lanes if other < lane]),
        )
        expect(
            out(opcode, enums.GroupOperationClusteredReduce, [cluster] * (base + size)),
            lanes,
            folded(
                over, lambda lane: [other for other in lanes if (other - base) // cluster == (lane - base) // cluster]
            ),
        )


def test_logical_folds() -> None:
    value = [1, 0, 1, 1]
    for opcode, expected, identity in [
        (op.GroupNonUniformLogicalAnd, 0, 1),
        (op.GroupNonUniformLogicalOr, 1, 0),
        (op.GroupNonUniformLogicalXor, 1, 0),
    ]:
        out, _ = run_group(opcode, BOOL, [BOOL], [0, 1, 2, 3], value, literals=[enums.GroupOperationReduce])
        assert out == [expected] * 4
        out, _ = run_group(opcode, BOOL, [BOOL], [2, 3], value, literals=[enums.GroupOperationExclusiveScan])
        assert out == [None, None, identity, 1]


@settings(deadline=None, max_examples=80)
@given(tangles(), st.data())
def test_float_folds_round_from_lane_to_lane(tangle: tuple[int, int, list[int]], data: st.DataObject) -> None:
    base, size, lanes = tangle
    value = column(bits(32), base, size, data)
    with np.errstate(all="ignore"):
        for opcode, function in [(op.GroupNonUniformFAdd, np.add), (op.GroupNonUniformFMul, np.multiply)]:
            total = number(value[lanes[0]], 32)
            scan = {lanes[0]: value[lanes[0]]}
            for lane in lanes[1:]:
                total = function(total, number(value[lane], 32))
                scan[lane] = pattern(total, 32)
            out, said = run_group(
                opcode, F32, [F32], lanes, value, base=base, size=size, literals=[enums.GroupOperationInclusiveScan]
            )
            expect(out, lanes, scan.__getitem__)
            out, said = run_group(
                opcode, F32, [F32], lanes, value, base=base, size=size, literals=[enums.GroupOperationReduce]
            )
            expect(out, lanes, constantly(scan[lanes[-1]]))
    # numpy's fmin and fmax leave NaNs out, as the specification has it.
    for opcode, extreme in [(op.GroupNonUniformFMin, np.fmin), (op.GroupNonUniformFMax, np.fmax)]:
        wanted = extreme.reduce([quiet(value[lane], 32) for lane in lanes])
        out, said = run_group(
            opcode, F32, [F32], lanes, value, base=base, size=size, literals=[enums.GroupOperationReduce]
        )
        for lane in lanes:
            found = number(out[lane], 32)
            assert (np.isnan(found) and np.isnan(wanted)) or found == wanted
        assert len(said) == (len(lanes) if np.isnan(wanted) else 0)


def test_float_identities() -> None:
    scan = [enums.GroupOperationExclusiveScan]
    for opcode, identity in [
        (op.GroupNonUniformFAdd, 0.0),
        (op.GroupNonUniformFMul, 1.0),
        (op.GroupNonUniformFMin, np.inf),
        (op.GroupNonUniformFMax, -np.inf),
    ]:
        assert run_group(opcode, F32, [F32], [1], f(5, 6), literals=scan, size=2)[0] == [None, f(identity)[0]]


def test_vectors_fold_by_component_and_old_names_mean_the_same() -> None:
    two = vector(I8, 2)
    value = [(1, 250), (2, 10), (9, 9)]
    out, _ = run_group(op.GroupNonUniformIAdd, two, [two], [0, 1], value, size=3, literals=[1])
    assert out == [(1, 250), (3, 4), None]
    out, _ = run_group(op.GroupNonUniformSMin, two, [two], [0, 1], value, size=3, literals=[2])
    assert out == [(0x7F, 0x7F), (1, 250), None]
    for opcode in (op.GroupIAdd, op.GroupIAddNonUniformAMD):
        assert run_group(opcode, I32, [I32], [0, 2], [1, 2, 3], size=3, literals=[0])[0] == [4, None, 4]
    assert run_group(op.GroupIMulKHR, U64, [U64], [0, 1], [1 << 63, 3], size=2, literals=[0])[0] == [1 << 63] * 2


def test_partitions() -> None:
    """Lanes 0 2 5 hold value 7 and lanes 1 4 value 8; lane 3 is elsewhere."""
    lanes = [0, 1, 2, 4, 5]
    value = [7, 8, 7, 7, 8, 7]
    ballots, _ = run_group(op.GroupNonUniformPartitionEXT, BALLOT, [U32], lanes, value, size=6)
    assert ballots[:3] == [(0b100101, 0, 0, 0), (0b010010, 0, 0, 0), (0b100101, 0, 0, 0)] and ballots[3] is None
    numbers = [1, 10, 2, 99, 20, 4]
    for operation, expected in [
        (enums.GroupOperationPartitionedReduceNV, [7, 30, 7, None, 30, 7]),
        (enums.GroupOperationPartitionedInclusiveScanNV, [1, 10, 3, None, 30, 7]),
        (enums.GroupOperationPartitionedExclusiveScanNV, [0, 0, 1, None, 10, 3]),
    ]:
        found = run_group(
            op.GroupNonUniformIAdd, U32, [U32, BALLOT], lanes, numbers, ballots, size=6, literals=[operation]
        )
        assert found == (expected, [])
    crossed: list[Any] = [(1, 0, 0, 0), (1, 0, 0, 0), *ballots[2:]]
    _, said = run_group(
        op.GroupNonUniformIAdd, U32, [U32, BALLOT], [0, 1], numbers, crossed, size=6,
        literals=[enums.GroupOperationPartitionedReduceNV],
    )  # fmt: skip
    assert len(said) == 1
