"""Explicit conversions of values: what `T(x)` and `(T)x` do beyond what is implicit.

int -> enum     float4 -> float3     float4x4 -> float3x3     enum -> enum     T -> int, where T is a number
float2x2 -> float4     float4 -> float2x2
"""

from typing import Final

from reknit.front.slang import hir
from reknit.front.slang.check.context import Context
from reknit.front.slang.check.expressions.convert import converted, cost
from reknit.front.slang.types import (
    INT,
    UINT,
    UINT64,
    VOID,
    AssocType,
    ConstType,
    EnumType,
    ErrorType,
    MatrixType,
    OpenedType,
    ParamType,
    PointerType,
    ScalarType,
    ThisType,
    Type,
    VectorType,
)

_OF_INT: Final = ("__BuiltinLogicalType", "__BuiltinArithmeticType")


def cast(ctx: Context, expr: hir.Expr, type: Type) -> hir.Expr | None:
    """`expr` as a `type`; None if there is no such conversion."""
    source = expr.type
    if isinstance(source, ErrorType) or isinstance(type, ErrorType):
        return hir.Undefined(expr.at, type)
    if cost(ctx, expr, type) >= 0:
        return converted(ctx, expr, type)
    if isinstance(type, (VectorType, MatrixType)) and _is_number(ctx, type.element):
        return _shape(ctx, expr, type)
    if isinstance(source, (EnumType, ScalarType)) and isinstance(type, (EnumType, ScalarType)):
        return hir.Convert(expr.at, type, expr) if VOID not in (source, type) else None
    if _is_number(ctx, source) and _is_number(ctx, type):
        if source.key == UINT.key and _made_of_int(ctx, type):
            expr = hir.Convert(expr.at, INT, expr)
        return hir.Convert(expr.at, type, expr)
    if isinstance(type, ScalarType) and isinstance(source, (VectorType, MatrixType)):
        return cast(ctx, hir.Swizzle(expr.at, source.element, expr, [0]), type)
    if isinstance(type, PointerType) and isinstance(source, PointerType):
        return hir.Reinterpret(expr.at, type, expr)
    if isinstance(type, PointerType) and isinstance(source, ScalarType) and source.kind in ("int", "uint"):
        ctx.program.addresses = True
        return hir.Reinterpret(expr.at, type, hir.Convert(expr.at, UINT64, expr))
    if isinstance(source, PointerType) and isinstance(type, ScalarType) and type.kind in ("int", "uint"):
        return hir.Convert(expr.at, type, hir.Reinterpret(expr.at, UINT64, expr))
    return None


def _shape(ctx: Context, expr: hir.Expr, type: VectorType | MatrixType) -> hir.Expr | None:
    source = expr.type
    if isinstance(type, VectorType) and isinstance(source, VectorType):
        have, wanted = source.count, type.count
        if isinstance(wanted, ConstType) and isinstance(have, ConstType) and have.value < wanted.value:
            return None
        return hir.Convert(expr.at, type, expr)
    if isinstance(type, MatrixType) and isinstance(source, MatrixType):
        return hir.Convert(expr.at, type, expr)
    if isinstance(source, (VectorType, MatrixType)):
        return _laid_end_to_end(ctx, expr, type)
    if not _is_number(ctx, source):
        return None
    inner = cast(ctx, expr, type.element)
    return None if inner is None else hir.Splat(expr.at, type, inner)


def _laid_end_to_end(ctx: Context, expr: hir.Expr, type: VectorType | MatrixType) -> hir.Expr | None:
    """A matrix as a vector of as many components, row by row, or such a vector as a matrix."""
    source = expr.type
    if isinstance(type, VectorType) and isinstance(source, MatrixType):
        rows, columns = source.rows, source.columns
        if not isinstance(rows, ConstType) or not isinstance(columns, ConstType):
            return None
        if not isinstance(type.count, ConstType) or rows.value * columns.value != type.count.value:
            return None
        order = [row * 4 + column for row in range(rows.value) for column in range(columns.value)]
        return cast(ctx, hir.Swizzle(expr.at, VectorType(source.element, type.count), expr, order), type)
    if isinstance(type, MatrixType) and isinstance(source, VectorType):
        rows, columns = type.rows, type.columns
        if not isinstance(rows, ConstType) or not isinstance(columns, ConstType):
            return None
        if not isinstance(source.count, ConstType) or rows.value * columns.value != source.count.value:
            return None
        parts = cast(ctx, expr, VectorType(type.element, source.count))
        return None if parts is None else hir.Construct(expr.at, type, [parts])
    return None


def _is_number(ctx: Context, type: Type) -> bool:
    """A number, or a parameter that is one."""
    if isinstance(type, ScalarType):
        return type.kind != "void"
    if isinstance(type, EnumType):
        return True
    return is_numeric_param(ctx, type)


def _made_of_int(ctx: Context, type: Type) -> bool:
    """A parameter of which nothing is known but that an `int` makes one: a `uint` becomes an `int` first."""
    if not isinstance(type, ParamType):
        return False
    direct = ctx.evidence.direct(type)
    return bool(direct) and all(witness.interface.interface.name in _OF_INT for witness in direct)


def is_numeric_param(ctx: Context, type: Type) -> bool:
    """A generic parameter that one of the language's own interfaces bounds."""
    if not isinstance(type, (ParamType, AssocType, ThisType, OpenedType)):
        return False
    for witness in ctx.evidence.direct(type):
        if any(up.interface.interface.builtin for up in ctx.evidence.upward(witness)):
            return True
    return False
