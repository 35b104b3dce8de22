"""Barriers of memory and of control.

    GroupMemoryBarrierWithGroupSync()    ControlBarrier Workgroup Workgroup AcquireRelease|WorkgroupMemory
    AllMemoryBarrier()                   MemoryBarrier Device AcquireRelease|UniformMemory|WorkgroupMemory|ImageMemory

Source: Microsoft's HLSL reference; Slang's core module for those of waves, GLSL's GL_KHR_shader_subgroup for subgroup*.
"""

from typing import Final

from reknit.front.slang.builtins.builtin import Maker
from reknit.front.slang.builtins.emitter import Emitter
from reknit.front.slang.builtins.memory import BUFFERS, IMAGES, ORDERED, SHARED
from reknit.front.slang.builtins.rows import Row, Rows
from reknit.front.slang.hir import Intrinsic
from reknit.front.slang.types import Type
from reknit.ir import enums, op
from reknit.ir.value import Value

_ALL: Final = BUFFERS | SHARED | IMAGES
_DEVICE: Final = BUFFERS | IMAGES


def _memory(scope: int, what: int) -> Maker:
    def make(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
        emitter.effect(op.MemoryBarrier, [emitter.word(scope), emitter.word(ORDERED | what)])
        return None

    return make


def _control(execution: int, scope: int, what: int) -> Maker:
    def make(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
        semantics = ORDERED | what if what else enums.MemorySemanticsNone
        emitter.effect(op.ControlBarrier, [emitter.word(execution), emitter.word(scope), emitter.word(semantics)])
        return None

    return make


def _row(make: Maker) -> Row:
    return "n void()", make


FUNCTIONS: Final[Rows] = {
    "AllMemoryBarrier": _row(_memory(enums.ScopeDevice, _ALL)),
    "AllMemoryBarrierWithGroupSync": _row(_control(enums.ScopeWorkgroup, enums.ScopeDevice, _ALL)),
    "AllMemoryBarrierWithWaveMaskSync": ("i void(uint)", _control(enums.ScopeSubgroup, enums.ScopeDevice, _ALL)),
    "AllMemoryBarrierWithWaveSync": _row(_control(enums.ScopeSubgroup, enums.ScopeDevice, _ALL)),
    "DeviceMemoryBarrier": _row(_memory(enums.ScopeDevice, _DEVICE)),
    "DeviceMemoryBarrierWithGroupSync": _row(_control(enums.ScopeWorkgroup, enums.ScopeDevice, _DEVICE)),
    "GroupMemoryBarrier": _row(_memory(enums.ScopeWorkgroup, SHARED)),
    "GroupMemoryBarrierWithGroupSync": _row(_control(enums.ScopeWorkgroup, enums.ScopeWorkgroup, SHARED)),
    "GroupMemoryBarrierWithWaveMaskSync": ("i void(uint)", _control(enums.ScopeSubgroup, enums.ScopeWorkgroup, SHARED)),
    "GroupMemoryBarrierWithWaveSync": _row(_control(enums.ScopeSubgroup, enums.ScopeWorkgroup, SHARED)),
    "barrier": _row(_control(enums.ScopeWorkgroup, enums.ScopeWorkgroup, SHARED)),
    "groupMemoryBarrier": _row(_memory(enums.ScopeWorkgroup, _ALL)),
    "memoryBarrier": _row(_memory(enums.ScopeDevice, _ALL)),
    "memoryBarrierAtomicCounter": _row(_memory(enums.ScopeDevice, BUFFERS)),  # counters are buffers in Vulkan
    "memoryBarrierBuffer": _row(_memory(enums.ScopeDevice, BUFFERS)),
    "memoryBarrierImage": _row(_memory(enums.ScopeDevice, IMAGES)),
    "memoryBarrierShared": _row(_memory(enums.ScopeWorkgroup, SHARED)),
    "subgroupBarrier": _row(_control(enums.ScopeSubgroup, enums.ScopeSubgroup, _ALL)),
    "subgroupMemoryBarrier": _row(_memory(enums.ScopeSubgroup, _ALL)),
    "subgroupMemoryBarrierBuffer": _row(_memory(enums.ScopeSubgroup, BUFFERS)),
    "subgroupMemoryBarrierImage": _row(_memory(enums.ScopeSubgroup, IMAGES)),
    "subgroupMemoryBarrierShared": _row(_memory(enums.ScopeSubgroup, SHARED)),
}
