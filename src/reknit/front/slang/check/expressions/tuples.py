"""Comparisons of tuples, element by element.

    a == b     a function of a and b: a._0 == b._0 && a._1 == b._1
    a < b      a._0 < b._0 || (a._0 == b._0 && a._1 < b._1)

A function, so that both are evaluated once.
"""

from reknit.front.slang import hir
from reknit.front.slang.check.context import Context
from reknit.front.slang.check.declare.declarations import Scope
from reknit.front.slang.check.declare.defaults import tuple_part
from reknit.front.slang.check.expressions.operators import as_one, binary, no_operator
from reknit.front.slang.substitute import Substitution
from reknit.front.slang.symbols import Function, Variable
from reknit.front.slang.types import BOOL, ErrorType, ParamType, TupleType, VectorType, same


def compared(ctx: Context, scope: Scope, op: str, left: hir.Expr, right: hir.Expr, at: int) -> hir.Expr:
    """`left op right`, where both are tuples of one type."""
    if not isinstance(left.type, TupleType):
        return no_operator(ctx, op, [left, right], at)
    function = Function(f"$tuple{op}", ctx.number(), at, f"$tuple{op}", scope.environment)
    function.result = BOOL
    function.params = [Variable(name, ctx.number(), at, "param", left.type) for name in ("a", "b")]
    places: list[hir.Expr] = [hir.Place(at, left.type, param) for param in function.params]
    value = _whole(ctx, scope, op, left.type, places[0], places[1], at)
    if isinstance(value.type, ErrorType):
        return value
    function.body = hir.Block(at, [hir.Return(at, value)])
    ctx.synthesized.append(function)
    identity = Substitution()
    identity.types = {param: ParamType(param) for param in scope.environment.params}
    ctx.evidence.witness_all(scope.environment, identity)
    return hir.Call(at, BOOL, function, identity, [left, right])


def _element(ctx: Context, scope: Scope, op: str, left: hir.Expr, right: hir.Expr, at: int) -> hir.Expr:
    if isinstance(left.type, TupleType):
        return compared(ctx, scope, op, left, right, at)
    compared_element = binary(ctx, scope, op, left, right, at)
    if isinstance(compared_element.type, VectorType) and op in ("==", "!="):
        return as_one(ctx, "all" if op == "==" else "any", compared_element)
    return compared_element if same(compared_element.type, BOOL) else no_operator(ctx, op, [left, right], at)


def _whole(ctx: Context, scope: Scope, op: str, type: TupleType, a: hir.Expr, b: hir.Expr, at: int) -> hir.Expr:
    """From the last element to the first."""
    result: hir.Expr | None = None
    for index in range(len(type.elements) - 1, -1, -1):
        mine, theirs = tuple_part(a, index, at), tuple_part(b, index, at)
        asked = op if result is None or op in ("==", "!=") else op[0]
        element = _element(ctx, scope, asked, mine, theirs, at)
        if isinstance(element.type, ErrorType):
            return element
        if result is None:
            result = element
        elif op in ("==", "!="):
            result = hir.ShortCircuit(at, "&&" if op == "==" else "||", element, result)
        else:
            alike = hir.ShortCircuit(at, "&&", _element(ctx, scope, "==", mine, theirs, at), result)
            result = hir.ShortCircuit(at, "||", element, alike)
    return result if result is not None else hir.Const(at, BOOL, 1 if op in ("==", "<=", ">=") else 0)
