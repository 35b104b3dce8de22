"""Phis after padding: what came over an edge now comes from the padding block on it.

    %p = Phi : u32 [%a, b1] [%b, b2]        b1 ─▶ (pad) ─▶ b4        =>      [%a, pad] [%b, b2]

Where edges meet in a padding block (a merge block that is also a loop header), that block gets a phi itself, unless one
value comes over all of them, in the order in which they are written without a phi.
"""

from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.cfg import predecessors
from reknit.ir.edit import prepend
from reknit.ir.instr import Instr, Operand


def mend_phis(block: Block) -> None:
    """Make the phis of `block` name its predecessors in the tree, in the order of the pairs they had."""
    if not block.has_phis():
        return
    phis = list(block.phis())
    sources = predecessors(block)
    if all(not source.padding for source in sources):
        return
    for phi in phis:
        given: dict[Block, Operand] = {}
        position: dict[Block, int] = {}
        for place in range(0, len(phi.operands), 2):
            source = phi.operands[place + 1]
            assert isinstance(source, Block)
            given[source] = phi.operands[place]
            position[source] = place
        pairs: list[tuple[int, Operand, Block]] = []
        for source in sources:
            value, first = _value_over(source, given, position, phi)
            pairs.append((first, value, source))
        pairs.sort(key=_by_position)
        operands: list[Operand] = []
        for _, value, source in pairs:
            operands.append(value)
            operands.append(source)
        phi.set_operands(operands)


def _by_position(pair: tuple[int, Operand, Block]) -> int:
    return pair[0]


def _value_over(
    edge: Block, given: dict[Block, Operand], position: dict[Block, int], phi: Instr
) -> tuple[Operand, int]:
    """The value of `phi` that reaches the end of `edge`, perhaps through padding; and the place of the first pair it
    stems from."""
    order: list[Block] = []
    stack = [edge]
    while stack:
        block = stack.pop()
        order.append(block)
        if block not in given:
            stack.extend(predecessors(block))
    values: dict[Block, Operand] = {}
    first = dict(position)
    for block in reversed(order):
        if block in given:
            values[block] = given[block]
            continue
        incoming = predecessors(block)
        sources = sorted(incoming, key=first.__getitem__)
        first[block] = first[sources[0]]
        distinct = {values[source]: None for source in sources}
        if len(distinct) == 1 and sources == incoming:
            values[block] = values[sources[0]]
            continue
        operands: list[Operand] = []
        for source in sources:
            operands.append(values[source])
            operands.append(source)
        values[block] = prepend(block, Instr(op.Phi, phi.type, operands))
    return values[edge], first[edge]
