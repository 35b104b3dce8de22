"""Where the instructions before the functions go (SPIR-V 1.6, 2.4 "Logical Layout of a Module").

    OpCapability ──▶ capabilities     OpDecorate ──▶ decorations     OpTypeInt, OpConstant, OpVariable ──▶ globals
"""

from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.text.sections import SECTIONS, home_of


def section_of(module: Module, code: int) -> list[Instr]:
    """The list of `module` that takes an instruction before the first function."""
    return module.sections()[SECTIONS.index(home_of(code))]
