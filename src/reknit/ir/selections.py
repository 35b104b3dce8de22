"""Which unmerged ifs are selection constructs in SPIR-V all the same.

    if c nojoin { break @l }  b        one way only leaves a construct: a conditional branch without a merge instruction
    if c nojoin { a; break @l }  b     both ways go on to blocks of their own: OpSelectionMerge stands at the branch

The second is left as a selection is: for the merge block or continue target of the innermost loop, the merge block of
the innermost switch, and for the block behind it (SPIR-V 1.6, 2.11).
"""

from reknit.ir.back_edge import is_conditional_back_edge
from reknit.ir.block import Block
from reknit.ir.jump import Break
from reknit.ir.tree import Construct, If, Region, Scope
from reknit.ir.value import Node


def is_selection(construct: Construct) -> bool:
    """Whether a construct is a selection with a merge block: a merged one, or an if of which no way only leaves and at
    which no scope's merge instruction can be."""
    if construct.merged:
        return True
    if not isinstance(construct, If) or is_conditional_back_edge(construct) or _begins_scope(construct):
        return False
    return not any_way_leaves(construct)


def any_way_leaves(choice: If) -> bool:
    """Whether an arm is nothing but an edge out of the construct around `choice`."""
    return _only_leaves(choice, choice.then) or _only_leaves(choice, choice.orelse)


def _begins_scope(construct: Construct) -> bool:
    """Whether control comes to a merged scope and then, without another choice, to `construct`."""
    node: Node = construct
    while True:
        before = node.prev
        while isinstance(before, Block):
            before = before.prev
        owner = node.region.owner if node.region is not None else None
        if before is not None or not isinstance(owner, Scope):
            return False
        if owner.merged:
            return True
        node = owner


def _only_leaves(node: If, arm: Region) -> bool:
    entry = arm.entry()
    if entry.next is not None or not entry.padding or entry.first is not None or entry.leading:
        return False
    if entry.jump is not None:
        return not (isinstance(entry.jump, Break) and entry.jump.target is node)
    after = node.after()
    return after.next is None and after.padding and after.first is None and not after.leading
