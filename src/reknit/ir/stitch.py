"""One block becomes two, and two become one.

    b: A   ── split between A and B ──▶   b: A        (the block itself: its name, id, phis, what jumps to it)
       B                                  n: B        (new, padding; takes the jump)
       jump                                  jump

Identity over a split is fixed: the original block is always the first half, wherever the cursor stood. Over a join the
block that was a label in the input stays, of two such or two others the first; so the join undoes the split.

Two blocks are joined when control can only go from the one to the other, the second has no phis, and the first is not
the first block of a loop with the second before a merged construct: SPIR-V gives a block one merge instruction, and
the loop needs it.
"""

from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.cfg import predecessors, successors
from reknit.ir.cursor import Cursor
from reknit.ir.edit import (
    append,
    insert_node_after,
    move_jump,
    prepend,
    retarget_phis,
    split_after,
    unlink,
    unlink_node,
)
from reknit.ir.module import Module
from reknit.ir.phis import complete_phis, drop_source
from reknit.ir.tree import Construct, Loop
from reknit.source.diagnostic import EditRefused


def check_split(cursor: Cursor) -> None:
    """Refuse what would part phis from their block (RK0480) or variables from the function's start (RK0481)."""
    if cursor.is_before_phi():
        raise EditRefused(
            "RK0480",
            "phis belong to the construct before their block and can't be separated from it",
            "take the cursor `after_phis` of the block",
        )
    instr = cursor.following()
    while instr is not None:
        if instr.op == op.Variable:
            raise EditRefused("RK0481", "the variables of a function stand first in its first block")
        instr = instr.next


def halve(module: Module, cursor: Cursor) -> Block:
    """Make two blocks of one; returns the second half, which is new and takes the jump. Costs the instructions moved.

    Behind a jump the new block is empty and can't be reached; what it goes on to gets undefined phi values from it.
    """
    check_split(cursor)
    if not cursor.is_behind_jump():
        return split_after(cursor.block, cursor.after)
    rest = Block("", True)
    insert_node_after(cursor.block, rest)
    for target in successors(rest):
        complete_phis(module, target, rest)
    return rest


def can_join(block: Block) -> bool:
    """True if `block` and what follows it can be one block."""
    if not _is_straight(block):
        return False
    region = block.region
    following = block.next
    if following is None or region is None or not isinstance(region.owner, Loop):
        return True
    if block is not region.owner.body.first:
        return True
    return not (isinstance(following.next, Construct) and following.next.merged)


def _is_straight(block: Block) -> bool:
    following = block.next
    if block.jump is not None or not isinstance(following, Block) or next(following.phis(), None) is not None:
        return False
    return len(predecessors(following)) == 1


def join(block: Block) -> Block:
    """Make one of `block` and the block that follows it; returns the one that stays. Costs the instructions moved."""
    following = block.next
    assert isinstance(following, Block)
    if block.padding and not following.padding:
        instr = block.last
        while instr is not None:
            previous = instr.prev
            prepend(following, unlink(instr))
            instr = previous
        following.leading = (*block.leading, *following.leading)
        unlink_node(block)
        return following
    targets = successors(following)
    for line in following.leading:
        append(block, line)
    for instr in following:
        append(block, unlink(instr))
    for target in targets:
        retarget_phis(target, following, block)
    move_jump(following, block)
    unlink_node(following)
    return block


def stitch(block: Block, halves: bool = False) -> Block:
    """Join `block` with what follows it if they may be one; returns the block that `block` is now.

    `halves`: they were one before and may be so again, whatever comes after.
    """
    if _is_straight(block) if halves else can_join(block):
        return join(block)
    return block


def drop_dead_end(block: Block) -> bool:
    """Remove an empty block that stands right behind a jump, if nothing needs it; says whether it did."""
    if block.first is not None or block.jump is not None or block.leading or not block.padding:
        return False
    if not isinstance(block.prev, Block) or predecessors(block):
        return False
    for target in successors(block):
        drop_source(target, block)
    unlink_node(block)
    return True
