"""Constants, interned: `int_constant(module, u32, 7)` is the module's one `7u`.

Values go in and out as Python numbers; an integer is taken modulo its width. Literals narrower than 32 bits are stored
sign-extended if the type is signed, zero-extended otherwise (SPIR-V 1.6, 2.2.1 "Literal").
"""

from reknit.ir import integers, op
from reknit.ir.instr import Instr, Operand
from reknit.ir.module import Module
from reknit.ir.types import bool_type, is_signed, width_of
from reknit.ir.value import Value


def int_words(width: int, signed: bool, value: int) -> list[int]:
    """The literal words of an integer, low word first."""
    value &= (1 << width) - 1
    if width <= 32:
        if signed and width < 32 and value >> (width - 1):
            value |= 0xFFFFFFFF & ~((1 << width) - 1)
        return [value]
    return [(value >> shift) & 0xFFFFFFFF for shift in range(0, width, 32)]


def int_constant(module: Module, type: Instr, value: int) -> Instr:
    """The constant `value` of an integer type of any width."""
    operands: list[Operand] = []
    operands.extend(int_words(width_of(type), is_signed(type), value))
    return module.intern(op.Constant, type, operands)


def bool_constant(module: Module, value: bool) -> Instr:
    return module.intern(op.ConstantTrue if value else op.ConstantFalse, bool_type(module), [])


def undef(module: Module, type: Instr) -> Instr:
    """The module's one undefined value of a type."""
    return module.intern(op.Undef, type, [])


def literal_bits(instr: Instr) -> int:
    """The bits of an OpConstant or OpSpecConstant as an unsigned number of the type's width."""
    assert instr.type is not None
    bits = 0
    for index in range(len(instr.operands)):
        bits |= instr.word(index) << (32 * index)
    return bits & ((1 << width_of(instr.type)) - 1)


def as_int(value: Value) -> int | None:
    """The value of an integer or bool constant, signed if its type is; None for anything else, also spec constants."""
    if not isinstance(value, Instr) or value.type is None:
        return None
    if value.op == op.ConstantTrue:
        return 1
    if value.op == op.ConstantFalse:
        return 0
    if value.op == op.ConstantNull and (value.type.op == op.TypeInt or value.type.op == op.TypeBool):
        return 0
    if value.op != op.Constant or value.type.op != op.TypeInt:
        return None
    bits = literal_bits(value)
    return integers.signed(bits, width_of(value.type)) if is_signed(value.type) else bits
