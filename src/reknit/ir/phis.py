"""The pairs of a phi, one for each edge into its block.

    a ─┐
       ├─ c: %x = Phi [%p, a] [%q, b]        the edge b -> c goes:    %x = Phi [%p, a]
    b ─┘                                     an edge d -> c comes:    %x = Phi [%p, a] [%q, b] [undef, d]

There is one undefined value per type in a module, so nothing piles up.
"""

from reknit.ir.block import Block
from reknit.ir.cfg import successors
from reknit.ir.constants import undef
from reknit.ir.instr import Instr, Operand
from reknit.ir.module import Module
from reknit.ir.value import Value


def by_source(phi: Instr) -> dict[Block, Value]:
    """What it is for those that come from each block."""
    values: dict[Block, Value] = {}
    for index in range(1, len(phi.operands), 2):
        source = phi.operands[index]
        if isinstance(source, Block) and source not in values:
            values[source] = phi.value(index - 1)
    return values


def has_source(phi: Instr, source: Block) -> bool:
    return any(phi.operands[index] is source for index in range(1, len(phi.operands), 2))


def complete_phis(module: Module, block: Block, source: Block) -> None:
    """Give every phi of `block` that has nothing for the edge from `source` an undefined value for it."""
    for phi in block.phis():
        if not has_source(phi, source):
            assert phi.type is not None
            phi.set_operands([*phi.operands, undef(module, phi.type), source])


def drop_source(block: Block, source: Block) -> None:
    """In the phis of `block`, forget what came from `source`."""
    for phi in block.phis():
        if has_source(phi, source):
            kept: list[Operand] = []
            for index in range(0, len(phi.operands), 2):
                if phi.operands[index + 1] is not source:
                    kept.append(phi.operands[index])
                    kept.append(phi.operands[index + 1])
            phi.set_operands(kept)


def settle_phis(module: Module, block: Block, before: list[Block]) -> None:
    """Make phis right after an edit of where `block` goes; `before` is where it went."""
    now = successors(block)
    for target in before:
        if target not in now:
            drop_source(target, block)
    for target in now:
        complete_phis(module, target, block)
