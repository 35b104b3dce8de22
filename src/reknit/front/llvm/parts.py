"""Which types are held part by part, and what the parts of their operands are.

    <8 x i32> %v, part 3      %v\\0 3, an i32          { i32, ptr } undef, part 1      ptr undef
"""

from typing import Final

from reknit.front.llvm import syntax
from reknit.front.llvm.syntax import Operand, Type
from reknit.front.llvm.unsupported import Refusal

MAX_PARTS: Final = 4096
"""Of what one instruction makes, loads or stores."""


def is_wide(type: Type) -> bool:
    """Whether values of the type are Pieces."""
    if type.kind == syntax.VECTOR:
        return not 2 <= type.count <= 4 or type.parts[0].kind not in (syntax.INT, syntax.FLOAT)
    return type.kind in (syntax.STRUCT, syntax.ARRAY)


def count_of(type: Type) -> int:
    return len(type.parts) if type.kind == syntax.STRUCT else type.count


def part_type(type: Type, index: int) -> Type:
    return type.parts[index] if type.kind == syntax.STRUCT else type.parts[0]


def part_of(operand: Operand, index: int) -> Operand:
    """The operand that is a part of another; one that has no parts is that of each."""
    type = operand.type
    if not is_wide(type):
        return operand
    element = part_type(type, index)
    if operand.kind == syntax.LOCAL:
        return Operand(syntax.LOCAL, element, f"{operand.text}\0{index}")
    if operand.kind == syntax.LIST:
        return operand.parts[index]
    if operand.kind in (syntax.UNDEF, syntax.ZERO):
        return Operand(operand.kind, element)
    raise Refusal(f"has a constant of type {type.name} that is not read here")
