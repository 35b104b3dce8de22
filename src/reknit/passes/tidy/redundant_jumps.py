"""Jumps that lead where control goes anyway.

    scope @s { ...; break @s }                       =>  scope @s { ... }
    loop @l { ...; continue @l } continuing {...}    =>  loop @l { ... } continuing {...}
    scope @s { if c { break @s } }                   =>  scope @s { if c { } }         nothing stands behind the if

In the last one the jump passes by the end of the if, where others may wait for it. That makes no difference where the
target is merged too: lanes that jump and lanes that wait meet there. Where the target has no merge they would stay
divergent, so the jump stays. Lines and debug information on the way are no reason to stay. A loop is not left so:
`break` of a loop is never where its body ends.
"""

from reknit.ir.block import Block
from reknit.ir.cfg import region_exit
from reknit.ir.debug import runs_nothing
from reknit.ir.jump import Break, Continue
from reknit.ir.tree import Case, Construct, Loop, Region


def is_needless(block: Block) -> bool:
    """True if `block`, without its jump, goes to the same place with the same others. Costs the levels it passes."""
    jump = block.jump
    region = block.region
    if block.next is not None or region is None:
        return False
    waits = True
    if isinstance(jump, Continue):
        goal = jump.target.continuing.entry()
    elif isinstance(jump, Break) and not isinstance(jump.target, Loop):
        goal = jump.target.after()
        waits = jump.target.merged
    else:
        return False
    reached = region_exit(region)
    if reached is goal:
        return True
    if next(goal.phis(), None) is not None:
        return False  # they distinguish the edges
    while reached is not goal:
        if reached is None or not runs_nothing(reached):
            return False
        if not waits and _is_waited_at(region):
            return False
        if isinstance(reached.next, Block) and reached.jump is None:
            reached = reached.next
            continue
        if reached.next is not None:
            return False
        other = reached.jump
        if other is not None:
            return _same_target(jump, other)
        region = reached.region
        if region is None or (isinstance(region.owner, Loop) and region is region.owner.continuing):
            return False
        reached = region_exit(region)
    return True


def _is_waited_at(region: Region) -> bool:
    owner = region.owner
    if isinstance(owner, Case):
        return owner.switch.merged
    return isinstance(owner, Construct) and owner.merged


def _same_target(jump: Break | Continue, other: object) -> bool:
    if isinstance(jump, Break):
        return isinstance(other, Break) and jump.target is other.target
    return isinstance(other, Continue) and jump.target is other.target
