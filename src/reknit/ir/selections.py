"""Which unmerged ifs are selection constructs in SPIR-V all the same.

    if c nojoin { break @l }  b        one arm only leaves a construct: a conditional branch without a merge instruction
    if c nojoin { a; break @l }  b     both arms go on to blocks of their own: OpSelectionMerge stands at the branch

The second is left as a selection is: for the merge block or continue target of the innermost loop, the merge block of
the innermost switch, and for the block behind it (SPIR-V 1.6, 2.11).
"""

from reknit.ir.back_edge import end_of_edge, is_conditional_back_edge
from reknit.ir.block import Block
from reknit.ir.cfg import successors
from reknit.ir.crossing import is_declared, is_passed_through
from reknit.ir.jump import Break
from reknit.ir.tree import Construct, If, Loop, Region, Scope, Switch
from reknit.ir.value import Node


def is_selection(construct: Construct) -> bool:
    """Whether a construct is a selection with a merge block: a merged one, or a switch, or an if of which no path only
    leaves, at which no scope's merge instruction can be."""
    if construct.merged:
        return True
    if not isinstance(construct, (If, Switch)) or begins_scope(construct):
        return False
    return isinstance(construct, Switch) or not (is_conditional_back_edge(construct) or leaving_arms(construct))


def leaving_arms(choice: If) -> list[Region]:
    """The arms that are nothing but an edge out of the construct around `choice`."""
    return [arm for arm in choice.regions() if _only_leaves(choice, arm)]


def begins_scope(choice: If | Switch) -> bool:
    """Whether a merged scope's merge instruction can be at an unmerged branch: control comes to the scope and then,
    without another choice, to `choice`, and what goes from inside to its end may do so: no break, which would be no
    exit of the scope, and one case of a switch at most, since a case leads to its merge block or the next case."""
    open_ends = [region for region in choice.regions() if region.end().jump is None]
    if choice.breaks or (isinstance(choice, Switch) and len(open_ends) > 1):
        return False
    node: Node = choice
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


def has_no_exit(choice: If) -> bool:
    """Whether an unmerged if would be a conditional branch without a merge instruction of which no arm leaves for a
    merge block, a continue target or the next case, as one has to (SPIR-V 1.6, 2.11)."""
    if choice.merged or is_conditional_back_edge(choice) or begins_scope(choice) or not leaving_arms(choice):
        return False
    return not (_exits(choice.then) or _exits(choice.orelse))


def _exits(arm: Region) -> bool:
    if arm.entry().next is not None:
        return False
    end = landing(arm.entry())  # an arm's own block is declared by nothing
    owner = end.region.owner if end.region is not None else None
    is_header = end.prev is None and isinstance(owner, Loop) and end.region is owner.body
    return is_declared(end) and not is_header


def landing(block: Block) -> Block:
    """The block with a label that control comes to from `block` on."""
    passed: dict[Block, None] = {}
    while is_passed_through(block) and not is_declared(block) and block not in passed:
        passed[block] = None
        block = successors(block)[0]
    return block


def _only_leaves(node: If, arm: Region) -> bool:
    entry = arm.entry()
    if entry.next is not None or not is_passed_through(entry):
        return False
    if entry.jump is not None:
        return not (isinstance(entry.jump, Break) and entry.jump.target is node)
    after = node.after()
    return after.next is None and is_passed_through(after)


def code_of_edge(source: Block) -> Block:
    """The block at whose end code stands that belongs to the edge out of `source`, and may run for other edges too:
    `source`, or the block before the test where that is an empty arm that only leaves; with code in it, its if would be
    a selection, which not all can be left from. Of two such arms the second is taken."""
    before = end_of_edge(source)
    region = source.region
    if before is not source or region is None or source.first is not None:
        return before
    test = region.owner
    if not isinstance(test, If) or test.merged or not _only_leaves(test, region):
        return source
    if region is test.orelse and _only_leaves(test, test.then):
        return source
    return test.before()
