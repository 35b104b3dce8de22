"""A value as the numbers it is made of, and a number as words of memory.

    struct { float3 a; half b; }   leaves  float at 0, 4, 8, half at 12        double  words  low, high

Offsets are by the scalar rule (`layout`). Leaves come in the order of rows, whatever order a matrix lies in.
"""

from typing import final

from reknit.front.slang.builtins.arithmetic import binary, shift_left, shift_right
from reknit.front.slang.builtins.components import emit_op
from reknit.front.slang.builtins.emitter import Emitter, Unsupported
from reknit.front.slang.builtins.shapes import constant, ir_numeric, row_type, scalar_of
from reknit.front.slang.builtins.stored import layouts, parts
from reknit.front.slang.layout import NoLayout
from reknit.front.slang.types import (
    UINT,
    UINT8,
    UINT16,
    UINT64,
    ArrayType,
    EnumType,
    InterfaceType,
    MatrixType,
    OptionalType,
    PointerType,
    ScalarType,
    StructType,
    TupleType,
    Type,
    VectorType,
)
from reknit.ir import op
from reknit.ir.value import Value

MAX_LEAVES: int = 4096
"""More numbers than this aren't copied one by one."""


@final
class Leaf:
    __slots__ = ("offset", "scalar")

    def __init__(self, offset: int, scalar: ScalarType) -> None:
        self.offset = offset
        self.scalar = scalar


def size_of(emitter: Emitter, type: Type) -> int:
    try:
        return layouts(emitter, emitter.bytes_rule).of(type).size
    except NoLayout as reason:
        raise Unsupported(reason.message) from reason


def leaves(emitter: Emitter, type: Type) -> list[Leaf]:
    """Raises Unsupported where something isn't a number."""
    size_of(emitter, type)
    all_leaves: list[Leaf] = []
    _collect(emitter, type, 0, all_leaves)
    return all_leaves


def _collect(emitter: Emitter, type: Type, at: int, all_leaves: list[Leaf]) -> None:
    if len(all_leaves) > MAX_LEAVES:
        raise Unsupported(f"'{type}' is too large to be copied by parts")
    if isinstance(type, (ScalarType, EnumType)):
        all_leaves.append(Leaf(at, scalar_of(type)))
        return
    if isinstance(type, PointerType) and emitter.addresses:
        all_leaves.append(Leaf(at, UINT64))
        return
    for part, offset in children(emitter, type):
        _collect(emitter, part, at + offset, all_leaves)


def children(emitter: Emitter, type: Type) -> list[tuple[Type, int]]:
    """(part, offset) of a vector, matrix (its components, row by row), array, struct, tuple or Optional."""
    rule = layouts(emitter, emitter.bytes_rule)
    if isinstance(type, VectorType):
        size = rule.of(type.element).size
        return [(type.element, index * size) for index in range(constant(type.count))]
    if isinstance(type, MatrixType):
        return _components(type, rule.of(type).inner, rule.of(type.element).size)
    if isinstance(type, ArrayType) and type.count is not None:
        stride = rule.of(type).inner
        count = constant(type.count)
        if count > MAX_LEAVES:
            raise Unsupported(f"'{type}' is too large to be copied by parts")
        return [(type.element, index * stride) for index in range(count)]
    if isinstance(type, (StructType, TupleType)) or (
        isinstance(type, OptionalType) and not isinstance(type.element, InterfaceType)
    ):
        return list(zip(parts(emitter, type), rule.of(type).offsets, strict=True))
    raise Unsupported(f"'{type}' can't be decomposed into numbers")


def _components(type: MatrixType, inner: int, size: int) -> list[tuple[Type, int]]:
    row, column = (inner, size) if type.row_major else (size, inner)
    rows = range(constant(type.rows))
    columns = range(constant(type.columns))
    return [(type.element, r * row + c * column) for r in rows for c in columns]


def take_apart(emitter: Emitter, type: Type, value: Value) -> list[Value]:
    """The leaves' values."""
    if isinstance(type, (ScalarType, EnumType, PointerType)):
        return [value]
    values: list[Value] = []
    if isinstance(type, MatrixType):
        row = row_type(type)
        for index in range(constant(type.rows)):
            piece = emitter.emit(op.CompositeExtract, ir_numeric(emitter, row), [value, index])
            values.extend(take_apart(emitter, row, piece))
        return values
    if isinstance(type, VectorType) and constant(type.count) == 1:
        return [value]
    for index, (part, _) in enumerate(children(emitter, type)):
        piece = emitter.emit(op.CompositeExtract, emitter.ir_type(part), [value, index])
        values.extend(take_apart(emitter, part, piece))
    return values


def put_together(emitter: Emitter, type: Type, values: list[Value]) -> Value:
    """The value whose leaves are the first of `values`, which are used up (they are taken from the end: reversed)."""
    single = isinstance(type, VectorType) and constant(type.count) == 1
    if single or isinstance(type, (ScalarType, EnumType, PointerType)):
        return values.pop()
    if isinstance(type, MatrixType):
        row = row_type(type)
        rows = [put_together(emitter, row, values) for _ in range(constant(type.rows))]
        return emitter.emit(op.CompositeConstruct, ir_numeric(emitter, type), [*rows])
    built = [put_together(emitter, part, values) for part, _ in children(emitter, type)]
    return emitter.emit(op.CompositeConstruct, emitter.ir_type(type), [*built])


def assembled(emitter: Emitter, type: Type, values: list[Value]) -> Value:
    return put_together(emitter, type, list(reversed(values)))


# ---- numbers as words


def to_words(emitter: Emitter, scalar: ScalarType, value: Value) -> list[Value]:
    """A number's bits as u32: two for 64 bits, low word first; narrow ones with zeros above."""
    if scalar.kind == "bool":
        return [emit_op(emitter, op.Select, UINT, [value, emitter.word(1), emitter.word(0)])]
    if scalar.width == 32:
        return [value if scalar is UINT else emit_op(emitter, op.Bitcast, UINT, [value])]
    if scalar.width == 64:
        whole = value if scalar is UINT64 else emit_op(emitter, op.Bitcast, UINT64, [value])
        high = shift_right(emitter, UINT64, whole, 32)
        return [emit_op(emitter, op.UConvert, UINT, [half]) for half in (whole, high)]
    narrow = UINT16 if scalar.width == 16 else UINT8
    bits = value if scalar is narrow else emit_op(emitter, op.Bitcast, narrow, [value])
    return [emit_op(emitter, op.UConvert, UINT, [bits])]


def from_words(emitter: Emitter, scalar: ScalarType, words: list[Value]) -> Value:
    """From one word, of which a narrow number takes the lowest bits, or from two."""
    if scalar.kind == "bool":
        return binary(emitter, "!=", UINT, words[0], emitter.word(0))
    if scalar.width == 32:
        return words[0] if scalar is UINT else emit_op(emitter, op.Bitcast, scalar, [words[0]])
    if scalar.width == 64:
        low, high = [emit_op(emitter, op.UConvert, UINT64, [word]) for word in words]
        whole = binary(emitter, "|", UINT64, low, shift_left(emitter, UINT64, high, 32))
        return whole if scalar is UINT64 else emit_op(emitter, op.Bitcast, scalar, [whole])
    narrow = UINT16 if scalar.width == 16 else UINT8
    bits = emit_op(emitter, op.UConvert, narrow, [words[0]])
    return bits if scalar is narrow else emit_op(emitter, op.Bitcast, scalar, [bits])
