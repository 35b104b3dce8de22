"""Cases of enums.

    enum E { A, B = 5, C }      A = 0, B = 5, C = 6          [Flags]  A = 1, B = 2, C = 4
"""

from reknit.front.slang import hir, syntax
from reknit.front.slang.check.context import Context
from reknit.front.slang.check.declare.declarations import Container, Scope, ValueEntry
from reknit.front.slang.check.expressions.constants import integer
from reknit.front.slang.types import INT, EnumType, ErrorType, ScalarType, Type


def enum_cases(ctx: Context, container: Container, scope: Scope, owner: Container | None) -> None:
    """An enum's cases, each one more than the one before."""
    decl, enum = container.decl, container.enum
    if enum is None or not isinstance(decl, syntax.EnumDecl):
        return
    if decl.underlying is not None:
        type = ctx.types.type_of(scope, decl.underlying)
        if isinstance(type, ScalarType) and type.kind in ("int", "uint", "bool"):
            enum.underlying = type
        elif not isinstance(type, ErrorType):
            ctx.error("E32000", decl.underlying.at, f"invalid tag type for 'enum': '{type}'")
    container.environment = scope.environment
    container.inner.environment = scope.environment
    container.stage = 2
    flags = decl.modifiers.attribute("Flags") is not None
    next_value = 1 if flags else 0
    unscoped = not decl.name or decl.modifiers.attribute("UnscopedEnum") is not None
    if ctx.hlsl and "class" not in decl.modifiers.words:
        unscoped = True
    for case in decl.cases:
        if case.value is not None:
            value = integer(ctx.expressions.expression(container.inner, case.value))
            if value is None:
                ctx.error("E39999", case.value.at, "expression does not evaluate to a compile-time constant")
            else:
                next_value = value
        case_type: Type = EnumType(enum) if decl.name else INT
        entry = ValueEntry(case.name, case.at, hir.Const(case.at, case_type, next_value))
        container.add(entry)
        enum.cases.append((case.name, next_value))
        if unscoped:
            if owner is None:
                scope.add(entry)
            else:
                owner.add(entry)
        next_value = next_value * 2 if flags and next_value else next_value + 1
    container.stage = 2
