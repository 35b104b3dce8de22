"""Constants as bits, and bits as constants.

    Constant 7u : u32                  [7]          a scalar has one component; a bool is 0 or 1, a float its IEEE bits
    ConstantComposite 1u 2u : vec2     [1, 2]
    ConstantNull : vec2<u32>           [0, 0]
    SpecConstant, Undef, structs       None         not known here

Floats of other encodings (bfloat16, the 8-bit formats) are left alone.
"""

from typing import Final

from reknit.ir import op
from reknit.ir.constants import bool_constant, int_words, literal_bits
from reknit.ir.floats import rounded_bits
from reknit.ir.instr import Instr, Operand
from reknit.ir.module import Module
from reknit.ir.types import is_signed, width_of
from reknit.ir.value import Value

MAX_COMPONENTS: Final = 1 << 16
"""Components of a constant that are looked at: a module that breaks SPIR-V's rules may say any number."""


def is_number(type: Instr) -> bool:
    """True for bool, integers of 8 to 64 bits and IEEE floats."""
    if type.op == op.TypeFloat:
        return len(type.operands) == 1 and type.word(0) in (16, 32, 64)
    if type.op == op.TypeInt:
        return type.word(0) in (8, 16, 32, 64)
    return type.op == op.TypeBool


def scalar_of(type: Instr) -> Instr | None:
    """The scalar type of a number or a vector of them; None for all other types."""
    scalar = type.instr(0) if type.op == op.TypeVector else type
    return scalar if is_number(scalar) else None


def count_of(type: Instr) -> int:
    """Components of a number or a vector."""
    return type.word(1) if type.op == op.TypeVector else 1


def bits_of(value: Value) -> list[int] | None:
    """The components of a constant; None for what is no constant number or vector."""
    if not isinstance(value, Instr) or value.type is None or scalar_of(value.type) is None:
        return None
    code = value.op
    if code == op.Constant:
        return [literal_bits(value)]
    if code == op.ConstantTrue:
        return [1]
    if code == op.ConstantFalse:
        return [0]
    if code == op.ConstantNull:
        return [0] * count_of(value.type) if count_of(value.type) <= MAX_COMPONENTS else None
    if code != op.ConstantComposite:
        return None
    components: list[int] = []
    for operand in value.operands:
        assert isinstance(operand, Value)
        part = bits_of_scalar(operand)
        if part is None:
            return None
        components.append(part)
    return components


def bits_of_scalar(value: Value) -> int | None:
    """The bits of a constant number; None for all else."""
    if not isinstance(value, Instr) or value.type is None or not is_number(value.type):
        return None
    if value.op == op.Constant:
        return literal_bits(value)
    if value.op == op.ConstantTrue:
        return 1
    return 0 if value.op in (op.ConstantFalse, op.ConstantNull) else None


def splat_of(value: Value) -> int | None:
    """The bits that all components of a constant have; None if they differ or it is no constant."""
    bits = bits_of(value)
    if bits is None or any(each != bits[0] for each in bits):
        return None
    return bits[0]


def constant(module: Module, type: Instr, bits: list[int]) -> Instr:
    """The constant of a number or vector type with these components."""
    if type.op == op.TypeVector:
        element = type.instr(0)
        parts: list[Operand] = [constant_scalar(module, element, each) for each in bits]
        return module.intern(op.ConstantComposite, type, parts)
    return constant_scalar(module, type, bits[0])


def constant_scalar(module: Module, type: Instr, bits: int) -> Instr:
    if type.op == op.TypeBool:
        return bool_constant(module, bits != 0)
    words: list[Operand] = []
    words.extend(int_words(width_of(type), is_signed(type), bits))
    return module.intern(op.Constant, type, words)


def splat(module: Module, type: Instr, bits: int) -> Instr:
    """The constant all of whose components have these bits."""
    return constant(module, type, [bits] * count_of(type))


def one_of(type: Instr) -> int:
    """Bits of a component that is 1, or 1.0."""
    scalar = scalar_of(type)
    return rounded_bits(1.0, width_of(scalar)) if scalar is not None and scalar.op == op.TypeFloat else 1


def all_ones(type: Instr) -> int:
    """Bits of a component with every bit set."""
    return (1 << width_of(type)) - 1
