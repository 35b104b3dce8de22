"""Runs by what SPIR-V alone promises, or SubgroupUniformControlFlowKHR: each set of results by hand.

    ballots are of lanes {..}     base: what the whole workgroup entered and left meets again     sucf: a subgroup
"""

from collections.abc import Callable

import pytest
from kit.programs.compute import Compute
from kit.text.flat_texts import flat

from reknit.ir import enums, op
from reknit.ir.build import Builder, new_function
from reknit.ir.value import Value
from reknit.proof.prove import prove
from reknit.proof.question import Question
from reknit.sim.classes import united, within
from reknit.sim.outcomes import Outcomes, outcomes
from reknit.sim.policy import Policy
from reknit.sim.run import prepare, run
from reknit.sim.trace import RUN
from reknit.source.diagnostic import InputError

SUBGROUPS = enums.ExecutionModeSubgroupUniformControlFlowKHR


def results(found: Outcomes) -> list[list[int]]:
    return sorted(outcome.words("out") for outcome in found.outcomes)


def is_odd(p: Compute) -> Value:
    return p.test(op.INotEqual, p.op2(op.BitwiseAnd, p.index, p.const(1)), p.const(0))


def below(p: Compute, count: int) -> Value:
    return p.test(op.ULessThan, p.index, p.const(count))


def inside_a_divergent_if(mode: int | None, condition: Callable[[Compute], Value]) -> Compute:
    """if (condition) { if (odd) {} out = ballot }"""
    p = Compute(4, mode=mode)

    def arm() -> None:
        p.when(is_odd(p), lambda: None)
        p.out(p.ballot())

    p.when(condition(p), arm)
    p.b.return_()
    return p


def test_after_an_if_that_not_all_enter_lanes_may_be_apart() -> None:
    """Lanes 0 to 2 enter. Those that part in the inner if may be united after it, {0, 1, 2}, or not, {0, 2} and {1}."""
    p = inside_a_divergent_if(None, lambda p: below(p, 3))
    found = outcomes(p.module, subgroup_size=4)
    assert found.rules == "base" and found.exhaustive
    assert results(found) == [[5, 2, 5, 0], [7, 7, 7, 0]]
    by_mode = outcomes(p.module, subgroup_size=4, rules="maximal")
    assert by_mode.rules == "maximal" and results(by_mode) == [[7, 7, 7, 0]]


def test_what_all_enter_and_leave_is_one_again() -> None:
    p = Compute(4, mode=None)
    p.when(is_odd(p), lambda: None, lambda: p.out(p.ballot()))
    p.out(p.ballot())
    p.b.return_()
    found = outcomes(p.module, subgroup_size=4)
    assert found.exhaustive and results(found) == [[15, 15, 15, 15]]


@pytest.mark.parametrize(
    "mode, expected", [(None, [[1, 2, 0, 0], [3, 3, 0, 0]]), (SUBGROUPS, [[3, 3, 0, 0]])], ids=["base", "sucf"]
)
def test_a_whole_subgroup_has_a_promise_by_its_own_mode_alone(mode: int | None, expected: list[list[int]]) -> None:
    """Two subgroups of two lanes; the first enters the outer if as a whole."""
    p = inside_a_divergent_if(mode, lambda p: below(p, 2))
    found = outcomes(p.module, subgroup_size=2)
    assert found.exhaustive and found.rules == ("base" if mode is None else "sucf") and results(found) == expected
    assert results(outcomes(p.module, subgroup_size=2, rules="sucf")) == [[3, 3, 0, 0]]


def breaking(lanes: int, mode: int | None = None) -> Compute:
    """i = 0; loop { if (i == lane) { out = ballot; break } i++ }: a lane leaves in each iteration."""
    p = Compute(lanes, mode=mode)
    counter = p.local(name="i")
    p.b.store(counter, p.const(0))
    loop = p.b.open_loop()
    p.b.at(loop.body.entry())

    def leave() -> None:
        p.out(p.ballot())
        p.b.break_(loop)

    p.when(p.test(op.IEqual, p.b.load(p.u32, counter), p.index), leave)
    p.b.at(loop.continuing.entry())
    p.add_to(counter, p.const(1))
    p.b.at(loop.after())
    p.b.return_()
    return p


def test_a_block_that_breaks_may_be_run_once_for_all() -> None:
    """Each lane alone, or any of them together: Bell's number of partitions of three lanes."""
    found = outcomes(breaking(3).module, subgroup_size=4)
    assert found.exhaustive
    assert results(found) == [[1, 2, 4], [1, 6, 6], [3, 3, 4], [5, 2, 5], [7, 7, 7]]
    assert str(found.outcomes[0].result.grouped[0]).endswith("by {0-2}")
    maximal = outcomes(breaking(3, enums.ExecutionModeMaximallyReconvergesKHR).module, subgroup_size=4)
    assert results(maximal) == [[1, 2, 4]]


def test_more_ways_than_the_limit_are_a_sample_and_never_all() -> None:
    """Sixteen lanes leave one by one: 10,480,142,147 partitions."""
    found = outcomes(breaking(16).module, subgroup_size=16, limit=40)
    assert not found.exhaustive
    assert found.coverage.startswith("a sample of 40 of about 10^10 combinations of grouping")
    words = results(found)
    assert [1 << lane for lane in range(16)] in words and [0xFFFF] * 16 in words and len(words) > 10


def test_a_divergent_continue_leaves_the_next_iteration_open() -> None:
    """i = 0, 1: in iteration 0 odd lanes continue. At the header of iteration 1 the two classes may meet or not; out
    holds the ballot there. After the loop, which all entered and left, all are one."""
    p = Compute(4, mode=None)
    counter = p.local(name="i")
    p.b.store(counter, p.const(0))
    loop = p.b.open_loop()
    p.b.at(loop.body.entry())
    p.out(p.ballot())
    p.when(is_odd(p), lambda: p.b.continue_(loop))
    p.when(p.test(op.UGreaterThan, p.b.load(p.u32, counter), p.const(8)), lambda: p.b.break_(loop))
    p.b.at(loop.continuing.entry())
    p.add_to(counter, p.const(1))
    construct = p.b.open_if(p.test(op.UGreaterThanEqual, p.b.load(p.u32, counter), p.const(2)), merged=False)
    p.b.at(construct.then.entry())
    p.b.break_(loop)
    p.b.at(loop.after())
    p.b.return_()
    found = outcomes(p.module, subgroup_size=4)
    assert found.exhaustive and results(found) == [[5, 10, 5, 10], [15, 15, 15, 15]]


def test_nothing_is_promised_where_a_function_returns() -> None:
    """Odd lanes return early. SPIR-V alone says nothing of returns; the merge block is left by the others alone."""
    p = Compute(4, mode=None)
    f = new_function(p.module, "f")
    p.b.emit(op.FunctionCall, f.result, [f])
    p.out(p.ballot())
    p.b.return_()
    p.b = Builder(p.module, f.entry())
    lane = p.b.load(p.u32, p.builtin(enums.BuiltInLocalInvocationIndex, p.u32))
    odd = p.test(op.INotEqual, p.op2(op.BitwiseAnd, lane, p.const(1)), p.const(0))
    p.when(odd, lambda: p.b.return_())
    p.b.return_()
    found = outcomes(p.module, subgroup_size=4)
    assert found.exhaustive and results(found) == [[5, 10, 5, 10], [15, 15, 15, 15]]


def test_without_tangled_instructions_there_is_one_result() -> None:
    p = Compute(8, mode=None)
    p.when(is_odd(p), lambda: p.out(p.const(7)), lambda: p.out(p.index))
    p.b.return_()
    found = outcomes(p.module, subgroup_size=4)
    assert found.exhaustive and found.runs == 1 and results(found) == [[0, 7, 2, 7, 4, 7, 6, 7]]


def test_a_choice_holds_for_those_that_follow_the_same_path() -> None:
    """Two ballots in a row: united at the first, lanes stay united at the second; apart at the first, they may be
    united at the second. out = first * 16 + second: {together, together}, {apart, together}, {apart, apart}."""
    p = Compute(4, mode=None)

    def arm() -> None:
        p.when(is_odd(p), lambda: None)
        first = p.op2(op.IMul, p.ballot(), p.const(16))
        p.out(p.op2(op.IAdd, first, p.ballot()))

    p.when(below(p, 3), arm)
    p.b.return_()
    found = outcomes(p.module, subgroup_size=4)
    assert found.exhaustive
    assert results(found) == [[0x55, 0x22, 0x55, 0], [0x57, 0x27, 0x57, 0], [0x77, 0x77, 0x77, 0]]


def test_both_kinds_of_kill_and_all_ends_of_quads_are_gone_through() -> None:
    """The quad {0..3} is demoted, then ballots: it may be gone by then, or see itself, with nothing stored."""
    p = Compute(4, mode=None)
    p.b.emit(op.DemoteToHelperInvocation, None, [])
    p.out(p.ballot())
    p.b.return_()
    found = outcomes(p.module, subgroup_size=4)
    assert found.exhaustive and results(found) == [[0, 0, 0, 0]] and "grouping and quad choices" in found.coverage


def test_a_barrier_that_lanes_may_come_to_apart_is_undefined_in_some_runs() -> None:
    """Odd lanes return early in f, then all come to a barrier: those that were not united break its rule."""
    p = Compute(4, mode=None)
    f = new_function(p.module, "f")
    p.b.emit(op.FunctionCall, f.result, [f])
    workgroup, semantics = p.const(enums.ScopeWorkgroup), p.const(0)
    p.b.emit(op.ControlBarrier, None, [workgroup, workgroup, semantics])
    p.out(p.index)
    p.b.return_()
    p.b = Builder(p.module, f.entry())
    lane = p.b.load(p.u32, p.builtin(enums.BuiltInLocalInvocationIndex, p.u32))
    odd = p.test(op.INotEqual, p.op2(op.BitwiseAnd, lane, p.const(1)), p.const(0))
    p.when(odd, lambda: p.b.return_())
    p.b.return_()
    found = outcomes(p.module, subgroup_size=4)
    assert sorted(outcome.result.failed() for outcome in found.outcomes) == [False, True]
    assert not any(outcome.result.failed() for outcome in outcomes(p.module, rules="maximal").outcomes)


def test_prove_judges_each_side_by_its_own_rules() -> None:
    """What declares the mode has one of the results that the other one has; the other way round it is refuted."""
    loose, strict = breaking(3), breaking(3, enums.ExecutionModeMaximallyReconvergesKHR)
    asked = Question(subgroup_sizes=[4])
    good = prove(loose.module, strict.module, asked)
    assert good and good.coverage.by() == "base before, maximal after"
    assert prove(strict.module, loose.module, asked).verdict == "refuted"
    assert prove(loose.module, loose.module, asked)


def test_a_grouping_is_for_rules_that_leave_one() -> None:
    p = breaking(3, enums.ExecutionModeMaximallyReconvergesKHR)
    with pytest.raises(InputError, match="does not leave"):
        run(p.module, policy=Policy(grouping="never"))
    assert run(p.module, policy=Policy(grouping="always"), rules="base").buffers["out"].words == [7, 7, 7]
    with pytest.raises(InputError, match="do not go with grouping"):
        Policy(grouping="never", schedule="fifo")
    with pytest.raises(InputError, match="rules 'weak' are not known"):
        prepare(p.module, rules="weak")


def test_a_trace_shows_the_classes() -> None:
    trace = run(breaking(3).module, policy=Policy(grouping="never"), trace=True).trace
    assert trace is not None
    assert [event.mask for event in trace.events if event.kind == RUN][-4:] == [1, 2, 4, 7]


def test_classes() -> None:
    assert within([0b0011, 0b0100, 0b1000], 0b0110) == [0b0010, 0b0100]
    assert united([0b0011, 0b0100, 0b1000], 0b0110) == [0b0001, 0b1000, 0b0110]
    assert united([0b0111, 0b1000], 0b0011) == [0b0111, 0b1000]


def test_each_subgroup_chooses_for_itself() -> None:
    """Lanes 0 to 4 enter: the first two subgroups of two have a class of one lane each, which may be united."""
    p = Compute(8, mode=None)

    def arm() -> None:
        p.when(is_odd(p), lambda: None)
        p.out(p.ballot())

    p.when(below(p, 5), arm)
    p.b.return_()
    found = outcomes(p.module, subgroup_size=2)
    assert found.exhaustive
    assert results(found) == [
        [1, 2, 1, 2, 1, 0, 0, 0], [1, 2, 3, 3, 1, 0, 0, 0], [3, 3, 1, 2, 1, 0, 0, 0], [3, 3, 3, 3, 1, 0, 0, 0],
    ]  # fmt: skip


def test_merges_that_structurize_makes_promise_nothing() -> None:
    """A graph without merge instructions, run as a tree: all enter and leave what the tree says is an if, of which the
    module says nothing. In a subgroup of all lanes odd ones and even ones may meet or not."""
    text = "  %odd = BitwiseAnd %lane, 1u : u32\n  %mine = INotEqual %odd, 0u : bool\n"
    text += "  BranchConditional %mine, %a, %b\n%a:\n  Branch %m\n%b:\n  Branch %m\n%m:\n  SEE 1\n  return\n"
    found = outcomes(flat(text), subgroup_size=32, rules="base")
    assert found.exhaustive and len(found.outcomes) == 2
    assert len(outcomes(flat(text), subgroup_size=32, rules="maximal").outcomes) == 1
