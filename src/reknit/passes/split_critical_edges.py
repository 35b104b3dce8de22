"""A block on each edge from a block with several successors to one with several predecessors.

    a: BranchConditional %c b d            a: BranchConditional %c b ad
    b: Branch d                     =>     ad: Branch d
    d: %p = Phi %x a, %y b                 b: Branch d
                                           d: %p = Phi %x ad, %y b

For functions without a tree. Several literals of an OpSwitch with one label are one edge, and get one block. The new
block executes nothing, and those that branch to it are those that branched to where it goes, so no tangle changes. In a
tree there are no such edges: arms, cases and loop bodies start in blocks of their own, and jumps end blocks that go to
one place only. The one exception is a case that another falls through to: nothing can stand between a switch and a
case, so the function stays, with a note (RK2213), until `lower-switches{policy=always}` has taken such cases apart.
"""

from typing import Final

from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.cfg import successors
from reknit.ir.edit import retarget_phis, set_jump
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.jump import Branch
from reknit.ir.walk import blocks
from reknit.passes.contract import NO_CRITICAL_EDGES, Context, Pass


def split_critical_edges(function: Function, context: Context) -> bool:
    """Split every critical edge of a flat function. Costs its edges."""
    edges = critical_edges(function)
    if function.structured:
        if edges:
            reason = "a case that another falls through to has an edge from the switch that nothing can stand on"
            context.decline("RK2213", reason, "run `lower-switches{policy=always}` first", function)
        return False
    behind: dict[Block, list[Block]] = {}
    for source, target in edges:
        jump = source.jump
        assert isinstance(jump, Branch)
        between = Block("", True)
        between.function = function
        set_jump(between, Branch(Instr(op.Branch, None, [target], "", False)))
        for index, operand in enumerate(jump.instr.operands):
            if operand is target:
                jump.instr.set_operand(index, between)
        retarget_phis(target, source, between)
        behind.setdefault(source, []).append(between)
    if not behind:
        return False
    order: list[Block] = []
    for block in function.blocks:
        order.append(block)
        order.extend(behind.get(block, []))
    function.blocks = order
    return True


def critical_edges(function: Function) -> list[tuple[Block, Block]]:
    """The edges from a block with several successors to one with several predecessors, by source."""
    all_blocks = blocks(function)
    ways_in: dict[Block, int] = {}
    targets = [successors(block) for block in all_blocks]
    for row in targets:
        for target in row:
            ways_in[target] = ways_in.get(target, 0) + 1
    edges: list[tuple[Block, Block]] = []
    for source, row in zip(all_blocks, targets, strict=True):
        if len(row) > 1:
            edges.extend((source, target) for target in row if ways_in[target] > 1)
    return edges


SPLIT_CRITICAL_EDGES: Final = Pass(
    "split-critical-edges",
    "put a block on each edge between a fork and a join",
    split_critical_edges,
    gives=(NO_CRITICAL_EDGES,),
    keeps=("call-graph", "tangled", "decorations"),
)
