"""Numbers that are the same whenever an instruction runs, so that branches nobody takes are left out.

IAdd 2, 3 = 5      SLessThan 2, 3 = 1      anything with a value that varies: VARIES

A number is its bits, whatever the signedness of its type: operations say how they see them, and those of one may have
different types (SPIR-V 1.6, OpIEqual, OpIAdd: "same component width"). So -1 : i32 and 4294967295u are the same.
"""

from typing import Final, final

from reknit.ir import integers, op, traits
from reknit.ir.constants import as_int
from reknit.ir.instr import Instr
from reknit.ir.types import width_of


@final
class Varies:
    """The one constant that is none."""

    __slots__ = ()


VARIES: Final = Varies()
Constant = int | Varies

FOLDED: Final = frozenset(code for code, rule in traits.FOLDS.items() if rule in ("compare", "logic")) | {
    op.IAdd, op.ISub, op.IMul, op.BitwiseAnd, op.BitwiseOr, op.BitwiseXor, op.Select, op.CopyObject,
}  # fmt: skip


def is_number(type: Instr | None) -> bool:
    """Whether values of this type are followed."""
    return type is not None and type.op in (op.TypeInt, op.TypeBool)


def literal(value: object) -> Constant:
    """The bits of a constant of the module; VARIES for what is none."""
    number = as_int(value) if isinstance(value, Instr) else None
    if number is None:
        return VARIES
    assert isinstance(value, Instr) and value.type is not None
    return number & ((1 << width_of(value.type)) - 1)


def fold(instr: Instr, operands: list[Constant]) -> Constant:
    """What an instruction of FOLDED gives. One operand that settles it is enough."""
    code = instr.op
    if code == op.CopyObject:
        return operands[0]
    if code == op.Select:
        chosen = operands[0]
        if isinstance(chosen, int):
            return operands[1] if chosen else operands[2]
        same = operands[1] == operands[2] and isinstance(operands[1], int)
        return operands[1] if same else VARIES
    if code in (op.LogicalAnd, op.LogicalOr):
        settled = 0 if code == op.LogicalAnd else 1
        if settled in operands:
            return settled
    numbers = [operand for operand in operands if isinstance(operand, int)]
    if len(numbers) != len(operands):
        return VARIES
    if code == op.LogicalNot:
        return 1 - numbers[0]
    first = instr.instr(0).type
    if first is None or not is_number(first):
        return VARIES
    found = integers.binary(code, width_of(first), numbers[0], numbers[1])
    return VARIES if found is None else found
