"""Fragment shaders: quads of a drawing as lanes, their inputs, and what their outputs leave in the framebuffer.

    lane       0  1  2  3 | 4  5  6  7 | ...     a quad is four lanes, a subgroup as many quads as it has room for
    position  00 10 01 11  20 30 21 31           helper invocations are lanes like others, and store nothing

All of a drawing is one group of invocations: "the set of invocations collectively processing a graphics operation",
whose scope is at least a triangle and at most a draw (SPIR-V 1.6, 2.2.5). Helper invocations take part in everything
from the start to the end, as MaximallyReconvergesKHR asks. Source: Vulkan 1.4, "Fragment Shaders", "Quad", "Helper
Invocations", "Interpolation Decorations", "Built-In Variables", "Fragment Operations".
"""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, final

from reknit.ir import enums, op
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.locate import place_of
from reknit.ir.module import Module
from reknit.ir.types import storage_of
from reknit.ir.walk import instructions
from reknit.sim.builtins import KNOWN, Dispatch, Triple, values_of
from reknit.sim.drawing import Drawing
from reknit.sim.framebuffer import Attachment, Fragment, Framebuffer
from reknit.sim.left import DEPTH, F32, output_name
from reknit.sim.ops.ieee import FORMAT32, format_of
from reknit.sim.packing import Packing
from reknit.sim.prepare import Preparation
from reknit.sim.result import Result
from reknit.sim.stages.interface import (
    CENTROID,
    FLAT,
    LINEAR,
    PER_VERTEX,
    SAMPLE,
    Slot,
    judge_output,
    open_parts,
    slots_of,
)
from reknit.sim.stages.rasterize import MIDDLE, STANDARD, Given, Invocation, Units, invocations_of
from reknit.sim.stages.stage import Stage
from reknit.sim.values import ARRAY_KIND, BOOL_KIND, FLOAT_KIND, INT_KIND, VECTOR_KIND, Shape
from reknit.source.diagnostic import Diagnostic, InputError
from reknit.source.place import Place

if TYPE_CHECKING:
    from reknit.sim.shadow.bounds import Bounds

MAX_LANES: Final = 1 << 16
ONE: Final = FORMAT32.one

OF_CORNERS: Final = (enums.BuiltInBaryCoordKHR, enums.BuiltInBaryCoordNoPerspKHR)
BY_SAMPLE: Final = (enums.BuiltInSampleId, enums.BuiltInSamplePosition)
WRITTEN: Final = (enums.BuiltInFragDepth, enums.BuiltInSampleMask, enums.BuiltInFragStencilRefEXT)
INTERLOCKED: Final = (
    enums.ExecutionModePixelInterlockOrderedEXT,
    enums.ExecutionModePixelInterlockUnorderedEXT,
    enums.ExecutionModeSampleInterlockOrderedEXT,
    enums.ExecutionModeSampleInterlockUnorderedEXT,
    enums.ExecutionModeShadingRateInterlockOrderedEXT,
    enums.ExecutionModeShadingRateInterlockUnorderedEXT,
)


@final
class FragmentStage(Stage):
    """`early` is whether depth is tested before the shader runs (EarlyFragmentTests). `invocations` are by lane,
    `drawn` are their lanes in the order of primitives, and `unpacked` are they in that order."""

    __slots__ = (
        "module", "drawing", "invocations", "unpacked", "drawn", "early", "inputs", "outputs", "preparation",
        "framebuffer",
    )  # fmt: skip

    def __init__(self, module: Module, point: Instr, functions: list[Function], drawing: Drawing) -> None:
        self.module = module
        self.drawing = drawing
        modes = {mode.word(1): mode for mode in module.modes_of(point.operands[1])}
        for mode in INTERLOCKED:
            if mode in modes:
                raise unsupported(module, "a fragment shader interlock orders its invocations")
        if enums.ExecutionModePixelCenterInteger in modes:
            raise unsupported(module, "PixelCenterInteger puts the centers of pixels at whole numbers")
        self.early = enums.ExecutionModeEarlyFragmentTests in modes
        self.framebuffer = Framebuffer(drawing)
        self.invocations = invocations_of(drawing, shades_samples(module, functions), MAX_LANES)
        if len(self.invocations) > MAX_LANES:
            message = f"a drawing of more than {MAX_LANES} invocations can't be run"
            help = f"the most is {MAX_LANES}: draw to fewer pixels"
            raise InputError([Diagnostic("RK1021", message, Place(module.path), help=help)])
        if self.early:
            self.test_early()
        super().__init__((max(len(self.invocations), 1), 1, 1), "native code is for compute shaders", True, True)
        self.empty = not self.invocations
        self.unpacked = self.invocations
        self.drawn = list(range(len(self.invocations)))
        self.inputs: list[tuple[Slot, list[Any]]] = []
        self.outputs: list[Slot] = []
        self.preparation: Preparation | None = None

    def pack(self, packing: Packing, subgroup_size: int) -> None:
        """A lane without an invocation has the inputs of the first one, and does nothing."""
        super().pack(packing, subgroup_size)
        if self.empty:
            return
        self.unpacked = self.invocations
        self.place(packing, subgroup_size)

    def pack_again(self, packing: Packing, subgroup_size: int) -> None:
        super().pack_again(packing, subgroup_size)
        if self.empty or self.preparation is None:
            return
        self.place(packing, subgroup_size)
        self.inputs.clear()
        self.outputs.clear()
        self.bind(self.preparation)

    def place(self, packing: Packing, subgroup_size: int) -> None:
        order = packing.order(0, subgroup_size)
        self.invocations = [self.unpacked[max(number, 0)] for number in order]
        self.drawn = [order.index(number) for number in range(len(self.unpacked))]
        self.size = (len(order), 1, 1)

    def test_early(self) -> None:
        """Samples that fail the depth test are not covered; those that pass leave their depth, whatever the shader does
        then. Quads without a sample left are not shaded."""
        for invocation in self.invocations:
            for sample in bits_of(invocation.mask):
                depth = self.depth_of(invocation, sample)
                if not self.framebuffer.test(spot_of(invocation, sample), depth):
                    invocation.mask &= ~(1 << sample)
        kept: list[Invocation] = []
        for at in range(0, len(self.invocations), 4):
            quad = self.invocations[at : at + 4]
            if any(invocation.mask for invocation in quad):
                kept.extend(quad)
        self.invocations = kept

    def depth_of(self, invocation: Invocation, sample: int) -> int:
        x, y = STANDARD[self.drawing.samples][sample]
        return invocation.surface.depth(invocation, 16 * invocation.x + x, 16 * invocation.y + y)

    def extent(self, groups: Triple) -> Triple:
        if tuple(groups) != (1, 1, 1):
            message = f"a drawing has no workgroups, and {'x'.join(map(str, groups))} were asked for"
            raise InputError([Diagnostic("RK1006", message, help="leave out --groups (groups=)")])
        return self.drawing.size[0], self.drawing.size[1], 1

    # --- inputs -------------------------------------------------------------------------------------------------------

    def bind(self, preparation: Preparation) -> None:
        """The inputs of all invocations are computed here, once; runs copy them."""
        self.preparation = preparation
        preparation.interpolate = self.interpolate
        preparation.pixels = [(each.x, each.y, each.surface.layer) for each in self.invocations]
        for slot in slots_of(preparation, enums.StorageClassInput):
            if slot.builtin in KNOWN and slot.builtin != enums.BuiltInHelperInvocation:
                dispatch = Dispatch(self.size, (1, 1, 1), preparation.subgroup_size)
                self.inputs.append((slot, values_of(slot.builtin, dispatch, 0)))
            elif slot.builtin >= 0:
                self.inputs.append((slot, self.builtin_values(slot)))
            elif slot.location >= 0:
                self.inputs.append((slot, [self.value(slot, invocation) for invocation in self.invocations]))
        for slot in slots_of(preparation, enums.StorageClassOutput):
            if slot.location >= 0 or slot.builtin in WRITTEN:
                self.outputs.append(slot)

    def builtin_values(self, slot: Slot) -> list[Any]:
        known = OF_INVOCATION.get(slot.builtin)
        if known is None:
            name = slot.name or slot.variable.id
            what = f"can't run built-in variable {name}: the simulator gives fragment shaders no BuiltIn {slot.builtin}"
            raise InputError([Diagnostic("RK1001", what, place_of(slot.variable, self.module))])
        shape, value = known
        if shape_text(slot.shape) != shape:
            name = slot.name or slot.variable.id
            what = f"can't run built-in variable {name}: it is {slot.shape}, and its BuiltIn is {shape}"
            raise InputError([Diagnostic("RK1001", what, place_of(slot.variable, self.module))])
        values: list[Any] = []
        for invocation in self.invocations:
            surface = invocation.surface
            at = self.position(slot, invocation)
            if isinstance(surface, Given) and slot.name in surface.inputs:
                values.append(self.one(slot, slot.shape, surface.inputs[slot.name], invocation, at))
            elif isinstance(surface, Given) and slot.builtin in OF_CORNERS:
                name = slot.name or slot.variable.id
                message = f"the drawing does not have input {name} for a quad, which has no corners"
                help = "give the quad a value for each invocation, by the name of the variable"
                raise InputError([Diagnostic("RK1021", message, place_of(slot.variable, self.module), help=help)])
            else:
                values.append(value(invocation, at, self.drawing))
        return values

    def position(self, slot: Slot, invocation: Invocation) -> tuple[int, int]:
        """Where an invocation is interpolated, in sixteenths of a pixel: at the center, but for what is shaded by
        samples, or where Centroid moves it into the primitive, to the first sample that is covered."""
        samples = STANDARD[self.drawing.samples]
        x, y = MIDDLE
        if invocation.sample >= 0 and (slot.where == SAMPLE or slot.builtin >= 0):
            x, y = samples[invocation.sample]
        elif slot.where == CENTROID:
            x, y = self.centroid(invocation)
        return 16 * invocation.x + x, 16 * invocation.y + y

    def value(self, slot: Slot, invocation: Invocation) -> Any:
        """Of an input with a location."""
        return self.value_at(slot, invocation, self.position(slot, invocation))

    def interpolate(self, cells: list[Any], path: tuple[int, ...], lane: int, where: Any) -> Any:
        """See `prepare.Interpolate`."""
        slot = next(
            slot
            for slot, _ in self.inputs
            if slot.cells.values is cells and (slot.member < 0 or path[:1] == (slot.member,))
        )
        invocation = self.invocations[lane]
        if slot.location < 0 or isinstance(invocation.surface, Given):
            what = slot.name or slot.variable.id
            why = "it is built in" if slot.location < 0 else "a quad that is given has no values but at the centers"
            message = f"input {what} can't be interpolated elsewhere: {why}"
            raise InputError([Diagnostic("RK1021", message, place_of(slot.variable, self.module))])
        samples = STANDARD[self.drawing.samples]
        if where is None:
            x, y = self.centroid(invocation)
        elif isinstance(where, tuple):
            x, y = 16 * where[0], 16 * where[1]
        elif where < len(samples):
            x, y = samples[where]
        else:
            return None
        value = self.value_at(slot, invocation, (16 * invocation.x + x, 16 * invocation.y + y))
        for index in path if slot.member < 0 else path[1:]:
            value = value[index]
        return value

    def centroid(self, invocation: Invocation) -> tuple[int, int]:
        """The center where all samples are covered, else the first that is."""
        samples = STANDARD[self.drawing.samples]
        if invocation.mask and invocation.mask != (1 << len(samples)) - 1:
            return samples[bits_of(invocation.mask)[0]]
        return MIDDLE

    def value_at(self, slot: Slot, invocation: Invocation, position: tuple[Units, Units]) -> Any:
        inputs = invocation.surface.inputs
        given = next((inputs[name] for name in slot.names() if name in inputs), None)
        if given is None:
            known = ", ".join(inputs) or "none"
            message = f"the drawing does not have input {slot.label()} for primitive {invocation.surface.number}"
            help = f"give it a value for each corner or invocation; it has: {known}"
            raise InputError([Diagnostic("RK1021", message, place_of(slot.variable, self.module), help=help)])
        if slot.mode == PER_VERTEX and slot.shape.element is not None and len(given) == slot.shape.count:
            element = slot.shape.element
            return tuple([self.one(slot, element, [each] * len(given), invocation, position) for each in given])
        return self.one(slot, slot.shape, given, invocation, position)

    def one(
        self, slot: Slot, shape: Shape, given: list[Any], invocation: Invocation, position: tuple[Units, Units]
    ) -> Any:
        """`given` has a value for each corner. Shapes nest a few levels."""
        if shape.is_scalar():
            return self.scalar(slot, shape, given, invocation, position)
        parts = shape.members if shape.members else [shape.element] * shape.count
        for value in given:
            enough = isinstance(value, list | tuple) and len(value) >= len(parts)
            if not enough or (len(value) > len(parts) and shape.kind != VECTOR_KIND):
                raise self.misfit(slot, value, f"{shape}, {len(parts)} values")
        values: list[Any] = []
        for at, part in enumerate(parts):
            assert part is not None
            values.append(self.one(slot, part, [value[at] for value in given], invocation, position))
        return tuple(values)

    def scalar(
        self, slot: Slot, shape: Shape, given: list[Any], invocation: Invocation, position: tuple[Units, Units]
    ) -> int:
        for number in given:
            if not isinstance(number, int | float):
                raise self.misfit(slot, number, f"a number ({shape})")
        provoking = invocation.place if len(given) == 4 else -1 if self.drawing.provoking == "last" else 0
        form = format_of(shape.width) if shape.kind == FLOAT_KIND else None
        if form is None or slot.mode == FLAT or slot.mode == PER_VERTEX:
            return self.exact(slot, shape, given[provoking])
        if not all(math.isfinite(number) for number in given):
            return form.nan
        straight = slot.mode == LINEAR
        x, y = position
        return invocation.surface.mixed([float(number) for number in given], invocation, x, y, straight, form)

    def exact(self, slot: Slot, shape: Shape, number: float) -> int:
        """The bits of a number that is not interpolated."""
        form = format_of(shape.width) if shape.kind == FLOAT_KIND else None
        if form is not None:
            return form.encode(float(number))
        low = 0 if shape.kind == BOOL_KIND else -(1 << (shape.width - 1))
        if not isinstance(number, int) or not low <= number < 1 << shape.width:
            raise self.misfit(slot, number, f"a whole number ({shape})")
        return number & ((1 << shape.width) - 1)

    def misfit(self, slot: Slot, value: Any, wanted: str) -> InputError:
        message = f"input {slot.label()} can't be {value!r:.40}"
        place = place_of(slot.variable, self.module)
        return InputError([Diagnostic("RK1021", message, place, help=f"it is {wanted}")])

    def begin(self, dispatch: Dispatch, group: int) -> None:
        preparation = self.preparation
        assert preparation is not None
        for slot, values in self.inputs:
            for lane, value in enumerate(values):
                slot.put(lane, value)
        preparation.helpers[:] = [1] * len(preparation.helpers)
        for lane in self.drawn:
            preparation.helpers[lane] = 0 if self.invocations[lane].mask else 1

    def bound(self, bounds: "Bounds") -> None:
        from reknit.sim.stages.input_bounds import bound_inputs

        bound_inputs(self, bounds)

    # --- outputs ------------------------------------------------------------------------------------------------------

    def leaves(self) -> dict[str, Shape]:
        framebuffer = Framebuffer(self.drawing)
        self.written(framebuffer)
        left = {output_name(each.location, each.index): each.shape for each in framebuffer.attachments}
        return {**left, DEPTH: F32} if self.drawing.compare else left

    def judge(self) -> None:
        preparation = self.preparation
        assert preparation is not None
        for lane in self.drawn:
            if not preparation.helpers[lane]:
                for slot in self.outputs:
                    judge_output(preparation, slot, lane)

    def collect(self, result: Result) -> None:
        """What the invocations that are left write, in the order of primitives: coverage by the SampleMask output, the
        depth test where it is not early, then depth and outputs."""
        framebuffer = Framebuffer(self.drawing)
        result.framebuffer = framebuffer
        preparation = self.preparation
        if not result.finished or preparation is None:
            return
        special = {slot.builtin: slot for slot in self.outputs if slot.builtin >= 0}
        replaced = None if self.early else special.get(enums.BuiltInFragDepth)
        masking = special.get(enums.BuiltInSampleMask)
        written = self.written(framebuffer)
        for lane in self.drawn:
            invocation = self.invocations[lane]
            fragment = Fragment(lane, invocation.x, invocation.y, invocation.sample, invocation.surface.number)
            framebuffer.fragments.append(fragment)
            if preparation.helpers[lane]:
                fragment.end = "discarded" if invocation.mask else "helper"
                continue
            mask = invocation.mask & (masking.get(lane)[0] if masking is not None else -1)
            for sample in bits_of(mask):
                spot = spot_of(invocation, sample)
                depth = replaced.get(lane) if replaced is not None else self.depth_of(invocation, sample)
                if not self.early and not framebuffer.test(spot, depth):
                    continue
                for slot, element, attachment in written:
                    value = slot.get(lane)
                    sources = open_parts(preparation, slot, lane)
                    if element >= 0 and sources:
                        each = len(sources) // slot.shape.count
                        sources = sources[element * each : (element + 1) * each]
                    attachment.put(spot, slot.component, value if element < 0 else value[element], sources)
        if self.early:
            framebuffer.depths = dict(self.framebuffer.depths)

    def written(self, framebuffer: Framebuffer) -> list[tuple[Slot, int, Attachment]]:
        """Which output goes where; an array has a location for each element."""
        written: list[tuple[Slot, int, Attachment]] = []
        for slot in self.outputs:
            if slot.builtin == enums.BuiltInFragStencilRefEXT:
                written.append((slot, -1, framebuffer.attachment(-1, 0, "stencil", slot.shape)))
            elif slot.builtin < 0 and slot.shape.kind == ARRAY_KIND and slot.shape.element is not None:
                for at in range(slot.shape.count):
                    name = f"{slot.name}[{at}]" if slot.name else ""
                    attachment = framebuffer.attachment(slot.location + at, slot.index, name, slot.shape.element)
                    written.append((slot, at, attachment))
            elif slot.builtin < 0:
                written.append((slot, -1, framebuffer.attachment(slot.location, slot.index, slot.name, slot.shape)))
        return written


# --- what an entry point declares -------------------------------------------------------------------------------------


def shades_samples(module: Module, functions: list[Function]) -> bool:
    """Whether the shader is run for each sample: it uses SampleId, SamplePosition, or an input at a Sample ("may be
    enabled")."""
    wanted: dict[Instr, None] = {}
    for decoration in module.decorations:
        target = decoration.operands[0] if decoration.operands else None
        if decoration.op != op.Decorate or not isinstance(target, Instr) or target.op != op.Variable:
            continue
        by_builtin = decoration.word(1) == enums.DecorationBuiltIn and decoration.word(2) in BY_SAMPLE
        if not by_builtin and decoration.word(1) != enums.DecorationSample:
            continue  # decorations of variables that a pass removed are still listed
        if target.type is not None and storage_of(target.type) == enums.StorageClassInput:
            wanted[target] = None
    for function in functions:
        for instr in instructions(function):
            if any(isinstance(operand, Instr) and operand in wanted for operand in instr.operands):
                return True
    return False


def unsupported(module: Module, reason: str) -> InputError:
    return InputError([Diagnostic("RK1001", f"can't run this fragment shader: {reason}", Place(module.path))])


# --- built-in variables -----------------------------------------------------------------------------------------------


def bits_of(mask: int) -> list[int]:
    return [bit for bit in range(mask.bit_length()) if mask >> bit & 1]


def spot_of(invocation: Invocation, sample: int) -> tuple[int, int, int, int]:
    return invocation.surface.layer, invocation.y, invocation.x, sample


def shape_text(shape: Shape) -> str:
    """`i32` for any integer of 32 bits, since both kinds are allowed."""
    if shape.kind == INT_KIND:
        return f"i{shape.width}"
    if shape.kind == ARRAY_KIND and shape.element is not None:
        return f"array<{shape_text(shape.element)}, {shape.count}>"
    return str(shape)


def frag_coord(invocation: Invocation, at: tuple[int, int], drawing: Drawing) -> Any:
    """(x, y, z, 1/w) at the center, or at the sample that is shaded."""
    x, y = at
    surface = invocation.surface
    depth = surface.depth(invocation, x, y)
    return FORMAT32.encode(x / 16), FORMAT32.encode(y / 16), depth, surface.w(invocation, x, y)


def sample_position(invocation: Invocation, at: tuple[int, int], drawing: Drawing) -> Any:
    x, y = STANDARD[drawing.samples][max(invocation.sample, 0)]
    return FORMAT32.encode(x / 16), FORMAT32.encode(y / 16)


def barycentric(straight: bool) -> Callable[[Invocation, tuple[int, int], Drawing], Any]:
    """"Interpolating an attribute whose values for the vertices are (1, 0, 0), (0, 1, 0) and (0, 0, 1)"."""

    def value(invocation: Invocation, at: tuple[int, int], drawing: Drawing) -> Any:
        corners = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0])
        x, y = at
        surface = invocation.surface
        return tuple([surface.mixed(corner, invocation, x, y, straight, FORMAT32) for corner in corners])

    return value


OF_INVOCATION: Final[dict[int, tuple[str, Callable[[Invocation, tuple[int, int], Drawing], Any]]]] = {
    enums.BuiltInFragCoord: ("vec4<f32>", frag_coord),
    enums.BuiltInFrontFacing: ("bool", lambda invocation, at, drawing: int(invocation.surface.front)),
    enums.BuiltInPointCoord: ("vec2<f32>", lambda invocation, at, drawing: invocation.surface.spot(*at)),
    enums.BuiltInPrimitiveId: ("i32", lambda invocation, at, drawing: invocation.surface.number),
    enums.BuiltInLayer: ("i32", lambda invocation, at, drawing: invocation.surface.layer),
    enums.BuiltInViewportIndex: ("i32", lambda invocation, at, drawing: invocation.surface.viewport),
    enums.BuiltInSampleId: ("i32", lambda invocation, at, drawing: max(invocation.sample, 0)),
    enums.BuiltInSamplePosition: ("vec2<f32>", sample_position),
    enums.BuiltInSampleMask: ("array<i32, 1>", lambda invocation, at, drawing: (invocation.mask,)),
    enums.BuiltInHelperInvocation: ("bool", lambda invocation, at, drawing: int(invocation.mask == 0)),
    enums.BuiltInBaryCoordKHR: ("vec3<f32>", barycentric(False)),
    enums.BuiltInBaryCoordNoPerspKHR: ("vec3<f32>", barycentric(True)),
}
"""By BuiltIn: its type, and its value in an invocation that is interpolated at a position."""
