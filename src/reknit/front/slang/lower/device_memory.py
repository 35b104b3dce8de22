"""Pointers that are addresses of the device's memory, where a program has such from outside: 64 bits, 0 is nullptr.

    struct P { T* p; }  ConstantBuffer<P> b;      b holds the address: its lower word first
    b.p[i].f                                      %a = b.p + i * stride       %q = ConvertUToPtr %a
                                                  Load (AccessChain %q f) Aligned 4
    p + i    address + i * stride    &p->f    ConvertPtrToU (AccessChain %q f)    (U*)p, (uint64_t)p    the address

What a pointer leads to lies by the scalar rules, which is what slangc's "natural" are in SPIR-V: a bool takes 4 bytes.
Pointers to variables of the shader are no addresses: a program that has both is refused.
"""

from reknit.front.slang.builtins import stored
from reknit.front.slang.builtins.constants import scalar_constant
from reknit.front.slang.builtins.conversion import converted
from reknit.front.slang.layout import SCALAR
from reknit.front.slang.lower.lvalues import Memory
from reknit.front.slang.lower.state import Lowering
from reknit.front.slang.symbols import Program, Variable
from reknit.front.slang.types import (
    UINT64,
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

PUSHED = ("vk::push_constant", "vk_push_constant", "push_constant")
_WORD = 1 << 64


def are_from_outside(low: Lowering, program: Program) -> bool:
    """Whether pointers are addresses: a number is cast to one, or a shader parameter has one in a buffer, a struct, an
    array or behind another pointer. A plain `uniform T* p` is a buffer of its own."""
    if program.addresses:
        return True
    given = [variable for variable in program.globals if variable.kind == "uniform"]
    for entry in program.entries:
        given.extend(entry.params)
    return any(_has_address(low, variable) for variable in given)


def _has_address(low: Lowering, variable: Variable) -> bool:
    type = variable.type
    if isinstance(type, PointerType) and not any(name in variable.attributes for name in PUSHED):
        type = type.element
    seen: dict[str, None] = {}
    work = [type]
    while work:
        spend(1)
        part = work.pop()
        if isinstance(part, PointerType):
            return True
        if part.key in seen:
            continue
        seen[part.key] = None
        if isinstance(part, (ArrayType, OptionalType)):
            work.append(part.element)
        elif isinstance(part, ResourceType) and part.element is not None:
            work.append(part.element)
        elif isinstance(part, (StructType, TupleType)):
            work.extend(low.field_types(part))
    return False


def pointed(low: Lowering, type: Type, address: Value) -> Memory:
    """What `address` leads to. Raises Unsupported for what can't be in memory."""
    pointer = low.pointer(enums.StorageClassPhysicalStorageBuffer, stored.stored_type(low, type, SCALAR))
    low.capability(enums.CapabilityPhysicalStorageBufferAddresses)
    low.extension("SPV_KHR_physical_storage_buffer")
    low.module.memory_model[0].operands[0] = enums.AddressingModelPhysicalStorageBuffer64
    return Memory(type, low.emit(op.ConvertUToPtr, pointer, [address]), [], SCALAR)


def is_pointed(place: object) -> bool:
    return isinstance(place, Memory) and place.storage() == enums.StorageClassPhysicalStorageBuffer


def address_of(low: Lowering, place: Memory) -> Value:
    """Of what a pointer leads to, or a part of it."""
    pointer = place.pointer(low)
    wide = low.ir_type(UINT64)
    if isinstance(pointer, Instr) and pointer.op == op.ConvertUToPtr:
        return pointer.value(0)
    return low.emit(op.ConvertPtrToU, wide, [pointer])


def moved(low: Lowering, type: Type, address: Value, index_type: Type, index: Value) -> Value:
    """The address `index` elements of `type` further on. Raises Unsupported."""
    wide = low.ir_type(UINT64)
    stored.stored_type(low, type, SCALAR)
    stride = stored.layouts(low, SCALAR).of(type).stride
    known = as_int(index)
    if known is not None and isinstance(index_type, ScalarType):
        if known == 0:
            return address
        return low.emit(op.IAdd, wide, [address, scalar_constant(low, UINT64, known * stride % _WORD)])
    count = converted(low, index_type, UINT64, index)
    if stride != 1:
        count = low.emit(op.IMul, wide, [count, scalar_constant(low, UINT64, stride)])
    return low.emit(op.IAdd, wide, [address, count])
