"""What HLSL's own functions make of vectors and matrices that don't fit: they are cut to the shortest.

    mul(float3x3, float4)    the first three of the vector        mul(float4x4, float3)    the first three columns
    min(float4, float2)      the first two

As DXC does it, with a warning for each that is cut.
"""

from reknit.front.slang import hir
from reknit.front.slang.check.context import Context
from reknit.front.slang.check.expressions.losses import warn
from reknit.front.slang.types import ConstType, MatrixType, Type, VectorType


def fitting(ctx: Context, arguments: list[hir.Expr]) -> list[hir.Expr]:
    """The arguments of `mul`, as long as each other where they are multiplied."""
    if not ctx.hlsl or len(arguments) != 2:
        return arguments
    left, right = arguments
    inner = (_columns(left.type), _rows(right.type))
    if inner[0] == inner[1] or min(inner) < 1:
        return arguments
    least = min(inner)
    return [_cut(ctx, left, _left(left.type, least)), _cut(ctx, right, _right(right.type, least))]


def shortened(ctx: Context, arguments: list[hir.Expr]) -> list[hir.Expr] | None:
    """Vectors as long as the shortest of them; None where they are, or where it isn't HLSL."""
    lengths = [_count(argument.type) for argument in arguments if isinstance(argument.type, VectorType)]
    if not ctx.hlsl or not lengths or min(lengths) == max(lengths) or min(lengths) < 1:
        return None
    return [_cut(ctx, argument, _vector(argument.type, min(lengths))) for argument in arguments]


def _columns(type: Type) -> int:
    return _known(type.columns) if isinstance(type, MatrixType) else _count(type)


def _rows(type: Type) -> int:
    return _known(type.rows) if isinstance(type, MatrixType) else _count(type)


def _count(type: Type) -> int:
    """0 for a scalar, which is multiplied with anything."""
    return _known(type.count) if isinstance(type, VectorType) else 0


def _known(count: Type) -> int:
    return count.value if isinstance(count, ConstType) else 0


def _left(type: Type, least: int) -> Type:
    if isinstance(type, MatrixType):
        return MatrixType(type.element, type.rows, ConstType(least), type.row_major)
    return _vector(type, least)


def _right(type: Type, least: int) -> Type:
    if isinstance(type, MatrixType):
        return MatrixType(type.element, ConstType(least), type.columns, type.row_major)
    return _vector(type, least)


def _vector(type: Type, least: int) -> Type:
    return VectorType(type.element, ConstType(least)) if isinstance(type, VectorType) else type


def _cut(ctx: Context, expr: hir.Expr, type: Type) -> hir.Expr:
    if expr.type.key == type.key:
        return expr
    warn(ctx, expr.type, type, expr.at)
    return hir.Convert(expr.at, type, expr)
