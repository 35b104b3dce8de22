"""Masks and lists of lanes, and values that share a variable's register until the next store to it."""

import pytest
from kit.programs.compute import Compute

from reknit.ir import op
from reknit.sim.kernel import Moves, Published, kernel_of
from reknit.sim.lanes import Sorter, lanes_in, mask_of
from reknit.sim.policy import Policy
from reknit.sim.registers import COMPILED, Register, as_column, as_list


@pytest.mark.parametrize("lanes", [[0], [59], [60], [0, 63], [0, 59, 60, 61, 119, 120, 127], list(range(1000))])
def test_lanes_of_a_mask_and_back(lanes: list[int]) -> None:
    mask = sum([1 << lane for lane in lanes])
    assert mask_of(as_column(lanes)) == mask
    assert as_list(lanes_in(mask)) == lanes


@pytest.mark.parametrize(("lanes", "yes", "no"), [([0, 1, 3], [0], [1, 3]), ([0, 2], [0, 2], []), ([1], [], [1])])
def test_lanes_by_a_condition(lanes: list[int], yes: list[int], no: list[int]) -> None:
    sorter = Sorter(4)
    assert sorter.split(Register([1, 0, 1, 0]).flat, as_column(lanes)) == len(yes)
    if yes and no:
        assert (as_list(sorter.yes()), as_list(sorter.no())) == (yes, no)


def test_lanes_that_are_marked() -> None:
    sorter = Sorter(130)
    for parts, lanes in (([[0, 129], [64]], [0, 64, 129]), ([[3]], [3])):
        sorter.begin()
        for part in parts:
            sorter.mark(as_column(part))
        assert as_list(sorter.marked(as_column(list(range(130))))) == lanes


def test_moves_read_all_before_they_write_any_and_lists_follow() -> None:
    a, b = Register([1, 2, 3]), Register([10, 20, 30])
    moves = Moves([a, b], [b, a], [], [])
    listed = a.listed()
    kernel = kernel_of(moves)
    kernel.run(as_column([0, 2]))
    assert (as_list(a.flat), as_list(b.flat), listed) == ([10, 2, 30], [1, 20, 3], [10, 2, 30])
    assert isinstance(kernel, Published) == COMPILED


def stored_between(policy: Policy) -> list[int]:
    """before = v; v = lane + 5; out[lane] = before * 100 + v, where v was lane + 1."""
    p = Compute(lanes=4)
    v = p.local(name="v")
    p.b.store(v, p.op2(op.IAdd, p.index, p.const(1)))
    before = p.b.load(p.u32, v)
    p.b.store(v, p.op2(op.IAdd, p.index, p.const(5)))
    after = p.b.load(p.u32, v)
    p.out(p.op2(op.IAdd, p.op2(op.IMul, before, p.const(100)), after))
    p.b.return_()
    return p.words(policy=policy)


@pytest.mark.parametrize("policy", [Policy(), Policy(lanes="random:1"), Policy(schedule="random:1")])
def test_a_loaded_value_stays_after_the_next_store(policy: Policy) -> None:
    assert stored_between(policy) == [105, 206, 307, 408]


def test_a_loaded_value_stays_into_other_blocks() -> None:
    p = Compute(lanes=4)
    v = p.local(name="v")
    p.b.store(v, p.index)
    at_once = p.b.load(p.u32, v)
    p.b.store(v, p.op2(op.IAdd, at_once, p.const(1)))
    kept = p.b.load(p.u32, v)
    p.when(p.test(op.ULessThan, p.index, p.const(2)), lambda: p.b.store(v, p.const(9)))
    p.out(p.op2(op.IAdd, p.op2(op.IMul, kept, p.const(10)), p.b.load(p.u32, v)))
    p.b.return_()
    assert p.words() == [19, 29, 33, 44]
