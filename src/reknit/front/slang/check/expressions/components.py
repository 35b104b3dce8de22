"""Components of builtin values.

v.xzy      Swizzle        m._m01_m10   Swizzle of a matrix (row * 4 + column)        s.xxx   Swizzle of a scalar
o.value    GetValue       o.hasValue   HasValue                                      t._0    Element
"""

import re
from typing import Final

from reknit.front.slang import hir
from reknit.front.slang.check.context import Context
from reknit.front.slang.check.declare.defaults import tuple_part
from reknit.front.slang.types import (
    ERROR,
    ConstType,
    MatrixType,
    OptionalType,
    ScalarType,
    TupleType,
    Type,
    VectorType,
)
from reknit.source.digits import saturated

_LETTERS: Final = {"x": 0, "y": 1, "z": 2, "w": 3, "r": 0, "g": 1, "b": 2, "a": 3}
_CELL: Final = re.compile(r"_m([0-3])([0-3])|_([1-4])([1-4])")


def builtin_member(ctx: Context, base: hir.Expr, text: str, at: int) -> hir.Expr | None:
    """Components, and what Optional and Tuple have; None: something else."""
    type = base.type
    if isinstance(type, OptionalType):
        if text == "hasValue":
            return hir.HasValue(at, base)
        if text == "value":
            return hir.GetValue(at, type.element, base)
    if isinstance(type, TupleType):
        return _tuple_member(ctx, base, type, text, at)
    if isinstance(type, VectorType):
        return _swizzle(base, type, text, at)
    if isinstance(type, ScalarType) and type.kind != "void" and all(letter in "xr" for letter in text):
        return _swizzled(base, type, [0] * len(text), at) if len(text) <= 4 else None
    if isinstance(type, MatrixType):
        return _cells(ctx, base, type, text, at)
    return None


def _swizzle(base: hir.Expr, type: VectorType, text: str, at: int) -> hir.Expr | None:
    if not 1 <= len(text) <= 4 or not all(letter in _LETTERS for letter in text):
        return None
    indices = [_LETTERS[letter] for letter in text]
    if isinstance(type.count, ConstType) and max(indices) >= type.count.value:
        return None
    return _swizzled(base, type.element, indices, at)


def _swizzled(base: hir.Expr, element: Type, indices: list[int], at: int) -> hir.Expr:
    type = element if len(indices) == 1 else VectorType(element, ConstType(len(indices)))
    if isinstance(base.type, ScalarType) and len(indices) == 1:
        return base
    return hir.Swizzle(at, type, base, indices)


def _cells(ctx: Context, base: hir.Expr, type: MatrixType, text: str, at: int) -> hir.Expr | None:
    indices: list[int] = []
    position = 0
    while position < len(text):
        cell = _CELL.match(text, position)
        if cell is None:
            return None
        if cell.group(1) is not None:
            row, column = int(cell.group(1)), int(cell.group(2))
        else:
            row, column = int(cell.group(3)) - 1, int(cell.group(4)) - 1
        if (isinstance(type.rows, ConstType) and row >= type.rows.value) or (
            isinstance(type.columns, ConstType) and column >= type.columns.value
        ):
            ctx.error("E30052", at, f"invalid swizzle pattern '{text}' on type '{type}'", len(text))
            return hir.Undefined(at, ERROR)
        indices.append(row * 4 + column)
        position = cell.end()
    if not 1 <= len(indices) <= 4:
        return None
    result = type.element if len(indices) == 1 else VectorType(type.element, ConstType(len(indices)))
    return hir.Swizzle(at, result, base, indices)


def _tuple_member(ctx: Context, base: hir.Expr, type: TupleType, text: str, at: int) -> hir.Expr | None:
    if re.fullmatch(r"(_\d+)+", text) is None:
        return None
    indices = [saturated(part) for part in text[1:].split("_")]
    if max(indices) >= len(type.elements):
        ctx.error("E30052", at, f"invalid swizzle pattern '{text}' on type '{type}'", len(text))
        return hir.Undefined(at, ERROR)
    if len(indices) == 1:
        return tuple_part(base, indices[0], at)
    parts = [tuple_part(base, index, at) for index in indices]
    return hir.Construct(at, TupleType([part.type for part in parts]), parts)
