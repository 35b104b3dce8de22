"""Vertex shaders: a lane for each vertex of each instance, its inputs, its outputs.

    lane            0 1 2 | 3 4 5      three vertices of two instances, in one group; several share a subgroup
    VertexIndex     0 1 2   0 1 2
    InstanceIndex   0 0 0   1 1 1

An implementation may run a vertex that several indices name once or several times; here it is run for each. Source:
Vulkan 1.4, "Vertex Shaders", "Built-In Variables".
"""

from collections.abc import Iterator
from typing import Any, Final, final

from reknit.ir import enums
from reknit.ir.instr import Instr
from reknit.ir.locate import place_of
from reknit.ir.module import Module
from reknit.ir.types import pointee
from reknit.sim.builtins import KNOWN, Dispatch, values_of
from reknit.sim.locations import given_words, scalars
from reknit.sim.ops.ieee import FORMAT32, format_of
from reknit.sim.packing import Packing, PackingError
from reknit.sim.prepare import Preparation
from reknit.sim.result import Result
from reknit.sim.stages.interface import Slot, inputs_of, judge_output, open_parts, slots_of
from reknit.sim.stages.stage import Stage
from reknit.sim.values import FLOAT_KIND, INT_KIND, Shape, to_signed
from reknit.sim.vertices import Vertex, Vertices
from reknit.source.diagnostic import Diagnostic, InputError

GIVEN: Final = (
    enums.BuiltInVertexIndex,
    enums.BuiltInInstanceIndex,
    enums.BuiltInBaseVertex,
    enums.BuiltInBaseInstance,
    enums.BuiltInDrawIndex,
)
TAKEN: Final = {
    enums.BuiltInPosition: "position",
    enums.BuiltInPointSize: "point size",
    enums.BuiltInClipDistance: "clip distance",
    enums.BuiltInCullDistance: "cull distance",
    enums.BuiltInLayer: "layer",
    enums.BuiltInViewportIndex: "viewport",
}
DISTANCES: Final = {
    enums.BuiltInClipDistance: enums.CapabilityClipDistance,
    enums.BuiltInCullDistance: enums.CapabilityCullDistance,
}

OPEN: Final = (enums.BuiltInPosition, enums.BuiltInClipDistance, enums.BuiltInCullDistance)
"""Built-in outputs whose numbers are undefined where nothing was stored to them."""


@final
class VertexStage(Stage):
    __slots__ = ("module", "point", "vertices", "inputs", "outputs", "preparation")

    def __init__(self, module: Module, point: Instr, vertices: Vertices) -> None:
        super().__init__((vertices.count * vertices.instances, 1, 1), "native code is for compute shaders")
        self.has_groups = False
        self.module = module
        self.point = point
        self.vertices = vertices
        self.inputs: list[tuple[Slot, list[Any]]] = []
        self.outputs: list[Slot] = []
        self.preparation: Preparation | None = None

    def pack(self, packing: Packing, subgroup_size: int) -> None:
        message = "the subgroups of a vertex shader can't be chosen"
        place = place_of(self.point, self.module)
        raise PackingError([Diagnostic("RK1006", message, place, help="leave out the subgroups")])

    def bind(self, preparation: Preparation) -> None:
        self.preparation = preparation
        slots = slots_of(preparation, enums.StorageClassInput)
        used = [slot.variable for slot in slots if slot.location >= 0]
        located = list(dict.fromkeys([*inputs_of(self.point), *used]))  # attributes may be given that nothing reads
        fetched = max([len(values) for values in self.vertices.attributes.values()], default=0)
        for name, values in self.vertices.attributes.items():
            if len(values) != fetched:
                message = f"attribute {name!r} has {len(values)} values, and another one {fetched}"
                raise InputError([Diagnostic("RK1021", message, help="each has a value for every vertex")])
        words = given_words(preparation.globals, located, self.vertices.attributes, fetched)
        for slot in slots:
            if slot.builtin in GIVEN:
                self.inputs.append((slot, self.builtin_values(slot)))
            elif slot.builtin in KNOWN:
                dispatch = Dispatch(self.size, (1, 1, 1), preparation.subgroup_size)
                self.inputs.append((slot, values_of(slot.builtin, dispatch, 0)))
            elif slot.builtin >= 0:
                raise self.unknown(slot, "the simulator gives vertex shaders no such variable")
            elif slot.location >= 0:
                self.inputs.append((slot, self.values(slot, words)))
        declared = {instr.word(0) for instr in self.module.capabilities}
        for slot in slots_of(preparation, enums.StorageClassOutput):
            if DISTANCES.get(slot.builtin, enums.CapabilityShader) not in declared:
                continue  # a member of a block that the shader can't use
            if slot.location >= 0 or slot.builtin in TAKEN:
                self.outputs.append(slot)
            elif slot.builtin >= 0:
                raise self.unknown(slot, "nothing takes it from a vertex shader")

    def unknown(self, slot: Slot, why: str) -> InputError:
        name = slot.name or slot.variable.id
        message = f"can't run built-in variable {name} (BuiltIn {slot.builtin}): {why}"
        return InputError([Diagnostic("RK1001", message, place_of(slot.variable, self.module))])

    def builtin_values(self, slot: Slot) -> list[int]:
        if slot.shape.kind != INT_KIND or slot.shape.width != 32:
            raise self.unknown(slot, f"it is {slot.shape}, and a 32-bit integer")
        vertices = self.vertices
        if slot.builtin == enums.BuiltInVertexIndex:
            return [number & 0xFFFFFFFF for number in vertices.numbers()] * vertices.instances
        if slot.builtin == enums.BuiltInInstanceIndex:
            first = vertices.first_instance
            return [first + instance for instance in range(vertices.instances) for _ in range(vertices.count)]
        known = {enums.BuiltInBaseVertex: vertices.base_vertex(), enums.BuiltInBaseInstance: vertices.first_instance}
        return [known.get(slot.builtin, 0) & 0xFFFFFFFF] * self.size[0]

    def values(self, slot: Slot, words: list[dict[tuple[int, int], int]]) -> list[Any]:
        """Of an input with a location, for each lane."""
        assert self.preparation is not None and slot.variable.type is not None
        type = part_of(slot)
        places = scalars(self.preparation.globals, type, slot.location, slot.component)
        values: list[Any] = []
        for number in self.vertices.numbers() * self.vertices.instances:
            if not 0 <= number < len(words):
                message = f"vertex {number} has no value of input {slot.label()}"
                help = f"there are {len(words)}, from vertex 0 on"
                raise InputError([Diagnostic("RK1021", message, place_of(slot.variable, self.module), help=help)])
            numbers = []
            for location, component, scalar in places:
                low = words[number][location, component]
                high = words[number][location, component + 1] if scalar.word(0) == 64 else 0
                numbers.append(low | high << 32)
            values.append(composed(slot.shape, iter(numbers)))
        return values

    def begin(self, dispatch: Dispatch, group: int) -> None:
        for slot, values in self.inputs:
            for lane, value in enumerate(values):
                slot.put(lane, value)
        for slot in self.outputs:
            if slot.builtin == enums.BuiltInPointSize:  # "if PointSize is not written, a value of 1.0" (maintenance5)
                for lane in range(self.size[0]):
                    slot.put(lane, FORMAT32.one)

    def leaves(self) -> dict[str, Shape]:
        return {output_of(slot): slot.shape for slot in self.outputs}

    def judge(self) -> None:
        """What the rasterizer or the fragment shader would take, and an invocation has not written."""
        assert self.preparation is not None
        for slot in self.outputs:
            if slot.builtin < 0 or slot.builtin == enums.BuiltInPosition:
                for lane in range(self.size[0]):
                    judge_output(self.preparation, slot, lane)

    def collect(self, result: Result) -> None:
        vertices = self.vertices
        result.vertices = []
        if not result.finished:
            return
        numbers = vertices.numbers() * vertices.instances
        for lane, number in enumerate(numbers):
            vertex = Vertex(number, vertices.first_instance + lane // vertices.count)
            for slot in self.outputs:
                self.take(vertex, slot, slot.get(lane))
                assert self.preparation is not None
                parts = open_parts(self.preparation, slot, lane)
                open = {at: source for at, source in enumerate(parts) if source is not None}
                if open and (slot.builtin < 0 or slot.builtin in OPEN):
                    vertex.undefined[output_of(slot)] = open
            result.vertices.append(vertex)

    def take(self, vertex: Vertex, slot: Slot, bits: Any) -> None:
        value = shown(slot.shape, bits)
        vertex.bits[output_of(slot)] = (slot.shape, bits)
        if slot.builtin < 0:
            vertex.values[place_name(slot)] = value
        elif slot.builtin == enums.BuiltInPosition:
            vertex.position = value
        elif slot.builtin == enums.BuiltInPointSize:
            vertex.size = value
        elif slot.builtin == enums.BuiltInClipDistance:
            vertex.clip = value
        elif slot.builtin == enums.BuiltInCullDistance:
            vertex.cull = value
        elif slot.builtin == enums.BuiltInLayer:
            vertex.layer = value
        else:
            vertex.viewport = value


def place_name(slot: Slot) -> str:
    return f"{slot.location}.{slot.component}" if slot.component else str(slot.location)


def output_of(slot: Slot) -> str:
    """What an output is called where two modules are compared."""
    return TAKEN[slot.builtin] if slot.builtin >= 0 else f"location {place_name(slot)}"


def part_of(slot: Slot) -> Instr:
    """The type of a variable, or of a member of it."""
    assert slot.variable.type is not None
    type = pointee(slot.variable.type)
    return type if slot.member < 0 else type.instr(slot.member)


def composed(shape: Shape, numbers: Iterator[int]) -> Any:
    """A value of its numbers in order. Shapes nest a few levels."""
    if shape.is_scalar():
        return next(numbers)
    parts = shape.members if shape.members else [shape.element] * shape.count
    return tuple([composed(part, numbers) for part in parts if part is not None])


def shown(shape: Shape, bits: Any) -> Any:
    """As numbers and lists of them."""
    if isinstance(bits, tuple):
        parts = shape.members if shape.members else [shape.element] * len(bits)
        return [shown(part, each) for part, each in zip(parts, bits, strict=True) if part is not None]
    form = format_of(shape.width) if shape.kind == FLOAT_KIND else None
    if form is not None:
        return form.decode(bits)
    return to_signed(bits, shape.width) if shape.kind == INT_KIND and shape.signed else bits
