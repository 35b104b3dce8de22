"""Numbers that are the same whenever an instruction runs, so that branches that are never taken are left out.

IAdd 2, 3 = 5      SLessThan 2, 3 = 1      anything with a value that varies: VARIES

A number is its bits, whatever the signedness of its type: operations say how they see them, and those of one may have
different types (SPIR-V 1.6, OpIEqual, OpIAdd: "same component width"). So -1 : i32 and 4294967295u are the same.
Operations are those of `analysis/known_bits`: a result all of whose bits are known is a constant.
"""

from typing import Final, final

from reknit.analysis.known_bits import Bits, computed, exact, unknown
from reknit.ir import op, traits
from reknit.ir.constants import as_int
from reknit.ir.folding import OF_INTEGERS
from reknit.ir.instr import Instr
from reknit.ir.types import width_of


@final
class Varies:
    """The one constant that is none."""

    __slots__ = ()


VARIES: Final = Varies()
Constant = int | Varies

COPIES: Final = frozenset((op.CopyObject, op.Bitcast))

FOLDED: Final = COPIES | {code for code, rule in traits.FOLDS.items() if rule in OF_INTEGERS}
"""The operations whose constants are followed."""


def is_number(type: Instr | None) -> bool:
    """Whether values of this type are followed."""
    return type is not None and type.op in (op.TypeInt, op.TypeBool)


def is_folded(value: Instr) -> bool:
    """Whether constants make a constant of it: an operation of FOLDED on numbers, a bitcast of a vector isn't."""
    if value.op not in FOLDED:
        return False
    return all(isinstance(operand, Instr) and is_number(operand.type) for operand in value.operands)


def literal(value: object) -> Constant:
    """The bits of a constant of the module; VARIES for what is none."""
    number = as_int(value) if isinstance(value, Instr) else None
    if number is None:
        return VARIES
    assert isinstance(value, Instr) and value.type is not None
    return number & ((1 << width_of(value.type)) - 1)


def fold(instr: Instr, operands: list[Constant]) -> Constant:
    """What a folded instruction gives. One operand that settles it is enough."""
    parts: list[Bits] = []
    for index, number in enumerate(operands):
        type = instr.instr(index).type
        assert type is not None
        width = width_of(type)
        parts.append(exact(width, number) if isinstance(number, int) else unknown(width))
    assert instr.type is not None
    bits = computed(instr.op, width_of(instr.type), parts)
    return bits.must if bits.is_exact() else VARIES
