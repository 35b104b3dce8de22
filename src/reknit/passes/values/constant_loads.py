"""Loads of what doesn't change while a shader runs.

    PushConstant, UniformConstant (images, samplers), Uniform blocks         nothing writes them
    Input                                                                    written before the shader starts
    StorageBuffer, BufferBlock, Workgroup, Private, Function and the rest    no

Nothing that is Volatile or Aliased, and of inputs of ray tracing stages, where built-ins change at calls of other
shaders, only the place in the launch and its size; HelperInvocation changes when a fragment is demoted. Source: SPIR-V
1.6, 2.18.2 "Aliasing", "Storage Class"; SPV_EXT_demote_to_helper_invocation; Vulkan, "Ray Tracing Repack Instruction",
LaunchIdKHR, LaunchSizeKHR.

A load from another buffer, or from a mesh shader's payload, gives a lane the same again (`stays_same`) if

    - nothing in the module may write there (`analysis/writes`): no store, atomic, copy, call takes a pointer there, or
      one whose variable isn't seen. An address may be of any buffer, so nothing at all is written then. Which variables
      may be the same memory says `analysis/aliasing`.
    - no invocation outside of the workgroup may write there between two loads without a data race, which is undefined
      (Vulkan, "Memory Model"): it would have to wait for the first of them, and the second for it, and no barrier,
      atomic or interlock of the module is ordered beyond its workgroup. Ray tracing stages call other modules' shaders.
    - it is neither Coherent nor Volatile, and has no memory operand but an alignment.
"""

from typing import Final, final

from reknit.analysis.aliasing import Aliasing
from reknit.analysis.decorations import Decorations
from reknit.analysis.effects import Effects
from reknit.analysis.writes import WITHOUT_CALLS, Writes, variable_of
from reknit.ir import enums, op
from reknit.ir.instr import Instr
from reknit.ir.types import pointee, storage_of
from reknit.ir.value import Value
from reknit.passes.contract import Context

_LAUNCH: Final = (enums.BuiltInLaunchIdKHR, enums.BuiltInLaunchSizeKHR)
_ALIGNED: Final = enums.MemoryAccessAligned
_BUFFERS: Final = (
    enums.StorageClassUniform, enums.StorageClassStorageBuffer, enums.StorageClassTaskPayloadWorkgroupEXT,
)  # fmt: skip
_SHARED: Final = (enums.DecorationAliased, enums.DecorationCoherent, enums.DecorationVolatile)


@final
class Unwritten:
    """What is known of a module's variables."""

    __slots__ = ("context", "effects", "decorations", "steady", "helper", "launch")

    def __init__(self, context: Context) -> None:
        module = context.module
        self.context = context
        self.effects = context.analyses.of_module(Effects)
        self.decorations = context.analyses.of_module(Decorations)
        self.steady = all(entry.word(0) in WITHOUT_CALLS for entry in module.entry_points)
        self.helper: dict[Value, None] = {}
        self.launch: dict[Value, None] = {}
        for instr in module.decorations:
            if instr.op == op.Decorate and instr.word(1) == enums.DecorationBuiltIn:
                if instr.word(2) == enums.BuiltInHelperInvocation:
                    self.helper[instr.value(0)] = None
                elif instr.word(2) in _LAUNCH:
                    self.launch[instr.value(0)] = None

    def _always_same(self, load: Instr) -> bool:
        """True for an OpLoad that gives a lane the same whenever it executes, through the same pointer."""
        if load.op != op.Load or self.effects.is_volatile(load, 1):
            return False
        if len(load.operands) > 1 and load.word(1) & ~_ALIGNED:
            return False
        variable = variable_of(load.value(0))
        if variable is None or variable.type is None or variable.type.op != op.TypePointer:
            return False
        own = self.decorations.of(variable)
        if enums.DecorationAliased in own:
            return False
        storage = variable.operands[0]
        if storage == enums.StorageClassPushConstant or storage == enums.StorageClassUniformConstant:
            return True
        if storage == enums.StorageClassInput:
            return (self.steady and variable not in self.helper) or variable in self.launch
        if storage != enums.StorageClassUniform:
            return False
        if self._is_written_elsewhere(variable):
            return False
        block = pointee(variable.type)
        while block.op == op.TypeArray or block.op == op.TypeRuntimeArray:
            block = block.instr(0)
        return enums.DecorationBufferBlock not in self.decorations.of(block)

    def stays_same(self, load: Instr) -> bool:
        """True for an OpLoad that gives a lane what the same load gave it before, through the same pointer."""
        return self._always_same(load) or self._is_of_unwritten_buffer(load)

    def _is_of_unwritten_buffer(self, load: Instr) -> bool:
        if load.op != op.Load or self.effects.is_volatile(load, 1):
            return False
        if len(load.operands) > 1 and load.word(1) & ~_ALIGNED:
            return False
        pointer = load.instr(0)
        if pointer.type is None or pointer.type.op != op.TypePointer:
            return False
        storage = storage_of(pointer.type)
        variable = variable_of(pointer)
        if storage == enums.StorageClassPhysicalStorageBuffer:
            writes = self.context.analyses.of_module(Writes)
            return not (writes.is_ordered or writes.unknown or writes.written)
        if storage not in _BUFFERS or variable is None:
            return False
        if any(decoration in _SHARED for decoration in self.decorations.of(variable)):
            return False
        writes = self.context.analyses.of_module(Writes)
        if writes.is_ordered or writes.unknown or variable in writes.written:
            return False
        return not self._is_written_elsewhere(variable)

    def _is_written_elsewhere(self, variable: Instr) -> bool:
        """Whether something writes a variable's memory by another variable, or by an address."""
        writes = self.context.analyses.of_module(Writes)
        aliasing = self.context.analyses.of_module(Aliasing)
        others = [each for each in writes.written if each is not variable]
        return aliasing.may_be_any(variable, others) or (writes.unknown and aliasing.may_have_address(variable))

