"""Which memory outside of functions a module may write, and whether its accesses are ordered with those of others.

    Store %p, %x          %p into %buffer             written: %buffer
    Store %q, %x          %q from an address          unknown: any of them
    FunctionCall @f %p                                written: %buffer, whatever @f does
    AtomicStore %p, Device, Release, %x               is_ordered: other invocations may wait for this one to read
    BeginInvocationInterlockEXT, Coherent             is_ordered
    ray tracing stages, Linkage                       is_ordered: other modules' code runs in the middle of it

Variables are those that pointers are seen to point into. Which others may be the same memory says `analysis/aliasing`.
"""

from typing import ClassVar, Final, final

from reknit.analysis.callgraph import called
from reknit.analysis.manager import Analyses, ModuleAnalysis
from reknit.ir import enums, op, traits
from reknit.ir.constants import as_int
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.types import storage_of
from reknit.ir.value import Value
from reknit.ir.walk import instruction_list

_WRITABLE: Final = (
    enums.StorageClassUniform,
    enums.StorageClassStorageBuffer,
    enums.StorageClassPhysicalStorageBuffer,
    enums.StorageClassTaskPayloadWorkgroupEXT,
    enums.StorageClassGeneric,
    enums.StorageClassCrossWorkgroup,
)
WITHOUT_CALLS: Final = (
    enums.ExecutionModelVertex, enums.ExecutionModelTessellationControl, enums.ExecutionModelTessellationEvaluation,
    enums.ExecutionModelGeometry, enums.ExecutionModelFragment, enums.ExecutionModelGLCompute,
    enums.ExecutionModelTaskNV, enums.ExecutionModelMeshNV, enums.ExecutionModelTaskEXT, enums.ExecutionModelMeshEXT,
)  # fmt: skip
"""Stages that no other shader's code runs in the middle of: all but those of ray tracing, and kernels."""

_WITHIN: Final = (enums.ScopeWorkgroup, enums.ScopeSubgroup, enums.ScopeInvocation)
_ORDERED: Final = (
    enums.MemorySemanticsAcquire
    | enums.MemorySemanticsRelease
    | enums.MemorySemanticsAcquireRelease
    | enums.MemorySemanticsSequentiallyConsistent
)
_INTERLOCKS: Final = (op.BeginInvocationInterlockEXT, op.EndInvocationInterlockEXT)
_CHAINS: Final = traits.OBJECT_CHAIN | {op.CopyObject}


@final
class Writes(ModuleAnalysis):
    """`written` variables: buffers, payloads and storage images; `unknown`: something is written through a pointer
    whose variable isn't known; `unknown_images`: to an image whose variable isn't; `is_ordered`: while this module
    runs, its accesses may be ordered with those of other workgroups or shaders."""

    name: ClassVar[str] = "writes"

    def __init__(self, module: Module) -> None:
        self.written: dict[Value, None] = {}
        self.unknown = False
        self.unknown_images = False
        self.is_ordered = _meets_others(module)
        for function in module.functions:
            for instr in instruction_list(function):
                code = instr.op
                if code in traits.ORDERING:
                    self.is_ordered = self.is_ordered or _orders(instr)
                elif code in _INTERLOCKS:
                    self.is_ordered = True
                if code == op.ImageTexelPointer:
                    self._note_image(variable_of(instr.value(0)))
                elif code not in traits.KEEPS_MEMORY:
                    self._note_writes(instr)

    @staticmethod
    def compute(module: Module, analyses: Analyses) -> "Writes":
        return Writes(module)

    def same_as(self, other: ModuleAnalysis) -> bool:
        return (
            isinstance(other, Writes)
            and list(self.written) == list(other.written)
            and self.unknown == other.unknown
            and self.unknown_images == other.unknown_images
            and self.is_ordered == other.is_ordered
        )

    def _note_image(self, variable: Instr | None) -> None:
        if variable is not None:
            self.written[variable] = None
        else:
            self.unknown_images = True

    def _note_writes(self, instr: Instr) -> None:
        """Whatever takes a pointer, or an image, may write through it."""
        for operand in instr.operands:
            type = operand.type if isinstance(operand, Instr) else None
            if type is None or not isinstance(operand, Instr):
                continue
            if type.op == op.TypeImage:
                if instr.op not in traits.READS and instr.op not in traits.SAME:
                    self._note_image(variable_of_image(operand))
            elif type.op == op.TypePointer:
                variable = variable_of(operand)
                storage = storage_of(type)
                if storage == enums.StorageClassUniformConstant:
                    if not _is_seen_call(instr):
                        self._note_image(variable)
                elif storage in _WRITABLE:
                    if variable is not None:
                        self.written[variable] = None
                    else:
                        self.unknown = True


def _meets_others(module: Module) -> bool:
    """Whether code of other modules may run in its invocations, declarations may alias, or something is Coherent."""
    if any(line.operands[0] == enums.CapabilityLinkage for line in module.capabilities):
        return True
    if any(line.operands[1] == enums.MemoryModelOpenCL for line in module.memory_model):
        return True
    if any(entry.word(0) not in WITHOUT_CALLS for entry in module.entry_points):
        return True
    return any(
        (line.op == op.Decorate and line.word(1) == enums.DecorationCoherent)
        or (line.op == op.MemberDecorate and line.word(2) == enums.DecorationCoherent)
        for line in module.decorations
    )


def _orders(instr: Instr) -> bool:
    """Whether a barrier or atomic orders memory accesses for more than a workgroup: not if it is relaxed."""
    places = traits.ORDERING[instr.op]
    scope = 0 if instr.op in traits.ATOMIC or len(places) == 2 else 1  # a control barrier's first is of execution
    if as_int(instr.value(places[scope])) in _WITHIN:
        return False
    for place in places[scope + 1 :]:
        semantics = as_int(instr.value(place))
        if semantics is None or semantics & _ORDERED:
            return True
    return False


def _is_seen_call(instr: Instr) -> bool:
    callee = called(instr)
    return callee is not None and not callee.is_declaration()


def variable_of_image(image: Instr) -> Instr | None:
    """The variable that an image was loaded from; None where that isn't seen at once."""
    return variable_of(image.value(0)) if image.op == op.Load else None


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
