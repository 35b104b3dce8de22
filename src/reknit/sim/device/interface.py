"""What an entry point takes from outside: buffers with a layout, push constants, specialization constants.

    %in  : StorageBuffer, set 0, binding 1     ->   Slot(buffer, STORAGE)       bound
    %cam : Uniform, set 0, binding 0           ->   Slot(buffer, UNIFORM)       bound
    %p   : PushConstant                        ->   its bytes
    %img : UniformConstant                     ->   RK1108: only buffers can be given

Names, lengths and first contents of buffers are those of the simulator, so that both run on the same.
"""

from collections.abc import Mapping
from typing import Any, Final, final

from reknit.ir import enums, op
from reknit.ir.instr import Instr
from reknit.ir.locate import place_of
from reknit.ir.module import Module
from reknit.ir.types import pointee, storage_of
from reknit.ir.value import Value
from reknit.ir.walk import instructions
from reknit.sim.builtins import Triple
from reknit.sim.device.dispatch import STORAGE, UNIFORM
from reknit.sim.entry import find_entry, function_of_entry, local_size, reached_functions
from reknit.sim.faults import Faults
from reknit.sim.globals import Globals, encode
from reknit.sim.memory import Buffer
from reknit.sim.pointers import IN_BUFFERS
from reknit.sim.prepare import Preparation, Unsupported
from reknit.source.diagnostic import Diagnostic, InputError

GIVEN: Final = (
    enums.StorageClassInput,
    enums.StorageClassPrivate,
    enums.StorageClassWorkgroup,
    enums.StorageClassFunction,
    enums.StorageClassPushConstant,
)
"""Storage classes that need nothing bound."""


@final
class Slot:
    """A buffer that the entry point uses, and its kind of descriptor."""

    __slots__ = ("buffer", "kind")

    def __init__(self, buffer: Buffer, kind: int) -> None:
        self.buffer = buffer
        self.kind = kind


@final
class Interface:
    """`order` has all buffers of the module, `slots` those that are bound, `push` the push constants or None; `spec`
    are (SpecId, bytes) that were set."""

    __slots__ = ("entry", "size", "order", "slots", "push", "spec")

    def __init__(self, entry: Instr, size: Triple, order: list[Buffer]) -> None:
        self.entry = entry
        self.size = size
        self.order = order
        self.slots: list[Slot] = []
        self.push: Buffer | None = None
        self.spec: list[tuple[int, bytes]] = []


def interface_of(module: Module, entry: str | None, spec: Mapping[Any, float] | None) -> Interface:
    """Raises InputError: RK1002 (entry point), RK1005 (specialization), RK1108 (something else than buffers)."""
    point = find_entry(module, entry)
    given: Mapping[Any, float] = spec if spec is not None else {}
    globals = Globals(module, given)
    preparation = Preparation(globals, Faults(module), 1, 1, False, None)
    used = used_variables(module, point)
    faults: list[Diagnostic] = []
    kinds: dict[Buffer, int] = {}
    push: Buffer | None = None
    for variable in module.globals:
        if variable.op != op.Variable or variable.type is None:
            continue
        storage = storage_of(variable.type)
        if storage not in IN_BUFFERS:
            if variable in used and storage not in GIVEN:
                faults.append(fault(module, variable, "only buffers can be given to a shader here"))
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
    if faults:
        raise InputError(faults)
    made = Interface(point, local_size(module, globals, point, 1), preparation.order)
    made.slots = [Slot(buffer, kind) for buffer, kind in kinds.items()]
    made.push = push
    made.spec = specialization(module, globals, given)
    return made


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
    found: list[tuple[int, bytes]] = []
    for instr in module.globals:
        if instr.op not in (op.SpecConstant, op.SpecConstantTrue, op.SpecConstantFalse):
            continue
        value = globals.given(instr, spec)
        shape = globals.shape(instr.type)
        if value is None or shape is None:
            continue
        number = globals.decorations.number(instr, enums.DecorationSpecId)
        if number < 0:
            raise InputError([fault(module, instr, "it has no SpecId, by which a driver is told its value")])
        size = 4 if shape.width == 1 else shape.width // 8
        found.append((number, encode(shape, value, instr, module.path).to_bytes(size, "little")))
    return found


def fault(module: Module, instr: Instr, why: str) -> Diagnostic:
    name = f"%{instr.name or instr.id}"
    return Diagnostic("RK1108", f"{name} can't be given to a driver: {why}", place_of(instr, module))
