"""Blocks that follow each other become one, and phis with one way in become what comes in.

    a: A                          a: A
    b: %p = Phi [%x, a]     =>       B with %x for %p
       B
       jump                          jump

The block that was a label in the input stays, of two such the first. The first block of a loop and the block before a
merged construct stay apart: SPIR-V gives a block one merge instruction, and the loop needs it.
"""

from reknit.analysis.decorations import Decorations
from reknit.ir import enums
from reknit.ir.block import Block
from reknit.ir.cfg import successors
from reknit.ir.constants import undef
from reknit.ir.edit import append, erase, move_jump, prepend, replace_uses, retarget_phis, unlink, unlink_node
from reknit.ir.module import Module
from reknit.ir.tree import Construct, Loop


def fold_single_phis(block: Block, decorations: Decorations, module: Module) -> bool:
    """Replace the phis of `block` that have one way in. One that is decorated stays: its value may not bear that."""
    changed = False
    for phi in block.phis():
        if len(phi.operands) != 2:
            continue
        if any(decoration != enums.DecorationRelaxedPrecision for decoration in decorations.of(phi)):
            continue
        value = phi.value(0)
        if value is phi:
            assert phi.type is not None
            value = undef(module, phi.type)
        replace_uses(phi, value)
        erase(phi)
        changed = True
    return changed


def can_join(block: Block) -> bool:
    """True if `block` and what follows it can be one block."""
    following = block.next
    if block.jump is not None or not isinstance(following, Block) or next(following.phis(), None) is not None:
        return False
    region = block.region
    if region is not None and isinstance(region.owner, Loop) and block is region.owner.body.first:
        behind = following.next
        return not (isinstance(behind, Construct) and behind.merged)
    return True


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
        following.leading[:0] = block.leading
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
