"""The control-flow graph beside the tree: edges are read off the tree, so they can't disagree with it.

    block with a jump            -> where the jump goes
    block before a construct     -> the first blocks of its regions
    block before a block         -> that block
    last block of a region       -> after the construct; loop body -> continuing; continuing -> start of the body

Each function costs the number of edges it returns. Source: NIR's table of normal successors, extended by Switch and
Scope.
"""

from typing import TYPE_CHECKING

from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.instr import Instr
from reknit.ir.jump import Branch, Break, Continue, Exit, Fallthrough, Jump
from reknit.ir.tree import Case, Construct, If, Loop, Region

if TYPE_CHECKING:
    from reknit.ir.function import Function


def region_exit(region: Region) -> Block | None:
    """Where the end of a region goes; None at the end of a function."""
    owner = region.owner
    if isinstance(owner, If):
        return owner.after()
    if isinstance(owner, Loop):
        return owner.continuing.entry() if region is owner.body else owner.body.entry()
    if isinstance(owner, Case):
        return owner.switch.after()
    if isinstance(owner, Construct):
        return owner.after()
    return None


def successors(block: Block) -> list[Block]:
    """Where control can go after `block`, each block once, in source order. A return goes nowhere in the tree."""
    return destinations(block, block.jump)


def destinations(block: Block, jump: Jump | None) -> list[Block]:
    """Where control could go if `block` ended in `jump`."""
    if jump is None:
        following = block.next
        if following is None:
            region = block.region
            target = region_exit(region) if region is not None else None
            return [] if target is None else [target]
        if isinstance(following, Block):
            return [following]
        if isinstance(following, Loop):
            return [following.body.entry()]
        assert isinstance(following, Construct)
        return [region.entry() for region in following.regions()]
    if isinstance(jump, Break):
        return [jump.target.after()]
    if isinstance(jump, Continue):
        return [jump.target.continuing.entry()]
    if isinstance(jump, Fallthrough):
        return [jump.target.region.entry()]
    if isinstance(jump, Branch):
        return branch_targets(jump.instr)
    return []


def edge_rows(blocks: list[Block]) -> list[list[int]]:
    """By place in `blocks`: the places of its successors. All of these have to be in `blocks`."""
    return edge_rows_by_number(blocks, {block: index for index, block in enumerate(blocks)})


def edge_rows_by_number(blocks: list[Block], number: dict[Block, int]) -> list[list[int]]:
    rows: list[list[int]] = []
    for block in blocks:
        if block.jump is None:
            following = block.next
            if isinstance(following, If):
                rows.append([number[following.then.entry()], number[following.orelse.entry()]])
                continue
            if isinstance(following, Block):
                rows.append([number[following]])
                continue
            region = block.region
            if following is None and region is not None:
                target = region_exit(region)
                rows.append([number[target]] if target is not None else [])
                continue
        rows.append([number[target] for target in destinations(block, block.jump)])
    return rows


def branch_targets(instr: Instr) -> list[Block]:
    """The different blocks among the operands of a plain branch or switch, in operand order."""
    targets: dict[Block, None] = {}
    for operand in instr.operands:
        if isinstance(operand, Block):
            targets[operand] = None
    return list(targets)


def predecessors(block: Block) -> list[Block]:
    """The blocks with an edge to `block`, each once; an edge from a block that can't be reached counts too. Those of
    a function's end are the blocks that return; they cost the function's size."""
    sources: dict[Block, None] = {}
    if block.function is not None and block is block.function.end:
        return returning_blocks(block.function)
    region = block.region
    if region is not None:
        before = block.prev
        if before is None:
            _into_region(region, sources)
        elif isinstance(before, Block):
            if before.jump is None:
                sources[before] = None
        elif isinstance(before, Construct):
            if not isinstance(before, Loop):
                for inner in before.regions():
                    if inner.end().jump is None:
                        sources[inner.end()] = None
            for source in before.breaks:
                sources[source] = None
    for user in block.use_list():
        if isinstance(user, Instr) and user.op != op.Phi and user.block is not None:
            jump = user.block.jump
            if isinstance(jump, Branch) and jump.instr is user:
                sources[user.block] = None
    return list(sources)


def returning_blocks(function: "Function") -> list[Block]:
    """The blocks that end in OpReturn or OpReturnValue, in source order."""
    returning: list[Block] = []
    for block in function:
        jump = block.jump
        if isinstance(jump, Exit) and jump.instr.op in (op.Return, op.ReturnValue):
            returning.append(block)
    return returning


def _into_region(region: Region, sources: dict[Block, None]) -> None:
    """Edges into the first block of a region."""
    owner = region.owner
    if isinstance(owner, Loop) and region is owner.continuing:
        if owner.body.end().jump is None:
            sources[owner.body.end()] = None
        for source in owner.continues:
            sources[source] = None
        return
    if isinstance(owner, Case):
        before = owner.switch.prev
        if isinstance(before, Block) and before.jump is None:
            sources[before] = None
        for source in owner.fallthroughs:
            sources[source] = None
        return
    if isinstance(owner, Construct):
        before = owner.prev
        if isinstance(before, Block) and before.jump is None:
            sources[before] = None
        if isinstance(owner, Loop) and owner.continuing.end().jump is None:
            sources[owner.continuing.end()] = None
