"""Where the source language has an instruction, as its compiler noted it.

    OpLine %file 12 3                             until the next one, OpNoLine or the block's end
    OpExtInst %debug DebugLine %source %12 ...    the same in NonSemantic.Shader.DebugInfo.100

Sources: SPIR-V 1.6, "Debug Line Information"; NonSemantic.Shader.DebugInfo.100, DebugLine and DebugSource.
"""

from typing import Final

from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.constants import as_int
from reknit.ir.instr import Instr
from reknit.ir.value import Value
from reknit.source.place import Place

_SET: Final = "NonSemantic.Shader.DebugInfo.100"
_LINE: Final = 103
_NO_LINE: Final = 104


def lines_in(block: Block) -> tuple[dict[Value, Place], Place | None]:
    """(the place of each instruction of a block that has one, the place of what ends the block)."""
    found: dict[Value, Place] = {}
    current: Place | None = None
    for instr in block:
        if instr.op == op.Line:
            current = Place(instr.instr(0).text(0), instr.word(1), instr.word(2))
        elif instr.op == op.NoLine or _is_debug(instr, _NO_LINE):
            current = None
        elif _is_debug(instr, _LINE):
            current = _debug_line(instr)
        elif current is not None:
            found[instr] = current
    return found, current


def _is_debug(instr: Instr, number: int) -> bool:
    if instr.op != op.ExtInst or instr.word(1) != number:
        return False
    return instr.instr(0).text(0) == _SET


def _debug_line(instr: Instr) -> Place | None:
    source = instr.operands[2] if len(instr.operands) > 5 else None
    if not isinstance(source, Instr) or source.op != op.ExtInst or len(source.operands) < 3:
        return None
    file = source.operands[2]
    line = as_int(instr.value(3))
    column = as_int(instr.value(5))
    if not isinstance(file, Instr) or file.op != op.String or line is None:
        return None
    return Place(file.text(0), line, column or 0)
