"""Which variables of a function can become values.

    %v = Variable Function : *T      every use is     %x = Load %v
                                                      Store %v %y, where %y is a T

It may be decorated RelaxedPrecision, which permits fewer bits and never demands them, Restrict, as no other variable is
its memory anyway, and AliasedPointer or RestrictPointer, which speak of what is stored in it as of memory. A load with
a decoration of its own (NonUniform) keeps its variable: the value stored may not bear it.
Source: SPIR-V 1.6, OpVariable, OpLoad, OpStore, "Memory Operands".
"""

from typing import Final

from reknit.analysis.decorations import Decorations
from reknit.ir import enums, op
from reknit.ir.debug import is_declare
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.passes.contract import Context

_ALIGNED: Final = 2  # the Aligned bit of the memory operands; its literal follows
_ON_VARIABLES: Final = (
    enums.DecorationRelaxedPrecision,
    enums.DecorationRestrict,
    enums.DecorationAliasedPointer,
    enums.DecorationRestrictPointer,
)
_ON_LOADS: Final = (enums.DecorationRelaxedPrecision,)


def promotable_variables(function: Function, context: Context) -> list[Instr]:
    """In the order in which they are declared."""
    decorations = context.analyses.of_module(Decorations)
    return [instr for instr in function.entry() if instr.op == op.Variable and _is_promotable(instr, decorations)]


def _is_promotable(variable: Instr, decorations: Decorations) -> bool:
    type = variable.type
    if type is None or type.op != op.TypePointer:
        return False
    if any(decoration not in _ON_VARIABLES for decoration in decorations.of(variable)):
        return False
    content = type.instr(1)
    for user, count in variable.users.items():
        if not isinstance(user, Instr) or user.block is None or count != 1:
            return False
        if user.op == op.Load:
            if user.type is not content or not is_plain(user, 1):
                return False
            if any(decoration not in _ON_LOADS for decoration in decorations.of(user)):
                return False
        elif user.op == op.Store:
            stored = user.operands[1]
            if (
                stored is variable
                or not isinstance(stored, Instr)
                or stored.type is not content
                or not is_plain(user, 2)
            ):
                return False
        elif not is_declare(user):
            return False
    return True


def may_be_split(variable: Instr, decorations: Decorations) -> bool:
    """True if nothing is said of the variable and of the chains into it that its parts can't do without."""
    said = [variable, *(user for user in variable.user_list() if isinstance(user, Instr))]
    return all(decoration in _ON_VARIABLES for instr in said for decoration in decorations.of(instr))


def is_plain(access: Instr, first: int) -> bool:
    """True if the memory operands, from operand `first`, say no more than an alignment."""
    return len(access.operands) == first or access.operands[first] == 0 or access.operands[first] == _ALIGNED
