"""Walks over a function: blocks, constructs and instructions in source order, without recursion.

    nodes      a construct, then what is inside it, region by region
    blocks     the same, blocks only: dominators come before what they dominate
"""

from collections.abc import Iterator

from reknit.ir.block import Block
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.jump import Branch, Exit
from reknit.ir.tree import Construct, If, Region
from reknit.ir.value import Node, Value
from reknit.source.meter import spend


def nodes_in(region: Region) -> Iterator[Node]:
    """Every node of `region` and of the regions inside it, in source order. Make a list first if links are edited."""
    stack: list[Node] = []
    if region.first is not None:
        stack.append(region.first)
    while stack:
        node = stack.pop()
        if node.next is not None:
            stack.append(node.next)
        yield node
        if isinstance(node, Construct):
            regions = node.regions()
            for index in range(len(regions) - 1, -1, -1):
                first = regions[index].first
                if first is not None:
                    stack.append(first)


def nodes(function: Function) -> list[Node]:
    """The same of a function, all at once."""
    listed: list[Node] = []
    waiting: list[Node | None] = [function.body.first]
    while waiting:
        node = waiting.pop()
        while isinstance(node, Block):
            listed.append(node)
            node = node.next
        if isinstance(node, Construct):
            listed.append(node)
            waiting.append(node.next)
            for region in reversed(node.regions()):
                waiting.append(region.first)
    spend(len(listed))
    return listed


def blocks(function: Function) -> list[Block]:
    """All blocks: the tree's in source order, then a flat function's blocks or a structured one's islands."""
    listed: list[Block] = []
    waiting: list[Node | None] = [function.body.first]
    while waiting:
        node = waiting.pop()
        while isinstance(node, Block):
            listed.append(node)
            node = node.next
        if isinstance(node, If):
            waiting.append(node.next)
            waiting.append(node.orelse.first)
            waiting.append(node.then.first)
        elif isinstance(node, Construct):
            waiting.append(node.next)
            for region in reversed(node.regions()):
                waiting.append(region.first)
    listed.extend(function.blocks)
    spend(len(listed))
    return listed


def constructs(function: Function) -> list[Construct]:
    """All constructs, outer before inner."""
    return [node for node in nodes(function) if isinstance(node, Construct)]


def parts(function: Function) -> list[Value]:
    """Every construct, block and instruction, in source order: a construct or block before what is in it."""
    values: list[Value] = []
    for node in [*nodes(function), *function.blocks]:
        values.append(node)
        if isinstance(node, Block):
            values.extend(node)
            values.extend(_of_jump(node))
    return values


def instructions(function: Function) -> Iterator[Instr]:
    """All instructions in blocks, with the terminators that a jump carries."""
    for block in blocks(function):
        yield from block
        if block.jump is not None:
            yield from _of_jump(block)


def instruction_list(function: Function) -> list[Instr]:
    """The same as they are now: to be read, quicker than one by one."""
    listed: list[Instr] = []
    for block in blocks(function):
        instr = block.first
        while instr is not None:
            listed.append(instr)
            instr = instr.next
        jump = block.jump
        if isinstance(jump, Exit):
            listed.append(jump.instr)
        elif isinstance(jump, Branch):
            listed.extend(_of_jump(block))
    return listed


def _of_jump(block: Block) -> list[Instr]:
    jump = block.jump
    if isinstance(jump, Exit):
        return [jump.instr]
    if isinstance(jump, Branch):
        return [jump.instr] if jump.merge is None else [jump.merge, jump.instr]
    return []
