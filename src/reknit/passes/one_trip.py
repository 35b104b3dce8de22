"""An iteration inside a region that is left once: what `continue` did, `break` of that region does.

    loop @l { a; if c { continue @l } b } continuing { d }
        =>
    loop @l { a; scope @i { if c { break @i } b } } continuing { d }

The scope's join and the iteration's join stand one behind the other: invocations that neither broke nor returned meet
at the end of the scope, and the same invocations go on to `continuing` together, where they met before
(SPV_KHR_maximal_reconvergence: an iteration's invocations that have not escaped meet at the continue target).

Phis stay right: those of a block whose incoming edges now lead to a new one stand there afterwards.
"""

from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.build import new_block
from reknit.ir.edit import (
    append,
    append_node,
    clear_jump,
    insert_node_before,
    move_run,
    retarget_phis,
    set_jump,
    unlink,
)
from reknit.ir.jump import Break, Continue
from reknit.ir.tree import Case, Construct, If, Loop, Region, Scope
from reknit.ir.value import Node


def wrap_iteration(loop: Loop, joins: bool = False) -> Scope | None:
    """Turn every `continue` of `loop` into a break of a new scope; None if there is nothing to put in one.

    The scope starts at the first thing in the body with a `continue` in it; if it `joins`, also at the first that may
    part invocations which meet at the end of the iteration only. Costs the depth of each `continue`, and the nodes
    that stand directly in the body.
    """
    sources = list(loop.continues)
    holders: dict[Node, None] = {}
    for source in sources:
        holders[_holder(source, loop.body)] = None
    first: Node | None = loop.body.first
    while first is not None and first not in holders and not (joins and _parts(first)):
        first = first.next
    last = loop.body.last
    if first is None or last is None:
        return None
    scope = Scope()
    before = first.prev
    if not isinstance(before, Block) or before.jump is not None:  # a construct is entered from a block
        before = Block("", True)
        insert_node_before(first, before)
        if isinstance(first, Block):
            _move_phis(first, before)
    if isinstance(first, Construct):
        entry = new_block(scope.body)
        for region in first.regions():
            retarget_phis(region.entry(), before, entry)
    move_run(first, last, scope.body)
    append_node(loop.body, scope)
    _move_phis(loop.continuing.entry(), new_block(loop.body))
    for source in sources:
        set_jump(source, Break(scope))
    return scope


def absorb_continuing(loop: Loop) -> None:
    """Move what stands in `continuing` to the end of the body, so that it may leave the loop.

    Lanes that continued, and that split where nothing is merged, meet at the end of the scope that `wrap_iteration`
    makes, so the part runs with the same invocations. Phis at the start of the body may lack a value for the edge from
    `continuing`, where that was none before.
    """
    end = loop.body.end()
    if isinstance(end.jump, Continue) and end.jump.target is loop:
        clear_jump(end)  # it goes there anyway
    wrap_iteration(loop, True)
    first = loop.continuing.first
    last = loop.continuing.last
    if not isinstance(first, Block) or not isinstance(last, Block) or loop.body.end().jump is not None:
        return
    move_run(first, last, loop.body)
    retarget_phis(loop.body.entry(), last, new_block(loop.continuing))


def runs_nothing(region: Region) -> bool:
    """Whether control only passes through: no instructions but debug lines, no constructs, no jumps."""
    for node in region:
        if not isinstance(node, Block) or node.jump is not None:
            return False
        for instr in node:
            if instr.op != op.Line and instr.op != op.NoLine:
                return False
    return True


def _move_phis(source: Block, target: Block) -> None:
    """The phis of `source` stand in `target`, a new block that now has its incoming edges."""
    for phi in source.phis():
        append(target, unlink(phi))


def _parts(node: Node) -> bool:
    """Whether lanes that go through `node` may come out divergent: it has no merge, and several paths lead out."""
    if not isinstance(node, Construct) or node.merged:
        return False
    if not isinstance(node, If):
        return True
    arms = (node.then, node.orelse), (node.orelse, node.then)
    return not any(_only_leaves(left, node) and _is_straight(kept) for left, kept in arms)


def _only_leaves(arm: Region, choice: If) -> bool:
    """The arm is straight and ends in a jump to elsewhere than behind `choice`."""
    jump = arm.end().jump
    return _is_straight(arm) and jump is not None and not (isinstance(jump, Break) and jump.target is choice)


def _is_straight(region: Region) -> bool:
    node = region.first
    while node is not None:
        if not isinstance(node, Block):
            return False
        node = node.next
    return True


def _holder(node: Node, body: Region) -> Node:
    """What stands directly in `body` and has `node` in it."""
    while node.region is not body:
        assert node.region is not None
        owner = node.region.owner
        if isinstance(owner, Case):
            owner = owner.switch
        assert isinstance(owner, Node)
        node = owner
    return node
