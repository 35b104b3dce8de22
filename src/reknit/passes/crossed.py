"""What a jump has to leave first, one construct after the other, since SPIR-V can't write it as it is.

    break of the innermost loop or switch, continue of the innermost loop      nothing: through any ifs inside it
    break of an if or a grouping, fallthrough                                  the selections in between
    anything further out                                                       the innermost loop or switch

Source: SPIR-V 1.6, 2.11.1, the exits of a selection, loop, continue and case construct.
"""

from reknit.ir.block import Block
from reknit.ir.jump import Break, Continue, Fallthrough
from reknit.ir.selections import is_selection
from reknit.ir.tree import Case, Construct, Loop, Region, Scope, Switch
from reknit.ir.value import Value


def crossed_construct(block: Block) -> Construct | None:
    """What the jump of `block` has to leave first, because SPIR-V can't write it as it is; None if it can."""
    jump = block.jump
    if not isinstance(jump, (Break, Continue, Fallthrough)):
        return None
    loop: Construct | None = None  # the innermost of each kind between the block and the target
    switch: Construct | None = None
    selection: Construct | None = None
    target: Value = jump.target.switch if isinstance(jump, Fallthrough) else jump.target
    construct = around(block.region)
    while construct is not target:
        assert construct is not None
        if isinstance(construct, Loop):
            loop = loop or construct
        elif isinstance(construct, Switch) or (isinstance(construct, Scope) and construct.merged):
            switch = switch or construct
        elif is_selection(construct):
            selection = selection or construct
        construct = around(construct.region)
    if loop is not None or isinstance(target, Loop):
        return loop
    if switch is not None:
        return switch
    is_switch = isinstance(construct, Switch) or (isinstance(construct, Scope) and construct.merged)
    through_selections = isinstance(jump, Break) and is_switch
    return None if through_selections else selection


def around(region: Region | None) -> Construct | None:
    """The construct that a region belongs to; None for a function's body."""
    assert region is not None
    owner = region.owner
    if isinstance(owner, Case):
        return owner.switch
    return owner if isinstance(owner, Construct) else None
