"""Scopes and semantics of memory operations, as GLSL's memory model wants them.

InterlockedAdd         Device, relaxed        GroupMemoryBarrierWithGroupSync   ControlBarrier Workgroup Workgroup
AllMemoryBarrier       MemoryBarrier Device, AcquireRelease of buffers, groupshared memory and images
"""

from reknit.front.slang.builtins.emitter import Unsupported
from reknit.ir import enums
from reknit.ir.instr import Instr
from reknit.ir.types import storage_of
from reknit.ir.value import Value

ORDERED = enums.MemorySemanticsAcquireRelease
SHARED = enums.MemorySemanticsWorkgroupMemory
BUFFERS = enums.MemorySemanticsUniformMemory
IMAGES = enums.MemorySemanticsImageMemory
ORDERS = (
    enums.MemorySemanticsNone,
    enums.MemorySemanticsAcquire,
    enums.MemorySemanticsRelease,
    enums.MemorySemanticsAcquireRelease,
    enums.MemorySemanticsSequentiallyConsistent,
)
"""The values of Slang's MemoryOrder."""


def atomic_scope(pointer: Value) -> int:
    """A workgroup for its own memory, the device for all else."""
    assert isinstance(pointer, Instr) and pointer.type is not None
    shared = storage_of(pointer.type) == enums.StorageClassWorkgroup
    return enums.ScopeWorkgroup if shared else enums.ScopeDevice


def order_semantics(pointer: Value, order: int, reads: bool = True, writes: bool = True) -> int:
    """`order` is MemoryOrder's; a sequentially consistent one is acquire and release here, as Vulkan asks, of what an
    operation does. Raises Unsupported where nothing is read that could acquire, or written that could release (Vulkan,
    Standalone SPIR-V Validation: AtomicLoad, AtomicStore, the Unequal semantics of AtomicCompareExchange)."""
    if order == 0:
        return enums.MemorySemanticsNone
    assert isinstance(pointer, Instr) and pointer.type is not None
    if order == enums.MemorySemanticsSequentiallyConsistent:
        order = ORDERED if reads and writes else enums.MemorySemanticsAcquire if reads else enums.MemorySemanticsRelease
    if not reads and order != enums.MemorySemanticsRelease:
        raise Unsupported("an atomic operation that reads nothing can only be relaxed or a release")
    if not writes and order != enums.MemorySemanticsAcquire:
        raise Unsupported("an atomic operation that writes nothing can only be relaxed or an acquire")
    return order | (SHARED if storage_of(pointer.type) == enums.StorageClassWorkgroup else BUFFERS)
