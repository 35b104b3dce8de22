"""What a program can be seen by from outside: its buffers and the size of its workgroups.

    before: in (0.0, u32[] read)  out (0.1, u32[] written)       the same set, binding, layout and direction
    after:  in (0.0, u32[] read)  out (0.1, u32[] written)   =>  the two can be compared

Names may differ: a buffer is its set and binding. Whether a program reads a buffer is told by what its pointers are
used for: everything but a store through one, stepping on from one, and asking for a length counts as reading.
"""

from typing import Final, final

from reknit.ir import op
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.types import storage_of
from reknit.sim.buffers import position
from reknit.sim.layout import Layout
from reknit.sim.memory import Buffer
from reknit.sim.pointers import CHAINS, IN_BUFFERS
from reknit.sim.run import Program

_STEPS: Final = (*CHAINS, op.CopyObject)


@final
class Port:
    """One buffer as the outside sees it. `place` is `set.binding`, the same in all modules that are compared."""

    __slots__ = ("place", "name", "layout", "writable", "read")

    def __init__(self, buffer: Buffer, read: bool) -> None:
        self.place = position(buffer)
        self.name = buffer.label()
        self.layout = buffer.layout
        self.writable = buffer.writable
        self.read = read

    def __str__(self) -> str:
        return f"{self.name} ({self.place}): {layout_text(self.layout)}{'' if self.writable else ', only read'}"


def ports(program: Program) -> list[Port]:
    """The buffers of a program, by place."""
    read: dict[Buffer, bool] = {}
    for variable in program.module.globals:
        if variable.op != op.Variable or variable.type is None or storage_of(variable.type) not in IN_BUFFERS:
            continue
        for buffer in program.preparation.buffers.get(variable, []):
            owner = buffer.alias if buffer.alias is not None else buffer
            read[owner] = read.get(owner, False) or is_read(variable)
    found = [Port(buffer, flag) for buffer, flag in read.items()]
    return sorted(found, key=lambda port: port.place)


def is_read(variable: Instr) -> bool:
    """Whether anything may look at what the variable holds."""
    work: list[Instr] = [variable]
    while work:
        pointer = work.pop()
        for user in pointer.users:
            if not isinstance(user, Instr):
                return True
            if user.op in _STEPS and user.operands[0] is pointer:
                work.append(user)
            elif user.op == op.Store:
                if user.operands[1] is pointer:
                    return True
            elif user.op not in (op.ArrayLength, op.EntryPoint):
                return True
    return False


def asks_for_lengths(module: Module) -> bool:
    """Whether the length of a run-time array can show."""
    from reknit.ir.walk import instructions

    return any(instr.op == op.ArrayLength for function in module.functions for instr in instructions(function))


def differences(before: Program, after: Program) -> list[str]:
    """What is not the same outside, one line each; none if the two can be compared."""
    found: list[str] = []
    if before.size != after.size:
        sizes = ["x".join(map(str, program.size)) for program in (before, after)]
        found.append(f"a workgroup is {sizes[0]} before and {sizes[1]} after")
    mine = {port.place: port for port in ports(before)}
    other = {port.place: port for port in ports(after)}
    for place, port in mine.items():
        if place not in other:
            found.append(f"buffer {port} is only before")
            continue
        text, its = layout_text(port.layout), layout_text(other[place].layout)
        if text != its:
            found.append(f"buffer {port.name} ({place}) is {text} before and {its} after")
        elif port.writable != other[place].writable:
            found.append(f"buffer {port.name} ({place}) may be written only {'before' if port.writable else 'after'}")
    found.extend([f"buffer {port} is only after" for place, port in other.items() if place not in mine])
    return found


def layout_text(layout: Layout) -> str:
    """`struct{0: u32, 16: f32[] by 4}`: all that decides which byte is what. Types nest a few levels."""
    if layout.offsets:
        members = [f"{at}: {layout_text(part)}" for at, part in zip(layout.offsets, layout.parts, strict=True)]
        return "struct{" + ", ".join(members) + "}"
    if not layout.parts:
        return str(layout.shape)
    return f"{layout_text(layout.parts[0])}[{layout.shape.count or ''}] by {layout.stride}"
