"""Operators: on numbers by the usual arithmetic conversions, on types of the user's by their own functions.

u + i        uint, which wins among equals       Binary(uint, u, Convert(i))
b + 1        uint8_t and int: the wider          Binary(int, Convert(b), 1)
v * 2        float3 * int -> float3              Binary(float3, v, Splat(2.0))
a + b        struct A, operator+(A, A)           Call
a && b       scalars: ShortCircuit, vectors: Binary on bools
x += f       computed in the joined type, stored in x's
"""

from typing import Final

from reknit.front.slang import hir
from reknit.front.slang.builtins import find as find_builtin
from reknit.front.slang.check.calls.calls import call_builtin
from reknit.front.slang.check.calls.overloads import shown_types
from reknit.front.slang.check.context import Context
from reknit.front.slang.check.declare.declarations import Scope
from reknit.front.slang.check.expressions.casts import is_numeric_param
from reknit.front.slang.check.expressions.convert import converted, cost, literal_cost, scalar_cost
from reknit.front.slang.check.expressions.losses import is_cut, warn
from reknit.front.slang.check.expressions.own_operators import by_users
from reknit.front.slang.check.expressions.pseudo_expressions import (
    BuiltinExpr,
    ConjunctionType,
    ListExpr,
    TypeExpr,
    is_value,
    what_it_is,
)
from reknit.front.slang.check.generics.infer import join
from reknit.front.slang.integers import wrap
from reknit.front.slang.types import (
    BOOL,
    DOUBLE,
    ERROR,
    FLOAT,
    HALF,
    INT,
    INT8,
    INT16,
    INT64,
    NONE,
    NULLPTR,
    UINT,
    UINT8,
    UINT16,
    UINT64,
    EnumType,
    ErrorType,
    MatrixType,
    OptionalType,
    PointerType,
    ScalarType,
    Type,
    VectorType,
    same,
)

COMPARISONS: Final = ("==", "!=", "<", "<=", ">", ">=")
_BITWISE: Final = ("&", "|", "^", "<<", ">>", "~")
_REALS: Final = (FLOAT, HALF, DOUBLE)
_UNSIGNED: Final = {8: UINT8, 16: UINT16, 32: UINT, 64: UINT64}
_OF_BOOLS: Final = ("==", "!=", "&", "|", "^")
_INTEGERS: Final = (INT, UINT, INT64, UINT64, INT16, UINT16, INT8, UINT8)
_NUMBERS: Final = (INT, UINT, FLOAT, INT64, UINT64, DOUBLE, HALF, INT16, UINT16, INT8, UINT8)


def binary(ctx: Context, scope: Scope, op: str, left: hir.Expr, right: hir.Expr, at: int) -> hir.Expr:
    if isinstance(left.type, ErrorType) or isinstance(right.type, ErrorType):
        return hir.Undefined(at, ERROR)
    if op == "&" and isinstance(left, TypeExpr) and isinstance(right, TypeExpr):
        return TypeExpr(at, ConjunctionType(_conjuncts(left.type) + _conjuncts(right.type)))
    for operand in (left, right):
        if not is_value(operand):
            ctx.error("E30019", operand.at, f"expected a value, got {what_it_is(operand)}")
            return hir.Undefined(at, ERROR)
    if op == ",":
        return hir.Sequence(at, right.type, [left, right])
    if op in ("==", "!=") and (left.type is NONE or right.type is NONE):
        return _none_test(ctx, op, left, right, at)
    own = by_users(ctx, scope, op, [left, right], at)
    if own is not None:
        return own
    if op in ("&&", "||"):
        return _logical(ctx, op, left, right, at)
    if op in ("<<", ">>"):
        return _shift(ctx, op, left, right, at)
    moved = _moved(op, left, right, at)
    if moved is not None:
        return moved
    product = algebraic(ctx, op, left, right, at)
    if product is not None:
        return product
    both = _pointers(op, left, right) or joined(ctx, op, left, right)
    if both is None:
        return no_operator(ctx, op, [left, right], at)
    result = bool_shape(both) if op in COMPARISONS else both
    expr: hir.Expr = hir.Binary(at, result, op, _operand(ctx, left, both), _operand(ctx, right, both))
    if ctx.glsl and op in ("==", "!=") and isinstance(result, (VectorType, MatrixType)):
        return as_one(ctx, "all" if op == "==" else "any", expr)
    return _as_enum(op, left, right, expr)


def as_one(ctx: Context, name: str, compared: hir.Expr) -> hir.Expr:
    """GLSL's `==` and `!=` of vectors give one bool."""
    return call_builtin(ctx, BuiltinExpr(compared.at, name, find_builtin(name), None), [compared], compared.at)


def algebraic(ctx: Context, op: str, left: hir.Expr, right: hir.Expr, at: int) -> hir.Expr | None:
    """GLSL's products of matrices, and of a matrix and a vector, which counts columns where Slang counts rows; None for
    what is multiplied component by component."""
    if not ctx.glsl or op != "*" or element(left.type) not in _REALS or element(right.type) not in _REALS:
        return None
    kinds = (left.type, right.type)
    if not any(isinstance(kind, MatrixType) for kind in kinds) or any(isinstance(kind, ScalarType) for kind in kinds):
        return None
    return call_builtin(ctx, BuiltinExpr(at, "mul", find_builtin("mul"), None), [right, left], at)


def _moved(op: str, left: hir.Expr, right: hir.Expr, at: int) -> hir.Expr | None:
    """`p + i`: the address of p[i]; None where there is no pointer to move."""
    if op not in ("+", "-") or not isinstance(left.type, PointerType):
        return None
    if not isinstance(right.type, ScalarType) or right.type.kind not in ("int", "uint"):
        return None
    if op == "-":
        right = hir.Unary(at, INT64, "-", hir.Convert(at, INT64, right))
    return hir.AddressOf(at, left.type, hir.Element(at, left.type.element, left, right))


def _pointers(op: str, left: hir.Expr, right: hir.Expr) -> Type | None:
    """The type that a pointer and `nullptr` are compared in."""
    if op not in ("==", "!="):
        return None
    for pointer, other in ((left, right), (right, left)):
        if isinstance(pointer.type, PointerType) and other.type is NULLPTR:
            return pointer.type
    return None


def _conjuncts(type: Type) -> list[Type]:
    return type.parts if isinstance(type, ConjunctionType) else [type]


def _operand(ctx: Context, expr: hir.Expr, type: Type) -> hir.Expr:
    """An operand converted without a warning."""
    return converted(ctx, expr, type)


def _as_enum(op: str, left: hir.Expr, right: hir.Expr, expr: hir.Expr) -> hir.Expr:
    """`Flags.A | Flags.B` is one of Flags."""
    if op in ("&", "|", "^") and isinstance(left.type, EnumType) and same(left.type, right.type):
        return hir.Convert(expr.at, left.type, expr)
    return expr


def no_operator(ctx: Context, op: str, operands: list[hir.Expr], at: int) -> hir.Expr:
    if op in _BITWISE:
        for operand in operands:
            if element(operand.type) in (FLOAT, HALF, DOUBLE):
                ctx.error("E39999", at, f"bitwise/shift operator '{op}' requires integer operands", len(op))
                return hir.Undefined(at, ERROR)
    ctx.error("E39999", at, f"no overload for '{op}' applicable to arguments of type {shown_types(operands)}", len(op))
    return hir.Undefined(at, ERROR)


def element(type: Type) -> Type:
    return type.element if isinstance(type, (VectorType, MatrixType)) else type


def bool_shape(type: Type) -> Type:
    """bools in the shape of `type`."""
    if isinstance(type, VectorType):
        return VectorType(BOOL, type.count)
    if isinstance(type, MatrixType):
        return MatrixType(BOOL, type.rows, type.columns, type.row_major)
    return BOOL


def with_element(type: Type, scalar: Type) -> Type:
    if isinstance(type, VectorType):
        return VectorType(scalar, type.count)
    if isinstance(type, MatrixType):
        return MatrixType(scalar, type.rows, type.columns, type.row_major)
    return scalar


def joined(ctx: Context, op: str, left: hir.Expr, right: hir.Expr) -> Type | None:
    """The type that both operands are computed in."""
    shape = _shape(left.type, right.type)
    if shape is None and ctx.hlsl:
        shape = _shorter(ctx, left, right)
    if shape is None:
        return None
    a, b = element(left.type), element(right.type)
    if same(a, b) and op in COMPARISONS and isinstance(a, PointerType):
        return a
    if same(a, b) and is_numeric_param(ctx, a):
        return with_element(shape, a)
    for numeric, other in ((left, right), (right, left)):
        if is_numeric_param(ctx, element(numeric.type)) and cost(ctx, other, element(numeric.type)) >= 0:
            return with_element(shape, element(numeric.type))
    common = usual(a, b, op, ctx.hlsl)
    if common is None:
        common = cheapest(_underlying(a), _underlying(b), left, right, op)
    return None if common is None else with_element(shape, common)


def _shorter(ctx: Context, left: hir.Expr, right: hir.Expr) -> Type | None:
    """HLSL computes with as much of the longer operand as the shorter one has, and warns of it."""
    for longer, shorter in ((left, right), (right, left)):
        if is_cut(longer.type, shorter.type):
            warn(ctx, longer.type, shorter.type, longer.at)
            return shorter.type
    return None


def usual(a: Type, b: Type, op: str, hlsl: bool = False) -> ScalarType | None:
    """What the usual arithmetic conversions make of two numbers: a float beats integers, the wider one of two floats or
    integers wins, of integers as wide as each other the unsigned one, and a bool becomes what the other is. In HLSL an
    int64_t with a uint is a uint64_t. None where they say nothing: of enums, and of two bools that aren't compared for
    equality or combined bit by bit."""
    if not isinstance(a, ScalarType) or not isinstance(b, ScalarType) or a.kind == "void" or b.kind == "void":
        return None
    if a.kind == "bool" and b.kind == "bool":
        return a if op in _OF_BOOLS else None
    if op in _BITWISE and (a.kind == "float" or b.kind == "float"):
        return None
    if a.kind == "bool" or b.kind == "bool":
        return b if a.kind == "bool" else a
    if (a.kind == "float") != (b.kind == "float"):
        return a if a.kind == "float" else b
    wide = a if a.width > b.width else b
    if hlsl and a.kind != b.kind:
        return _UNSIGNED[wide.width]
    if a.width != b.width:
        return wide
    return b if a.kind == "int" else a


def chosen(ctx: Context, a: hir.Expr, b: hir.Expr) -> Type | None:
    """The type of `c ? a : b` where both are numbers: what a generic parameter of both would be."""
    shape = _shape(a.type, b.type)
    first, other = element(a.type), element(b.type)
    if shape is not None and isinstance(first, ScalarType) and isinstance(other, ScalarType):
        return with_element(shape, join(ctx, first, other))
    return joined(ctx, "+", a, b)


def _underlying(type: Type) -> Type:
    return type.enum.underlying if isinstance(type, EnumType) else type


def _shape(a: Type, b: Type) -> Type | None:
    """The shape of both together: a scalar goes with anything, others only with their like."""
    if isinstance(a, MatrixType) and isinstance(b, MatrixType):
        return a if same(a.rows, b.rows) and same(a.columns, b.columns) else None
    if isinstance(a, VectorType) and isinstance(b, VectorType):
        return a if same(a.count, b.count) else None
    if isinstance(a, (VectorType, MatrixType)):
        return None if isinstance(b, (VectorType, MatrixType)) else a
    return b if isinstance(b, (VectorType, MatrixType)) else a


def cheapest(a: Type, b: Type, left: hir.Expr, right: hir.Expr, op: str) -> ScalarType | None:
    """The number type that both convert to most cheaply, where one is an enum or both are bools; None if there is
    none."""
    if not isinstance(a, ScalarType) or not isinstance(b, ScalarType):
        return None
    if op in _BITWISE and (a.kind == "float" or b.kind == "float"):
        return None
    if a is b and a.kind not in ("bool", "void"):
        return a
    best: ScalarType | None = None
    lowest = -1
    for candidate in _INTEGERS if op in _BITWISE else _NUMBERS:
        first_cost, other = _cost(left, a, candidate), _cost(right, b, candidate)
        if first_cost >= 0 and other >= 0 and (best is None or first_cost + other < lowest):
            best, lowest = candidate, first_cost + other
    return best


def _cost(expr: hir.Expr, type: ScalarType, candidate: ScalarType) -> int:
    if isinstance(expr, hir.Const):
        literal = literal_cost(expr, type, candidate)
        if literal >= 0:
            return literal
    return scalar_cost(type, candidate)


def _shift(ctx: Context, op: str, left: hir.Expr, right: hir.Expr, at: int) -> hir.Expr:
    """The result has the left operand's type; the right one's bits are converted to it."""
    shape = _shape(left.type, right.type)
    a, b = _underlying(element(left.type)), _underlying(element(right.type))
    if shape is None:
        return no_operator(ctx, op, [left, right], at)
    if is_numeric_param(ctx, a):
        if not same(a, b) and not (isinstance(b, ScalarType) and b.kind in ("int", "uint")):
            return no_operator(ctx, op, [left, right], at)
        wanted = with_element(shape, a)
        shifted: hir.Expr = right if same(right.type, wanted) else hir.Convert(at, wanted, right)
        return hir.Binary(at, wanted, op, _operand(ctx, left, wanted), shifted)
    if not isinstance(a, ScalarType) or a.kind not in ("int", "uint", "bool"):
        return no_operator(ctx, op, [left, right], at)
    if not (isinstance(b, ScalarType) and b.kind in ("int", "uint", "bool")) and not is_numeric_param(ctx, b):
        return no_operator(ctx, op, [left, right], at)
    type = with_element(shape, INT if a.kind == "bool" else a)
    if is_numeric_param(ctx, b):
        return hir.Binary(at, type, op, _operand(ctx, left, type), hir.Convert(at, type, right))
    return hir.Binary(at, type, op, _operand(ctx, left, type), _operand(ctx, right, type))


def _logical(ctx: Context, op: str, left: hir.Expr, right: hir.Expr, at: int) -> hir.Expr:
    shape = _shape(left.type, right.type)
    if shape is None or cost(ctx, left, bool_shape(left.type)) < 0 or cost(ctx, right, bool_shape(right.type)) < 0:
        return no_operator(ctx, op, [left, right], at)
    type = bool_shape(shape)
    if type is BOOL:
        return hir.ShortCircuit(at, op, _operand(ctx, left, BOOL), _operand(ctx, right, BOOL))
    return hir.Binary(at, type, op, _operand(ctx, left, type), _operand(ctx, right, type))


def _none_test(ctx: Context, op: str, left: hir.Expr, right: hir.Expr, at: int) -> hir.Expr:
    value = right if left.type is NONE else left
    if not isinstance(value.type, OptionalType):
        return no_operator(ctx, op, [left, right], at)
    has: hir.Expr = hir.HasValue(at, value)
    return hir.Unary(at, BOOL, "!", has) if op == "==" else has


# ---- one operand


def unary(ctx: Context, scope: Scope, op: str, operand: hir.Expr, at: int) -> hir.Expr:
    type = operand.type
    if isinstance(type, ErrorType):
        return operand
    if not is_value(operand) or isinstance(operand, ListExpr):
        ctx.error("E30019", operand.at, f"expected a value, got {what_it_is(operand)}")
        return hir.Undefined(at, ERROR)
    own = by_users(ctx, scope, op, [operand], at, "prefix")
    if own is not None:
        return own
    inner = _underlying(element(type))
    if op == "!":
        wanted = bool_shape(type)
        if is_numeric_param(ctx, inner):
            return hir.Unary(at, wanted, op, hir.Convert(at, wanted, operand))
        if cost(ctx, operand, wanted) < 0:
            return no_operator(ctx, op, [operand], at)
        return hir.Unary(at, wanted, op, _operand(ctx, operand, wanted))
    if not is_numeric_param(ctx, inner):
        if not isinstance(inner, ScalarType) or inner.kind == "void" or (op == "~" and inner.kind == "float"):
            return no_operator(ctx, op, [operand], at)
        if inner.kind == "bool" and op == "~":
            return hir.Unary(at, type, "!", operand)
        if inner.kind == "bool":
            inner = INT
        operand = _operand(ctx, operand, with_element(type, inner))
    if op == "+":
        return operand
    if op == "~" and isinstance(type, EnumType):
        return hir.Convert(at, type, hir.Unary(at, operand.type, op, operand))
    if isinstance(operand, hir.Const) and isinstance(operand.type, ScalarType):
        return _folded(op, operand.value, operand.type, at)
    return hir.Unary(at, operand.type, op, operand)


def _folded(op: str, value: int | float, type: ScalarType, at: int) -> hir.Expr:
    """`-1` and `~1` are literals."""
    if not isinstance(value, int):
        return hir.Const(at, type, -value)
    return hir.Const(at, type, wrap(-value if op == "-" else ~value, type))
