"""DXIL's handles: which resource, which register, and its variable.

    createHandle(57, class, range, register, nonuniform)     createHandleFromBinding(217, {lower, upper, space, class})
    createHandleFromHeap(218, index, sampler, nonuniform)    annotateHandle(216, h, {kind and flags, stride or type})
    createHandleForLib(160, load of a variable)              the variable stands for the resource

A constant register is a variable of its own. Where one is chosen at run time, the resource's registers are one array of
descriptors in the binding of the first; so are, then, the heap's resources of each type, all in one binding.
Source: DXC, docs/DXIL.rst, "Shader Resources"; DxilResourceProperties.h.
"""

from typing import Final

from reknit.front.llvm import syntax
from reknit.front.llvm.memory import array_of_descriptors
from reknit.front.llvm.resources import (
    CBUFFER,
    CBV,
    RAW,
    SAMPLER,
    SAMPLER_SHAPE,
    SRV,
    STRUCTURED,
    TYPED,
    UAV,
    UNBOUNDED,
    Resource,
    in_a_word,
)
from reknit.front.llvm.results import Handle
from reknit.front.llvm.state import Lowering, Scene
from reknit.front.llvm.syntax import Operand, Program, Statement
from reknit.front.llvm.target import Target
from reknit.front.llvm.unsupported import Refusal
from reknit.ir import enums, op
from reknit.ir.instr import Instr
from reknit.ir.types import pointer_type
from reknit.ir.value import Value

HANDLES: Final = (57, 160, 216, 217, 218)
_LIBRARY: Final = 160
ANNOTATE: Final = 216
_HEAP: Final = 218

_TYPED: Final = 0xFF
_UAV: Final = 1 << 12
_ORDERED: Final = 1 << 13
_COHERENT: Final = 1 << 14
_INDEXED: Final = {
    enums.StorageClassStorageBuffer: (
        enums.CapabilityStorageBufferArrayDynamicIndexing, enums.CapabilityStorageBufferArrayNonUniformIndexing,
    ),
    enums.StorageClassUniform: (
        enums.CapabilityUniformBufferArrayDynamicIndexing, enums.CapabilityUniformBufferArrayNonUniformIndexing,
    ),
}  # fmt: skip
_INDEXED_IMAGES: Final = (
    (enums.CapabilitySampledImageArrayDynamicIndexing, enums.CapabilitySampledImageArrayNonUniformIndexing),
    (enums.CapabilityStorageImageArrayDynamicIndexing, enums.CapabilityStorageImageArrayNonUniformIndexing),
)


def handle(lowering: Lowering, statement: Statement, code: int) -> Handle:
    """Raises Refusal."""
    if code == ANNOTATE:
        given = lowering.handle(statement.operands[1])
        _annotate(lowering.scene, given, statement.operands[2])
        return given
    resource, operand = _resource_at(lowering, statement, code)
    if code == _LIBRARY:
        return Handle(resource, resource.lower + _register(operand))
    uneven_at = {57: 4, 217: 3, 218: 3}[code]
    if not resource.array:
        return Handle(resource, _register(operand))
    uneven = lowering.number(statement.operands[uneven_at]) & 1 == 1 and not _is_constant(operand)
    place: Value
    if _is_constant(operand):
        place = lowering.target.word((operand.number - resource.lower) & 0xFFFFFFFF)
    else:
        place = lowering.value(operand)
        if resource.lower:
            place = lowering.target.emit(
                op.ISub, lowering.target.u32, [place, lowering.target.word(resource.lower)]
            )
        _indexed(lowering.target, resource, uneven)
    return Handle(resource, resource.lower, place, uneven)


def planned(lowering: Lowering, statement: Statement, code: int) -> Handle:
    """The handle before anything is lowered: its place in an array isn't known then. Raises Refusal."""
    resource, operand = _resource_at(lowering, statement, code)
    if code == _LIBRARY:
        return Handle(resource, resource.lower + _register(operand))
    return Handle(resource, resource.lower if resource.array else _register(operand))


def plan_arrays(scene: Scene, program: Program) -> None:
    """Find the resources whose registers are chosen at run time."""
    for routine in program.routines.values():
        for chunk in routine.chunks:
            for statement in chunk.statements:
                if not statement.callee.startswith("dx.op.createHandle") or len(statement.operands) < 3:
                    continue
                code = statement.operands[0].number
                if code == _HEAP and not _is_constant(statement.operands[1]):
                    scene.heap_varies = True
                index = {57: 3, 217: 2}.get(code)
                if index is None or len(statement.operands) <= index or _is_constant(statement.operands[index]):
                    continue
                resource = _declared(scene, statement, code)
                if resource is not None:
                    resource.array = True


def _is_constant(operand: Operand) -> bool:
    return operand.kind in (syntax.NUMBER, syntax.ZERO, syntax.UNDEF)


def _register(operand: Operand) -> int:
    return operand.number & 0xFFFFFFFF


def _resource_at(lowering: Lowering, statement: Statement, code: int) -> tuple[Resource, Operand]:
    """(resource, register) that a handle is created of. Raises Refusal."""
    operands = statement.operands
    if code == _HEAP:
        sampler = lowering.number(operands[2]) & 1
        if lowering.scene.heap_varies:
            return _any_on_heap(lowering, statement, sampler), operands[1]
        return _on_heap(lowering.scene, _register(operands[1]), sampler), operands[1]
    if code == _LIBRARY:
        return _of_variable(lowering, operands[1])
    resource = _declared(lowering.scene, statement, code)
    if resource is None:
        raise Refusal("creates a handle of a register that no resource of the module's metadata has")
    return resource, operands[2 if code == 217 else 3]


def is_resource(lowering: Lowering, pointer: Operand) -> bool:
    """Whether a pointer leads to the variable that stands for a library's resource."""
    base, _ = _base(lowering, pointer)
    return base in lowering.scene.variables


def _of_variable(lowering: Lowering, value: Operand) -> tuple[Resource, Operand]:
    load = lowering.definitions.get(value.text) if value.kind == syntax.LOCAL else None
    if load is not None and load.op == "load":
        base, indices = _base(lowering, load.operands[0])
        resource = lowering.scene.variables.get(base)
        if resource is not None and len(indices) <= 2:
            index = indices[-1] if len(indices) == 2 else Operand(syntax.NUMBER, value.type)
            if not _is_constant(index):
                raise Refusal("chooses a library's resource at run time", "compile it for a stage: -T cs_6_6")
            return resource, index
    raise Refusal("creates a handle of what is no variable of a resource")


def _base(lowering: Lowering, pointer: Operand) -> tuple[str, list[Operand]]:
    """(global, indices) of a pointer to it or into it; "" for others."""
    if pointer.kind == syntax.GLOBAL:
        return pointer.text, []
    parts: list[Operand] = []
    if pointer.kind == syntax.EXPRESSION and pointer.text == "getelementptr":
        parts = pointer.parts
    elif pointer.kind == syntax.LOCAL:
        statement = lowering.definitions.get(pointer.text)
        if statement is not None and statement.op == "getelementptr":
            parts = statement.operands
    if parts and parts[0].kind == syntax.GLOBAL:
        return parts[0].text, parts[1:]
    return "", []


def _declared(scene: Scene, statement: Statement, code: int) -> Resource | None:
    operands = statement.operands
    if code == 57:
        return scene.resources.get((operands[1].number, operands[2].number))
    parts = [part.number & 0xFFFFFFFF for part in operands[1].parts]
    while len(parts) < 4:
        parts.append(0)
    lower, _, space, kind = parts[:4]
    for resource in scene.resources.values():
        inside = resource.lower <= lower < resource.lower + resource.count
        if resource.kind == kind and resource.space == space and inside:
            return resource
    return None


# --- the descriptor heap ----------------------------------------------------------------------------------------------


def _heap_set(scene: Scene) -> int:
    """A set above all others."""
    above = 1 + max([resource.space for resource in scene.resources.values()], default=-1)
    return in_a_word(above, "descriptor set")


def _on_heap(scene: Scene, index: int, sampler: int) -> Resource:
    """A resource of its own for each place of the heap."""
    key = (index, sampler)
    known = scene.heap.get(key)
    if known is None:
        known = Resource(SAMPLER if sampler else UAV, index, f"{'samplers' if sampler else 'heap'}{index}")
        known.lower = index
        known.space = _heap_set(scene) + sampler
        scene.heap[key] = known
    return known


def _any_on_heap(lowering: Lowering, statement: Statement, sampler: int) -> Resource:
    """All of the heap, as resources of the type that the handle is annotated with. Raises Refusal."""
    properties = _properties(lowering, statement)
    key = (properties[0] | sampler << 32, properties[1])
    known = lowering.scene.heap.get(key)
    if known is None:
        others = len(lowering.scene.heap)
        name = "samplers" if sampler else f"heap_{_LETTERS.get(properties[0] & 0xFF, 'texture')}{others}"
        known = Resource(SAMPLER if sampler else UAV, others, name)
        known.count = UNBOUNDED
        known.array = True
        known.aliased = True
        known.space = _heap_set(lowering.scene) + sampler
        _describe(known, properties)
        lowering.scene.heap[key] = known
    return known


_LETTERS: Final = {TYPED: "typed", RAW: "raw", STRUCTURED: "structured", CBUFFER: "constants"}


def _properties(lowering: Lowering, statement: Statement) -> list[int]:
    for user in lowering.users.get(statement.name, []):
        if user.callee.startswith("dx.op.annotateHandle") and len(user.operands) > 2:
            return _words(user.operands[2])
    raise Refusal("creates a handle of the descriptor heap that nothing annotates")


def _words(properties: Operand) -> list[int]:
    words = [part.number & 0xFFFFFFFF for part in properties.parts]
    return words if len(words) >= 2 else [0, 0]


def _annotate(scene: Scene, given: Handle, properties: Operand) -> None:
    """ResourceProperties: kind in the lowest byte and bits for a UAV and such; stride, or type and components."""
    words = _words(properties)
    resource = given.resource
    if words == [0, 0] or resource.array and resource in scene.heap.values():
        return
    if resource in scene.heap.values():
        _describe(resource, words)
    elif resource.shape == STRUCTURED:
        resource.stride = words[1]
    elif resource.shape == TYPED and words[1] >> 8 & 0xFF:
        resource.components = words[1] >> 8 & 0xFF
        resource.certain = True


def _describe(resource: Resource, words: list[int]) -> None:
    """What a resource of the heap is."""
    resource.shape = words[0] & 0xFF
    resource.coherent = words[0] & _COHERENT != 0
    resource.ordered = words[0] & _ORDERED != 0
    if resource.shape == CBUFFER:
        resource.kind = CBV
        resource.size = words[1]
        return
    if resource.shape == SAMPLER_SHAPE:
        resource.kind = SAMPLER
        return
    resource.kind = UAV if words[0] & _UAV else SRV
    if resource.shape == STRUCTURED:
        resource.stride = words[1]
    elif resource.shape != RAW:
        resource.element = words[1] & _TYPED
    if resource.shape == TYPED:
        resource.components = max(1, words[1] >> 8 & 0xFF)
        resource.certain = True


# --- variables --------------------------------------------------------------------------------------------------------


def _indexed(target: Target, resource: Resource, uneven: bool) -> None:
    """Capabilities for an index that is not constant."""
    if resource.kind == CBV:
        dynamic, differing = _INDEXED[enums.StorageClassUniform]
    elif resource.kind != SAMPLER and resource.shape >= TYPED:
        dynamic, differing = _INDEXED[enums.StorageClassStorageBuffer]
    else:
        dynamic, differing = _INDEXED_IMAGES[1 if resource.kind == UAV else 0]
    target.capability(dynamic)
    if uneven:
        target.capability(enums.CapabilityShaderNonUniform)
        target.capability(differing)
        target.extension("SPV_EXT_descriptor_indexing")


def variable_of(target: Target, given: Handle, storage: int, type: Instr) -> Instr:
    """A pointer to the handle's descriptor, of an image, sampler or constant buffer."""
    resource = given.resource
    known = resource.constants.get(given.register)
    if known is None:
        whole = array_of_descriptors(target, type, resource.descriptors()) if resource.array else type
        known = target.variable(storage, whole, resource.label(given.register))
        target.decorate(known, enums.DecorationDescriptorSet, resource.space)
        target.decorate(known, enums.DecorationBinding, resource.binding(given.register))
        if resource.coherent:
            target.decorate(known, enums.DecorationCoherent)
        resource.constants[given.register] = known
    if given.place is None:
        return known
    chain = target.emit(op.AccessChain, pointer_type(target.module, storage, type), [known, given.place])
    if given.uneven:
        target.decorate(chain, enums.DecorationNonUniform)
    return chain
