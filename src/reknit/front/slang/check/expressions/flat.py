"""HLSL's conversions number by number, of structs and arrays.

    (S)v   float4(array)   (float)s    the first numbers of what there is, each converted; too few are an error
    (S)1.5                             all of one number
    S s = another_struct;              where both are of the same numbers, without a cast

As DXC has it; it takes the last one for HLSL 2018 only.
"""

from typing import Final

from reknit.front.slang import hir
from reknit.front.slang.builtins.shapes import constant, element
from reknit.front.slang.check.context import Context
from reknit.front.slang.check.declare.declarations import Container
from reknit.front.slang.types import (
    ArrayType,
    ConstType,
    EnumType,
    MatrixType,
    ScalarType,
    StructType,
    Type,
    VectorType,
)
from reknit.source.meter import spend

MAX_NUMBERS: Final = 1024
"""Numbers of a type that is converted so."""


def flat_cast(ctx: Context, expr: hir.Expr, type: Type) -> hir.Expr | None:
    """`(type)expr`, where one of them is a struct or an array; None if there is no such conversion."""
    if not ctx.hlsl or not any(isinstance(each, (StructType, ArrayType)) for each in (expr.type, type)):
        return None
    have, wanted = numbers(ctx, expr.type), numbers(ctx, type)
    if not have or not wanted:
        return None
    splat = len(have) == 1 and isinstance(expr.type, (ScalarType, EnumType))
    return hir.Flat(expr.at, type, expr) if splat or len(wanted) <= len(have) else None


def are_alike(ctx: Context, source: StructType, target: StructType) -> bool:
    """Whether both structs are of the same numbers in order."""
    if not ctx.hlsl:
        return False
    have, wanted = numbers(ctx, source), numbers(ctx, target)
    return bool(have) and [each.key for each in have] == [each.key for each in wanted]


def numbers(ctx: Context, type: Type) -> list[Type]:
    """Of all that a value has, in order; empty where there is anything else in it, or too much."""
    whole: list[Type] = []
    work = [type]
    while work:
        spend(1)
        part = work.pop()
        count = _count(part)
        if isinstance(part, (ScalarType, EnumType)) and element(part) is not None:
            whole.append(part)
        elif isinstance(part, (VectorType, MatrixType, ArrayType)) and 0 < count <= MAX_NUMBERS:
            work += [part.element] * count
        elif not isinstance(part, StructType) or not _add_fields(ctx, ctx.container_of(part), work):
            return []
        if len(whole) + len(work) > MAX_NUMBERS:
            return []
    return whole


def _count(type: Type) -> int:
    """How many elements a vector, a matrix or an array has; 0 where that isn't known."""
    if isinstance(type, (VectorType, ArrayType)):
        return constant(type.count) if isinstance(type.count, ConstType) else 0
    if isinstance(type, MatrixType) and isinstance(type.rows, ConstType) and isinstance(type.columns, ConstType):
        return type.rows.value * type.columns.value
    return 0


def _add_fields(ctx: Context, container: Container | None, work: list[Type]) -> bool:
    """Whether all fields are whole numbers; their types are put on top of `work`, the first one last."""
    if container is None:
        return False
    ctx.lazy.bases(container)
    entries = ctx.lazy.fields(container)
    if any(entry.field.width >= 0 for entry in entries):
        return False
    work += [entry.field.type for entry in reversed(entries)]
    if container.base is not None:
        work.append(container.base)
    return True
