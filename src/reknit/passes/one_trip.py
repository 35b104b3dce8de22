"""An iteration inside a region that is left once: what `continue` did, `break` of that region does.

    loop @l { a; if c { continue @l } b } continuing { d }
        =>
    loop @l { a; scope @i { if c { break @i } b } } continuing { d }

The scope's join and the iteration's join stand one behind the other: who neither broke nor returned meets at the end
of the scope, and the same invocations go on to `continuing` together, where they met before
(SPV_KHR_maximal_reconvergence: an iteration's invocations that have not escaped meet at the continue target).
"""

from reknit.ir.block import Block
from reknit.ir.build import new_block
from reknit.ir.edit import append_node, insert_node_before, move_run, set_jump
from reknit.ir.jump import Break
from reknit.ir.tree import Case, Construct, Loop, Region, Scope
from reknit.ir.value import Node


def wrap_iteration(loop: Loop) -> Scope | None:
    """Turn every `continue` of `loop` into a break of a new scope; None if there is none.

    Phis in `continuing` must be gone.
    The scope starts at the first thing in the body with a `continue` in it. Costs the depth of each `continue`, and
    the nodes that stand directly in the body.
    """
    sources = list(loop.continues)
    holders: dict[Node, None] = {}
    for source in sources:
        holders[_holder(source, loop.body)] = None
    first: Node | None = loop.body.first
    while first is not None and first not in holders:
        first = first.next
    last = loop.body.last
    if first is None or last is None:
        return None
    scope = Scope()
    before = first.prev
    if not isinstance(before, Block) or before.jump is not None:  # a construct is entered from a block
        insert_node_before(first, Block("", True))
    if isinstance(first, Construct):
        new_block(scope.body)
    move_run(first, last, scope.body)
    append_node(loop.body, scope)
    new_block(loop.body)
    for source in sources:
        set_jump(source, Break(scope))
    return scope


def absorb_continuing(loop: Loop) -> None:
    """Move what stands in `continuing` to the end of the body, so that it may leave the loop. Phis must be gone.

    Who continued meets at the end of the scope that `wrap_iteration` makes, so the part runs with the same invocations.
    """
    wrap_iteration(loop)
    first = loop.continuing.first
    last = loop.continuing.last
    if first is None or last is None or loop.body.end().jump is not None:
        return
    move_run(first, last, loop.body)
    new_block(loop.continuing)


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
