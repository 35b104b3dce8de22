"""The same bits as another type: asuint and its like. The same number as another type: casts of generic code.

    asuint(float3)        Bitcast : uvec3           asdouble(low, high)     Bitcast of (low, high)
    __realCast<T>(x)      FConvert                  __intCast<T>(x)         SConvert, UConvert

Source: Microsoft's HLSL reference, "asuint"; Slang's core module. (`bit_cast` and `reinterpret` are hir's Reinterpret.)
"""

from typing import Final

from reknit.front.slang.builtins.arithmetic import shift_right
from reknit.front.slang.builtins.builtin import Builtin, Signature
from reknit.front.slang.builtins.components import by_rows, emit_op, row_by_row
from reknit.front.slang.builtins.conversion import converted
from reknit.front.slang.builtins.emitter import Emitter
from reknit.front.slang.builtins.matrices import rows_of
from reknit.front.slang.builtins.rows import Rows
from reknit.front.slang.builtins.shapes import Shape, count_of, element, ir_numeric, is_opaque, row_type, shape
from reknit.front.slang.hir import Intrinsic
from reknit.front.slang.types import (
    DOUBLE,
    FLOAT,
    HALF,
    INT,
    INT16,
    UINT,
    UINT16,
    UINT64,
    VOID,
    ConstType,
    MatrixType,
    ScalarType,
    Type,
    VectorType,
)
from reknit.ir import op, traits
from reknit.ir.instr import Instr
from reknit.ir.value import Value


def _recast(emitter: Emitter, source: Type, target: Type, value: Value) -> Value:
    numeric_type = ir_numeric(emitter, target)
    return value if numeric_type is ir_numeric(emitter, source) else emitter.emit(op.Bitcast, numeric_type, [value])


def _piece(emitter: Emitter, result: Type, types: list[Type], operands: list[Value]) -> Value:
    return _recast(emitter, types[0], result, operands[0])


# ---- asuint and its like

_TO: Final[dict[str, tuple[ScalarType, tuple[ScalarType, ...]]]] = {
    "asfloat": (FLOAT, (FLOAT, INT, UINT)),
    "asint": (INT, (FLOAT, INT, UINT)),
    "asuint": (UINT, (FLOAT, INT, UINT)),
    "asfloat16": (HALF, (HALF, INT16, UINT16)),
    "asint16": (INT16, (HALF, INT16, UINT16)),
    "asuint16": (UINT16, (HALF, INT16, UINT16)),
}


def _as(name: str) -> Builtin:
    target, sources = _TO[name]

    def resolve(arguments: list[Type], type_arguments: list[Type], receiver: Type | None) -> Signature | None:
        if name == "asuint" and len(arguments) == 3:
            of = shape(arguments[0]) if element(arguments[0]) is not None else shape(DOUBLE)
            return Signature([of.of(DOUBLE), of.of(UINT), of.of(UINT)], ["in", "out", "out"], VOID, name)
        scalar = element(arguments[0]) if len(arguments) == 1 else None
        if scalar is None:
            return None
        own = scalar if any(scalar is source for source in sources) or is_opaque(scalar) else sources[0]
        result = shape(arguments[0]).of(target)
        return Signature([shape(arguments[0]).of(own)], ["in"], result, name, [own])

    return Builtin(name, resolve, _as_or_split)


def _as_or_split(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
    if len(operands) == 3:
        _split_doubles(emitter, types[0], operands)
        return None
    return row_by_row(emitter, call.type, types, operands, _piece)


def _split_doubles(emitter: Emitter, type: Type, operands: list[Value]) -> None:
    """The words in two places; of a matrix row by row."""
    if isinstance(type, MatrixType):
        halves = [_words_of(emitter, shape(row_type(type)), row) for row in rows_of(emitter, type, operands[0])]
        whole = ir_numeric(emitter, shape(type).of(UINT))
        low: Value = emitter.emit(op.CompositeConstruct, whole, [pair[0] for pair in halves])
        high: Value = emitter.emit(op.CompositeConstruct, whole, [pair[1] for pair in halves])
    else:
        low, high = _words_of(emitter, shape(type), operands[0])
    emitter.effect(op.Store, [operands[1], low])
    emitter.effect(op.Store, [operands[2], high])


def _words_of(emitter: Emitter, of: Shape, value: Value) -> tuple[Value, Value]:
    """(lower, higher) of each component."""
    wide, word = of.of(UINT64), of.of(UINT)
    whole = emit_op(emitter, op.Bitcast, wide, [value])
    high = emit_op(emitter, op.UConvert, word, [shift_right(emitter, wide, whole, 32)])
    return emit_op(emitter, op.UConvert, word, [whole]), high


def _make_double(emitter: Emitter, result: Type, types: list[Type], operands: list[Value]) -> Value:
    """Of a scalar's two words, or a component at a time."""
    pair = ir_numeric(emitter, VectorType(UINT, ConstType(2)))
    if count_of(result) == 1:
        both = emitter.emit(op.CompositeConstruct, pair, [*operands])
        return emitter.emit(op.Bitcast, ir_numeric(emitter, DOUBLE), [both])
    values: list[Value] = []
    for index in range(count_of(result)):
        words = [emitter.emit(op.CompositeExtract, emitter.u32, [operand, index]) for operand in operands]
        values.append(_make_double(emitter, DOUBLE, [UINT, UINT], [*words]))
    return emitter.emit(op.CompositeConstruct, ir_numeric(emitter, result), [*values])


def _number_cast(name: str) -> Builtin:
    """To the element type that is the generic argument, in the argument's shape."""

    def resolve(arguments: list[Type], type_arguments: list[Type], receiver: Type | None) -> Signature | None:
        if len(arguments) != 1 or not type_arguments or element(arguments[0]) is None:
            return None
        target = element(type_arguments[0])
        result = None if target is None else shape(arguments[0]).of(target)
        return None if result is None else Signature(list(arguments), ["in"], result, name, list(type_arguments))

    return Builtin(name, resolve, by_rows(_converted))


def _converted(emitter: Emitter, result: Type, types: list[Type], operands: list[Value]) -> Value:
    return converted(emitter, types[0], result, operands[0])


def _marked(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
    """A constant is the same for all."""
    value = operands[0]
    assert isinstance(value, Instr) and value.type is not None
    if value.op in traits.CONSTANT:
        return value
    copied = emitter.emit(op.CopyObject, value.type, [value])
    emitter.marked.append(copied)
    return copied


FUNCTIONS: Final[Rows] = {
    "NonUniformResourceIndex": ("i T(T)", _marked),
    "asdouble": ("i T:double(T:uint, T:uint)", by_rows(_make_double)),
}
BUILTINS: Final[dict[str, Builtin]] = {
    **{name: _as(name) for name in _TO},
    **{name: _number_cast(name) for name in ("__realCast", "__intCast", "__int_cast", "__real_cast")},
}
