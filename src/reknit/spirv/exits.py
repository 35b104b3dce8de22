"""Which jumps of the tree SPIR-V can write, and which need a pass first.

    break of the innermost loop or switch, continue of the innermost loop      through any number of ifs inside it
    break of an if, fallthrough                                                with no selection in between
    break inside continuing                                                    as the conditional back edge at its end
    anything further out                                                       not: eliminate-multi-level-breaks

Source: SPIR-V 1.6, 2.11 "Structured Control Flow": the exits of a selection, loop, continue and case construct.
"""

from typing import final

from reknit.ir.back_edge import leaves_by_back_edge
from reknit.ir.block import Block
from reknit.ir.jump import Break, Continue, Fallthrough
from reknit.ir.selections import is_selection
from reknit.ir.tree import Construct, If, Loop, Region, Scope, Switch
from reknit.ir.value import Node


@final
class Around:
    """What a block stands in: its innermost loop, innermost switch (or one-trip region) inside that loop, and innermost
    merged construct. `continuing` tells that the loop is left and continued only by its back edge."""

    __slots__ = ("loop", "switch", "inner", "continuing")

    def __init__(self, loop: Loop | None, switch: Construct | None, inner: Construct | None, continuing: bool) -> None:
        self.loop = loop
        self.switch = switch
        self.inner = inner
        self.continuing = continuing


OUTSIDE = Around(None, None, None, False)


def inside(around: Around, construct: Construct, region: Region) -> Around:
    """What the blocks of one region of `construct` stand in, if `construct` stands in `around`."""
    if isinstance(construct, Loop):
        return Around(construct, None, construct, region is construct.continuing)
    if not is_selection(construct):
        return around
    switch: Construct | None = around.switch
    if isinstance(construct, (Switch, Scope)):
        switch = construct
    return Around(around.loop, switch, construct, around.continuing)


def illegal_exit(block: Block, around: Around) -> str:
    """Why SPIR-V has no branch for the jump of `block`; "" if it has."""
    jump = block.jump
    if isinstance(jump, Continue):
        if jump.target is not around.loop:
            return "a `continue` that leaves an inner loop"
        if around.continuing:
            return "a `continue` inside `continuing`"
    elif isinstance(jump, Break):
        target = jump.target
        if isinstance(target, Loop):
            if target is not around.loop:
                return "a `break` that leaves an inner loop"
            if around.continuing and not leaves_by_back_edge(block, target):
                return "a `break` inside `continuing` with code behind it"
        elif isinstance(target, Switch) or (isinstance(target, Scope) and target.merged):
            if target is not around.switch and target is not around.inner:
                return "a `break` that leaves an inner loop or switch"
        elif isinstance(target, If) and target.merged and target is not around.inner:
            return "a `break` of an `if` that leaves another construct"
        elif not target.merged and around.inner is not target and around.inner is not selection_around(target):
            return "a `break` of a grouping that leaves another construct"
    elif isinstance(jump, Fallthrough) and jump.target.switch is not around.inner and jump.target.switch.merged:
        return "a `fallthrough` that leaves another construct"
    return ""


def construct_around(node: Node) -> Construct | None:
    """The innermost construct that `node` stands in."""
    return node.region.construct() if node.region is not None else None


def selection_around(node: Node) -> Construct | None:
    """The innermost construct with a merge block that `node` stands in."""
    around = construct_around(node)
    while around is not None and not is_selection(around):
        around = construct_around(around)
    return around


def merged_around(node: Node) -> Construct | None:
    """The innermost merged construct that `node` stands in. Costs the number of unmerged ones in between."""
    around = construct_around(node)
    while around is not None and not around.merged:
        around = construct_around(around)
    return around
