"""Debug information among the instructions: what says something of the program and does nothing in it.

    OpLine, OpNoLine                               is_line
    OpExtInst %void %set DebugScope ...            is_debug: of a debug information set
    OpExtInst %void %set Kernel ...                floats: of any set whose instructions may all be ignored

Sources: SPIR-V 1.6, 2.4 and OpPhi; SPV_KHR_non_semantic_info; OpenCL.DebugInfo.100; NonSemantic.Shader.DebugInfo.
"""

from collections.abc import Iterable
from typing import Final

from reknit.ir import op
from reknit.ir.instr import Instr
from reknit.ir.opcodes import OF_OPENCL, floats_by

EXT_INSTS: Final = (op.ExtInst, op.ExtInstWithForwardRefsKHR)
SHADER_DEBUG: Final = "NonSemantic.Shader.DebugInfo"
_DEBUG: Final = (SHADER_DEBUG, *OF_OPENCL)


def set_of(instr: Instr) -> str:
    """The name of the extended set that `instr` is of; "" for what is of none."""
    if instr.op not in EXT_INSTS or not instr.operands:
        return ""
    imported = instr.operands[0]
    if not isinstance(imported, Instr) or imported.op != op.ExtInstImport or not imported.operands:
        return ""
    name = imported.operands[0]
    return name if isinstance(name, str) else ""


def is_line(instr: Instr) -> bool:
    """Whether it is OpLine or OpNoLine."""
    return instr.op == op.Line or instr.op == op.NoLine


def is_debug(instr: Instr) -> bool:
    """Whether it is of a debug information set: it describes others and must not keep them."""
    return set_of(instr).startswith(_DEBUG)


DEBUG_INFO_NONE: Final = 0
DEBUG_GLOBAL_VARIABLE: Final = 18
DEBUG_LOCAL_VARIABLE: Final = 26
"""In either set. Operands: name, type, source, line, column, parent; then flags, and before them, of a global variable,
its linkage name and the variable (GLOBAL_ITSELF)."""
GLOBAL_ITSELF: Final = 9

DEBUG_EXPRESSION: Final = 31
DEBUG_DECLARE: Final = 28
DEBUG_VALUE: Final = 29
"""In either set. Operands: local variable, variable or value, expression; then indices of the part that is meant, which
OpenCL's DebugDeclare hasn't."""


def is_declare(instr: Instr) -> bool:
    """Whether it says that a local variable of the source is kept in a variable."""
    return is_debug(instr) and instr.operands[1] == DEBUG_DECLARE


def is_global_variable(instr: Instr) -> bool:
    """Whether it describes a global variable of the source."""
    return is_debug(instr) and instr.operands[1] == DEBUG_GLOBAL_VARIABLE


def floats(instr: Instr) -> bool:
    """Whether it may stand outside of blocks: lines, debug information and what is not semantic."""
    return is_line(instr) or floats_by(set_of(instr))


def runs_nothing(instrs: Iterable[Instr]) -> bool:
    """Whether all of them, those of a block, may be ignored."""
    return all(floats(instr) for instr in instrs)


def may_precede_phis(instr: Instr) -> bool:
    """Whether it may stand before phis and variables, or among them.

    The shader's own debug information may not, as spirv-val reads its specification; that of OpenCL may.
    """
    return is_line(instr) or set_of(instr) in OF_OPENCL
