"""Loads and stores of what has something dynamic in it.

own place         Load %p : TaggedUnion                        the place has the form that all places have
public place      CastInterfaceToTaggedUnionPtr %p; Load       existential by existential: the layout stays
by an address     Load %p Aligned 4                            of its parts' scalars
"""

from reknit.ir import enums, op
from reknit.ir.constants import as_int, int_constant
from reknit.ir.instr import Instr, Operand
from reknit.ir.types import int_type, pointer_type, storage_of
from reknit.passes.dispatch.casts import Caster
from reknit.passes.dispatch.shapes import Shapes


def load_public(caster: Caster, shapes: Shapes, pointer: Instr) -> Instr:
    """What is behind a pointer into storage that others can reach, in the form of a place of our own."""
    assert pointer.type is not None
    type = pointer.type.instr(1)
    if type.op == op.TypeInterface:
        cast = _cast_pointer(caster, shapes, pointer)
        assert cast.type is not None
        return caster.emit(op.Load, cast.type.instr(1), [cast])
    if shapes.lift(type) is type:
        return caster.emit(op.Load, type, [pointer, *alignment(pointer)])
    parts: list[Operand] = []
    for index in range(_count(type)):
        part = _member(caster, pointer, type, index)
        inner = shapes.lift(part_type(type, index))
        parts.append(caster.cast(load_public(caster, shapes, part), inner))
    return caster.emit(op.CompositeConstruct, shapes.lift(type), parts)


def store_public(caster: Caster, shapes: Shapes, pointer: Instr, value: Instr) -> None:
    assert pointer.type is not None and value.type is not None
    type = pointer.type.instr(1)
    if type.op == op.TypeInterface:
        cast = _cast_pointer(caster, shapes, pointer)
        assert cast.type is not None
        caster.emit(op.Store, None, [cast, caster.cast(value, cast.type.instr(1))])
        return
    if shapes.lift(type) is type:
        caster.emit(op.Store, None, [pointer, value, *alignment(pointer)])
        return
    for index in range(_count(type)):
        inner = value.type.instr(index if type.op == op.TypeStruct else 0)
        part = caster.emit(op.CompositeExtract, inner, [value, index])
        store_public(caster, shapes, _member(caster, pointer, type, index), part)


def _cast_pointer(caster: Caster, shapes: Shapes, pointer: Instr) -> Instr:
    assert pointer.type is not None
    interface = shapes.flow.forms.universe.of(pointer.type.instr(1))
    tagged = shapes.tagged(interface, interface.outside | interface.none)
    type = pointer_type(shapes.module, storage_of(pointer.type), tagged)
    return caster.emit(op.CastInterfaceToTaggedUnionPtr, type, [pointer])


def alignment(pointer: Instr) -> list[Operand]:
    """The memory operands of an access there: through an address it says what that is aligned to, as the largest scalar
    of what lies there is."""
    assert pointer.type is not None
    if storage_of(pointer.type) != enums.StorageClassPhysicalStorageBuffer:
        return []
    return [enums.MemoryAccessAligned, _scalar_size(pointer.type.instr(1))]


def _scalar_size(type: Instr) -> int:
    if type.op in (op.TypeInt, op.TypeFloat):
        return type.word(0) // 8
    if type.op == op.TypePointer:
        return 8
    if type.op == op.TypeStruct:
        return max([_scalar_size(type.instr(index)) for index in range(len(type.operands))], default=1)
    return 4 if type.op == op.TypeInterface else _scalar_size(type.instr(0))


def _count(type: Instr) -> int:
    count = len(type.operands) if type.op == op.TypeStruct else as_int(type.value(1))
    assert count is not None
    return count


def part_type(type: Instr, index: int) -> Instr:
    return type.instr(index if type.op == op.TypeStruct else 0)


def _member(caster: Caster, pointer: Instr, type: Instr, index: int) -> Instr:
    assert pointer.type is not None
    module = caster.module
    at = int_constant(module, int_type(module, 32, False), index)
    inner = pointer_type(module, storage_of(pointer.type), part_type(type, index))
    return caster.emit(op.AccessChain, inner, [pointer, at])
