"""Functions that are not a tree: plain branches, with merge instructions or without, run by the same rules."""

import pytest
from kit.programs.compute import Compute

from reknit.ir import enums, op
from reknit.ir.block import Block
from reknit.ir.edit import append, set_jump
from reknit.ir.instr import Instr, Operand
from reknit.ir.jump import Branch
from reknit.ir.value import Value
from reknit.sim.policy import Policy

SCHEDULES = ["lifo", "fifo", "random:5"]


class Flat(Compute):
    """A Compute whose main becomes a list of blocks; the builder's first block is the entry."""

    def flatten(self, blocks: list[Block]) -> None:
        entry = self.main.body.entry()
        self.main.structured = False
        self.main.body.first = None
        self.main.body.last = None
        entry.region = None
        self.main.blocks = [entry, *blocks]

    def end(
        self, block: Block, code: int, operands: list[Operand], merge: tuple[int, list[Operand]] | None = None
    ) -> None:
        made = Instr(merge[0], None, merge[1], "", False) if merge is not None else None
        set_jump(block, Branch(Instr(code, None, operands, "", False), made))

    def sum_at(self, block: Block, s: Instr, value: int) -> None:
        """s += WaveActiveSum(value) at the end of `block`."""
        self.b.at(block)
        found = self.b.emit(
            op.GroupNonUniformIAdd,
            self.u32,
            [self.const(enums.ScopeSubgroup), enums.GroupOperationReduce, self.const(value)],
        )
        self.add_to(s, found)


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize(
    "partition, fallthrough, expected",
    [
        ("label", "never", [22, 22, 20, 20]),
        ("value", "never", [22, 22, 10, 10]),
        ("label", "always", [42, 42, 40, 40]),
    ],
)
def test_a_falling_switch(schedule: str, partition: str, fallthrough: str, expected: list[int]) -> None:
    """The same program as the tree's (test_machine_joins): the fallthrough is found from the branches."""
    p = Flat(4)
    s = p.local()
    v = p.b.load(p.u32, p.place(p.index, p.array_buffer("v", 1)))
    entry = p.b.block
    zero, default, after = Block("zero"), Block("default"), Block("after")
    p.flatten([zero, default, after])
    p.end(entry, op.Switch, [v, default, 0, zero], (op.SelectionMerge, [after, 0]))
    p.sum_at(zero, s, 1)
    p.end(zero, op.Branch, [default])
    p.sum_at(default, s, 10)
    p.end(default, op.Branch, [after])
    p.b.at(after)
    p.out(p.b.load(p.u32, s))
    given = {"v": [0, 0, 1, 2]}
    assert p.words(4, Policy(partition, fallthrough, schedule), buffers=given) == expected


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_loop_of_a_single_block(schedule: str) -> None:
    """head: i = phi(0, i + 1); n = phi(0, n + ballot); OpLoopMerge after head; branch (i + 1 <= lane) head after.

    The block is its own continue target. Iteration j is run by lanes j..3: 15, 14, 12, 8 added up are 15, 29, 41, 49.
    """
    p = Flat(4)
    entry = p.b.block
    head, after = Block("head"), Block("after")
    p.flatten([head, after])
    p.end(entry, op.Branch, [head])
    i = append(head, Instr(op.Phi, p.u32, [p.const(0), entry]))
    n = append(head, Instr(op.Phi, p.u32, [p.const(0), entry]))
    p.b.at(head)
    following = p.op2(op.IAdd, i, p.const(1))
    total = p.op2(op.IAdd, n, p.ballot())
    again = p.test(op.ULessThanEqual, following, p.index)
    i.set_operands([p.const(0), entry, following, head])
    n.set_operands([p.const(0), entry, total, head])
    p.end(head, op.BranchConditional, [again, head, after], (op.LoopMerge, [after, head, 0]))
    p.b.at(after)
    p.out(p.op2(op.BitwiseOr, total, p.op2(op.ShiftLeftLogical, p.ballot(), p.const(8))))
    assert p.words(4, Policy(schedule=schedule)) == [0xF00 + 15, 0xF00 + 29, 0xF00 + 41, 0xF00 + 49]


def loop_with_continue(merged: bool) -> Flat:
    """for (i = 0; i < 2; i++) { if (odd) continue; } out = number of lanes in the tangle at each i++, added up.

    With merge instructions both iterations' continue blocks are run by all (4 + 4). Without them nothing says who
    waits, and the tree that `structurize` makes brings all together that come to a block (4 + 4, too); on the graph as
    it stands nobody ever waits (2 + 2).
    """
    p = Flat(4)
    i, a = p.local(), p.local()
    bit = p.op2(op.BitwiseAnd, p.index, p.const(1))
    odd = p.test(op.INotEqual, bit, p.const(0))
    entry = p.b.block
    head, body, even, step, after = [Block(name) for name in ("head", "body", "even", "step", "after")]
    p.flatten([head, body, even, step, after])
    p.end(entry, op.Branch, [head])
    p.b.at(head)
    more = p.test(op.ULessThan, p.b.load(p.u32, i), p.const(2))
    p.end(head, op.BranchConditional, [more, body, after], (op.LoopMerge, [after, step, 0]) if merged else None)
    p.end(body, op.BranchConditional, [odd, step, even])
    p.end(even, op.Branch, [step])
    p.sum_at(step, a, 1)
    p.add_to(i, p.const(1))
    p.end(step, op.Branch, [head])
    p.b.at(after)
    p.out(p.b.load(p.u32, a))
    return p


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_where_lanes_meet_is_declared_or_made_up(schedule: str) -> None:
    assert loop_with_continue(True).words(4, Policy(schedule=schedule)) == [8, 8, 8, 8]
    assert loop_with_continue(True).words(4, Policy(schedule=schedule, assume="graph")) == [8, 8, 8, 8]
    assert loop_with_continue(False).words(4, Policy(schedule=schedule)) == [8, 8, 8, 8]
    assert loop_with_continue(False).words(4, Policy(schedule=schedule, assume="graph")) == [4, 4, 4, 4]


def test_a_back_edge_from_inside_a_selection_is_reported() -> None:
    """Not valid SPIR-V: the back edge leaves a selection that isn't finished. Lane 0 goes back, lane 1 would wait."""
    p = Flat(2)
    i = p.local()
    entry = p.b.block
    names = ("head", "body", "again", "inner", "step", "after")
    head, body, again, inner, step, after = [Block(name) for name in names]
    p.flatten([head, body, again, inner, step, after])
    p.end(entry, op.Branch, [head])
    p.end(head, op.Branch, [body], (op.LoopMerge, [after, step, 0]))
    p.b.at(body)
    zero: Value = p.test(op.IEqual, p.op2(op.IAdd, p.index, p.b.load(p.u32, i)), p.const(0))
    p.end(body, op.BranchConditional, [zero, again, inner], (op.SelectionMerge, [inner, 0]))
    p.end(again, op.Branch, [head])
    p.end(inner, op.Branch, [after])
    p.end(step, op.Branch, [head])
    p.b.at(after)
    result = p.run(2)
    assert [diagnostic.code for diagnostic in result.diagnostics] == ["RK1016"]
    assert result.diagnostics[0].message.startswith("lane 0 went back to the loop header %head")
