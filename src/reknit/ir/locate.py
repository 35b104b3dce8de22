"""The best place to name for a part of a module, in a message.

    OpLine %file 12 4            what follows it in its block is of line 12 of that file
    `ir/source_places.py`               else, its line in the text that the module was read from
    neither                      else, the module

Debug information: OpLine (SPIR-V 1.6, 3.42.2) and DebugLine (NonSemantic.Shader.DebugInfo.100) hold up to the next of
their kind, OpNoLine or DebugNoLine, or the end of the block. A file without a name is none.
"""

from typing import Final

from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.debug import EXT_INSTS, SHADER_DEBUG, set_of
from reknit.ir.instr import Instr, Operand
from reknit.ir.module import Module
from reknit.ir.tree import Construct
from reknit.ir.value import Value
from reknit.source.place import Place

_DEBUG_LINE: Final = 103
_DEBUG_NO_LINE: Final = 104


def place_of(value: Value, module: Module) -> Place:
    """The best place to name for `value`: in its source, in the text it was read from, or the module as a whole."""
    place: Place | None = None
    if isinstance(value, Instr):
        place = _by_debug_lines(value.prev if value.prev is not None else _before_terminator(value), module)
    elif isinstance(value, Construct) and isinstance(value.prev, Block):
        place = _by_debug_lines(value.prev.last, module)
    if place is None and module.places is not None:
        place = module.places.of(value)
    return place if place is not None else Place(module.path)


def place_of_jump(block: Block, module: Module) -> Place:
    """The place of what ends a block."""
    place = _by_debug_lines(block.last, module)
    if place is None and module.places is not None and block in module.places.ends:
        place = module.places.find(module.places.ends[block])
    return place if place is not None else place_of(block, module)


def _before_terminator(instr: Instr) -> Instr | None:
    """The last instruction of a block, for the terminator that the block's jump carries."""
    block = instr.block
    return block.last if block is not None and block.first is not instr and block.last is not instr else None


def _may_have_lines(module: Module) -> bool:
    """Whether a file is named that OpLine may be of, or a set imported that has DebugLine: without, no block is gone
    through for each of its instructions."""
    for source in module.sources:
        if source.op == op.String:
            return True
    return any(str(imported.operands[0]).startswith(SHADER_DEBUG) for imported in module.imports)


def _by_debug_lines(before: Instr | None, module: Module) -> Place | None:
    """What the nearest line information says, going back from `before` to the start of the block."""
    if not _may_have_lines(module):
        return None
    while before is not None:
        if before.op == op.Line:
            name = before.instr(0).text(0)
            return Place(name, before.word(1), before.word(2)) if name else None
        if before.op == op.NoLine:
            return None
        if before.op in EXT_INSTS:
            number = _debug_instruction(before)
            if number == _DEBUG_NO_LINE:
                return None
            if number == _DEBUG_LINE:
                return _debug_place(before)
        before = before.prev
    return None


def _debug_instruction(instr: Instr) -> int:
    """The number of an instruction of the debug information set, -1 for any other."""
    number = instr.operands[1]
    return number if isinstance(number, int) and set_of(instr).startswith(SHADER_DEBUG) else -1


def _debug_place(line: Instr) -> Place | None:
    """DebugLine Source LineStart LineEnd ColumnStart ColumnEnd, of which the numbers are constants, and the source is a
    DebugSource with the name of the file."""
    source = line.operands[2]
    if not isinstance(source, Instr) or len(source.operands) < 3 or len(line.operands) < 6:
        return None
    name = source.operands[2]
    row = _number(line.operands[3])
    column = _number(line.operands[5])
    file = name.text(0) if isinstance(name, Instr) and name.op == op.String else ""
    return Place(file, row, column) if file and row > 0 else None


def _number(operand: Operand) -> int:
    """The value of a constant, 0 for anything else."""
    if isinstance(operand, Instr) and operand.op == op.Constant and isinstance(operand.operands[0], int):
        return operand.operands[0]
    return 0
