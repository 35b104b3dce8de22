"""The same bits as another type: asuint and its like, bit_cast, reinterpret; and what only changes the type.

    asuint(float3)            Bitcast : uvec3                asdouble(low, high)     Bitcast of (low, high)
    bit_cast<S>(T)            numbers of T as words of memory, taken apart as those of S (`leaves`)

A cast between numbers of one size is one instruction. `reinterpret` of a smaller type has zeros in the rest.
"""

from typing import Final

from reknit.front.slang.builtins.arithmetic import shift_right
from reknit.front.slang.builtins.builtin import Builtin, Signature
from reknit.front.slang.builtins.components import by_rows, one, row_by_row
from reknit.front.slang.builtins.emitter import Emitter
from reknit.front.slang.builtins.leaves import packed, unpacked
from reknit.front.slang.builtins.rows import Rows
from reknit.front.slang.builtins.shapes import count_of, element, ir_numeric, is_opaque, scalar_of, shape
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
    EnumType,
    ScalarType,
    Type,
    VectorType,
    same,
)
from reknit.ir import op
from reknit.ir.value import Value


def reinterpret(emitter: Emitter, source: Type, target: Type, value: Value) -> Value:
    """`value`, of type `source`, as `target`; raises Unsupported for what isn't made of numbers."""
    if same(source, target):
        return value
    if _is_plain(source) and _is_plain(target):
        bits = [count_of(type) * scalar_of(type).width for type in (source, target)]
        counts = sorted([count_of(source), count_of(target)])
        if bits[0] == bits[1] and counts[1] % counts[0] == 0:
            return _recast(emitter, source, target, value)
    return unpacked(emitter, target, packed(emitter, source, value))


def _is_plain(type: Type) -> bool:
    """A number or vector without bools."""
    return isinstance(type, (ScalarType, VectorType, EnumType)) and scalar_of(type).kind not in ("bool", "void")


def _recast(emitter: Emitter, source: Type, target: Type, value: Value) -> Value:
    made = ir_numeric(emitter, target)
    return value if made is ir_numeric(emitter, source) else emitter.emit(op.Bitcast, made, [value])


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
            return Signature([DOUBLE, UINT, UINT], ["in", "out", "out"], VOID, name)
        found = element(arguments[0]) if len(arguments) == 1 else None
        if found is None:
            return None
        own = found if any(found is source for source in sources) or is_opaque(found) else sources[0]
        result = shape(arguments[0]).of(target)
        return Signature([shape(arguments[0]).of(own)], ["in"], result, name, [own])

    return Builtin(name, resolve, _as_or_split)


def _as_or_split(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
    if len(operands) == 3:
        _split_double(emitter, operands)
        return None
    return row_by_row(emitter, call.type, types, operands, _piece)


def _split_double(emitter: Emitter, operands: list[Value]) -> None:
    whole = one(emitter, op.Bitcast, UINT64, [operands[0]])
    low = one(emitter, op.UConvert, UINT, [whole])
    high = one(emitter, op.UConvert, UINT, [shift_right(emitter, UINT64, whole, 32)])
    emitter.effect(op.Store, [operands[1], low])
    emitter.effect(op.Store, [operands[2], high])


def _make_double(emitter: Emitter, result: Type, types: list[Type], operands: list[Value]) -> Value:
    """Of a scalar's two words, or a component at a time."""
    pair = ir_numeric(emitter, VectorType(UINT, ConstType(2)))
    if count_of(result) == 1:
        both = emitter.emit(op.CompositeConstruct, pair, [*operands])
        return emitter.emit(op.Bitcast, ir_numeric(emitter, DOUBLE), [both])
    made: list[Value] = []
    for index in range(count_of(result)):
        words = [emitter.emit(op.CompositeExtract, emitter.u32, [operand, index]) for operand in operands]
        made.append(_make_double(emitter, DOUBLE, [UINT, UINT], [*words]))
    return emitter.emit(op.CompositeConstruct, ir_numeric(emitter, result), [*made])


def _identity(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
    return operands[0]


FUNCTIONS: Final[Rows] = {
    "NonUniformResourceIndex": ("i T(T)", _identity),
    "asdouble": ("i T:double(T:uint, T:uint)", by_rows(_make_double)),
}
BUILTINS: Final = {
    **{name: _as(name) for name in _TO},
}
