"""Values in buffers: their types with offsets and strides, and code that loads and stores them.

    struct S { bool b; float3x3 m; }     in a value  {bool, mat3}   in a buffer  {u32 at 0, [3 x vec3, 16 apart] at 16}

    load    %p -> one Load of what is the same in both; else part by part, put together      store    in reverse

Bools are u32; matrices are arrays of rows, or of columns if column_major; everything else is itself with a layout.
Types without one are shared with values: numbers, vectors, existentials.
"""

from typing import TYPE_CHECKING

from reknit.front.slang.builtins.arithmetic import bools
from reknit.front.slang.builtins.components import emit_op
from reknit.front.slang.builtins.constants import number
from reknit.front.slang.builtins.emitter import Unsupported
from reknit.front.slang.builtins.matrices import columns_of, rows_of, transposed
from reknit.front.slang.builtins.shapes import constant, has_none, ir_numeric, row_type, scalar_of, shape
from reknit.front.slang.layout import C, Layouts, NoLayout
from reknit.front.slang.types import (
    BOOL,
    UINT,
    UINT8,
    UINT64,
    ArrayType,
    EnumType,
    InterfaceType,
    MatrixType,
    OptionalType,
    PointerType,
    ResourceType,
    ScalarType,
    StructType,
    TupleType,
    Type,
    VectorType,
)
from reknit.ir import enums, op
from reknit.ir.instr import Instr, Operand
from reknit.ir.module import annotation
from reknit.ir.types import storage_of
from reknit.ir.value import Value
from reknit.source.meter import spend

if TYPE_CHECKING:
    from reknit.front.slang.builtins.emitter import Emitter


def layouts(emitter: "Emitter", rule: str) -> Layouts:
    known_layouts = emitter.layouts.get(rule)
    if known_layouts is None:
        known_layouts = Layouts(rule, emitter)
        emitter.layouts[rule] = known_layouts
    return known_layouts


def stored_type(emitter: "Emitter", type: Type, rule: str) -> Instr:
    """Raises Unsupported for what can't be in a buffer."""
    known = emitter.stored_types.get((type.key, rule))
    if known is None:
        try:
            layouts(emitter, rule).of(type)
        except NoLayout as reason:
            raise Unsupported(reason.message) from reason
        if ends_open(emitter, type):
            raise Unsupported(f"'{type}' ends in an array without a size, and can't be a part or an element")
        known = _build_type(emitter, type, rule)
        emitter.stored_types[type.key, rule] = known
    return known


def _build_type(emitter: "Emitter", type: Type, rule: str) -> Instr:
    if isinstance(type, (ScalarType, VectorType, EnumType)):
        _allow_narrow(emitter, scalar_of(_stored_number(type, rule)).width, rule)
        return ir_numeric(emitter, _stored_number(type, rule))
    if isinstance(type, MatrixType):
        _allow_narrow(emitter, scalar_of(type).width, rule)
        major = constant(type.rows if type.row_major else type.columns)
        return _array(emitter, type, ir_numeric(emitter, _stored_number(_part(type), rule)), major, rule)
    if isinstance(type, ArrayType):
        if has_none(type):
            empty = Instr(op.TypeStruct, None, [], str(type))
            emitter.module.globals.append(empty)
            return empty
        element = stored_type(emitter, type.element, rule)
        return _array(emitter, type, element, None if type.count is None else constant(type.count), rule)
    if isinstance(type, InterfaceType):
        return emitter.ir_type(type)
    if isinstance(type, ResourceType) and type.element is not None:
        return stored_type(emitter, type.element, rule)
    if isinstance(type, OptionalType) and isinstance(type.element, InterfaceType):
        return stored_type(emitter, type.element, rule)
    if isinstance(type, (StructType, TupleType, OptionalType)):
        return _struct(emitter, type, rule)
    if isinstance(type, PointerType):
        if emitter.addresses:
            return ir_numeric(emitter, UINT64)
        raise Unsupported(f"'{type}' can't lie in memory: no parameter of the shader has a pointer")
    raise Unsupported(f"'{type}' can't lie in a buffer")


def _allow_narrow(emitter: "Emitter", width: int, rule: str) -> None:
    uniform = rule == emitter.uniform_rule
    if width == 16:
        emitter.capability(
            enums.CapabilityUniformAndStorageBuffer16BitAccess if uniform else enums.CapabilityStorageBuffer16BitAccess
        )
    elif width == 8:
        emitter.capability(
            enums.CapabilityUniformAndStorageBuffer8BitAccess if uniform else enums.CapabilityStorageBuffer8BitAccess
        )


def _stored_number(type: Type, rule: str) -> Type:
    if scalar_of(type).kind != "bool":
        return type
    return shape(type).of(UINT8 if rule == C else UINT)


def _part(type: MatrixType) -> Type:
    """What lies in a row: a row, or a column."""
    return row_type(type) if type.row_major else VectorType(type.element, type.rows)


def _array(emitter: "Emitter", type: Type, element: Instr, count: int | None, rule: str) -> Instr:
    stride = layouts(emitter, rule).of(type).inner
    if count is None:
        return runtime_array(emitter, element, stride)
    if stride == 0:
        raise Unsupported("an array of structs without fields has no layout in a buffer")
    array = Instr(op.TypeArray, None, [element, emitter.word(count)])
    emitter.module.globals.append(array)
    emitter.decorate(array, enums.DecorationArrayStride, stride)
    return array


def runtime_array(emitter: "Emitter", element: Instr, stride: int) -> Instr:
    """Elements that have no bytes stand a word apart: a stride can't be 0."""
    array = Instr(op.TypeRuntimeArray, None, [element])
    emitter.module.globals.append(array)
    emitter.decorate(array, enums.DecorationArrayStride, stride or 4)
    return array


def parts(emitter: "Emitter", type: StructType | TupleType | OptionalType) -> list[Type]:
    """Of a struct, tuple or Optional, in order."""
    return [type.element, BOOL] if isinstance(type, OptionalType) else emitter.field_types(type)


def parts_within(emitter: "Emitter", type: Type) -> list[Type]:
    """The type, and each that is in it once: a type may have its parts in it as often as two to the depth."""
    within: dict[str, Type] = {}
    work = [type]
    while work:
        spend(1)
        part = work.pop()
        if part.key in within:
            continue
        within[part.key] = part
        if isinstance(part, (ArrayType, OptionalType)):
            work.append(part.element)
        elif isinstance(part, (StructType, TupleType)):
            work.extend(emitter.field_types(part))
    return list(within.values())


def _struct(emitter: "Emitter", type: StructType | TupleType | OptionalType, rule: str) -> Instr:
    operands: list[Operand] = []
    for part in parts(emitter, type):
        operands.append(stored_type(emitter, part, rule))
    struct = Instr(op.TypeStruct, None, operands, f"{type}_{rule}")
    emitter.module.globals.append(struct)
    for member, offset in enumerate(layouts(emitter, rule).of(type).offsets):
        emitter.decorate_member(struct, member, enums.DecorationOffset, offset)
    if isinstance(type, StructType):
        for member, field in enumerate(type.struct.fields[: len(operands)]):
            emitter.module.names.append(annotation(op.MemberName, [struct, member, field.name]))
            if field.coherent:
                emitter.decorate_member(struct, member, enums.DecorationCoherent)
    return struct


def block(emitter: "Emitter", member: Instr, name: str) -> Instr:
    """struct { member at 0 }, decorated Block."""
    struct = Instr(op.TypeStruct, None, [member], name)
    emitter.module.globals.append(struct)
    emitter.decorate(struct, enums.DecorationBlock)
    emitter.decorate_member(struct, 0, enums.DecorationOffset, 0)
    return struct


def open_block(emitter: "Emitter", type: StructType, rule: str) -> Instr:
    """A struct that ends in an array without a size, which no other struct may hold. Raises Unsupported."""
    try:
        layouts(emitter, rule).of(type)
    except NoLayout as reason:
        raise Unsupported(reason.message) from reason
    struct = _struct(emitter, type, rule)
    emitter.decorate(struct, enums.DecorationBlock)
    return struct


def ends_open(emitter: "Emitter", type: Type) -> bool:
    """Whether the last field of a struct is an array without a size."""
    if not isinstance(type, StructType):
        return False
    fields = emitter.field_types(type)
    return bool(fields) and isinstance(fields[-1], ArrayType) and fields[-1].count is None


def is_alike(emitter: "Emitter", type: Type) -> bool:
    """Whether the stored form differs from the value in its layout at most: no bool, no matrix in it."""
    within = parts_within(emitter, type)
    return not any(isinstance(part, (OptionalType, MatrixType)) or _is_bool(part) for part in within)


def _is_bool(type: Type) -> bool:
    return isinstance(type, (ScalarType, VectorType)) and scalar_of(type).kind == "bool"


def _alignment(emitter: "Emitter", type: Type, pointer: Value, rule: str) -> list[Operand]:
    """The memory operands of a load or store: an access by address says what it is aligned to."""
    assert isinstance(pointer, Instr) and pointer.type is not None
    if storage_of(pointer.type) != enums.StorageClassPhysicalStorageBuffer:
        return []
    return [enums.MemoryAccessAligned, layouts(emitter, rule).of(type).align]


# ---- loading


def load(emitter: "Emitter", type: Type, pointer: Value, rule: str) -> Value:
    """The value that `pointer`, to `stored_type(type)`, points to."""
    in_memory = stored_type(emitter, type, rule)
    whole = emitter.emit(op.Load, in_memory, [pointer, *_alignment(emitter, type, pointer, rule)])
    return to_value(emitter, type, whole, rule)


def to_value(emitter: "Emitter", type: Type, whole: Value, rule: str) -> Value:
    """From the stored form."""
    if isinstance(type, ResourceType) and type.element is not None:
        return to_value(emitter, type.element, whole, rule)
    if isinstance(type, OptionalType) and isinstance(type.element, InterfaceType):
        return whole
    if _is_bool(type):
        stored = _stored_number(type, rule)
        return emit_op(emitter, op.INotEqual, bools(type), [whole, number(emitter, stored, 0)])
    if isinstance(type, (ScalarType, VectorType, EnumType, InterfaceType, PointerType)):
        return whole
    if isinstance(type, MatrixType):
        return _matrix_value(emitter, type, whole, rule)
    ir_type = emitter.ir_type(type)
    if is_alike(emitter, type):
        return emitter.emit(op.CopyLogical, ir_type, [whole])
    operands: list[Operand] = []
    for index, part in enumerate(_each(emitter, type)):
        one_part = emitter.emit(op.CompositeExtract, stored_type(emitter, part, rule), [whole, index])
        operands.append(to_value(emitter, part, one_part, rule))
    return emitter.emit(op.CompositeConstruct, ir_type, operands)


def _each(emitter: "Emitter", type: Type) -> list[Type]:
    if isinstance(type, ArrayType):
        if type.count is None:
            raise Unsupported("an array without a size can't be a value")
        return [type.element] * constant(type.count)
    assert isinstance(type, (StructType, TupleType, OptionalType))
    return parts(emitter, type)


def _matrix_value(emitter: "Emitter", type: MatrixType, whole: Value, rule: str) -> Value:
    """From an array of rows or columns."""
    part = _part(type)
    lying = ir_numeric(emitter, _stored_number(part, rule))
    values: list[Value] = []
    for index in range(constant(type.rows if type.row_major else type.columns)):
        piece: Value = emitter.emit(op.CompositeExtract, lying, [whole, index])
        if _is_bool(part):
            piece = emit_op(emitter, op.INotEqual, part, [piece, number(emitter, _stored_number(part, rule), 0)])
        values.append(piece)
    if type.row_major:
        return emitter.emit(op.CompositeConstruct, ir_numeric(emitter, type), [*values])
    turned = MatrixType(type.element, type.columns, type.rows)
    matrix = emitter.emit(op.CompositeConstruct, ir_numeric(emitter, turned), [*values])
    return transposed(emitter, turned, MatrixType(type.element, type.rows, type.columns), matrix)


# ---- storing


def store(emitter: "Emitter", type: Type, pointer: Value, value: Value, rule: str) -> None:
    """`value` where `pointer`, to `stored_type(type)`, points. Arrays are stored element by element."""
    if isinstance(type, ResourceType) and type.element is not None:
        store(emitter, type.element, pointer, value, rule)
    elif is_alike(emitter, type) or not isinstance(type, (StructType, TupleType, ArrayType, OptionalType)):
        aligned = _alignment(emitter, type, pointer, rule)
        emitter.effect(op.Store, [pointer, from_value(emitter, type, value, rule), *aligned])
    elif isinstance(type, OptionalType) and isinstance(type.element, InterfaceType):
        emitter.effect(op.Store, [pointer, value, *_alignment(emitter, type, pointer, rule)])
    else:
        assert isinstance(pointer, Instr) and pointer.type is not None
        storage = storage_of(pointer.type)
        for index, part in enumerate(_each(emitter, type)):
            place = emitter.pointer(storage, stored_type(emitter, part, rule))
            target = emitter.emit(op.AccessChain, place, [pointer, emitter.word(index)])
            piece = emitter.emit(op.CompositeExtract, emitter.ir_type(part), [value, index])
            store(emitter, part, target, piece, rule)


def from_value(emitter: "Emitter", type: Type, value: Value, rule: str) -> Value:
    """The stored form of what is alike, a number or a matrix."""
    if _is_bool(type):
        stored = _stored_number(type, rule)
        return emit_op(emitter, op.Select, stored, [value, number(emitter, stored, 1), number(emitter, stored, 0)])
    if isinstance(type, (ScalarType, VectorType, EnumType, InterfaceType, PointerType)):
        return value
    in_memory = stored_type(emitter, type, rule)
    if not isinstance(type, MatrixType):
        return emitter.emit(op.CopyLogical, in_memory, [value])
    part = _part(type)
    pieces = rows_of(emitter, type, value) if type.row_major else columns_of(emitter, type, value)
    return emitter.emit(op.CompositeConstruct, in_memory, [from_value(emitter, part, piece, rule) for piece in pieces])
