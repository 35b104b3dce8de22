"""Which loads give all lanes the same, if they read through the same pointer.

    Uniform, PushConstant, UniformConstant        nothing writes them
    StorageBuffer                                 if this variable can't be written by the module, and is not Aliased
    PhysicalStorageBuffer                         if the block is NonWritable, or no buffer is written
    a storage image (OpImageRead)                 if this variable can't be written by the module, and is not Aliased
    Input                                         built-ins that are one per workgroup or subgroup, or number what the
                                                  workgroup has one of; of a quad of fragments also what is one per
                                                  primitive
    Function, Private, Workgroup, the rest        no: each lane has its own, or others write between two lanes' reads

What lanes keep of their own is followed by `contents`, what a workgroup shares by `shared`. The fragments of a quad are
of one primitive (SPIR-V 1.6, 2.2.5, "Derivative Group"), for which an input that is Flat has one value (Vulkan,
"Interpolation Decorations").
Source: SPIR-V 1.6, 2.18.2 "Aliasing": without Aliased, memory object declarations are assumed not to alias.
"""

from typing import Final, final

from reknit.analysis.aliasing import Aliasing
from reknit.analysis.decorations import Decorations
from reknit.analysis.uniformity.scope import Scope
from reknit.analysis.writes import Writes, variable_of, variable_of_image
from reknit.ir import enums, op, traits
from reknit.ir.constants import as_int
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.types import pointee, storage_of
from reknit.ir.value import Value

_PER_WORKGROUP: Final = (  # SubgroupSize "must be uniform with command scope" in compute dispatches
    enums.BuiltInNumWorkgroups,
    enums.BuiltInWorkgroupSize,
    enums.BuiltInWorkgroupId,
    enums.BuiltInNumSubgroups,
    enums.BuiltInDeviceIndex,
    enums.BuiltInSubgroupSize,
)
_BY_DIMENSION: Final = (enums.BuiltInLocalInvocationId, enums.BuiltInGlobalInvocationId)
_PER_PRIMITIVE: Final = (
    enums.BuiltInFrontFacing,
    enums.BuiltInPrimitiveId,
    enums.BuiltInLayer,
    enums.BuiltInViewportIndex,
    enums.BuiltInViewIndex,
    enums.BuiltInDeviceIndex,
)
_LIKE_ITS_PRIMITIVE: Final = (enums.DecorationFlat, enums.DecorationPerPrimitiveEXT)

# Stages that have workgroups, none of which shares a subgroup with another.
_COMPUTE: Final = (
    enums.ExecutionModelGLCompute,
    enums.ExecutionModelKernel,
    enums.ExecutionModelTaskNV,
    enums.ExecutionModelMeshNV,
    enums.ExecutionModelTaskEXT,
    enums.ExecutionModelMeshEXT,
)

_MAX_IN_SUBGROUP: Final = 128
_COMPOSITES: Final = (op.ConstantComposite, op.SpecConstantComposite)
_FRAGMENT: Final = {enums.ExecutionModelFragment}

_CHAINS: Final = traits.OBJECT_CHAIN | {op.CopyObject}


@final
class Memory:
    """What is known of a module's variables, for one scope."""

    __slots__ = (
        "scope", "decorations", "models", "builtins", "of_members", "sizes", "subgroup_size", "flat", "written",
        "unknown", "unknown_images",
    )  # fmt: skip

    def __init__(self, module: Module, decorations: Decorations, scope: Scope) -> None:
        self.scope = scope
        self.decorations = decorations
        self.models: dict[Value | None, set[int]] = {None: set()}  # None: of all entry points
        for entry in module.entry_points:
            for listed in [None, *entry.operands[3:]]:
                if listed is None or isinstance(listed, Value):
                    self.models.setdefault(listed, set()).add(entry.word(0))
        self.builtins: dict[Value, int] = {}
        self.of_members: dict[Value, dict[int, list[int]]] = {}
        for instr in module.decorations:
            if instr.op == op.Decorate and len(instr.operands) == 3 and instr.word(1) == enums.DecorationBuiltIn:
                self.builtins[instr.value(0)] = instr.word(2)
            elif instr.op == op.MemberDecorate:
                self.of_members.setdefault(instr.value(0), {}).setdefault(instr.word(1), []).append(instr.word(2))
        self.sizes = _most_invocations(module, self.builtins)
        self.subgroup_size = _subgroup_size(module)
        self.flat: dict[int, None] = {at: None for at, size in enumerate(self.sizes) if size == 1}
        writes = Writes(module)
        self.written = {**writes.written, **Aliasing(module).of_one_binding(writes.written)}
        self.unknown = writes.unknown
        self.unknown_images = writes.unknown_images

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
        if storage == enums.StorageClassPhysicalStorageBuffer:
            return self._same_address(pointer)
        if variable is None:
            return False
        if storage == enums.StorageClassInput:
            return self._same_input(variable, pointer)
        if storage == enums.StorageClassUniform or storage == enums.StorageClassStorageBuffer:
            return self._same_buffer(variable, pointer, storage)
        return False

    def same_texel(self, read: Instr) -> bool:
        """Whether lanes that execute an OpImageRead together with the same operands get the same. A subpass has a place
        for each fragment, where 0 is read."""
        image = read.operands[0]
        if not isinstance(image, Instr) or image.type is None or image.type.word(1) == enums.DimSubpassData:
            return False
        if len(read.operands) > 2 and read.word(2) & enums.ImageOperandsVolatileTexel:
            return False
        variable = variable_of_image(image)
        if variable is None or not isinstance(image.operands[0], Instr):
            return False
        pointer = image.operands[0]
        written = self.unknown_images or variable in self.written
        if written and not self._is(variable, pointer, enums.DecorationNonWritable):
            return False
        aliased = self._is(variable, pointer, enums.DecorationAliased)
        return not aliased and not self._is(variable, pointer, enums.DecorationVolatile)

    def below(self, value: Value) -> int:
        """What a number that says where an invocation is in its workgroup, or subgroup, is less than; 0 where nothing
        is known. A subgroup has 128 invocations at most (Vulkan, "SubgroupSize")."""
        if not isinstance(value, Instr):
            return 0
        part: int | None = None
        load: Value = value
        if value.op == op.CompositeExtract and len(value.operands) == 2:
            load, part = value.value(0), value.word(1)
        if not isinstance(load, Instr) or load.op != op.Load:
            return 0
        variable = variable_of(load.value(0))
        if variable is None or not self.models.get(variable, self.models[None]).issubset(_COMPUTE):
            return 0
        builtin = self.builtins.get(variable)
        if builtin == enums.BuiltInLocalInvocationIndex:
            return self.sizes[0] * self.sizes[1] * self.sizes[2]
        if builtin == enums.BuiltInSubgroupLocalInvocationId:
            return self.subgroup_size
        if builtin != enums.BuiltInLocalInvocationId:
            return 0
        if part is None:
            pointer = load.value(0)
            part = _last_index(pointer) if isinstance(pointer, Instr) else None
        return self.sizes[part] if part is not None and 0 <= part < 3 else 0

    def _same_input(self, variable: Instr, pointer: Instr) -> bool:
        builtin = self.builtins.get(variable)
        models = self.models.get(variable, self.models[None])
        if models.issubset(_COMPUTE):
            if builtin in _PER_WORKGROUP or (builtin == enums.BuiltInSubgroupId and self.scope.is_in_a_subgroup()):
                return True
            return builtin in _BY_DIMENSION and _last_index(pointer) in self.flat
        if models != _FRAGMENT or not 0 < self.scope.cluster <= 4:
            return False
        if builtin is not None:
            return builtin in _PER_PRIMITIVE
        return any(self._is(variable, pointer, decoration) for decoration in _LIKE_ITS_PRIMITIVE)

    def same_part(self, extract: Instr) -> bool:
        """Whether the part of a vector that an OpCompositeExtract takes is the same, whatever the rest is."""
        vector = extract.operands[0]
        if not self.flat or not isinstance(vector, Instr) or vector.op != op.Load or len(extract.operands) != 2:
            return False
        builtin = self.builtins.get(vector.value(0))
        models = self.models.get(vector.value(0), self.models[None])
        return builtin in _BY_DIMENSION and models.issubset(_COMPUTE) and extract.word(1) in self.flat

    def _same_address(self, pointer: Instr) -> bool:
        """Of a load from a buffer that a uniform address names. What a block that is NonWritable for this module holds,
        no invocation changes while it is read, or there is a data race."""
        if not self.written and not self.unknown:
            return True
        chain = pointer
        while chain.op in _CHAINS:
            block = chain.instr(0).type
            if block is not None and chain.op != op.CopyObject and len(chain.operands) > 1:
                members = self.of_members.get(pointee(block))
                index = as_int(chain.value(1)) if members is not None else None
                if members is not None and index is not None:
                    return enums.DecorationNonWritable in members.get(index, ())
            chain = chain.instr(0)
        return False

    def _same_buffer(self, variable: Instr, pointer: Instr, storage: int) -> bool:
        block = _block_of(variable)
        if storage == enums.StorageClassUniform and enums.DecorationBufferBlock not in self.decorations.of(block):
            return True
        written = self.unknown or variable in self.written
        if written and not self._is(variable, pointer, enums.DecorationNonWritable):
            return False
        aliased = self._is(variable, pointer, enums.DecorationAliased)
        return not aliased and not self._is(variable, pointer, enums.DecorationVolatile)

    def _is(self, variable: Instr, pointer: Instr, decoration: int) -> bool:
        """Whether a variable is decorated so, or the member of its block that `pointer` is into."""
        if decoration in self.decorations.of(variable):
            return True
        members = self.of_members.get(_block_of(variable))
        if members is None:
            return False
        member = _member(variable, pointer)
        return member is not None and decoration in members.get(member, ())


def _most_invocations(module: Module, builtins: dict[Value, int]) -> list[int]:
    """Of a workgroup of any entry point, by dimension; 0 where it isn't known. A constant WorkgroupSize goes before
    LocalSize."""
    for constant, builtin in builtins.items():
        if builtin == enums.BuiltInWorkgroupSize:
            parts = constant.operands if isinstance(constant, Instr) and constant.op in _COMPOSITES else ()
            known = [as_int(part) if isinstance(part, Instr) else None for part in parts]
            return [size if size is not None else 0 for size in known] if len(known) == 3 else [0, 0, 0]
    sizes = [0, 0, 0]
    sized: dict[Value, None] = {}
    for mode in module.execution_modes:
        if mode.op == op.ExecutionMode and mode.word(1) == enums.ExecutionModeLocalSize:
            sized[mode.value(0)] = None
            for dimension in range(3):
                sizes[dimension] = max(sizes[dimension], mode.word(2 + dimension))
    return sizes if all(entry.operands[1] in sized for entry in module.entry_points) else [0, 0, 0]


def _subgroup_size(module: Module) -> int:
    """How many invocations a subgroup may have, by the execution mode SubgroupSize of all entry points; else 128, or 0
    where a subgroup isn't Vulkan's."""
    required: dict[Value, int] = {}
    for mode in module.execution_modes:
        if mode.op == op.ExecutionMode and mode.word(1) == enums.ExecutionModeSubgroupSize:
            required[mode.value(0)] = mode.word(2)
    most = 0
    for entry in module.entry_points:
        if entry.word(0) == enums.ExecutionModelKernel and entry.operands[1] not in required:
            return 0
        function = entry.operands[1]
        most = max(most, required.get(function, _MAX_IN_SUBGROUP) if isinstance(function, Value) else 0)
    return most


def _last_index(pointer: Instr) -> int | None:
    """The constant that an access chain ends with."""
    return as_int(pointer.value(len(pointer.operands) - 1)) if pointer.op in traits.OBJECT_CHAIN else None


def _block_of(variable: Instr) -> Instr:
    """The type of a variable, or of the elements where it is an array of resources."""
    assert variable.type is not None
    block = pointee(variable.type)
    while block.op == op.TypeArray or block.op == op.TypeRuntimeArray:
        block = block.instr(0)
    return block


def _member(variable: Instr, pointer: Instr) -> int | None:
    """The member of a variable's block that a pointer is into; None for the whole, and where it is not seen."""
    assert variable.type is not None
    depth = 0
    type = pointee(variable.type)
    while type.op == op.TypeArray or type.op == op.TypeRuntimeArray:
        depth += 1
        type = type.instr(0)
    chain: Instr = pointer
    while chain.op == op.CopyObject or (chain.op in _CHAINS and chain.operands[0] is not variable):
        chain = chain.instr(0)
    index = chain.operands[1 + depth] if chain.op in _CHAINS and len(chain.operands) > 1 + depth else None
    return as_int(index) if isinstance(index, Instr) else None
