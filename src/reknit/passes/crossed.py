"""What a jump has to leave first, one construct after the other, since SPIR-V can't write it as it is.

    break of the innermost loop or switch, continue of the innermost loop      nothing: through any ifs inside it
    break of an if or a grouping, fallthrough                                  the selections in between
    anything further out                                                       the innermost loop or switch

Source: SPIR-V 1.6, 2.11.1, the exits of a selection, loop, continue and case construct.
"""

from reknit.ir.block import Block
from reknit.ir.jump import Break, Continue, Fallthrough
from reknit.ir.selections import is_selection
from reknit.ir.tree import Case, Construct, If, Loop, Region, Scope, Switch
from reknit.ir.value import Value


def crossed_construct(block: Block) -> Construct | None:
    """What the jump of `block` has to leave first, because SPIR-V can't write it as it is; None if it can."""
    jump = block.jump
    if not isinstance(jump, (Break, Continue, Fallthrough)):
        return None
    switch: Construct | None = None  # the innermost between the block and the target
    choices: list[If] = []
    target: Value = jump.target.switch if isinstance(jump, Fallthrough) else jump.target
    construct = around(block.region)
    while construct is not target:
        assert construct is not None
        if isinstance(construct, Loop):
            return construct
        if isinstance(construct, If):
            choices.append(construct)
        elif switch is None and _is_switch(construct):
            switch = construct
        construct = around(construct.region)
    if isinstance(construct, Loop):
        return None
    if switch is not None:
        return switch
    if isinstance(jump, Break) and _is_switch(construct):
        return None
    for choice in choices:
        if is_selection(choice):
            return choice
    return None


def _is_switch(construct: Construct) -> bool:
    """Whether jumps leave a construct as they do a switch: a merged scope is written as one."""
    return isinstance(construct, Switch) or (isinstance(construct, Scope) and construct.merged)


def around(region: Region | None) -> Construct | None:
    """The construct that a region belongs to; None for a function's body."""
    assert region is not None
    owner = region.owner
    if isinstance(owner, Case):
        return owner.switch
    return owner if isinstance(owner, Construct) else None
