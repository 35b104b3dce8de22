"""The freedoms that are not those of a switch: quads that hold only helpers, and lanes that go each for itself.

Vulkan, "Helper Invocations": a quad of which all invocations are helpers may be terminated at any time; the others of
its subgroup go on. SPIR-V 1.6 orders the lanes of a tangle at tangled instructions only.
"""

from typing import Any

import pytest
from kit.programs.compute import Compute

from reknit.ir import enums, op
from reknit.sim.outcomes import outcomes
from reknit.sim.policy import Policy
from reknit.source.diagnostic import InputError
from reknit.view.outcomes import witness


def demote_below(p: Compute, limit: int) -> None:
    def demote() -> None:
        p.b.effect(op.DemoteToHelperInvocation, [])

    p.when(p.test(op.ULessThan, p.index, p.const(limit)), demote)


def demoted() -> Compute:
    """Lanes 0-3 of 8 become helpers, then all eight ballot twice; lanes 4-7 store what they see of each."""
    p = Compute(8)
    demote_below(p, 4)
    first = p.ballot()
    second = p.ballot()
    sixteen = p.op2(op.IMul, second, p.const(0x100))
    p.out(p.op2(op.IAdd, first, sixteen))
    return p


@pytest.mark.parametrize(("quads", "seen"), [("stay", 0xFFFF), ("end", 0xF0F0)])
def test_a_quad_of_helpers_stays_or_ends(quads: str, seen: int) -> None:
    p = demoted()
    assert p.words(8, Policy(quads=quads)) == [0, 0, 0, 0, seen, seen, seen, seen]


def test_a_helper_has_variables_of_its_own() -> None:
    """All eight count to 1 in a variable, helpers too; only the others store it, and the sum of all, 8."""
    p = Compute(8)
    counter = p.local()
    p.b.store(counter, p.const(0))
    demote_below(p, 4)
    p.add_to(counter, p.const(1))
    scope = p.const(enums.ScopeSubgroup)
    p.out(p.b.emit(op.GroupNonUniformIAdd, p.u32, [scope, enums.GroupOperationReduce, p.b.load(p.u32, counter)]))
    assert p.words(8) == [0, 0, 0, 0, 8, 8, 8, 8]


def test_all_times_at_which_a_quad_may_end() -> None:
    """Before the first ballot (0xf0, 0xf0), between the two (0xff, 0xf0), or after both (0xff, 0xff); no helper comes
    back."""
    p = demoted()
    p.b.return_()
    found = outcomes(p.module, subgroup_size=8)
    assert found.exhaustive
    assert sorted(outcome.words("out")[4] for outcome in found.outcomes) == [0xF0F0, 0xF0FF, 0xFFFF]
    told = [witness(outcome) for outcome in found.outcomes]
    assert "the default choices" in told
    assert sum("lanes 0-3 end before OpGroupNonUniformBallot" in text for text in told) == 2


def test_a_quad_with_a_live_lane_stays() -> None:
    p = Compute(8)
    demote_below(p, 3)
    p.out(p.ballot())
    assert p.words(8, Policy(quads="end")) == [0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]


def test_a_quad_of_which_a_lane_has_returned_stays() -> None:
    """SPV_KHR_maximal_reconvergence names a demote, a terminate and a kill as what the last invocation of a quad
    executes: lanes 0-2 demote, lane 3 returns with all that helps it still there."""
    p = Compute(8)
    demote_below(p, 3)
    p.when(p.test(op.IEqual, p.index, p.const(3)), p.b.return_)
    p.out(p.ballot())
    assert p.words(8, Policy(quads="end")) == [0, 0, 0, 0, 0xF7, 0xF7, 0xF7, 0xF7]


def test_no_lane_waits_for_a_quad_that_ended() -> None:
    """Lanes 0-3 demote and go another way; their ballot is where they end. Lanes 4-7 meet after the selection alone."""
    p = Compute(8)

    def helpers() -> None:
        p.b.effect(op.DemoteToHelperInvocation, [])
        p.ballot()

    p.when(p.test(op.ULessThan, p.index, p.const(4)), helpers)
    p.out(p.ballot())
    for schedule in ("lifo", "fifo", "random:3"):
        assert p.words(8, Policy(quads="end", schedule=schedule)) == [0, 0, 0, 0, 0xF0, 0xF0, 0xF0, 0xF0]


def test_lanes_each_for_itself_show_a_race() -> None:
    """Each lane stores its number to word 0 and loads it again. In step all stores come first, so all load what the
    last lane stored; each for itself, some lane loads before another stores. Word 0 itself is not looked at."""
    p = Compute(4)
    shared = p.array_buffer("shared", 1)
    p.b.store(p.place(p.const(0), shared), p.index)
    p.out(p.b.load(p.u32, p.place(p.const(0), shared)))
    assert p.words(4) == [3, 3, 3, 3]
    found = {tuple(p.run(4, Policy(lanes=f"random:{seed}")).buffers["out"].words[:4]) for seed in range(20)}
    assert len(found) > 1


def test_lanes_each_for_itself_part_far() -> None:
    """Lane n stores n + 1 to its word, counts to 20, and loads the next lane's word: a race over many instructions. One
    of few random orders has to show a lane that comes before the next lane's store."""
    p = Compute(4)
    shared = p.array_buffer("shared", 5)
    p.b.store(p.place(p.index, shared), p.op2(op.IAdd, p.index, p.const(1)))
    counter = p.local()
    for _ in range(20):
        p.add_to(counter, p.const(1))
    p.out(p.b.load(p.u32, p.place(p.op2(op.IAdd, p.index, p.const(1)), shared)))
    given = {"shared": [0] * 5}
    assert p.words(4, buffers=given) == [2, 3, 4, 0]
    found = {tuple(p.words(4, Policy(lanes=f"random:{seed}"), buffers=given)) for seed in range(4)}
    assert any(0 in words[:3] for words in found)


@pytest.mark.parametrize("between", ["ballot", "subgroup barrier"])
def test_a_tangled_instruction_waits_for_all_lanes(between: str) -> None:
    """What stands before a ballot is done by every lane before any does what stands behind it: with a ballot, or a
    barrier, between store and load, each lane loads what its neighbour stored, whatever the order of lanes."""
    p = Compute(4)
    shared = p.array_buffer("shared", 1)
    p.b.store(p.place(p.index, shared), p.op2(op.IMul, p.index, p.const(10)))
    if between == "ballot":
        p.ballot()
    else:
        scope = p.const(enums.ScopeSubgroup)
        p.b.effect(op.ControlBarrier, [scope, scope, p.const(0)])
    other = p.b.emit(op.BitwiseXor, p.u32, [p.index, p.const(1)])
    p.out(p.b.load(p.u32, p.place(other, shared)))
    for seed in range(20):
        assert p.words(4, Policy(lanes=f"random:{seed}")) == [10, 0, 30, 20]


def test_what_is_no_freedom_is_refused() -> None:
    for lanes, quads in (("backwards", "stay"), ("lockstep", "random"), ("random:x", "stay")):
        with pytest.raises(InputError) as caught:
            Policy(lanes=lanes, quads=quads)
        assert caught.value.diagnostics[0].code == "RK1006"


def test_a_barrier_that_not_all_reach_tells_where_the_others_wait() -> None:
    p = Compute(4)

    def barrier() -> None:
        workgroup = p.const(enums.ScopeWorkgroup)
        p.b.effect(op.ControlBarrier, [workgroup, workgroup, p.const(0)])

    p.when(p.test(op.ULessThan, p.index, p.const(2)), barrier)
    p.b.block.name = "merge"
    result = p.run(4, Policy(schedule="fifo"))
    notes = [note.message for note in result.diagnostics[0].notes]
    assert notes == [
        "lanes 2-3 are elsewhere or have ended",
        "lanes 2-3 wait at %merge (sel) for lanes 0-1",
    ]


@pytest.mark.parametrize("wrong", [{"choices": "abc"}, {"choices": [-1]}, {"script": [0.5]}, {"partition": None}])
def test_a_policy_of_the_wrong_kind_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError) as caught:
        Policy(**wrong)
    assert caught.value.diagnostics[0].code == "RK1006"


def test_a_script_with_numbers_that_are_too_large_is_one_of_the_orders() -> None:
    p = demoted()
    assert p.words(8, Policy(script=[99, 98, 97])) == p.words(8)
