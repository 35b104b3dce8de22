"""Where lanes meet again, on programs small enough to derive every ballot by hand.

A ballot of a subgroup of 4 is written as bits: 0b0101 are lanes 0 and 2.
"""

import pytest
from kit.programs.compute import Compute

from reknit.ir import enums, op
from reknit.ir.build import Builder, new_function
from reknit.ir.instr import Instr
from reknit.ir.types import bool_type
from reknit.sim.policy import Policy

SCHEDULES = ["lifo", "fifo", "random:3"]


def odd(p: Compute) -> Instr:
    return p.test(op.INotEqual, p.op2(op.BitwiseAnd, p.index, p.const(1)), p.const(0))


def sum_of(p: Compute, value: int) -> Instr:
    """WaveActiveSum of a constant: how many lanes are in the tangle, times it."""
    return p.b.emit(
        op.GroupNonUniformIAdd, p.u32, [p.const(enums.ScopeSubgroup), enums.GroupOperationReduce, p.const(value)]
    )


def falling_switch() -> Compute:
    """switch (v) { case 0: s += Sum(1); default: s += Sum(10); }   v = [0, 0, 1, 2]; out = s"""
    p = Compute(4)
    s = p.local(name="s")
    v = p.b.load(p.u32, p.place(p.index, p.array_buffer("v", 1)))
    switch = p.b.open_switch(v)
    zero = p.b.add_case(switch, [0])
    default = p.b.add_case(switch, [], True)
    p.b.at(zero.region.entry())
    p.add_to(s, sum_of(p, 1))
    p.b.fallthrough(default)
    p.b.at(default.region.entry())
    p.add_to(s, sum_of(p, 10))
    p.b.at(switch.after())
    p.out(p.b.load(p.u32, s))
    return p


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize(
    "partition, fallthrough, expected",
    [
        # Lanes 0, 1: Sum(1) = 2, then Sum(10) = 20 among themselves; lanes 2, 3 are one tangle for `default`: 20.
        ("label", "never", [22, 22, 20, 20]),
        # Lanes 2 and 3 have different selectors and stay apart: 10 each.
        ("value", "never", [22, 22, 10, 10]),
        # All four meet at `default`: Sum(10) = 40, for lanes 0 and 1 after their 2.
        ("label", "always", [42, 42, 40, 40]),
        ("value", "always", [42, 42, 40, 40]),
    ],
)
def test_the_three_results_of_a_falling_switch(
    schedule: str, partition: str, fallthrough: str, expected: list[int]
) -> None:
    """The example of LLVM's issue 112056: all three results conform to the extension."""
    policy = Policy(partition, fallthrough, schedule)
    assert falling_switch().words(4, policy, buffers={"v": [0, 0, 1, 2]}) == expected


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize(
    "number, expected",
    [
        # At `default` are {0, 1}, {2} and {3}; partitions of three things in counting order.
        (0, [42, 42, 40, 40]),  # all meet: 10 for each of four, and 2 from before
        (1, [32, 32, 30, 10]),  # {0, 1} meets {2}
        (2, [32, 32, 10, 30]),  # {0, 1} meets {3}
        (3, [22, 22, 20, 20]),  # {2} meets {3}
        (4, [22, 22, 10, 10]),  # nobody meets
    ],
)
def test_any_of_the_tangles_may_meet_at_a_label(schedule: str, number: int, expected: list[int]) -> None:
    """ "T(L) may include a subset of non-escaping invocations in T(S)": the number of a partition is one choice."""
    policy = Policy(choices=[number], schedule=schedule)
    assert falling_switch().words(4, policy, buffers={"v": [0, 0, 1, 2]}) == expected


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_chain_of_three_labels_may_join_at_the_last_alone(schedule: str) -> None:
    """case 0: A; case 1: B; case 2: ballot. Lanes 0..2 have v = lane, lane 3 has v = 2. At label 1 are {0} and
    {1}, and partition 1 of two keeps them apart (their ballots are 0b0001 and 0b0010); at label 2 all four meet."""
    p = Compute(4)
    at_one = p.array_buffer("one", 1)
    v = p.b.emit(op.Select, p.u32, [p.test(op.IEqual, p.index, p.const(3)), p.const(2), p.index])
    switch = p.b.open_switch(v)
    cases = [p.b.add_case(switch, [0]), p.b.add_case(switch, [1]), p.b.add_case(switch, [2])]
    p.b.add_case(switch, [], True)
    p.b.at(cases[0].region.entry())
    p.b.fallthrough(cases[1])
    p.b.at(cases[1].region.entry())
    p.b.store(p.place(p.index, at_one), p.ballot())
    p.b.fallthrough(cases[2])
    p.b.at(cases[2].region.entry())
    p.out(p.ballot())
    p.b.at(switch.after())
    result = p.run(4, Policy(schedule=schedule, choices=[1, 0]))
    assert result.buffers["out"].words == [0b1111] * 4
    assert result.buffers["one"].words == [0b0001, 0b0010, 0, 0]


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_break_leaves_a_joining_case(schedule: str) -> None:
    """case 0: if (lane == 0) break; fallthrough; default: ballot. v = [0, 0, 1, 1]. Lane 0 breaks, so that 1, 2, 3
    meet."""
    p = Compute(4)
    v = p.op2(op.ShiftRightLogical, p.index, p.const(1))
    switch = p.b.open_switch(v)
    zero = p.b.add_case(switch, [0])
    default = p.b.add_case(switch, [], True)
    p.b.at(zero.region.entry())
    p.when(p.test(op.IEqual, p.index, p.const(0)), lambda: p.b.break_(switch))
    p.b.fallthrough(default)
    p.b.at(default.region.entry())
    p.out(p.ballot())
    p.b.at(switch.after())
    assert p.words(4, Policy(fallthrough="always", schedule=schedule)) == [0, 0b1110, 0b1110, 0b1110]


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_both_arms_meet_after_an_if(schedule: str) -> None:
    """Odd lanes one arm, even lanes the other, all after it."""
    p = Compute(4)
    total = p.local()
    p.when(odd(p), lambda: p.add_to(total, p.ballot()), lambda: p.add_to(total, p.ballot()))
    p.out(p.op2(op.BitwiseOr, p.b.load(p.u32, total), p.op2(op.ShiftLeftLogical, p.ballot(), p.const(8))))
    assert p.words(4, Policy(schedule=schedule)) == [0xF05, 0xF0A, 0xF05, 0xF0A]


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_no_lane_waits_after_an_if_that_is_not_merged(schedule: str) -> None:
    """Without a merge instruction there is no join: the ballot after it is each arm's own."""
    p = Compute(4)
    construct = p.b.open_if(odd(p), merged=False)
    p.b.at(construct.after())
    p.out(p.ballot())
    assert p.words(4, Policy(schedule=schedule)) == [0b0101, 0b1010, 0b0101, 0b1010]


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_waterfall(schedule: str) -> None:
    """loop { first = BroadcastFirst(x); if (x == first) { out = ballot; break; } }   x = lane / 2 of 6 lanes: pairs."""
    p = Compute(6)
    x = p.op2(op.UDiv, p.index, p.const(2))
    loop = p.b.open_loop()
    p.b.at(loop.body.entry())
    first = p.b.emit(op.GroupNonUniformBroadcastFirst, p.u32, [p.const(enums.ScopeSubgroup), x])

    def leave() -> None:
        p.out(p.ballot())
        p.b.break_(loop)

    p.when(p.test(op.IEqual, x, first), leave)
    p.b.at(loop.after())
    assert p.words(8, Policy(schedule=schedule)) == [0b11, 0b11, 0b1100, 0b1100, 0b110000, 0b110000]


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_break_block_runs_per_iteration(schedule: str) -> None:
    """for (i = 0;; i++) if (i == lane) { out = ballot; break; }

    "the instructions in a break block will execute as if they were still diverged according to the loop iteration".
    After the loop all meet: the second ballot is full.
    """
    p = Compute(4)
    i = p.local()
    own = p.local()
    loop = p.b.open_loop()
    p.b.at(loop.body.entry())

    def leave() -> None:
        p.b.store(own, p.ballot())
        p.b.break_(loop)

    p.when(p.test(op.IEqual, p.b.load(p.u32, i), p.index), leave)
    p.b.at(loop.continuing.entry())
    p.add_to(i, p.const(1))
    p.b.at(loop.after())
    p.out(p.op2(op.BitwiseOr, p.b.load(p.u32, own), p.op2(op.ShiftLeftLogical, p.ballot(), p.const(4))))
    assert p.words(4, Policy(schedule=schedule)) == [0xF1, 0xF2, 0xF4, 0xF8]


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_lanes_meet_at_the_continue_target(schedule: str) -> None:
    """for (i = 0; i < 2; i++) { if (odd) continue; a += ballot; } with b += ballot in the continuing part: a is 2 *
    0b0101 on even lanes, b is 2 * 0b1111 on all."""
    p = Compute(4)
    i, a, b = p.local(), p.local(), p.local()
    loop = p.b.open_loop()
    p.b.at(loop.body.entry())
    test = p.b.open_if(p.test(op.ULessThan, p.b.load(p.u32, i), p.const(2)), merged=False)
    p.b.at(test.orelse.entry())
    p.b.break_(loop)
    p.b.at(test.after())
    p.when(odd(p), lambda: p.b.continue_(loop))
    p.add_to(a, p.ballot())
    p.b.at(loop.continuing.entry())
    p.add_to(b, p.ballot())
    p.add_to(i, p.const(1))
    p.b.at(loop.after())
    p.out(p.op2(op.BitwiseOr, p.b.load(p.u32, a), p.op2(op.ShiftLeftLogical, p.b.load(p.u32, b), p.const(8))))
    assert p.words(4, Policy(schedule=schedule)) == [0x1E0A, 0x1E00, 0x1E0A, 0x1E00]


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_do_while(schedule: str) -> None:
    """i = 0; do { n += ballot; i++; } while (i <= lane): lane k runs k + 1 iterations, in iteration j lanes j.. are
    left. The sums are 0b1111, + 0b1110, + 0b1100, + 0b1000 = 15, 29, 41, 49."""
    p = Compute(4)
    i, n = p.local(), p.local()
    loop = p.b.open_loop()
    p.b.at(loop.body.entry())
    p.add_to(n, p.ballot())
    p.add_to(i, p.const(1))
    p.b.at(loop.continuing.entry())
    again = p.test(op.ULessThanEqual, p.b.load(p.u32, i), p.index)
    test = p.b.open_if(again, merged=False)
    p.b.at(test.orelse.entry())
    p.b.break_(loop)
    p.b.at(loop.after())
    p.out(p.b.load(p.u32, n))
    assert p.words(4, Policy(schedule=schedule)) == [15, 29, 41, 49]


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_lanes_that_returned_early_are_not_waited_for(schedule: str) -> None:
    p = Compute(4)
    p.when(p.test(op.ULessThan, p.index, p.const(2)), lambda: p.b.return_())
    p.out(p.ballot())
    assert p.words(4, Policy(schedule=schedule)) == [0, 0, 0b1100, 0b1100]


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_lanes_meet_after_a_call(schedule: str) -> None:
    """u32 f(x) { if (x odd) return 1; n = ballot; return n; }

    Odd lanes return from inside the if; even ones ballot without them (0b0101); after the call the ballot is full."""
    p = Compute(4)
    f = new_function(p.module, "f", p.u32, [("x", p.u32)])
    got = p.b.emit(op.FunctionCall, p.u32, [f, p.index])
    p.out(p.op2(op.BitwiseOr, got, p.op2(op.ShiftLeftLogical, p.ballot(), p.const(4))))
    p.b.return_()
    p.b = Builder(p.module, f.entry())
    bit = p.op2(op.BitwiseAnd, f.params[0], p.const(1))
    p.when(p.test(op.INotEqual, bit, p.const(0)), lambda: p.b.return_(p.const(1)))
    p.b.return_(p.ballot())
    assert p.words(4, Policy(schedule=schedule)) == [0xF5, 0xF1, 0xF5, 0xF1]


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_break_through_two_switches(schedule: str) -> None:
    """switch (lane & 1) { case 1: switch (lane >> 1) { case 1: break OUTER; } a = ballot; }  out = a | ballot << 4.

    Lane 3 breaks out of both, so that lane 1 alone has a = 0b0010; after the outer switch all meet.
    """
    p = Compute(4)
    a = p.local()
    outer = p.b.open_switch(p.op2(op.BitwiseAnd, p.index, p.const(1)))
    one = p.b.add_case(outer, [1])
    p.b.add_case(outer, [], True)
    p.b.at(one.region.entry())
    inner = p.b.open_switch(p.op2(op.ShiftRightLogical, p.index, p.const(1)))
    high = p.b.add_case(inner, [1])
    p.b.add_case(inner, [], True)
    p.b.at(high.region.entry())
    p.b.break_(outer)
    p.b.at(inner.after())
    p.b.store(a, p.ballot())
    p.b.at(outer.after())
    p.out(p.op2(op.BitwiseOr, p.b.load(p.u32, a), p.op2(op.ShiftLeftLogical, p.ballot(), p.const(4))))
    assert p.words(4, Policy(schedule=schedule)) == [0xF0, 0xF2, 0xF0, 0xF0]


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_continue_from_inside_a_switch_and_an_inner_loop(schedule: str) -> None:
    """loop L { if (i == 2) break; loop { switch (lane) { case 0: continue L; } n += ballot; break; } n += ballot <<
    4; }

    Lane 0 goes to L's continuing part from two levels down; the others ballot 0b1110 twice in each of two iterations.
    """
    p = Compute(4)
    i, n = p.local(), p.local()
    outer = p.b.open_loop()
    p.b.at(outer.body.entry())
    test = p.b.open_if(p.test(op.IEqual, p.b.load(p.u32, i), p.const(2)), merged=False)
    p.b.at(test.then.entry())
    p.b.break_(outer)
    p.b.at(test.after())
    inner = p.b.open_loop()
    p.b.at(inner.body.entry())
    switch = p.b.open_switch(p.index)
    zero = p.b.add_case(switch, [0])
    p.b.add_case(switch, [], True)
    p.b.at(zero.region.entry())
    p.b.continue_(outer)
    p.b.at(switch.after())
    p.add_to(n, p.ballot())
    p.b.break_(inner)
    p.b.at(inner.after())
    p.add_to(n, p.op2(op.ShiftLeftLogical, p.ballot(), p.const(4)))
    p.b.at(outer.continuing.entry())
    p.add_to(i, p.const(1))
    p.b.at(outer.after())
    p.out(p.b.load(p.u32, n))
    once = 0b1110 + (0b1110 << 4)
    assert p.words(4, Policy(schedule=schedule)) == [0, 2 * once, 2 * once, 2 * once]


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_scope_that_is_left_early(schedule: str) -> None:
    """scope S { if (odd) break S; a = ballot; } out = a | ballot << 4: a one-trip construct is a join too."""
    p = Compute(4)
    a = p.local()
    scope = p.b.open_scope()
    p.b.at(scope.body.entry())
    p.when(odd(p), lambda: p.b.break_(scope))
    p.b.store(a, p.ballot())
    p.b.at(scope.after())
    p.out(p.op2(op.BitwiseOr, p.b.load(p.u32, a), p.op2(op.ShiftLeftLogical, p.ballot(), p.const(4))))
    assert p.words(4, Policy(schedule=schedule)) == [0xF5, 0xF0, 0xF5, 0xF0]


def test_phis_take_the_value_of_the_way_in() -> None:
    """x = odd ? 7 : 9 by a phi; two phis of a loop that swap each other: after 3 rounds (a, b) = (2, 1) from (1, 2)."""
    p = Compute(2)
    choice = p.b.open_if(odd(p))
    p.b.at(choice.after())
    x = p.b.emit(op.Phi, p.u32, [p.const(7), choice.then.end(), p.const(9), choice.orelse.end()])
    before = p.b.block
    loop = p.b.open_loop()
    p.b.at(loop.body.entry())
    a = p.b.emit(op.Phi, p.u32, [p.const(1), before])
    b = p.b.emit(op.Phi, p.u32, [p.const(2), before])
    i = p.b.emit(op.Phi, p.u32, [p.const(0), before])
    test = p.b.open_if(p.test(op.IEqual, i, p.const(3)), merged=False)
    p.b.at(test.then.entry())
    p.b.break_(loop)
    p.b.at(loop.continuing.entry())
    following = p.op2(op.IAdd, i, p.const(1))
    back = loop.continuing.end()
    for phi, value in ((a, b), (b, a), (i, following)):
        phi.set_operands([*phi.operands, value, back])
    p.b.at(loop.after())
    both = p.op2(op.IAdd, p.op2(op.IMul, a, p.const(100)), p.op2(op.IMul, b, p.const(10)))
    p.out(p.op2(op.IAdd, both, x))
    assert p.words(2) == [219, 217]


def test_subgroups_of_one_tangle_are_separate() -> None:
    """A ballot of 6 lanes in subgroups of 4: 0b1111 and 0b11. An elect in each."""
    p = Compute(6)
    elected = p.b.emit(op.GroupNonUniformElect, bool_type(p.module), [p.const(enums.ScopeSubgroup)])
    p.out(p.op2(op.IAdd, p.ballot(), p.b.emit(op.Select, p.u32, [elected, p.const(100), p.const(0)])))
    assert p.words(4) == [115, 15, 15, 15, 103, 3]
