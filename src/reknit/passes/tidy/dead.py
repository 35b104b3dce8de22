"""Take out what control can't reach, with all that refers to it.

    return                                return
    %x = ...              =>              (nothing)
    goto after                            after: %p = Phi [%y, other]       what came from the dead block is gone

A value of dead code that something outside still names (only what is dead too, or never chosen, can) becomes undefined.
"""

from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.cfg import successors
from reknit.ir.constants import undef
from reknit.ir.edit import clear_jump, drop_leading, erase, erase_node, replace_uses, set_jump
from reknit.ir.function import Function
from reknit.ir.instr import Instr, Operand
from reknit.ir.jump import Exit
from reknit.ir.module import Module
from reknit.ir.phis import settle_phis
from reknit.ir.tree import Construct
from reknit.ir.value import Node
from reknit.source.meter import spend


def erase_dead(nodes: list[Node], module: Module) -> None:
    """Remove neighbours of a region that control can't reach. Costs their size and the phis that they feed."""
    _detach(_blocks_of(nodes), module)
    for node in nodes:
        erase_node(node)


def erase_islands(function: Function, module: Module) -> bool:
    """Remove the blocks of a structured function that stand outside its tree; nothing reaches them."""
    islands = function.blocks
    if not islands:
        return False
    _detach(islands, module)
    for block in islands:
        for instr in block:
            erase(instr)
    function.blocks = []
    function.touch()
    return True


def strip(block: Block, module: Module, ends: bool) -> bool:
    """Empty a block that control can't reach but whose place must be held; says whether that changed anything.

    `ends`: it ends in OpUnreachable, otherwise it goes on to what its place leads to, if it did so before.
    """
    jump = block.jump
    if jump is not None:
        ends = True
    held = not ends or (isinstance(jump, Exit) and jump.instr.op == op.Unreachable)
    if held and block.is_empty() and not block.leading:
        return False
    _detach([block], module, not ends)
    for instr in block:
        erase(instr)
    drop_leading(block)
    if ends:
        set_jump(block, Exit(Instr(op.Unreachable, None, [], "", False)))
    return True


def let_through(block: Block, module: Module) -> bool:
    """Empty a block that control can't reach, in a part that nothing may end in: it goes on to where its place leads.
    Says whether that changed anything."""
    if block.is_empty() and not block.leading and block.jump is None:
        return False
    before = successors(block)
    clear_jump(block)
    for instr in block:
        instr.drop_operands()
    for instr in block:
        if instr.is_used() and instr.type is not None:
            replace_uses(instr, undef(module, instr.type))
        erase(instr)
    block.leading = ()
    settle_phis(module, block, before)
    return True


def drop_sources(block: Block, gone: dict[Block, None]) -> None:
    """In the phis of `block`, forget what came from the blocks in `gone`."""
    for phi in block.phis():
        kept: list[Operand] = []
        for index in range(0, len(phi.operands), 2):
            if phi.value(index + 1) not in gone:
                kept.append(phi.operands[index])
                kept.append(phi.operands[index + 1])
        if len(kept) != len(phi.operands):
            phi.set_operands(kept)


def _blocks_of(nodes: list[Node]) -> list[Block]:
    blocks: list[Block] = []
    work: list[Node] = nodes[::-1]
    while work:
        spend(1)
        node = work.pop()
        if isinstance(node, Block):
            blocks.append(node)
        elif isinstance(node, Construct):
            for region in node.regions():
                work.extend(region)
    return blocks


def _detach(blocks: list[Block], module: Module, keep_edges: bool = False) -> None:
    """Cut `blocks` off: out of the phis they feed (unless `keep_edges`), no jumps, operands or users elsewhere."""
    gone: dict[Block, None] = dict.fromkeys(blocks)
    if not keep_edges:
        targets: dict[Block, None] = {}
        for block in blocks:
            for target in successors(block):
                if target not in gone:
                    targets[target] = None
        for target in targets:
            drop_sources(target, gone)
        for block in blocks:
            clear_jump(block)
    for block in blocks:
        for instr in block:
            instr.drop_operands()
    for block in blocks:
        for instr in block:
            if instr.is_used() and instr.type is not None:
                replace_uses(instr, undef(module, instr.type))
