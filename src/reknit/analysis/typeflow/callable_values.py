"""Instructions that make callables and types as values.

LookupWitness %w, %foo          what each table of %w has           only where it is more than called
Specialize %c, %w               each of %c with each of %w bound
ExtractExistentialType %e       the type of each table of %e        IsSameType: settled where sets tell
"""

from reknit.analysis.typeflow.callables import FIRST, NEVER_SET, NO_TYPE, NOT_KNOWN
from reknit.analysis.typeflow.constants import VARIES, Constant
from reknit.analysis.typeflow.context import Context, Env, info_at
from reknit.analysis.typeflow.lattice import Forms, Info
from reknit.ir import op
from reknit.ir.callables import escapes, is_direct
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.value import Value


def value_info(forms: Forms, context: Context, instr: Instr, env: Env) -> Info:
    """Of a lookup, a specialization or a type; None where it is only called, which looks at the tables themselves."""
    assert instr.type is not None
    callables = forms.callables
    if instr.op == op.ExtractExistentialType:
        source = instr.instr(0)
        tables = info_at(context, forms, source, env)
        return callables.types(source.type or source, tables) if isinstance(tables, int) else 0
    if is_direct(instr) and instr.type.op == op.TypeFunction and not escapes(instr):
        return None
    if instr.op == op.LookupWitness:
        tables = info_at(context, forms, instr.value(0), env)
        return callables.looked_up(instr.instr(0), instr.value(1), tables, instr.type) if isinstance(tables, int) else 0
    callable = instr.value(0)
    known = info_at(context, forms, callable, env)
    bound: list[list[Instr]] = []
    for index in range(1, len(instr.operands)):
        table = instr.instr(index)
        tables = info_at(context, forms, table, env)
        if not isinstance(tables, int) or table.type is None:
            return 0
        interface = forms.universe.of(table.type)
        bound.append(interface.members(tables))
        if tables & interface.unbounded:
            return NOT_KNOWN
    type = type_of(callable)
    return callables.specialized(type, known, bound, instr.type) if isinstance(known, int) and type is not None else 0


def same_type(forms: Forms, context: Context, instr: Instr, env: Env) -> Constant | None:
    """Whether two types are the same, where the sets settle it."""
    first = info_at(context, forms, instr.value(0), env)
    second = info_at(context, forms, instr.value(1), env)
    if not isinstance(first, int) or not isinstance(second, int) or not first or not second:
        return None
    nothing = NEVER_SET | NOT_KNOWN | NO_TYPE
    if (first | second) & nothing:
        return VARIES
    if not first & second:
        return 0
    return 1 if first == second and first & (first - 1) == 0 and first >> FIRST else VARIES


def type_of(value: Value) -> Instr | None:
    """The type of a value that may be a function."""
    return value.type if isinstance(value, (Instr, Function)) else None
