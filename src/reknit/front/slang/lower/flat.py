"""HLSL's conversions number by number: what a value has, in order, as the numbers of another type.

    (S)v    %x = CompositeExtract %v 0 ...    CompositeConstruct S {x, {y, z}}
"""

from reknit.front.slang import hir
from reknit.front.slang.builtins.components import parts_of, row_of
from reknit.front.slang.builtins.shapes import constant, row_type
from reknit.front.slang.hir import Expr
from reknit.front.slang.lower.body import Body, Handlers
from reknit.front.slang.lower.operators import convert
from reknit.front.slang.lower.state import Lowering
from reknit.front.slang.types import ArrayType, MatrixType, StructType, Type, VectorType
from reknit.ir.value import Value


def flat(body: Body, expr: Expr) -> Value:
    assert isinstance(expr, hir.Flat)
    low = body.low
    numbers: list[tuple[Type, Value]] = []
    _take_apart(low, body.type_of(expr.value), body.value(expr.value), numbers)
    numbers.reverse()
    return _put_together(low, body.type_of(expr), numbers)


def _take_apart(low: Lowering, type: Type, value: Value, into: list[tuple[Type, Value]]) -> None:
    """As deep as the type is nested."""
    if isinstance(type, VectorType):
        into += [(type.element, part) for part in parts_of(low, type, value)]
    elif isinstance(type, MatrixType):
        for index in range(constant(type.rows)):
            _take_apart(low, row_type(type), row_of(low, type, value, index), into)
    elif isinstance(type, (StructType, ArrayType)):
        for index, part in enumerate(_parts(low, type)):
            _take_apart(low, part, low.extract(low.ir_type(part), value, index), into)
    else:
        into.append((type, value))


def _put_together(low: Lowering, type: Type, numbers: list[tuple[Type, Value]]) -> Value:
    """A value of the numbers from the last one back; a single one is for all."""
    if isinstance(type, (StructType, ArrayType, VectorType, MatrixType)):
        if isinstance(type, VectorType) and constant(type.count) == 1:
            return _put_together(low, type.element, numbers)
        return low.composite(low.ir_type(type), [_put_together(low, part, numbers) for part in _parts(low, type)])
    own, value = numbers.pop() if len(numbers) > 1 else numbers[0]
    return convert(low, own, type, value)


def _parts(low: Lowering, type: StructType | ArrayType | VectorType | MatrixType) -> list[Type]:
    if isinstance(type, StructType):
        return low.field_types(type)
    if isinstance(type, ArrayType):
        assert type.count is not None
        return [type.element] * constant(type.count)
    if isinstance(type, VectorType):
        return [type.element] * constant(type.count)
    return [row_type(type)] * constant(type.rows)


def register(handlers: Handlers) -> None:
    handlers.values[hir.Flat] = flat
