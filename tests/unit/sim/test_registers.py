"""Masks and lists of lanes, and values that share a variable's register until the next store to it."""

import pytest
from kit.programs.compute import Compute

import reknit
from reknit.front.slang.compile import compile_slang
from reknit.ir import op
from reknit.sim.kernel import Moves, Published, kernel_of
from reknit.sim.lanes import Sorter, lanes_in, mask_of
from reknit.sim.policy import Policy
from reknit.sim.registers import COMPILED, Register, as_column, as_list
from reknit.sim.run import prepare


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


@pytest.mark.parametrize("policy", [Policy(), Policy(lanes="random:1")])
def test_a_value_that_is_stored_at_once_reads_what_was_there(policy: Policy) -> None:
    """v = lane + 1; v = v * v; v = v - lane, only where lane is odd; v."""
    p = Compute(lanes=4)
    v = p.local(name="v")
    p.b.store(v, p.op2(op.IAdd, p.index, p.const(1)))
    once, again = p.b.load(p.u32, v), p.b.load(p.u32, v)
    p.b.store(v, p.op2(op.IMul, once, again))

    def lessened() -> None:
        p.b.store(v, p.op2(op.ISub, p.b.load(p.u32, v), p.index))

    p.when(p.test(op.INotEqual, p.op2(op.BitwiseAnd, p.index, p.const(1)), p.const(0)), lessened)
    p.out(p.b.load(p.u32, v))
    p.b.return_()
    assert p.words(policy=policy) == [1, 3, 9, 13]


def test_a_value_that_something_else_reads_too_is_not_the_variable() -> None:
    """sum = lane + 1; v = sum; v = v + 10; sum * 100 + v."""
    p = Compute(lanes=4)
    v = p.local(name="v")
    total = p.op2(op.IAdd, p.index, p.const(1))
    p.b.store(v, total)
    p.b.store(v, p.op2(op.IAdd, p.b.load(p.u32, v), p.const(10)))
    p.out(p.op2(op.IAdd, p.op2(op.IMul, total, p.const(100)), p.b.load(p.u32, v)))
    p.b.return_()
    assert p.words() == [111, 212, 313, 414]


READS = """
RWStructuredBuffer<uint> given;
RWStructuredBuffer<uint> result;
[shader("compute")]
[numthreads(8, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    for (uint i = 0; i < 4; i++)
        result[id.x] += given[id.x * i];
}
"""


def test_a_buffer_that_nothing_writes_is_read_anew_in_each_run_and_its_bounds_stay() -> None:
    """32 reads of 8 words or fewer: 0 + x + 2x + 3x of what is in bounds."""
    program = prepare(compile_slang(READS, "kernel.slang"), subgroup_size=8)
    for given in ([1] * 32, list(range(32)), [7, 5]):
        result = program.run(Policy(), buffers={"given": given})
        expected = [sum([given[x * i] for i in range(4) if x * i < len(given)]) for x in range(8)]
        assert result.buffers["result"].words == expected
        assert bool(result.diagnostics) == (len(given) == 2)  # an access out of bounds is reported


def test_a_buffer_that_another_name_writes_is_read_as_it_is() -> None:
    """Lane 0 alone: it adds given[0], which is its result, to itself four times. 1 becomes 2, 4, 8, 16."""
    text = reknit.text(compile_slang(READS.replace("numthreads(8", "numthreads(1"), "kernel.slang"))
    for name in ("given", "result"):
        text = text.replace(f"Decorate %{name} Binding 1", f"Decorate %{name} Binding 0")
    module = reknit.load(text.encode(), format="rk")
    result = reknit.run(module, subgroup_size=8, buffers={"given": [1]}, engine="interpreter")
    assert [buffer.words for buffer in result.buffers.values()] == [[16]]
