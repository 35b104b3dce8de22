"""The variables of a stage's interface, split into what is given or taken by itself.

    layout(location = 2) flat in uint kind;           Slot kind      location 2, flat
    in block { vec2 uv; float w; }  (location 0)      Slot block.uv  location 0      Slot block.w  location 1
    in vec4 gl_FragCoord;                             Slot           BuiltIn FragCoord

A slot is a variable, or a member of one that is a block. Source: SPIR-V 1.6, 3.20 "Decoration"; Vulkan 1.4, "Location
and Component Assignment".
"""

from typing import Any, Final, final

from reknit.ir import enums, op
from reknit.ir.instr import Instr
from reknit.ir.locate import place_of
from reknit.ir.types import pointee, storage_of
from reknit.sim.faults import UndefinedMet
from reknit.sim.globals import Globals
from reknit.sim.locations import consumed
from reknit.sim.memory import Cells, freeze, is_aggregate, thaw
from reknit.sim.prepare import Preparation
from reknit.sim.shadow.sources import Source
from reknit.sim.unwritten import NEVER, UNWRITTEN, within
from reknit.sim.values import Shape

PERSPECTIVE: Final = "perspective"
LINEAR: Final = "linear"
FLAT: Final = "flat"
PER_VERTEX: Final = "per vertex"

CENTER: Final = "center"
CENTROID: Final = "centroid"
SAMPLE: Final = "sample"

_MODES: Final = (
    (enums.DecorationFlat, FLAT),
    (enums.DecorationPerVertexKHR, PER_VERTEX),
    (enums.DecorationNoPerspective, LINEAR),
)
_PLACES: Final = ((enums.DecorationSample, SAMPLE), (enums.DecorationCentroid, CENTROID))


@final
class Slot:
    """`member` is -1 for a whole variable. `builtin` is -1 for one with a `location`, of which `component` is the first
    that it has; `index` is that of dual-source outputs. `mode` is how it is interpolated, `where` at which position."""

    __slots__ = (
        "variable", "cells", "member", "shape", "name", "builtin", "location", "component", "index", "mode", "where",
    )  # fmt: skip

    def __init__(self, variable: Instr, cells: Cells, member: int, shape: Shape, name: str) -> None:
        self.variable = variable
        self.cells = cells
        self.member = member
        self.shape = shape
        self.name = name
        self.builtin = -1
        self.location = -1
        self.component = 0
        self.index = 0
        self.mode = PERSPECTIVE
        self.where = CENTER

    def names(self) -> list[str]:
        """What a caller may call it, most exact first."""
        names = [self.name] if self.name else []
        if self.location >= 0:
            names.append(f"{self.location}.{self.component}")
            if self.component == 0:
                names.append(str(self.location))
        return names

    def label(self) -> str:
        where = f"location {self.location}{f', component {self.component}' if self.component else ''}"
        return f"{self.name} ({where})" if self.name else where

    def put(self, lane: int, value: Any) -> None:
        kept = thaw(value, self.shape) if is_aggregate(self.shape) else value
        if self.member < 0:
            self.cells.values[lane] = kept
        else:
            self.cells.values[lane][self.member] = kept

    def get(self, lane: int) -> Any:
        kept = self.cells.values[lane] if self.member < 0 else self.cells.values[lane][self.member]
        return freeze(kept, self.shape) if is_aggregate(self.shape) else kept


def judge_output(preparation: Preparation, slot: Slot, lane: int) -> None:
    """Report the parts of an output that an invocation has not written: what is taken of them is undefined. Raises
    UndefinedMet where a run is to be repeated because of it."""
    unwritten = preparation.unwritten
    missing = unwritten.lacks(slot.cells, lane, slot.member) if unwritten is not None else ""
    if missing and preparation.faults.fires:
        raise UndefinedMet
    if missing and unwritten is not None and unwritten.reports:
        message = f"the invocation ends without a store to {slot.name or 'it'}{missing}"
        preparation.faults.add(UNWRITTEN, slot.variable, lane, message)


def open_parts(preparation: Preparation, slot: Slot, lane: int) -> list[Source | None]:
    """For each scalar of an output, where it comes from that it may be anything; [] where nothing of it may."""
    unwritten = preparation.unwritten
    marks = unwritten.marks.get(slot.cells) if unwritten is not None else None
    if unwritten is None or marks is None or not marks.left or not unwritten.tracked:
        return []
    _, start, count = within(marks, lane, [] if slot.member < 0 else [slot.member])
    parts: list[Source | None] = []
    for mark in marks.flat[start : start + count]:
        if mark == NEVER:
            place = place_of(slot.variable, preparation.globals.module)
            parts.append(Source(slot.variable, "the invocation ends without a store to it", place))
        else:
            parts.append(unwritten.sources[mark - 1] if mark else None)
    return parts if any(part is not None for part in parts) else []


def inputs_of(point: Instr) -> list[Instr]:
    """The variables of an entry point's interface that are inputs."""
    return [
        operand
        for operand in point.operands[3:]
        if isinstance(operand, Instr)
        and operand.op == op.Variable
        and operand.type is not None
        and storage_of(operand.type) == enums.StorageClassInput
    ]


def slots_of(preparation: Preparation, storage: int) -> list[Slot]:
    """Those of the variables of a storage class that the program uses."""
    decorations = preparation.globals.decorations
    slots: list[Slot] = []
    for cells in preparation.cells.values():
        variable = cells.instr
        if variable.type is None or storage_of(variable.type) != storage:
            continue
        type = pointee(variable.type)
        if type.op == op.TypeStruct and decorations.has(type, enums.DecorationBlock):
            slots.extend(_members(preparation.globals, variable, cells, type))
            continue
        slot = Slot(variable, cells, -1, cells.shape, variable.name)
        slot.builtin = decorations.number(variable, enums.DecorationBuiltIn)
        slot.location = decorations.number(variable, enums.DecorationLocation)
        slot.component = max(decorations.number(variable, enums.DecorationComponent), 0)
        slot.index = max(decorations.number(variable, enums.DecorationIndex), 0)
        slot.mode = next((mode for kind, mode in _MODES if decorations.has(variable, kind)), PERSPECTIVE)
        slot.where = next((where for kind, where in _PLACES if decorations.has(variable, kind)), CENTER)
        slots.append(slot)
    return slots


def _members(globals: Globals, variable: Instr, cells: Cells, type: Instr) -> list[Slot]:
    """Of a block. Members without a location of their own follow each other, from the block's on."""
    decorations = globals.decorations
    slots: list[Slot] = []
    following = decorations.number(variable, enums.DecorationLocation)
    for member, shape in enumerate(cells.shape.members):
        own = decorations.names.get((type, member), str(member))
        slot = Slot(variable, cells, member, shape, f"{variable.name or type.name}.{own}")
        slot.builtin = decorations.member_number(type, member, enums.DecorationBuiltIn)
        given = decorations.member_number(type, member, enums.DecorationLocation)
        slot.location = given if given >= 0 else following
        slot.component = max(decorations.member_number(type, member, enums.DecorationComponent), 0)
        following = slot.location + consumed(globals, type.instr(member)) if slot.location >= 0 else -1

        def decorated(kind: int, at: int = member) -> bool:
            return decorations.has_member(type, at, kind) or decorations.has(variable, kind)

        slot.mode = next((mode for kind, mode in _MODES if decorated(kind)), PERSPECTIVE)
        slot.where = next((where for kind, where in _PLACES if decorated(kind)), CENTER)
        slots.append(slot)
    return slots
