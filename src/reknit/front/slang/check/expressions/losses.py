"""Implicit conversions that lose something, and which of them are warned of: W30081.

    float4 -> float2         cut to the first of it, which HLSL alone has         warned of
    float -> int, int64_t -> int, float -> bool                                   warned of in Slang
    in HLSL                  double -> float, uint -> uint16_t                    of numbers, those to smaller ones
    float -> half            no warning in HLSL, where both are one type unless DXC is asked for 16-bit types

Source: slangc's E30081; DXC's -Wconversion, "conversion from larger type" and "implicit truncation of vector type".
"""

from reknit.front.slang.builtins.shapes import element
from reknit.front.slang.check.context import Context
from reknit.front.slang.types import BOOL, FLOAT, HALF, ConstType, MatrixType, ScalarType, Type, VectorType, same


def is_cut(source: Type, target: Type) -> bool:
    """Whether a vector or matrix is longer than what is wanted: HLSL takes the first of it."""
    if isinstance(source, VectorType) and isinstance(target, (VectorType, ScalarType)) and target is not BOOL:
        wanted = target.count if isinstance(target, VectorType) else ConstType(1)
        return _exceeds(source.count, wanted)
    if isinstance(source, MatrixType) and isinstance(target, MatrixType):
        rows, columns = _exceeds(source.rows, target.rows), _exceeds(source.columns, target.columns)
        return (rows or same(source.rows, target.rows)) and (columns or same(source.columns, target.columns)) and (
            rows or columns
        )
    return False


def _exceeds(have: Type, wanted: Type) -> bool:
    return isinstance(have, ConstType) and isinstance(wanted, ConstType) and have.value > wanted.value


def warn(ctx: Context, source: Type, target: Type, at: int) -> None:
    """Of a conversion that may lose something."""
    if not ctx.hlsl or is_cut(source, target) or _narrows(element(source), element(target)):
        ctx.reports.warning("E30081", at, f"implicit conversion from '{source}' to '{target}' is not recommended")


def _narrows(source: Type | None, target: Type | None) -> bool:
    """Whether a number becomes a smaller one. Whether it is zero is no number."""
    if not isinstance(source, ScalarType) or not isinstance(target, ScalarType):
        return False
    return target.width < source.width and target is not BOOL and (source, target) != (FLOAT, HALF)
