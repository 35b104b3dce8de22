"""Whether two places in memory may be the same memory: one answer for passes, proofs and runs.

    two elements of an array of descriptors          may be: nothing is said of them
    two variables of one set and binding             may be
    two bindings, both Aliased                       may be: buffers, texel buffers and images, whatever their classes
    two bindings, Simple or GLSL450                  are not
    two bindings, Vulkan or OpenCL                   may be, unless one is Restrict
    blocks in Workgroup memory, explicitly laid out  may be: they all begin at its start
    an address                                       may be in any variable that others see
    anything else                                    is not: PushConstant, Input, Output, and what an invocation owns

SPIR-V 1.6, 2.18.2 "Aliasing": "the consumer is free to assume aliasing is not present between memory object
declarations, unless the memory object declarations explicitly indicate they alias. Aliasing is indicated by applying
the Aliased decoration"; "a consumer does not make any assumptions about whether or not memory regions of non memory
object declarations overlap", such as elements of an array; and the table of storage classes there. "The OpenCL memory
model assumes that memory object declarations might alias each other. An implementation may assume that memory object
declarations decorated with Restrict will not alias any other memory object declaration." Of the Vulkan memory model
less is assumed here than 2.18.2 allows: Restrict is needed, as in OpenCL.
Vulkan, "Descriptor Set Interface": "If multiple shader variables are declared with the same set and binding values,
and with the same underlying descriptor type, they can all be statically used within the same shader"; "Memory Model":
"Variables with Workgroup storage class that point to a block-decorated type share a set of memory locations".
"""

from collections.abc import Iterable
from typing import ClassVar, Final, final

from reknit.analysis.manager import Analyses, ModuleAnalysis
from reknit.ir import enums, op
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.types import pointee, storage_of
from reknit.ir.value import Value

RESOURCES: Final = (
    enums.StorageClassImage, enums.StorageClassStorageBuffer, enums.StorageClassPhysicalStorageBuffer,
    enums.StorageClassUniform, enums.StorageClassUniformConstant,
)  # fmt: skip
"""One row of the table of 2.18.2: memory of any of these may be that of another."""

_KERNELS: Final = (enums.StorageClassCrossWorkgroup, enums.StorageClassGeneric)
_OF_DESCRIPTORS: Final = (
    enums.StorageClassUniform, enums.StorageClassStorageBuffer, enums.StorageClassUniformConstant,
)  # fmt: skip
_TOGETHER: Final = (*RESOURCES, *_KERNELS, enums.StorageClassWorkgroup)
_ARRAYS: Final = (op.TypeArray, op.TypeRuntimeArray)
_UNLESS_RESTRICT: Final = (enums.MemoryModelVulkan, enums.MemoryModelOpenCL)


@final
class Place:
    """A variable, as far as it decides which memory it is. `binding` is its set and binding, -1 each where it has none;
    `elements` is how many indices choose a descriptor of it; `is_block`: in Workgroup memory, explicitly laid out."""

    __slots__ = ("model", "storage", "binding", "elements", "is_aliased", "is_restrict", "is_block")

    def __init__(self, model: int, storage: int) -> None:
        self.model = model
        self.storage = storage
        self.binding: tuple[int, int] = (-1, -1)
        self.elements = 0
        self.is_aliased = False
        self.is_restrict = False
        self.is_block = False

    def may_be(self, other: "Place") -> bool:
        """Whether two variables may be the same memory."""
        if self.storage == enums.StorageClassWorkgroup or other.storage == enums.StorageClassWorkgroup:
            both_aliased = self.is_aliased and other.is_aliased
            return self.storage == other.storage and (both_aliased or (self.is_block and other.is_block))
        of_resources = self.storage in RESOURCES and other.storage in RESOURCES
        if not of_resources and not (self.storage in _KERNELS and other.storage in _KERNELS):
            return False
        if self.binding[1] >= 0 and self.binding == other.binding:
            return True
        if self.is_aliased and other.is_aliased:
            return True
        return self.model in _UNLESS_RESTRICT and not self.is_restrict and not other.is_restrict


@final
class Aliasing(ModuleAnalysis):
    """`places` are those of all variables of a module; `shared` are those that may be the memory of another one."""

    name: ClassVar[str] = "aliasing"
    reads_functions: ClassVar[bool] = False

    def __init__(self, module: Module) -> None:
        models = [line.word(1) for line in module.memory_model if line.op == op.MemoryModel]
        model = models[0] if models else enums.MemoryModelGLSL450
        self.places: dict[Value, Place] = {}
        blocks: dict[Value, None] = {}
        groups: dict[Value, list[Instr]] = {}
        for variable in module.globals:
            if variable.op == op.Variable and variable.type is not None and variable.type.op == op.TypePointer:
                self.places[variable] = _plain(model, variable)
        for note in module.decorations:
            if note.op == op.Decorate:
                groups.setdefault(note.value(0), []).append(note)
        for note in module.decorations:
            if note.op == op.GroupDecorate:
                for target in note.operands[1:]:
                    if isinstance(target, Value):
                        groups.setdefault(target, []).extend(groups.get(note.value(0), []))
        for target, notes in groups.items():
            decorated = self.places.get(target)
            for note in notes:
                if decorated is not None:
                    _decorate(decorated, note)
                elif note.word(1) == enums.DecorationBlock:
                    blocks[target] = None
        for each, place in self.places.items():
            assert isinstance(each, Instr)
            place.is_block = place.storage == enums.StorageClassWorkgroup and pointee(_type(each)) in blocks
        self.shared: dict[Value, None] = {}
        several = {each: place for each, place in self.places.items() if place.storage in _TOGETHER}
        self._share(several, False)
        of_binding: dict[tuple[int, int], dict[Value, Place]] = {}
        for each, place in several.items():
            of_binding.setdefault(place.binding, {})[each] = place
        for binding, bound in of_binding.items():
            if binding[1] >= 0:
                self._share(bound, True)

    def _share(self, several: dict[Value, Place], bound: bool) -> None:
        """Those that may be the memory of another one by what they are, whatever their bindings; `bound`: all have the
        same. What they are is of a few kinds, of which one stands for all."""
        kinds: dict[tuple[int, bool, bool, bool], list[Value]] = {}
        for each, place in several.items():
            kinds.setdefault((place.storage, place.is_aliased, place.is_restrict, place.is_block), []).append(each)
        examples = [(members, self._one_of(members[0], bound)) for members in kinds.values()]
        for members, one in examples:
            for others, other in examples:
                if (members is not others or len(members) > 1) and one.may_be(other):
                    self.shared.update(dict.fromkeys(members))

    def _one_of(self, variable: Value, bound: bool) -> Place:
        """Its place, without the binding unless that is to count."""
        place = self.places[variable]
        if bound:
            return place
        one = Place(place.model, place.storage)
        one.is_aliased, one.is_restrict, one.is_block = place.is_aliased, place.is_restrict, place.is_block
        return one

    @staticmethod
    def compute(module: Module, analyses: Analyses) -> "Aliasing":
        return Aliasing(module)

    def same_as(self, other: ModuleAnalysis) -> bool:
        return isinstance(other, Aliasing) and list(self.shared) == list(other.shared)

    def may_be_any(self, variable: Value, others: Iterable[Value]) -> bool:
        """Whether a variable may be the memory of one of these, or is one."""
        if variable in others:
            return True
        if variable not in self.shared:
            return False
        place = self.places[variable]
        return any(other in self.places and place.may_be(self.places[other]) for other in others)

    def of_one_binding(self, others: Iterable[Value]) -> dict[Value, None]:
        """The variables that have a set and binding of one of these."""
        bindings = {self.places[other].binding for other in others if other in self.places} - {(-1, -1)}
        return {each: None for each, place in self.places.items() if place.binding in bindings}

    def may_have_address(self, variable: Value) -> bool:
        """Whether what is accessed by an address may be in a variable that is not known by its address."""
        place = self.places.get(variable)
        if place is None:
            return True
        address = Place(place.model, enums.StorageClassPhysicalStorageBuffer)
        address.is_aliased = True
        return place.may_be(address)


def _plain(model: int, variable: Instr) -> Place:
    place = Place(model, storage_of(_type(variable)))
    type = pointee(_type(variable))
    while place.storage in _OF_DESCRIPTORS and type.op in _ARRAYS:
        place.elements += 1
        type = type.instr(0)
    return place


def _decorate(place: Place, note: Instr) -> None:
    kind = note.word(1)
    if kind == enums.DecorationBinding:
        place.binding = (max(place.binding[0], 0), note.word(2))
    elif kind == enums.DecorationDescriptorSet:
        place.binding = (note.word(2), place.binding[1])
    elif kind == enums.DecorationAliased:
        place.is_aliased = True
    elif kind == enums.DecorationRestrict:
        place.is_restrict = True


def _type(variable: Instr) -> Instr:
    assert variable.type is not None
    return variable.type
