"""Operators of the user's.

    P operator+(P a, P b) {...}                 a + b      operator+(a, b)       anywhere, and static in P
    struct P { P operator+(P b) {...} };        a + b      a.operator+(b)        in HLSL

Source: Slang's language reference, "Operator overloading"; Microsoft's HLSL specification, the same, of which DXC takes
methods with two operands, `[]` and `()`.
"""

from reknit.front.slang import hir
from reknit.front.slang.check.calls.calls import build
from reknit.front.slang.check.calls.overloads import attempts, choose
from reknit.front.slang.check.context import Context
from reknit.front.slang.check.declare.declarations import FunctionEntry, LookupItem, Scope
from reknit.front.slang.check.expressions.pseudo_expressions import ListExpr, is_value
from reknit.front.slang.check.types.members import find, lookup
from reknit.front.slang.types import MatrixType, ScalarType, StructType, Type, VectorType


def _called_on_left(ctx: Context, name: str, operands: list[hir.Expr], at: int) -> hir.Expr | None:
    """The call of a method of that name; None where the left operand has none that takes the right one."""
    if not ctx.hlsl or len(operands) != 2:
        return None
    left, right = operands
    if not is_value(left) or isinstance(left, ListExpr) or not isinstance(left.type, StructType):
        return None
    methods = [
        item
        for item in lookup(ctx, left.type, name)
        if isinstance(item.entry, FunctionEntry) and not item.entry.is_static() and len(item.entry.decl.params) == 1
    ]
    best = choose(attempts(ctx, methods, [], [right])) if methods else []
    return build(ctx, best[0], left, [right], at) if len(best) == 1 else None


def by_users(ctx: Context, scope: Scope, op: str, operands: list[hir.Expr], at: int, kind: str = "") -> hir.Expr | None:
    """A call of an `operator+` of the user's; None if none takes these. `kind`: "prefix" or "postfix"."""
    if all(_is_of_numbers(operand.type) for operand in operands):
        return None
    name = "operator" + op
    called = _called_on_left(ctx, name, operands, at)
    if called is not None:
        return called
    items = find(ctx, scope, name)[0]
    for operand in operands:
        if is_value(operand) and not isinstance(operand, ListExpr):
            for item in lookup(ctx, operand.type, name):
                if not any(have.entry is item.entry for have in items):
                    items.append(item)
    best = choose(attempts(ctx, [item for item in items if _stands(item, kind)], [], operands))
    if not best:
        return None
    return build(ctx, best[0], None, operands, at)


def _is_of_numbers(type: Type) -> bool:
    return isinstance(type.element if isinstance(type, (VectorType, MatrixType)) else type, ScalarType)


def _stands(item: LookupItem, kind: str) -> bool:
    """Whether an operator may stand before or behind its operand, as `kind` says."""
    if not kind or not isinstance(item.entry, FunctionEntry):
        return True
    return ("postfix" in item.entry.decl.modifiers.words) == (kind == "postfix")
