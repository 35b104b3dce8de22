"""Where the instructions before the functions go (SPIR-V 1.6, 2.4 "Logical Layout of a Module").

    OpCapability ──▶ capabilities     OpDecorate ──▶ decorations     OpTypeInt, OpConstant, OpVariable ──▶ globals
"""

from typing import Final

from reknit.ir import op, opcodes
from reknit.ir.instr import Instr
from reknit.ir.module import Module

ANNOTATIONS: Final = (
    op.Decorate,
    op.MemberDecorate,
    op.DecorationGroup,
    op.GroupDecorate,
    op.GroupMemberDecorate,
    op.DecorateId,
    op.DecorateString,
    op.MemberDecorateString,
)

IN_FUNCTIONS: Final = frozenset(
    (
        "Function", "Composite", "Image", "Conversion", "Arithmetic", "Relational_and_Logical", "Bit", "Derivative",
        "Primitive", "Barrier", "Atomic", "Control-Flow", "Group", "Pipe", "Device-Side_Enqueue", "Non-Uniform",
    )
)  # fmt: skip
"""Groups of the grammar whose instructions stand in functions only (SPIR-V 1.6, 2.4)."""


def section_of(module: Module, code: int) -> list[Instr]:
    """The list of `module` that takes an instruction before the first function."""
    if code == op.Capability:
        return module.capabilities
    if code == op.Extension:
        return module.extensions
    if code == op.ExtInstImport:
        return module.imports
    if code == op.MemoryModel:
        return module.memory_model
    if code == op.EntryPoint:
        return module.entry_points
    if code == op.ExecutionMode or code == op.ExecutionModeId:
        return module.execution_modes
    if code == op.String or code == op.Source or code == op.SourceContinued or code == op.SourceExtension:
        return module.sources
    if code == op.Name or code == op.MemberName:
        return module.names
    if code == op.ModuleProcessed:
        return module.processed
    if code in ANNOTATIONS:
        return module.decorations
    return module.globals


def only_in_functions(code: int) -> bool:
    """Whether an instruction has no place in the sections before the functions."""
    about = opcodes.info(code)
    if about is None:
        return False
    if about.group == "Memory":
        return code != op.Variable and code != op.UntypedVariableKHR
    return about.group in IN_FUNCTIONS
