"""The buffers of a prepared program, by the names that a test gives its parameters.

outputBuffer              a variable of that name
entryPointParams.x        ... or a parameter of the entry point, whatever it is grouped under
g.scale                   a member of the block g, or of the block of loose parameters
textures[2].data          names and positions, down to bytes of a buffer
"""

import re
from typing import final

from reknit.ir import op
from reknit.ir.instr import Instr
from reknit.sim.buffers import position
from reknit.sim.layout import Layout
from reknit.sim.memory import Buffer
from reknit.sim.run import Program
from reknit.sim.values import FLOAT_KIND, MATRIX_KIND, VECTOR_KIND, Shape

GROUPS = ("entryPointParams", "globalParams")
WRAPPERS = ("_Array_", "_MatrixStorage_")  # structs around an array, which slangc makes for its stride
_STEP = re.compile(r"\.?([A-Za-z_]\w*)|\[(\d+)\]")


@final
class Spot:
    """Bytes of a buffer, from `offset` on, as its type lays them out; `whole` where that is all of the buffer."""

    __slots__ = ("buffer", "offset", "layout", "type", "whole")

    def __init__(self, buffer: Buffer, offset: int, layout: Layout, type: Instr, whole: bool = False) -> None:
        self.buffer = buffer
        self.offset = offset
        self.layout = layout
        self.type = type
        self.whole = whole


@final
class Places:
    __slots__ = ("buffers", "member_names", "by_name", "samplers")

    def __init__(self, program: Program) -> None:
        self.buffers = program.buffers()
        self.member_names = program.preparation.globals.decorations.names
        self.samplers = [slot.name for slot in program.preparation.samplers]
        self.by_name: dict[str, Buffer] = {}
        for buffer in self.buffers:
            for name in _names(buffer):
                self.by_name.setdefault(name, buffer)

    def sampler(self, path: str) -> str:
        """The name that the simulator knows a sampler by, "" for none."""
        name = joined(steps_of(path))
        return name if name in self.samplers else ""

    def find(self, path: str) -> Spot | None:
        """Where the parameter of that name is; None where the program has none such (a compiler drops unused ones)."""
        steps = steps_of(path)
        for taken in range(len(steps), 0, -1):
            buffer = self.named(steps[:taken])
            if buffer is not None:
                return self.inside(self.whole(buffer), steps[taken:])
        for group in GROUPS:
            buffer = self.by_name.get(group)
            found = self.inside(self.whole(buffer), steps) if buffer is not None else None
            if found is not None:
                return found
        return None

    def named(self, steps: list[str]) -> Buffer | None:
        """The buffer of that name: itself, its elements where a counter goes with them, or the one that an array of
        structs of buffers became, whose indices come last."""
        name = joined(steps)
        moved = joined([step for step in steps if not step.isdigit()] + [step for step in steps if step.isdigit()])
        found = [self.by_name.get(candidate) for candidate in (name, f"{name}.elements", moved)]
        return next((buffer for buffer in found if buffer is not None), None)

    def only_inside(self, path: str) -> Spot | None:
        """The one buffer of a block: GLSL's `buffer B { uint n[]; } b;` is `b.n`."""
        found = [buffer for buffer in self.buffers if buffer.name.startswith(f"{path}.")]
        return self.whole(found[0]) if len(found) == 1 else None

    def numbered(self, index: int) -> Spot | None:
        """The parameter at a position: bindings are given in order of declaration."""
        ordered = sorted(
            [buffer for buffer in self.buffers if buffer.alias is None],
            key=lambda buffer: (buffer.set < 0, buffer.set, buffer.binding, buffer.index),
        )
        return self.whole(ordered[index]) if index < len(ordered) else None

    def whole(self, buffer: Buffer) -> Spot:
        """A buffer, without the nameless struct that compilers wrap a struct into to have a block."""
        spot = Spot(buffer, 0, buffer.layout, buffer.type, True)
        if len(spot.layout.parts) == 1 and spot.layout.parts[0].offsets and buffer.member in ("", "__member0"):
            return Spot(buffer, spot.layout.offsets[0], spot.layout.parts[0], buffer.type.instr(0), True)
        return spot

    def inside(self, spot: Spot, steps: list[str]) -> Spot | None:
        """A struct that lost its resources may be members called `p.c`."""
        at = 0
        while at < len(steps):
            taken = 1
            index: int | None = int(steps[at]) if steps[at].isdigit() else None
            if index is None:
                for taken in range(len(steps) - at, 0, -1):
                    index = self.member(spot.type, joined(steps[at : at + taken]))
                    if index is not None:
                        break
            found = self.part(spot, index) if index is not None else None
            if found is None:
                return None
            spot = found
            at += taken
        return spot

    def member(self, type: Instr, name: str) -> int | None:
        if type.op != op.TypeStruct:
            return None
        return next((at for at in range(len(type.operands)) if self.member_names.get((type, at)) == name), None)

    def part(self, spot: Spot, index: int) -> Spot | None:
        """A member, element, column or component by number."""
        layout, type = spot.layout, spot.type
        if layout.offsets and type.name.startswith(WRAPPERS):
            return self.part(Spot(spot.buffer, spot.offset, layout.parts[0], type.instr(0)), index)
        if layout.offsets:
            if index >= len(layout.parts):
                return None
            return Spot(spot.buffer, spot.offset + layout.offsets[index], layout.parts[index], type.instr(index))
        if not layout.parts or (layout.shape.count and index >= layout.shape.count):
            return None
        return Spot(spot.buffer, spot.offset + index * layout.stride, layout.parts[0], type.instr(0))

    def elements(self, buffer: Buffer) -> Spot | None:
        """The array that a structured buffer is, which compilers wrap into a block."""
        spot: Spot | None = Spot(buffer, 0, buffer.layout, buffer.type)
        while spot is not None and spot.layout.offsets and len(spot.layout.parts) == 1:
            spot = self.part(spot, 0)
        return spot if spot is not None and spot.layout.is_runtime_array() else None


def steps_of(path: str) -> list[str]:
    return [match[1] or match[2] for match in _STEP.finditer(path)]


def joined(steps: list[str]) -> str:
    text = ""
    for step in steps:
        text += f"[{step}]" if step.isdigit() else f".{step}" if text else step
    return text


def _names(buffer: Buffer) -> list[str]:
    found = [buffer.name, buffer.type.name]
    for group in GROUPS:
        if buffer.name.startswith(group + "."):
            found.append(buffer.name.removeprefix(group + "."))
    return [name for name in found if name]


def key(buffer: Buffer) -> str:
    """The name that the simulator knows a buffer by without doubt."""
    return position(buffer)


def element_type(places: Places, buffer: Buffer) -> str:
    """The scalar that a structured buffer's elements are made of, in Slang's words; "" where they are structs."""
    array = places.elements(buffer)
    if array is None:
        return ""
    element = array.layout.parts[0]
    if element.offsets and array.type.instr(0).name.startswith(WRAPPERS[1]):
        element = element.parts[0].parts[0]
    shape = element.shape
    if element.offsets or (element.parts and shape.kind not in (VECTOR_KIND, MATRIX_KIND)):
        return ""
    return scalar_name(shape.component())


def scalar_name(shape: Shape) -> str:
    if shape.kind == FLOAT_KIND:
        return {16: "half", 32: "float", 64: "double"}.get(shape.width, "")
    return f"{'' if shape.signed else 'u'}int{shape.width}_t"
