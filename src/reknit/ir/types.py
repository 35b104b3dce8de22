"""Types, interned: `int_type(module, 32, False)` is the module's one `u32`.

Questions about a type take its instruction; a width is in bits, a count in components.
Source: SPIR-V 1.6, 3.52.6 "Type-Declaration Instructions".
"""

from reknit.ir import enums, op
from reknit.ir.instr import Instr, Operand
from reknit.ir.module import Module
from reknit.ir.opcodes import NAMES_NO_TYPE


def void_type(module: Module) -> Instr:
    return module.intern(op.TypeVoid, None, [])


def bool_type(module: Module) -> Instr:
    return module.intern(op.TypeBool, None, [])


def int_type(module: Module, width: int = 32, signed: bool = True) -> Instr:
    return module.intern(op.TypeInt, None, [width, 1 if signed else 0])


def selector_type(module: Module) -> Instr:
    """What numbers of paths and levels are: a signed integer, but in kernels, where none may be (SPIR-V 1.6,
    2.16.1)."""
    kernel = any(line.operands[0] == enums.CapabilityKernel for line in module.capabilities)
    return int_type(module, 32, not kernel)


def float_type(module: Module, width: int = 32) -> Instr:
    return module.intern(op.TypeFloat, None, [width])


def vector_type(module: Module, element: Instr, count: int) -> Instr:
    return module.intern(op.TypeVector, None, [element, count])


def pointer_type(module: Module, storage: int, pointee: Instr) -> Instr:
    return module.intern(op.TypePointer, None, [storage, pointee])


def function_type(module: Module, result: Instr, params: list[Instr]) -> Instr:
    operands: list[Operand] = [result]
    operands.extend(params)
    return module.intern(op.TypeFunction, None, operands)


def is_type(instr: Instr) -> bool:
    """True for an instruction that declares a type: it has a result, and that result has no type."""
    return instr.has_result and instr.type is None and instr.op not in NAMES_NO_TYPE


def is_int(type: Instr) -> bool:
    return type.op == op.TypeInt


def is_float(type: Instr) -> bool:
    return type.op == op.TypeFloat


def is_bool(type: Instr) -> bool:
    return type.op == op.TypeBool


def is_signed(type: Instr) -> bool:
    return type.op == op.TypeInt and type.word(1) == 1


def width_of(type: Instr) -> int:
    """Bits of a scalar, or of one component of a vector; a bool has 1."""
    while type.op == op.TypeVector or type.op == op.TypeMatrix:
        type = type.instr(0)
    if type.op == op.TypeInt or type.op == op.TypeFloat:
        return type.word(0)
    assert type.op == op.TypeBool
    return 1


def pointee(type: Instr) -> Instr:
    """What a pointer type points to."""
    assert type.op == op.TypePointer
    return type.instr(1)


def storage_of(type: Instr) -> int:
    """The storage class of a pointer type, also of one that doesn't say what it points to."""
    assert type.op in (op.TypePointer, op.TypeUntypedPointerKHR)
    return type.word(0)
