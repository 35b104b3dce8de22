"""What an entry point takes from outside: buffers, images and samplers, push constants, specialization constants.

    %in  : StorageBuffer, set 0, binding 1     ->   Slot(buffer, STORAGE)       bound
    %cam : Uniform, set 0, binding 0           ->   Slot(buffer, UNIFORM)       bound
    %p   : PushConstant                        ->   its bytes
    %img : UniformConstant                     ->   Slot(image, SAMPLED), Slot(.., SAMPLER) ...       bound

Names, lengths and first contents of buffers are those of the simulator, so that both run on the same.
"""

from collections.abc import Mapping
from typing import Any, Final, final

from reknit.ir import enums, op, traits
from reknit.ir.instr import Instr
from reknit.ir.locate import place_of
from reknit.ir.module import Module
from reknit.ir.types import pointee, storage_of
from reknit.ir.value import Value
from reknit.ir.walk import instructions
from reknit.sim.builtins import Triple
from reknit.sim.entry import find_entry, function_of_entry, local_size, reached_functions
from reknit.sim.faults import Faults
from reknit.sim.globals import Globals, encode
from reknit.sim.images import SamplerSlot
from reknit.sim.memory import Buffer
from reknit.sim.pointers import IN_BUFFERS, has_addresses
from reknit.sim.prepare import Preparation
from reknit.sim.unsupported import Unsupported
from reknit.source.diagnostic import Diagnostic, InputError
from reknit.source.place import Place
from reknit.vulkan.bindings import STORAGE, UNIFORM
from reknit.vulkan.images import (
    COMBINED,
    SAMPLED,
    SAMPLER,
    STORAGE_TEXELS,
    STORED,
    UNIFORM_TEXELS,
    to_json,
)

GIVEN: Final = (
    enums.StorageClassInput,
    enums.StorageClassPrivate,
    enums.StorageClassWorkgroup,
    enums.StorageClassFunction,
    enums.StorageClassPushConstant,
    enums.StorageClassOutput,
)
"""Storage classes that need nothing bound."""


@final
class Slot:
    """A buffer or image that the entry point uses, or a sampler, or an image with one, and its kind of descriptor.
    `atomic` is whether there are atomics on the image."""

    __slots__ = ("buffer", "sampler", "kind", "atomic")

    def __init__(self, buffer: Buffer | None, sampler: SamplerSlot | None, kind: int, atomic: bool = False) -> None:
        self.buffer = buffer
        self.sampler = sampler
        self.kind = kind
        self.atomic = atomic

    def to_json(self) -> list[object]:
        """(set, binding, element, kind, what the image is, what the sampler does) for `dispatch.Binding`."""
        at = self.buffer if self.buffer is not None else self.sampler
        assert at is not None
        texture = self.buffer.texture if self.buffer is not None else None
        image = to_json(texture, self.atomic) if texture is not None else None
        sampler = self.sampler.value if self.sampler is not None else None
        said = sampler.settings() if sampler is not None else []
        return [at.set, at.binding, at.index, self.kind, image, said]


@final
class Interface:
    """`order` has all buffers and images of the module, `samplers` all samplers, `slots` what is bound, `push` the push
    constants or None; `spec` are (SpecId, bytes) that were set."""

    __slots__ = ("globals", "entry", "size", "order", "samplers", "slots", "push", "spec")

    def __init__(
        self, globals: Globals, entry: Instr, size: Triple, order: list[Buffer], samplers: list[SamplerSlot]
    ) -> None:
        self.globals = globals
        self.entry = entry
        self.size = size
        self.order = order
        self.samplers = samplers
        self.slots: list[Slot] = []
        self.push: Buffer | None = None
        self.spec: list[tuple[int, bytes]] = []


def interface_of(
    module: Module,
    entry: str | None,
    spec: Mapping[Any, float] | None,
    models: tuple[int, ...] = (),
    beside: Instr | None = None,
) -> Interface:
    """Of an entry point, of one of `models` where these are named, and of the one `beside` it in a pipeline.

    Raises InputError: RK1002 (entry point), RK1005 (specialization), RK1108 (something else than buffers).
    """
    point = find_entry(module, entry, models)
    given: Mapping[Any, float] = spec if spec is not None else {}
    globals = Globals(module, given)
    preparation = Preparation(globals, Faults(module), 1, 1, False, None)
    used = used_variables(module, point)
    if beside is not None:
        used.update(used_variables(module, beside))
    faults: list[Diagnostic] = []
    kinds: dict[Buffer, int] = {}
    images: list[Slot] = []
    push: Buffer | None = None
    for variable in module.globals:
        if variable.op != op.Variable or variable.type is None:
            continue
        storage = storage_of(variable.type)
        if storage == enums.StorageClassUniformConstant:
            images.extend(image_slots(module, preparation, variable, variable in used, faults))
            continue
        if storage not in IN_BUFFERS:
            if variable in used and storage not in GIVEN:
                faults.append(fault(module, variable, "nothing of its kind can be given to a shader here"))
            continue
        try:
            buffers = preparation.buffers_of(variable)
        except Unsupported as unsupported:
            if variable in used:
                faults.append(fault(module, variable, f"it {unsupported}"))
            continue
        if variable not in used:
            continue
        if storage == enums.StorageClassPushConstant:
            push = buffers[0]
            continue
        if buffers[0].set < 0 or buffers[0].binding < 0:
            faults.append(fault(module, variable, "it has no DescriptorSet or no Binding"))
        for buffer in buffers:
            owner = buffer.alias if buffer.alias is not None else buffer
            kinds[owner] = kind_of(globals, variable)
    if has_addresses(module):
        message = "pointers that are addresses can't be given to a driver: memory has other addresses there"
        faults.append(Diagnostic("RK1108", message, Place(module.path), help="`run` without a device has them"))
    if faults:
        raise InputError(faults)
    size = local_size(module, globals, point, 1)
    interface = Interface(globals, point, size, preparation.order, preparation.samplers)
    interface.slots = [Slot(buffer, None, kind) for buffer, kind in kinds.items()] + images
    interface.push = push
    interface.spec = specialization(module, globals, given)
    return interface


def image_slots(
    module: Module, preparation: Preparation, variable: Instr, is_used: bool, faults: list[Diagnostic]
) -> list[Slot]:
    """What is bound for a variable of images or samplers; nothing for one that isn't used."""
    try:
        held = preparation.cells_of(variable).initial
    except Unsupported as unsupported:
        if is_used:
            faults.append(fault(module, variable, f"it {unsupported}"))
        return []
    if not is_used:
        return []
    assert variable.type is not None
    type = pointee(variable.type)
    slots: list[Slot] = []
    for handle in held if type.op in (op.TypeArray, op.TypeRuntimeArray) else (held,):
        if isinstance(handle, SamplerSlot):
            slots.append(Slot(None, handle, SAMPLER))
        elif isinstance(handle, Buffer):
            slots.append(Slot(handle, None, image_kind(handle), has_atomics(variable)))
        else:
            slots.append(Slot(handle[0], handle[1], COMBINED))
    for slot in slots:
        at = slot.buffer if slot.buffer is not None else slot.sampler
        if at is None or at.set < 0 or at.binding < 0:
            faults.append(fault(module, variable, "it has no DescriptorSet or no Binding"))
        texture = slot.buffer.texture if slot.buffer is not None else None
        if texture is not None and texture.samples:
            faults.append(fault(module, variable, "it is a multisampled image, which no copy fills"))
        elif texture is not None and texture.dimension == enums.DimSubpassData:
            faults.append(fault(module, variable, "it is an input attachment"))
        if slot.buffer is not None and slot.buffer.alias is not None:
            faults.append(fault(module, variable, "another image has the same binding"))
    return slots


def image_kind(buffer: Buffer) -> int:
    texture = buffer.texture
    assert texture is not None
    if texture.dimension == enums.DimBuffer:
        return STORAGE_TEXELS if texture.stored else UNIFORM_TEXELS
    return STORED if texture.stored else SAMPLED


def has_atomics(variable: Instr) -> bool:
    """Whether a pointer to a texel is taken of the variable or of an element."""
    users: list[Any] = list(variable.users)
    for user in users:
        if isinstance(user, Instr) and user.op in traits.OBJECT_CHAIN:
            users.extend(user.users)
    return any(isinstance(user, Instr) and user.op == op.ImageTexelPointer for user in users)


def kind_of(globals: Globals, variable: Instr) -> int:
    """Uniform with BufferBlock is how SPIR-V before 1.3 spells StorageBuffer."""
    assert variable.type is not None
    type = pointee(variable.type)
    if type.op in (op.TypeArray, op.TypeRuntimeArray):
        type = type.instr(0)
    if storage_of(variable.type) == enums.StorageClassUniform:
        return STORAGE if globals.decorations.has(type, enums.DecorationBufferBlock) else UNIFORM
    return STORAGE


def used_variables(module: Module, point: Instr) -> dict[Value, None]:
    """The module's variables that the entry point's functions name."""
    used: dict[Value, None] = {}
    for function in reached_functions(module, function_of_entry(point)):
        for instr in instructions(function):
            for operand in instr.operands:
                if isinstance(operand, Instr) and operand.op == op.Variable and operand.block is None:
                    used[operand] = None
    return used


def specialization(module: Module, globals: Globals, spec: Mapping[Any, float]) -> list[tuple[int, bytes]]:
    """What the caller set, as Vulkan takes it: a bool is a VkBool32. Names without a SpecId can't be set."""
    constants: list[tuple[int, bytes]] = []
    for instr in module.globals:
        if instr.op not in (op.SpecConstant, op.SpecConstantTrue, op.SpecConstantFalse):
            continue
        value = globals.given(instr, spec)
        shape = globals.shape(instr.type)
        if value is None or shape is None:
            continue
        number = globals.decorations.number(instr, enums.DecorationSpecId)
        if number < 0:
            raise InputError([fault(module, instr, "it has no SpecId, by which a driver takes its value")])
        size = 4 if shape.width == 1 else shape.width // 8
        constants.append((number, encode(shape, value, instr, module.path).to_bytes(size, "little")))
    return constants


def fault(module: Module, instr: Instr, why: str) -> Diagnostic:
    name = f"%{instr.name or instr.id}"
    return Diagnostic("RK1108", f"{name} can't be given to a driver: {why}", place_of(instr, module))
