"""The targets of a plain OpSwitch: which literal leads to which block.

    Switch %k b9 0 b1 2 b2          [(0, b1), (2, b2)]          b9 is the default
"""

from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.instr import Instr
from reknit.ir.types import width_of


def switch_targets(instr: Instr) -> list[tuple[int, Block]]:
    """The (literal, label) pairs of an OpSwitch.

    A literal is the selector's bits as an unsigned number, however many words it has or how it is extended."""
    pairs: list[tuple[int, Block]] = []
    selector = instr.operands[0]
    mask = -1
    if isinstance(selector, Instr) and selector.type is not None and selector.type.op == op.TypeInt:
        mask = (1 << width_of(selector.type)) - 1
    literal = 0
    shift = 0
    for operand in instr.operands[2:]:
        if isinstance(operand, int):
            literal |= operand << shift
            shift += 32
        elif isinstance(operand, Block):
            pairs.append((literal & mask, operand))
            literal = 0
            shift = 0
    return pairs
