"""Where the instructions before the functions go (SPIR-V 1.6, 2.4 "Logical Layout of a Module").

    OpCapability ──▶ capabilities     OpDecorate ──▶ decorations     OpTypeInt, OpConstant, OpVariable ──▶ globals
"""

from typing import Final

from reknit.ir import op, opcodes
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.text.sections import SECTIONS, home_of

IN_FUNCTIONS: Final = frozenset(
    (
        "Function", "Composite", "Image", "Conversion", "Arithmetic", "Relational_and_Logical", "Bit", "Derivative",
        "Primitive", "Barrier", "Atomic", "Control-Flow", "Group", "Pipe", "Device-Side_Enqueue", "Non-Uniform",
    )
)  # fmt: skip
"""Groups of the grammar whose instructions stand in functions only (SPIR-V 1.6, 2.4)."""


def section_of(module: Module, code: int) -> list[Instr]:
    """The list of `module` that takes an instruction before the first function."""
    return module.sections()[SECTIONS.index(home_of(code))]


def only_in_functions(code: int) -> bool:
    """Whether an instruction has no place in the sections before the functions."""
    about = opcodes.info(code)
    if about is None:
        return False
    if about.group == "Memory":
        return code != op.Variable and code != op.UntypedVariableKHR
    return about.group in IN_FUNCTIONS
