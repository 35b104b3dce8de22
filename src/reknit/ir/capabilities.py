"""What the declared capabilities allow.

    OpCapability StorageBuffer16BitAccess      f16 is loaded, converted in width and stored, nothing else
    OpCapability Float16                       f16 is a number like any other
"""

from typing import Final

from reknit.ir import enums, op, opcodes
from reknit.ir.instr import Instr
from reknit.ir.module import Module

_ARITHMETIC: Final = {
    (op.TypeInt, 8): enums.CapabilityInt8,
    (op.TypeInt, 16): enums.CapabilityInt16,
    (op.TypeFloat, 16): enums.CapabilityFloat16,
}


def declares(module: Module, wanted: int) -> bool:
    """Whether a capability is declared, or implied by one that is."""
    return wanted in opcodes.with_implied([capability.word(0) for capability in module.capabilities])


def only_stored(module: Module, type: Instr) -> bool:
    """Whether values of `type`, a scalar or vector, may only be loaded, converted in width and stored: no constants,
    undefined values, phis or variables of a function (SPIR-V 1.6, 2.16.1 and the capabilities of 8- and 16-bit access).
    """
    scalar = type.operands[0] if type.op in (op.TypeVector, op.TypeMatrix) and type.operands else type
    if isinstance(scalar, Instr) and scalar.op == op.TypeVector and scalar.operands:
        scalar = scalar.operands[0]
    if not isinstance(scalar, Instr) or len(scalar.operands) == 0:
        return False
    width = scalar.operands[0]
    if not isinstance(width, int) or width > 16:
        return False
    needed = _ARITHMETIC.get((scalar.op, width))
    return needed is not None and declares(module, enums.CapabilityShader) and not declares(module, needed)
