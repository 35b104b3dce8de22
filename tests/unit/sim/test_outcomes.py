"""The set of allowed results: which choices there are, counted by hand, and what each gives."""

import itertools

import pytest
from kit.programs.compute import Compute
from unit.sim.test_machine_joins import falling_switch

from reknit.ir import enums, op
from reknit.ir.build import new_function
from reknit.ir.text.parser import parse
from reknit.sim.budget import Budget
from reknit.sim.counting import bell, following_script, partition
from reknit.sim.outcomes import Outcomes, Search, outcomes
from reknit.sim.run import prepare


def results(found: Outcomes) -> list[list[int]]:
    return sorted(outcome.words("out") for outcome in found.outcomes)


@pytest.mark.parametrize("count", range(1, 7))
def test_partitions_are_numbered_without_gaps(count: int) -> None:
    """Against all ways to class `count` things, with classes renamed by first appearance."""
    expected = set()
    for classes in itertools.product(range(count), repeat=count):
        names: dict[int, int] = {}
        expected.add(tuple(names.setdefault(kind, len(names)) for kind in classes))
    found = [tuple(partition(count, number)) for number in range(bell(count))]
    assert len(set(found)) == len(found) == len(expected)
    assert set(found) == expected
    assert found[0] == (0,) * count


def test_scripts_go_through_all_orders() -> None:
    """Three choices out of 2, 1 and 3 tangles: 6 scripts in counting order."""
    seen = []
    script: list[int] | None = []
    while script is not None:
        whole = script + [0] * (3 - len(script))
        seen.append(tuple(whole))
        script = following_script(script, [2, 1, 3])
    assert seen == [(0, 0, 0), (0, 0, 1), (0, 0, 2), (1, 0, 0), (1, 0, 1), (1, 0, 2)]


def test_the_five_results_of_a_falling_switch() -> None:
    """LLVM's issue 112056; see test_machine_joins for the derivation of each."""
    p = falling_switch()
    p.b.return_()
    found = outcomes(p.module, subgroup_size=4, buffers={"v": [0, 0, 1, 2]})
    assert found.exhaustive and found.runs == 5
    assert results(found) == [
        [22, 22, 10, 10], [22, 22, 20, 20], [32, 32, 10, 30], [32, 32, 30, 10], [42, 42, 40, 40],
    ]  # fmt: skip
    joined = next(outcome for outcome in found.outcomes if outcome.words("out")[0] == 42)
    (decision,) = joined.result.decisions
    assert decision.to_json() == {
        "switch": "switch 0", "number": 0, "execution": 0, "label": "default", "tangles": [[0, 1, 2, 3]],
    }  # fmt: skip


def test_what_the_data_does_not_show_is_not_an_outcome() -> None:
    """With v = 0 for all there is one label, one value, and the fall joins nobody: one result, 4 + 40."""
    p = falling_switch()
    p.b.return_()
    found = outcomes(p.module, subgroup_size=4, buffers={"v": [0, 0, 0, 0]})
    assert found.exhaustive and results(found) == [[44, 44, 44, 44]]


def test_partitions_between_label_and_value() -> None:
    """case 0, 1, 2: out = ballot with v = lane % 3 of 3 lanes: five partitions of three values."""
    p = Compute(3)
    switch = p.b.open_switch(p.index)
    case = p.b.add_case(switch, [0, 1, 2])
    p.b.add_case(switch, [], True)
    p.b.at(case.region.entry())
    p.out(p.ballot())
    p.b.at(switch.after())
    p.b.return_()
    found = outcomes(p.module, subgroup_size=4)
    assert found.exhaustive
    assert results(found) == [[1, 2, 4], [1, 6, 6], [3, 3, 4], [5, 2, 5], [7, 7, 7]]
    sampled = outcomes(p.module, subgroup_size=4, limit=4)
    assert not sampled.exhaustive and sampled.coverage.startswith("a sample of 8 combinations of switch")
    assert [7, 7, 7] in results(sampled) and [1, 2, 4] in results(sampled)


def test_values_that_do_nothing_are_no_choices() -> None:
    """The same, but the label's case is empty: lanes arrive at the join however they are parted."""
    p = Compute(8)
    switch = p.b.open_switch(p.index)
    p.b.add_case(switch, [0])
    p.b.add_case(switch, [], True)
    p.b.at(switch.after())
    p.out(p.ballot())
    p.b.return_()
    found = outcomes(p.module, subgroup_size=8)
    assert found.exhaustive and found.runs == 1 and results(found) == [[255] * 8]


def test_a_barrier_that_depends_on_the_partition() -> None:
    """case 0, 1: barrier(workgroup). Defined only if both values are one tangle: two outcomes, one a diagnostic."""
    p = Compute(2)
    switch = p.b.open_switch(p.index)
    case = p.b.add_case(switch, [0, 1])
    p.b.add_case(switch, [], True)
    p.b.at(case.region.entry())
    scope = p.const(enums.ScopeWorkgroup)
    p.b.effect(op.ControlBarrier, [scope, scope, p.const(0)])
    p.b.at(switch.after())
    p.out(p.const(1))
    p.b.return_()
    found = outcomes(p.module, subgroup_size=2)
    assert sorted([d.code for d in outcome.result.diagnostics] for outcome in found.outcomes) == [[], ["RK1011"]]


def test_the_order_of_tangles_shows_through_an_atomic() -> None:
    """if (lane == 0) old = add(c, 1) else old = add(c, 10): [0, 1] or [10, 0], by which arm runs first. Not
    exhaustive: only orders of whole blocks are tried.
    """
    p = Compute(2)
    c = p.array_buffer("c", 1)
    device = p.const(enums.ScopeDevice)

    def add(value: int) -> None:
        place = p.place(p.const(0), c)
        p.out(p.b.emit(op.AtomicIAdd, p.u32, [place, device, p.const(0), p.const(value)]))

    p.when(p.test(op.IEqual, p.index, p.const(0)), lambda: add(1), lambda: add(10))
    p.b.return_()
    found = outcomes(p.module, subgroup_size=2)
    assert results(found) == [[0, 1], [10, 0]]
    assert not found.exhaustive and "word 0 of c" in found.coverage


def test_atomics_that_commute_do_not_show() -> None:
    p = Compute(2)
    c = p.array_buffer("c", 1)
    place = p.place(p.const(0), c)
    p.b.emit(op.AtomicIAdd, p.u32, [place, p.const(enums.ScopeDevice), p.const(0), p.index])
    p.b.return_()
    found = outcomes(p.module, subgroup_size=2)
    assert found.exhaustive and found.outcomes[0].words("c") == [1, 0]


def test_both_meanings_of_kill() -> None:
    """f() kills lane 0; then all that are left ballot. Terminated, lane 0 is gone: 0b10. Demoted, it returns from f
    as a helper and takes part: 0b11, storing nothing.
    """
    p = Compute(2)
    f = new_function(p.module, "f")
    p.b.emit(op.FunctionCall, f.result, [f])
    p.out(p.ballot())
    p.b.return_()
    p.b.at(f.entry())
    lane = p.b.load(p.u32, p.builtin(enums.BuiltInLocalInvocationIndex, p.u32))
    p.when(p.test(op.IEqual, lane, p.const(0)), lambda: p.b.exit(op.Kill, []))
    p.b.return_()
    found = outcomes(p.module, subgroup_size=2)
    assert found.exhaustive and results(found) == [[0, 0b10], [0, 0b11]]


def test_atomic_loads_alone_do_not_show() -> None:
    p = Compute(2)
    c = p.array_buffer("c", 1)
    device = p.const(enums.ScopeDevice)
    p.out(p.b.emit(op.AtomicLoad, p.u32, [p.place(p.const(0), c), device, p.const(0)]))
    p.b.return_()
    found = outcomes(p.module, subgroup_size=2, buffers={"c": [7]})
    assert found.exhaustive and results(found) == [[7, 7]]


def test_a_race_between_lanes_of_one_tangle_shows() -> None:
    """Both lanes store their number to one word and load it again. In step both load 1; each for itself, a lane may
    load its own number before the other stores: 0 and 1, say. More results than these can't be ruled out."""
    p = Compute(2)
    shared = p.array_buffer("shared", 1)
    p.b.store(p.place(p.const(0), shared), p.index)
    p.out(p.b.load(p.u32, p.place(p.const(0), shared)))
    p.b.return_()
    found = outcomes(p.module, subgroup_size=2)
    assert not found.exhaustive
    assert "of lanes were tried" in found.coverage
    seen = [tuple(outcome.words("out")) for outcome in found.outcomes]
    assert (1, 1) in seen and len(set(seen)) > 1


def test_runs_that_were_given_up_are_not_all() -> None:
    p = Compute(2)
    p.out(p.const(1))
    p.b.return_()
    assert outcomes(p.module, subgroup_size=4).exhaustive
    found = outcomes(p.module, subgroup_size=4, max_steps=1)
    assert not found.exhaustive
    assert "given up after 1 instructions" in found.coverage


def test_a_run_whose_result_is_known_still_tells_what_it_met() -> None:
    """Apart from lane 0, as SPIR-V alone allows behind the inner if, the shuffle's result is undefined.

    Masked, it is 0 in either case: one outcome, and one of its runs met an undefined value."""
    text = """Capability Shader
Capability GroupNonUniformShuffle
MemoryModel Logical GLSL450
EntryPoint GLCompute @main "main" %lane_id
ExecutionMode @main LocalSize 4 1 1
Decorate %lane_id BuiltIn LocalInvocationIndex
Decorate %words ArrayStride 4
MemberDecorate %Words 0 Offset 0
Decorate %Words Block
Decorate %out DescriptorSet 0
Decorate %out Binding 0
%words = TypeRuntimeArray u32
%Words = TypeStruct %words
%out = Variable StorageBuffer : ptr<StorageBuffer, %Words>
%lane_id = Variable Input : ptr<Input, u32>
func @main() -> void {
  %lane = Load %lane_id : u32
  %few = ULessThan %lane, 3u : bool
  if %few {
    %odd = IEqual %lane, 1u : bool
    if %odd {
      %up = IAdd %lane, 1u : u32
    }
    %x = GroupNonUniformShuffle 3u, %lane, 0u : u32
    %y = BitwiseAnd %x, 0u : u32
    %place = AccessChain %out, 0u, %lane : ptr<StorageBuffer, u32>
    Store %place, %y
  }
  return
}
"""
    module = parse(text)
    search = Search((1, 1, 1), {}, None, 1000, 16)
    search.all_of(lambda kill, assume: prepare(module, subgroup_size=4, kill=kill, assume=assume), ["terminate"])
    assert len(search.outcomes) == 1 and "RK1015" in search.codes


def test_a_budget_that_ends_says_so_once() -> None:
    """A falling switch has five results; see test_machine_joins for the derivation of each."""
    p = falling_switch()
    p.b.return_()
    given = {"v": [0, 0, 1, 2]}
    ended = outcomes(p.module, subgroup_size=4, buffers=given, limit=2)
    assert not ended.whole and ended.spent is not None and ended.spent.code == "RK1023"
    assert ended.to_json()["spent"] and "--limit" in ended.spent.help
    whole = outcomes(p.module, subgroup_size=4, buffers=given)
    assert whole.whole and whole.spent is None and "spent" not in whole.to_json()


def test_what_a_budget_allows_follows_from_its_limit() -> None:
    budget = Budget(10)
    assert budget.share(100) == 8 and budget.share(1) == 10 and budget.spent() is None
    assert budget.is_hopeless(161, 10) and not budget.is_hopeless(160, 10)
    assert budget.followed() == 10 and Budget(1000).followed() == 64
    budget.runs = 39
    assert not budget.has_run_out()
    budget.runs = 40
    budget.combinations, budget.estimate = 10, 10**12
    assert budget.has_run_out()
    said = budget.spent()
    assert said is not None and "10 of about 10^12 combinations of choices, 40 runs" in said.message
    assert budget.share(3) == 0
