"""What a program can be seen by from outside: its buffers, images and samplers, a kernel's arguments, and the size of
its workgroups.

    before: in (0.0, u32[] read)  out (0.1, u32[] written)       the same set, binding, layout and direction
    after:  in (0.0, u32[] read)  out (0.1, u32[] written)   =>  the two can be compared

Names may differ: a buffer is its set and binding. What only `before` has, and nothing there writes to, may be gone:
a pipeline's layout has it for nothing then. Whether a program reads a buffer is known from what its pointers are
used for: everything but a store through one, stepping on from one, and asking for a length counts as reading. An image
that is only written to counts as not read.
"""

from typing import Final, final

from reknit.ir import enums, op, traits
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.types import pointee, storage_of
from reknit.ir.value import Value
from reknit.ir.walk import instructions
from reknit.sim.buffers import position
from reknit.sim.images import SamplerSlot
from reknit.sim.layout import Layout
from reknit.sim.memory import Buffer
from reknit.sim.pointers import IN_BUFFERS
from reknit.sim.run import Program
from reknit.sim.texture import Texture

PUSH_CONSTANTS: Final = "push constants"  # as `sim.buffers.position` has it
_STEPS: Final = traits.CHAIN | {op.CopyObject}
_IMAGE_READS: Final = (op.ImageRead, op.ImageSparseRead, op.ImageQuerySize)
_SAMPLED: Final = 1  # the operand Sampled of OpTypeImage: read through a sampler, or fetched from


@final
class Port:
    """A buffer, image or sampler as the outside sees it. `place` is `set.binding`, the same in all modules that are
    compared. A buffer has a `layout`, an image a `texture`; `samples`: it is a sampler, or has one of its own; `read`
    and `written` say what anything in the module may do with it, `writable` what it declares."""

    __slots__ = ("place", "name", "layout", "texture", "samples", "writable", "read", "written")

    def __init__(self, buffer: Buffer | None, slot: SamplerSlot | None, read: bool, written: bool) -> None:
        self.layout: Layout | None = None
        self.texture: Texture | None = None
        self.samples = slot is not None
        self.writable = False
        self.read = read
        self.written = written
        if buffer is not None:
            self.place = position(buffer)
            self.name = buffer.label()
            self.texture = buffer.texture
            self.layout = buffer.layout if buffer.texture is None else None
            self.writable = buffer.writable
        elif slot is not None:
            self.place = slot.names()[1]
            self.name = slot.name or self.place

    def noun(self) -> str:
        return "buffer" if self.layout is not None else "image" if self.texture is not None else "sampler"

    def kind(self) -> str:
        """What it is, as far as the two sides have to agree."""
        if self.layout is not None:
            return layout_text(self.layout)
        if self.texture is None:
            return "sampler"
        texture = self.texture
        parts = [texture.name(), "image" if texture.stored else "texture", f"of {texture.component}"]
        if texture.fixed:
            parts.append(texture.format.name)
        return " ".join(parts) + (" with a sampler" if self.samples else "")

    def __str__(self) -> str:
        name = self.place if self.place == PUSH_CONSTANTS else f"{self.noun()} {self.name} ({self.place})"
        return f"{name}: {self.kind()}{'' if self.writable else ', only read'}"


def ports(program: Program) -> list[Port]:
    """The buffers, images and samplers of a program, by place."""
    read: dict[Buffer, bool] = {}
    written: dict[Buffer, bool] = {}
    slots: dict[Buffer, SamplerSlot] = {}
    every_port: list[Port] = []
    for variable in program.module.globals:
        if variable.op != op.Variable or variable.type is None:
            continue
        storage = storage_of(variable.type)
        buffers: list[Buffer] = []
        if storage in IN_BUFFERS:
            buffers = program.preparation.buffers.get(variable, [])
        elif storage == enums.StorageClassUniformConstant and variable in program.preparation.cells:
            held = program.preparation.cells[variable].initial
            handles = held if is_array(variable) else [held]
            for handle in handles:
                image, slot = handle if isinstance(handle, tuple) else (handle, None)
                if isinstance(image, SamplerSlot):
                    every_port.append(Port(None, image, True, False))
                else:
                    buffers.append(image)
                    if slot is not None:
                        slots[image] = slot
        for buffer in buffers:
            owner = buffer.alias if buffer.alias is not None else buffer
            read[owner] = read.get(owner, False) or is_read(variable)
            written[owner] = written.get(owner, False) or is_written(variable)
    for argument in program.arguments:
        by_address = argument.buffer.address > 0
        read[argument.buffer] = is_read(argument.parameter) or not by_address
        written[argument.buffer] = by_address and is_written(argument.parameter)
    every_port.extend([Port(buffer, slots.get(buffer), flag, written[buffer]) for buffer, flag in read.items()])
    return sorted(every_port, key=lambda port: port.place)


def ports_of_both(before: Program, after: Program) -> list[Port]:
    """Before's buffers, images and samplers. What either reads is an input: its content has to be varied, and a sample
    of it is not all that there is."""
    shown = ports(before)
    read = {port.place for port in ports(after) if port.read}
    for port in shown:
        port.read = port.read or port.place in read
    return shown


def is_array(variable: Instr) -> bool:
    assert variable.type is not None
    return pointee(variable.type).op in (op.TypeArray, op.TypeRuntimeArray)


def uses(variable: Instr) -> list[tuple[Value, Instr]]:
    """What uses the variable or a pointer into it, other than to step on, each with the pointer that it uses."""
    uses_of: list[tuple[Value, Instr]] = []
    work: list[Instr] = [variable]
    while work:
        pointer = work.pop()
        for user in pointer.users:
            if isinstance(user, Instr) and user.op in _STEPS and user.operands[0] is pointer:
                work.append(user)
            else:
                uses_of.append((user, pointer))
    return uses_of


def is_read(variable: Instr) -> bool:
    """Whether anything may look at what the variable holds."""
    for user, pointer in uses(variable):
        if not isinstance(user, Instr):
            return True
        if user.op == op.Store:
            if user.operands[1] is pointer:
                return True
        elif user.op not in (op.ArrayLength, op.EntryPoint) and not (user.op == op.Load and is_only_written(user)):
            return True
    return False


def is_written(variable: Instr) -> bool:
    """Whether anything may write to what the variable holds."""
    for user, _ in uses(variable):
        if not isinstance(user, Instr):
            return True
        if user.op == op.Load:
            if _is_stored_image(user) and any(
                not isinstance(other, Instr) or other.op not in _IMAGE_READS for other in user.users
            ):
                return True
        elif user.op not in (op.ArrayLength, op.EntryPoint):
            return True
    return False


def _is_stored_image(value: Instr) -> bool:
    type = value.type
    return type is not None and type.op == op.TypeImage and type.word(5) != _SAMPLED


def is_only_written(image: Instr) -> bool:
    """Whether a value is an image that texels are written to, and nothing else is done with."""
    users = list(image.users)
    return bool(users) and all(isinstance(user, Instr) and user.op == op.ImageWrite for user in users)


SIZES: Final = (op.ImageQuerySize, op.ImageQuerySizeLod, op.ImageQueryLevels)


def asks_for_lengths(module: Module) -> bool:
    """Whether the length of a run-time array can show."""
    return any(instr.op == op.ArrayLength for function in module.functions for instr in instructions(function))


def asks_for_sizes(module: Module) -> bool:
    """Whether the size of an image can show by itself."""
    return any(instr.op in SIZES for function in module.functions for instr in instructions(function))


def differences(before: Program, after: Program) -> list[str]:
    """What is not the same outside, one line each; none if the two can be compared."""
    lines: list[str] = []
    if before.size != after.size:
        sizes = ["x".join(map(str, program.size)) for program in (before, after)]
        lines.append(f"a workgroup is {sizes[0]} before and {sizes[1]} after")
    left = after.stage.leaves()
    for where, shape in before.stage.leaves().items():
        if where in left and str(left[where]) != str(shape):
            lines.append(f"output {where} is {shape} before and {left[where]} after")
    mine = {port.place: port for port in ports(before)}
    other = {port.place: port for port in ports(after)}
    for place, port in mine.items():
        if place not in other:
            if port.written:
                lines.append(f"only the first version has {port}, and it may write there")
            continue
        text, its = port.kind(), other[place].kind()
        if text != its:
            lines.append(f"{port.noun()} {port.name} ({place}) is {text} before and {its} after")
        elif port.writable != other[place].writable:
            side = "before" if port.writable else "after"
            lines.append(f"{port.noun()} {port.name} ({place}) may be written only {side}")
    lines.extend([f"only the second version has {port}" for place, port in other.items() if place not in mine])
    return lines


def dropped(before: Program, after: Program) -> dict[str, None]:
    """The places of what only `before` has."""
    there = {port.place for port in ports(after)}
    return {port.place: None for port in ports(before) if port.place not in there}


def layout_text(layout: Layout) -> str:
    """`struct{0: u32, 16: f32[] by 4}`: all that decides which byte is what. Types nest a few levels."""
    if layout.offsets:
        members = [f"{at}: {layout_text(part)}" for at, part in zip(layout.offsets, layout.parts, strict=True)]
        return "struct{" + ", ".join(members) + "}"
    if not layout.parts:
        return str(layout.shape)
    return f"{layout_text(layout.parts[0])}[{layout.shape.count or ''}] by {layout.stride}"
