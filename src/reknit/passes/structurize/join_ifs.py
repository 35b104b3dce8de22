"""A scope that is nothing but an if becomes that if, merged.

    scope @j {                          if %c as @j { a; break @j } else { b }
      if %c nojoin { a; break @j }  =>
      else { b }
    }

Breaks of what is around it may lead through an if; a scope is a switch for SPIR-V, and those breaks would need a flag.
An if must be left as an if can be: from right inside, or by lone branches (SPIR-V 1.6, 2.11.1). The frame is the same
one: pushed before the branch, with the same block as its target.
"""

from reknit.ir.block import Block
from reknit.ir.edit import erase_node, insert_node_before, set_jump, unlink_node
from reknit.ir.jump import Break
from reknit.ir.tree import If, Region, Scope


def join_ifs(scopes: list[Scope]) -> int:
    """Turn those of `scopes` that can be into merged ifs; how many. Costs what stands right in each, and the depth of
    its breaks."""
    count = 0
    for scope in scopes:
        choice = _only_choice(scope)
        if choice is None or not all(_leaves_if(block, choice) for block in scope.breaks):
            continue
        count += 1
        choice.merged = True
        end = scope.body.end()
        for block in list(scope.breaks):
            set_jump(block, Break(choice))
        erase_node(end)
        before = scope.before()
        node = scope.body.first
        while node is not None:
            following = node.next
            unlink_node(node)
            insert_node_before(scope, node)
            node = following
        unlink_node(scope)
        if before.padding and before.first is None and not before.leading:
            unlink_node(before)  # it stood there for the scope alone
    return count


def _only_choice(scope: Scope) -> If | None:
    """The if that is last in the scope, with plain blocks before it and nothing but an end behind."""
    node = scope.body.first
    while isinstance(node, Block):
        if node.jump is not None:
            return None
        node = node.next
    if not isinstance(node, If) or node.merged:
        return None
    end = node.after()
    if end.next is not None or end.first is not None or end.jump is not None:
        return None
    return node


def _leaves_if(block: Block, choice: If) -> bool:
    """Whether a break in `block` may be one of `choice`: nothing that has a merge instruction is in between."""
    region = block.region
    while region is not None:
        owner = region.owner
        if owner is choice:
            return True
        if not isinstance(owner, If) or owner.merged or not (_is_bare(owner.then) or _is_bare(owner.orelse)):
            return False
        region = owner.region
    return False


def _is_bare(arm: Region) -> bool:
    """Whether an arm is a lone jump."""
    entry = arm.entry()
    return entry.next is None and entry.padding and entry.first is None and entry.jump is not None
