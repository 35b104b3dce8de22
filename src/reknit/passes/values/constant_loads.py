"""Loads of what doesn't change while a shader runs.

    PushConstant, UniformConstant (images, samplers), Uniform blocks         nothing writes them
    Input                                                                    written before the shader starts
    StorageBuffer, BufferBlock, Workgroup, Private, Function and the rest    no

Nothing that is Volatile or Aliased, and no input of a stage in which built-ins change while it runs (ray tracing);
HelperInvocation changes when a fragment is demoted. Source: SPIR-V 1.6, 2.18.2 "Aliasing", "Storage Class";
SPV_EXT_demote_to_helper_invocation.
"""

from typing import Final, final

from reknit.analysis.decorations import Decorations
from reknit.analysis.effects import Effects
from reknit.analysis.uniformity.memory import variable_of
from reknit.ir import enums, op
from reknit.ir.instr import Instr
from reknit.ir.types import pointee
from reknit.ir.value import Value
from reknit.passes.contract import Context

_STEADY_STAGES: Final = (
    enums.ExecutionModelVertex, enums.ExecutionModelTessellationControl, enums.ExecutionModelTessellationEvaluation,
    enums.ExecutionModelGeometry, enums.ExecutionModelFragment, enums.ExecutionModelGLCompute,
)  # fmt: skip
_HELPER: Final = [enums.DecorationBuiltIn, enums.BuiltInHelperInvocation]
_ALIGNED: Final = enums.MemoryAccessAligned


@final
class Unwritten:
    """What is known of a module's variables."""

    __slots__ = ("effects", "decorations", "steady", "helper")

    def __init__(self, context: Context) -> None:
        module = context.module
        self.effects = context.analyses.of_module(Effects)
        self.decorations = context.analyses.of_module(Decorations)
        self.steady = all(entry.word(0) in _STEADY_STAGES for entry in module.entry_points)
        self.helper: dict[Value, None] = {}
        for instr in module.decorations:
            if instr.op == op.Decorate and instr.operands[1:] == _HELPER:
                self.helper[instr.value(0)] = None

    def always_same(self, load: Instr) -> bool:
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
            return self.steady and variable not in self.helper
        if storage != enums.StorageClassUniform:
            return False
        block = pointee(variable.type)
        while block.op == op.TypeArray or block.op == op.TypeRuntimeArray:
            block = block.instr(0)
        return enums.DecorationBufferBlock not in self.decorations.of(block)
