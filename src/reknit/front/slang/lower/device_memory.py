"""Pointers that a program has from outside: addresses of the device's memory, 64 bits, 0 is nullptr.

    struct P { T* p; }  ConstantBuffer<P> b;      b holds the address: its lower word first
    b.p[i].f                                      %a = b.p + i * stride       %q = ConvertUToPtr %a
                                                  Load (AccessChain %q f) Aligned 4
    p + i    address + i * stride    &p->f    ConvertPtrToU (AccessChain %q f)    (U*)p, (uint64_t)p    the address

What a pointer leads to lies by the scalar rules, which is what slangc's "natural" are in SPIR-V: a bool takes 4 bytes.
Where a program points to its own variables as well, `pointers` tells the two apart when one is followed.
"""

from reknit.front.slang.builtins import stored
from reknit.front.slang.builtins.constants import scalar_constant
from reknit.front.slang.builtins.conversion import converted
from reknit.front.slang.builtins.emitter import Unsupported
from reknit.front.slang.layout import SCALAR
from reknit.front.slang.lower.lvalues import Memory
from reknit.front.slang.lower.state import Lowering
from reknit.front.slang.symbols import Program
from reknit.front.slang.types import (
    UINT64,
    VOID,
    ArrayType,
    OptionalType,
    PointerType,
    ResourceType,
    ScalarType,
    StructType,
    TupleType,
    Type,
)
from reknit.ir import enums, op
from reknit.ir.constants import as_int
from reknit.ir.instr import Instr
from reknit.ir.value import Value
from reknit.source.meter import spend

_WORD = 1 << 64


def are_from_outside(low: Lowering, program: Program) -> bool:
    """Whether some pointers are addresses: a shader parameter has one, or a number is cast to one."""
    if program.addresses:
        return True
    given = [variable for variable in program.globals if variable.kind == "uniform"]
    for entry in program.entries:
        given.extend(entry.params)
    return any(_has_address(low, variable.type) for variable in given)


def _has_address(low: Lowering, type: Type) -> bool:
    seen: dict[str, None] = {}
    work: list[Type] = [type]
    while work:
        spend(1)
        part = work.pop()
        if isinstance(part, PointerType):
            return True
        if part.key in seen:
            continue
        seen[part.key] = None
        if isinstance(part, (ArrayType, OptionalType, ResourceType)):
            inner = part.element
            if inner is not None:
                work.append(inner)
        elif isinstance(part, (StructType, TupleType)):
            work.extend(low.field_types(part))
    return False


def pointed(low: Lowering, type: Type, address: Value) -> Memory:
    """What `address` leads to. Raises Unsupported for what can't be in memory."""
    held = _held(low, type)
    inside: list[Value] = []
    if low.coherent:
        held = _coherent(low, type, held)
        inside = [low.word(0)]
    pointer = low.pointer(enums.StorageClassPhysicalStorageBuffer, held)
    low.capability(enums.CapabilityPhysicalStorageBufferAddresses)
    low.extension("SPV_KHR_physical_storage_buffer")
    low.module.memory_model[0].operands[0] = enums.AddressingModelPhysicalStorageBuffer64
    return Memory(type, low.emit(op.ConvertUToPtr, pointer, [address]), inside, SCALAR)


def _held(low: Lowering, type: Type) -> Instr:
    """How it lies in memory; a struct that ends in an array without a size is a block. Raises Unsupported."""
    if not isinstance(type, StructType) or not stored.ends_open(low, type):
        return stored.stored_type(low, type, SCALAR)
    if low.coherent:
        raise Unsupported(f"coherent accesses to '{type}', which ends in an array without a size, are not supported")
    key = (type.key, "open")
    if key not in low.stored_types:
        low.stored_types[key] = stored.open_block(low, type, SCALAR)
    return low.stored_types[key]


def _coherent(low: Lowering, type: Type, held: Instr) -> Instr:
    """A struct of it, whose member is decorated: no variable is there to be."""
    key = (type.key, "coherent")
    struct = low.stored_types.get(key)
    if struct is None:
        struct = Instr(op.TypeStruct, None, [held], f"{type}_coherent")
        low.module.globals.append(struct)
        low.decorate_member(struct, 0, enums.DecorationOffset, 0)
        low.decorate_member(struct, 0, enums.DecorationCoherent)
        low.stored_types[key] = struct
    return struct


def is_pointed(place: object) -> bool:
    return isinstance(place, Memory) and place.storage() == enums.StorageClassPhysicalStorageBuffer


def address_of(low: Lowering, place: Memory) -> Value:
    """Of what a pointer leads to, or a part of it."""
    pointer = place.pointer(low)
    wide = low.ir_type(UINT64)
    if isinstance(pointer, Instr) and pointer.op == op.ConvertUToPtr:
        return pointer.value(0)
    return low.emit(op.ConvertPtrToU, wide, [pointer])


def stride_of(low: Lowering, type: Type) -> int:
    """Bytes from an element to the next; 1 where only places of the program can have it. `void` is taken for a word, as
    slangc has it. Raises Unsupported."""
    if type.key == VOID.key:
        return 4
    if low.own_pointers and not can_have(low, type):
        return 1
    stored.stored_type(low, type, SCALAR)
    return stored.layouts(low, SCALAR).of(type).stride


def can_have(low: Lowering, type: Type) -> bool:
    """Whether a value of the type can be in memory."""
    try:
        _held(low, type)
    except Unsupported:
        return False
    return True


def moved(low: Lowering, type: Type, address: Value, index_type: Type, index: Value) -> Value:
    """The address `index` elements of `type` further on. Raises Unsupported."""
    wide = low.ir_type(UINT64)
    known = as_int(index) if isinstance(index_type, ScalarType) else None
    if known == 0:
        return address
    stride = stride_of(low, type)
    if known is not None:
        return low.emit(op.IAdd, wide, [address, scalar_constant(low, UINT64, known * stride % _WORD)])
    count = converted(low, index_type, UINT64, index)
    if stride != 1:
        count = low.emit(op.IMul, wide, [count, scalar_constant(low, UINT64, stride)])
    return low.emit(op.IAdd, wide, [address, count])
