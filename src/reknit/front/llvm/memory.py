"""Root objects: what pointers point into, each an array of equal scalars.

    alloca [4 x i32], @shared, a buffer    Root ──▶ array<u32>     as wide as the narrowest access to it; a root that is
    %p = getelementptr ...                 bytes into it           one scalar is a plain variable

LLVM's pointers have no type, so an object has none either: i64 in a root of u32 are two words, a float in it is bits.
Where all accesses are of one type, the scalars have that. First everything that is accessed is counted, then declared.
"""

from collections.abc import Callable
from typing import Final, final

from reknit.front.llvm import syntax
from reknit.front.llvm.layout import Layout
from reknit.front.llvm.syntax import Operand, Type
from reknit.front.llvm.target import Target
from reknit.front.llvm.unsupported import Refusal
from reknit.ir import enums, op
from reknit.ir.instr import Instr
from reknit.ir.module import annotation
from reknit.ir.types import pointer_type

_STORAGE_16: Final = {
    enums.StorageClassStorageBuffer: (enums.CapabilityStorageBuffer16BitAccess, "SPV_KHR_16bit_storage"),
}
_WORD: Final = Type(syntax.INT, "i32", 32)
_STORAGE_8: Final = {
    enums.StorageClassStorageBuffer: (enums.CapabilityStorageBuffer8BitAccess, "SPV_KHR_8bit_storage"),
}


@final
class Root:
    """`size` is in bytes, 0 for a buffer that is as long as it is. `unit` is an element's width in bits. `block` roots
    are buffers: their array is the one member of a struct. `initial` is what a constant table holds. `descriptors` are
    how many buffers a descriptor array has, 0 if there is no array, -1 if there is no bound."""

    __slots__ = (
        "name", "storage", "size", "unit", "types", "atomic", "variable", "element", "block", "scalar", "initial",
        "set", "binding", "readonly", "coherent", "aliased", "descriptors", "struct",
    )  # fmt: skip

    def __init__(self, name: str, storage: int, size: int) -> None:
        self.name = name
        self.storage = storage
        self.size = size
        self.unit = 0
        self.types: dict[str, Type] = {}
        self.atomic = False
        self.variable: Instr | None = None
        self.element: Instr | None = None
        self.block = storage == enums.StorageClassStorageBuffer
        self.scalar = False
        self.initial: bytes | None = None
        self.set = 0
        self.binding = 0
        self.readonly = False
        self.coherent = False
        self.aliased = False
        self.descriptors = 0
        self.struct: Instr | None = None

    def accessed(self, type: Type, alignment: int = 0) -> None:
        """An access of a scalar, vector or pointer; `alignment` in bytes, 0 if as the type's."""
        while type.kind in (syntax.VECTOR, syntax.ARRAY):
            type = type.parts[0]
        if type.kind == syntax.PTR:
            type = _WORD
        if type.kind not in (syntax.INT, syntax.FLOAT):
            return
        width = type.width if type.width in (16, 32, 64) else 8
        if alignment:
            width = min(width, 8 * alignment)
        self.unit = min(self.unit or width, width)
        self.types[type.name] = type

    def declare(self, target: Target) -> Instr:
        """The variable, made at the first call; a Function one belongs into the entry block."""
        if self.variable is not None:
            return self.variable
        unit = self.unit or 32
        only = next(iter(self.types.values())) if len(self.types) == 1 else None
        if only is not None and only.kind == syntax.FLOAT and only.width == unit and not self.block:
            self.element = target.float(unit)
        else:
            self.element = target.uint(unit)
        self.unit = unit
        if self.block:
            self.variable = self._buffer(target, self.element)
            return self.variable
        count = max(1, -(-8 * self.size // unit))
        type = self.element
        self.scalar = count == 1
        if not self.scalar:
            type = target.module.intern(op.TypeArray, None, [self.element, target.word(count)])
        initial = None if self.initial is None else self._constant(target, type, count)
        if self.storage == enums.StorageClassFunction:
            pointer = pointer_type(target.module, self.storage, type)
            self.variable = Instr(op.Variable, pointer, [self.storage], self.name)
        else:
            self.variable = target.variable(self.storage, type, self.name, initial)
        return self.variable

    def _constant(self, target: Target, type: Instr, count: int) -> Instr:
        assert self.initial is not None and self.element is not None
        step = self.unit // 8
        if not any(self.initial):
            return target.module.intern(op.ConstantNull, type, [])
        cells: list[Instr] = []
        for index in range(count):
            bits = int.from_bytes(self.initial[step * index : step * index + step], "little")
            if self.element.op == op.TypeFloat:
                cells.append(target.float_constant(self.unit, bits))
            else:
                cells.append(target.constant(Type(syntax.INT, f"i{self.unit}", self.unit), bits))
        return cells[0] if self.scalar else target.module.intern(op.ConstantComposite, type, [*cells])

    def _buffer(self, target: Target, element: Instr) -> Instr:
        module = target.module
        narrow = {16: _STORAGE_16, 8: _STORAGE_8}.get(self.unit)
        if narrow is not None:
            capability, extension = narrow[self.storage]
            target.capability(capability)
            target.extension(extension)
        array = Instr(op.TypeRuntimeArray, None, [element])
        module.globals.append(array)
        target.decorate(array, enums.DecorationArrayStride, self.unit // 8)
        struct = Instr(op.TypeStruct, None, [array])
        module.globals.append(struct)
        target.decorate(struct, enums.DecorationBlock)
        target.decorate_member(struct, 0, enums.DecorationOffset, 0)
        if self.readonly:
            target.decorate_member(struct, 0, enums.DecorationNonWritable)
        self.struct = struct
        type = struct if self.descriptors == 0 else array_of_descriptors(target, struct, self.descriptors)
        variable = target.variable(self.storage, type, self.name)
        target.decorate(variable, enums.DecorationDescriptorSet, self.set)
        target.decorate(variable, enums.DecorationBinding, self.binding)
        for wanted, decoration in ((self.coherent, enums.DecorationCoherent), (self.aliased, enums.DecorationAliased)):
            if wanted:
                target.decorate(variable, decoration)
        if self.name:
            module.names.append(annotation(op.MemberName, [struct, 0, "words" if self.unit == 32 else "cells"]))
        return variable


def array_of_descriptors(target: Target, type: Instr, count: int) -> Instr:
    """The type of `count` resources in one binding, of any number if that is -1."""
    if count > 0:
        return target.module.intern(op.TypeArray, None, [type, target.word(count)])
    target.capability(enums.CapabilityRuntimeDescriptorArray)
    target.extension("SPV_EXT_descriptor_indexing")
    return target.module.intern(op.TypeRuntimeArray, None, [type])


def initial_bytes(value: Operand, size: int, layout: Layout, address: Callable[[Operand], int]) -> bytes:
    """A constant as it lies in memory; `address` says what the bits of one are. Raises Refusal."""
    if value.kind in (syntax.ZERO, syntax.UNDEF):
        return bytes(size)
    if value.kind == syntax.NUMBER:
        return (value.number & ((1 << (8 * size)) - 1)).to_bytes(size, "little")
    if value.kind == syntax.LIST:
        data = bytearray(size)
        for index, part in enumerate(value.parts):
            at, length = layout.part(value.type, index)
            data[at : at + length] = initial_bytes(part, length, layout, address)
        return bytes(data)
    if value.type.kind == syntax.PTR and size == 8:
        return address(value).to_bytes(size, "little")
    raise Refusal("has an initial value that is no constant number")
