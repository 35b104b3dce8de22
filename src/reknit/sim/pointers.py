"""Where a pointer points, for a lane: chains of indices resolved to a variable, or to a pointer that is only known at
run time.

    %p = OpAccessChain %buf %0 %i       Chain(base %buf, indices [%0, %i])
    %q = OpAccessChain %p %k            Chain(base %buf, indices [%0, %i, %k])
    load through %q                     one place, found at the load

A chain computes nothing where it stands: its indices have the same values wherever the chain is used, since they
dominate it.
"""

from typing import Final, final

from reknit.ir import enums, op, traits
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.types import pointee, storage_of
from reknit.ir.value import Value

IN_BUFFERS: Final = (
    enums.StorageClassUniform,
    enums.StorageClassStorageBuffer,
    enums.StorageClassPushConstant,
)

BY_ADDRESS: Final = (enums.StorageClassPhysicalStorageBuffer, enums.StorageClassCrossWorkgroup)
"""A pointer into these is a number (`sim.addresses`)."""

IN_CELLS: Final = (
    enums.StorageClassFunction,
    enums.StorageClassPrivate,
    enums.StorageClassWorkgroup,
    enums.StorageClassInput,
    enums.StorageClassOutput,
    enums.StorageClassUniformConstant,
)


@final
class Chain:
    """`base` is an OpVariable, or what makes a pointer at run time (a parameter, phi, select ...). `indices` go from
    the type that `base` points to; `element`, if not None, first steps over whole elements (OpPtrAccessChain on
    `base`)."""

    __slots__ = ("base", "indices", "element")

    def __init__(self, base: Instr, indices: list[Value], element: Instr | None) -> None:
        self.base = base
        self.indices = indices
        self.element = element

    def storage(self) -> int:
        assert self.base.type is not None
        return storage_of(self.base.type)

    def pointee(self) -> Instr:
        assert self.base.type is not None
        return pointee(self.base.type)


def is_pointer(value: Value) -> bool:
    return isinstance(value, Instr) and value.type is not None and value.type.op == op.TypePointer


def is_address(value: Value) -> bool:
    """Whether a value is a pointer that is a number."""
    return isinstance(value, Instr) and value.type is not None and is_address_type(value.type)


def is_address_type(type: Instr) -> bool:
    return type.op == op.TypePointer and type.word(0) in BY_ADDRESS


def aligned_by(user: Instr) -> int:
    """The alignment that an access names (Aligned), 1 where it names none."""
    at = 1 if user.op == op.Load else 2
    if user.op not in (op.Load, op.Store, op.CopyMemory) or len(user.operands) <= at + 1:
        return 1
    return user.word(at + 1) if user.word(at) & enums.MemoryAccessAligned else 1


def has_addresses(module: Module) -> bool:
    return any(is_address_type(instr) for instr in module.globals)


def resolve(pointer: Instr) -> Chain:
    """Follow access chains and copies back to where the pointer comes from. An OpPtrAccessChain is a base of its own:
    it is computed where it stands."""
    indices: list[Value] = []
    at = pointer
    while True:
        if at.op == op.AccessChain or at.op == op.InBoundsAccessChain:
            indices = [at.value(index) for index in range(1, len(at.operands))] + indices
            at = at.instr(0)
        elif at.op == op.CopyObject:
            at = at.instr(0)
        else:
            return Chain(at, indices, None)


def resolve_element(pointer: Instr) -> Chain:
    """The chain of an OpPtrAccessChain itself. Its base is a pointer that exists at run time."""
    return Chain(
        pointer.instr(0), [pointer.value(index) for index in range(2, len(pointer.operands))], pointer.instr(1)
    )


def needs_address(pointer: Instr) -> bool:
    """Whether something takes the pointer itself as a value, so that it must exist at run time."""
    if pointer.op in (op.PtrAccessChain, op.InBoundsPtrAccessChain):
        return True
    for user in pointer.users:
        if not isinstance(user, Instr):
            return True
        if user.op in traits.OBJECT_CHAIN or user.op == op.CopyObject:
            continue  # looked through; its own users decide
        if user.op in (op.Load, op.ArrayLength, op.CopyMemory) or user.op in traits.ATOMIC or user.op == op.ExtInst:
            continue
        if user.op == op.Store and user.operands[1] is not pointer:
            continue
        return True
    return False


def only_accessed(variable: Instr) -> bool:
    """Whether nothing but loads and stores uses a variable."""
    for user in variable.users:
        if not isinstance(user, Instr):
            return False
        if user.op != op.Load and (user.op != op.Store or user.operands[1] is variable):
            return False
    return True


def pointee_is_array(chain: Chain) -> bool:
    """Whether a buffer variable is an array of buffers."""
    type = chain.pointee()
    return type.op == op.TypeArray or type.op == op.TypeRuntimeArray
