"""Assignments: `=`, `+=` and its like, `++` and `--`.

    i += 2.5     Update("+", i, int(2.5))      s += t    (a type with operator+)    Assign(s, Call(operator+, [s, t]))
    t._1_0 = u   the whole tuple anew, so that u is evaluated before
"""

from reknit.front.slang import hir
from reknit.front.slang.builtins import find_method
from reknit.front.slang.check.calls.calls import call_builtin, no_place
from reknit.front.slang.check.context import Context
from reknit.front.slang.check.declare.declarations import Scope
from reknit.front.slang.check.declare.defaults import tuple_part
from reknit.front.slang.check.expressions.assignable import is_mutable, is_place
from reknit.front.slang.check.expressions.casts import is_numeric_param
from reknit.front.slang.check.expressions.convert import convert, type_cost
from reknit.front.slang.check.expressions.operators import (
    algebraic,
    binary,
    element,
    no_operator,
    with_element,
)
from reknit.front.slang.check.expressions.own_operators import by_users
from reknit.front.slang.check.expressions.pseudo_expressions import BuiltinExpr, is_value
from reknit.front.slang.types import (
    ERROR,
    INT,
    INT64,
    EnumType,
    ErrorType,
    InterfaceType,
    MatrixType,
    PointerType,
    ResourceType,
    ScalarType,
    TupleType,
    Type,
    VectorType,
    same,
)


def assignable(ctx: Context, target: hir.Expr, at: int) -> bool:
    if isinstance(target.type, ErrorType):
        return False
    if not is_value(target) or not is_place(target) or not is_mutable(target):
        ctx.error("E30011", at, "left of '=' is not an l-value.")
        return False
    return True


def assign(ctx: Context, scope: Scope, op: str, target: hir.Expr, value: hir.Expr, at: int) -> hir.Expr:
    if op == "=" and isinstance(target, hir.Construct) and isinstance(target.type, TupleType):
        made_tuple = tuple_assigned(ctx, target, target.type, value, at)
        if made_tuple is not None:
            return made_tuple
    if isinstance(target.type, ErrorType) or not assignable(ctx, target, at):
        return hir.Undefined(at, ERROR)
    if isinstance(value.type, ErrorType):
        return hir.Undefined(at, target.type)
    if op == "=" and isinstance(target.type, ResourceType) and target.type.kind == "Atomic":
        store = find_method(target.type, "store")
        return call_builtin(ctx, BuiltinExpr(at, "store", store, target), [value], at)
    if op == "=":
        if isinstance(target, hir.Place):
            target.variable.assigned += 1
        return hir.Assign(at, target, convert(ctx, value, target.type))
    plain = op[:-1]
    own = by_users(ctx, scope, op, [target, value], at)
    if own is not None:
        return own
    own = by_users(ctx, scope, plain, [target, value], at)
    if own is not None:
        return hir.Assign(at, target, convert(ctx, own, target.type))
    if _needs_cast(plain, target.type, value.type) and (not ctx.hlsl or isinstance(target.type, EnumType)):
        no_place(ctx, "0", target)
        return hir.Undefined(at, ERROR)
    product = algebraic(ctx, plain, target, value, at)
    if product is not None:
        if not _is_steady(target):
            ctx.unsupported(at, "a product with a place that is computed")
            return hir.Undefined(at, ERROR)
        return hir.Assign(at, target, convert(ctx, product, target.type))
    result = binary(ctx, scope, plain, target, value if ctx.hlsl else _like(ctx, plain, target.type, value), at)
    if isinstance(result.type, ErrorType):
        return result
    of_enum = isinstance(target.type, EnumType) and same(result.type, target.type)
    while isinstance(result, hir.Convert):
        result = result.value
    if isinstance(result, hir.Binary) and (of_enum or type_cost(ctx, result.type, target.type) >= 0):
        return hir.Update(at, plain, target, result.right)
    if isinstance(result, hir.ShortCircuit) or isinstance(target.type, InterfaceType):
        return hir.Assign(at, target, convert(ctx, result, target.type))
    if isinstance(target.type, EnumType) or same(element(result.type), element(target.type)):
        return no_operator(ctx, op, [target, value], at)
    return hir.Assign(at, target, convert(ctx, result, target.type))


def _is_steady(target: hir.Expr) -> bool:
    """A variable or a field of one: nothing is computed to find it."""
    while isinstance(target, hir.Field):
        target = target.base
    return isinstance(target, hir.Place)


def _like(ctx: Context, op: str, target: Type, value: hir.Expr) -> hir.Expr:
    """A number that is added to another is converted to that type first: both are the T of
    `operator+=<T>(inout T, T)`."""
    wanted = element(target)
    if op in ("<<", ">>") or not isinstance(wanted, ScalarType) or not isinstance(element(value.type), ScalarType):
        return value
    return convert(ctx, value, with_element(value.type, wanted))


def _needs_cast(op: str, target: Type, value: Type) -> bool:
    """Whether one is an enum and the other a whole number: what is cast for the operator can't be written to."""
    if op in ("<<", ">>") or isinstance(target, EnumType) == isinstance(value, EnumType):
        return False
    number = value if isinstance(target, EnumType) else target
    return isinstance(number, ScalarType) and number.kind in ("int", "uint")


def tuple_assigned(ctx: Context, target: hir.Construct, type: TupleType, value: hir.Expr, at: int) -> hir.Expr | None:
    """`t._2_1 = v`: the whole tuple with those elements new, so that all of v is evaluated before; None if it can't
    be."""
    places = [part for part in target.parts if isinstance(part, hir.Element) and isinstance(part.index, hir.Const)]
    if len(places) != len(target.parts) or not isinstance(places[0].base, hir.Place):
        return None
    base = places[0].base
    if not isinstance(base.type, TupleType) or not base.variable.mutable:
        return None
    whole = convert(ctx, value, type)
    if not isinstance(whole, (hir.Construct, hir.Place)):
        ctx.unsupported(at, "assigning elements of a tuple from anything but a variable or a new tuple")
        return hir.Undefined(at, ERROR)
    parts: list[hir.Expr] = [tuple_part(base, index, at) for index in range(len(base.type.elements))]
    for number, place in enumerate(places):
        index = place.index.value if isinstance(place.index, hir.Const) else 0
        parts[int(index)] = whole.parts[number] if isinstance(whole, hir.Construct) else tuple_part(whole, number, at)
    return hir.Assign(at, base, hir.Construct(at, base.type, parts))


# ---- steps


def step(ctx: Context, scope: Scope, op: str, operand: hir.Expr, postfix: bool, at: int) -> hir.Expr:
    """`++` and `--`."""
    type = operand.type
    if isinstance(type, ErrorType):
        return operand
    own = by_users(ctx, scope, op, [operand], at, "postfix" if postfix else "prefix")
    if own is not None:
        return own
    if not assignable(ctx, operand, at):
        return hir.Undefined(at, ERROR)
    if isinstance(type, PointerType):
        return hir.Update(at, "+", operand, hir.Const(at, INT64, 1 if op == "++" else -1), postfix)
    unit = one_of(ctx, type, at)
    if unit is None:
        return no_operator(ctx, op, [operand], at)
    return hir.Update(at, op[0], operand, unit, postfix)


def one_of(ctx: Context, type: Type, at: int) -> hir.Expr | None:
    """1 as a `type`."""
    if isinstance(type, (VectorType, MatrixType)):
        inner = one_of(ctx, type.element, at)
        return None if inner is None else hir.Splat(at, type, inner)
    if isinstance(type, ScalarType) and type.kind not in ("void", "bool"):
        return hir.Const(at, type, 1.0 if type.kind == "float" else 1)
    if is_numeric_param(ctx, type):
        return hir.Convert(at, type, hir.Const(at, INT, 1))
    return None
