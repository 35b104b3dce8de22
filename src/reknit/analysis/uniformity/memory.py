"""Which loads give all lanes the same, if they read through the same pointer.

    Uniform, PushConstant, UniformConstant        nothing writes them
    StorageBuffer                                 if this variable can't be written by the module, and is not Aliased
    Input                                         built-ins that are one per workgroup or subgroup
    Function, Private, Workgroup, the rest        no: each lane has its own, or others write between two lanes' reads

Values kept in variables are promoted before anything asks (`promote-variables`), so their loads aren't followed here.
Source: SPIR-V 1.6, 2.18.2 "Aliasing": without Aliased, memory object declarations are assumed not to alias.
"""

from typing import Final, final

from reknit.analysis.decorations import Decorations
from reknit.analysis.uniformity.scope import Scope
from reknit.ir import enums, op, traits
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.types import pointee, storage_of
from reknit.ir.value import Value
from reknit.ir.walk import instruction_list

_PER_WORKGROUP: Final = (
    enums.BuiltInNumWorkgroups,
    enums.BuiltInWorkgroupSize,
    enums.BuiltInWorkgroupId,
    enums.BuiltInNumSubgroups,
    enums.BuiltInDeviceIndex,
)
_PER_SUBGROUP: Final = (enums.BuiltInSubgroupId, enums.BuiltInSubgroupSize)

# Stages that have workgroups, none of which shares a subgroup with another.
_COMPUTE: Final = (
    enums.ExecutionModelGLCompute,
    enums.ExecutionModelKernel,
    enums.ExecutionModelTaskNV,
    enums.ExecutionModelMeshNV,
    enums.ExecutionModelTaskEXT,
    enums.ExecutionModelMeshEXT,
)

_CHAINS: Final = traits.OBJECT_CHAIN | {op.CopyObject}


@final
class Memory:
    """What is known of a module's variables, for one scope."""

    __slots__ = ("scope", "decorations", "compute", "builtins", "written", "unknown")

    def __init__(self, module: Module, decorations: Decorations, scope: Scope) -> None:
        self.scope = scope
        self.decorations = decorations
        self.compute = all(entry.word(0) in _COMPUTE for entry in module.entry_points)
        self.builtins: dict[Value, int] = {}
        for instr in module.decorations:
            if instr.op == op.Decorate and len(instr.operands) == 3 and instr.word(1) == enums.DecorationBuiltIn:
                self.builtins[instr.value(0)] = instr.word(2)
        self.written: dict[Value, None] = {}
        self.unknown = False  # something is written through a pointer whose variable isn't known
        for function in module.functions:
            for instr in instruction_list(function):
                if instr.op not in traits.KEEPS_MEMORY:
                    self._note_writes(instr)

    def _note_writes(self, instr: Instr) -> None:
        """Whatever else takes a pointer may write through it."""
        for operand in instr.operands:
            if isinstance(operand, Instr) and operand.type is not None and operand.type.op == op.TypePointer:
                if storage_of(operand.type) == enums.StorageClassFunction:
                    continue  # it is no buffer's
                variable = variable_of(operand)
                if variable is not None:
                    self.written[variable] = None
                else:
                    self.unknown = True

    def same(self, load: Instr) -> bool:
        """Whether lanes that execute `load` together with the same pointer get the same."""
        pointer = load.operands[0]
        if not isinstance(pointer, Instr) or pointer.type is None or pointer.type.op != op.TypePointer:
            return False
        if len(load.operands) > 1 and load.word(1) & enums.MemoryAccessVolatile:
            return False
        storage = storage_of(pointer.type)
        variable = variable_of(pointer)
        if storage == enums.StorageClassPushConstant or storage == enums.StorageClassUniformConstant:
            return True
        if variable is None:
            return False
        if storage == enums.StorageClassInput:
            return self._same_input(variable)
        if storage == enums.StorageClassUniform or storage == enums.StorageClassStorageBuffer:
            return self._same_buffer(variable, storage)
        return False

    def _same_input(self, variable: Instr) -> bool:
        builtin = self.builtins.get(variable)
        if builtin in _PER_SUBGROUP:
            return self.compute and not self.scope.is_workgroup()
        return self.compute and builtin in _PER_WORKGROUP

    def _same_buffer(self, variable: Instr, storage: int) -> bool:
        assert variable.type is not None
        block = pointee(variable.type)
        while block.op == op.TypeArray or block.op == op.TypeRuntimeArray:
            block = block.instr(0)
        if storage == enums.StorageClassUniform and enums.DecorationBufferBlock not in self.decorations.of(block):
            return True
        own = self.decorations.of(variable)
        if enums.DecorationAliased in own or enums.DecorationVolatile in own:
            return False
        return enums.DecorationNonWritable in own or (variable not in self.written and not self.unknown)


def variable_of(pointer: Value) -> Instr | None:
    """The variable that a pointer points into; None where that isn't seen at once."""
    current: Value = pointer
    while isinstance(current, Instr):
        if current.op == op.Variable:
            return current
        if current.op not in _CHAINS:
            return None
        current = current.value(0)
    return None
