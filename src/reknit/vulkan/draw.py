"""Draw with a module's fragment shader on a Vulkan driver: what the simulator does with a `Drawing`, a second opinion.

    draw_on(target, module, Drawing(...), buffers=...)   ->   Result, with a picture of each output location

The vertices are corners of the drawing (`corners`), the pictures have four 32-bit components of the output's type.

    framebuffer (x, y), depth z, 1/w    ->    position (x / 2048, y / 2048, z, 1) times w

for a viewport of 4096 pixels around the origin: a division by a power of two is exact, and nothing near is clipped.
"""

import struct
from collections.abc import Iterator, Mapping
from typing import Any, Final, final

from reknit.ir import enums, op
from reknit.ir.instr import Instr
from reknit.ir.locate import place_of
from reknit.ir.module import Module
from reknit.ir.types import storage_of
from reknit.sim.drawing import Drawing, Primitive
from reknit.sim.entry import find_entry
from reknit.sim.framebuffer import Framebuffer, Spot
from reknit.sim.globals import Globals
from reknit.sim.locations import COMPONENTS, Words, given_words, parts_of, scalars
from reknit.sim.result import Result
from reknit.sim.values import FLOAT_KIND, VECTOR_KIND, Shape
from reknit.sim.vertices import Vertices
from reknit.source.diagnostic import Diagnostic, InputError
from reknit.source.place import Place
from reknit.spirv.write import write_module
from reknit.vulkan.corners import corner_shader
from reknit.vulkan.interface import Interface, interface_of
from reknit.vulkan.needs import Need, needs_of
from reknit.vulkan.process import ask
from reknit.vulkan.run import given_buffers, request_of, result_of
from reknit.vulkan.taken import taken
from reknit.vulkan.target import Target

FORMATS: Final = {"f": ("f", "rgba32f", 109), "i": ("i", "rgba32i", 108), "u": ("u", "rgba32ui", 107)}
"""By the kind of an output's components: that, and a format of Vulkan."""

EMPTY: Final = 0x7FC5A5A5
"""What each component of a picture starts as: a NaN that no shader makes."""

STAGES: Final = {enums.ExecutionModelVertex: "vertex", enums.ExecutionModelFragment: "fragment"}
D32: Final = 126
SPAN: Final = 4096
"""Pixels of the viewport: each device has as many (Vulkan 1.4, "Required Limits", maxViewportDimensions)."""

HALF: Final = SPAN // 2


def draw_on(
    target: Target,
    module: Module,
    drawing: Drawing,
    entry: str | None = None,
    *,
    subgroup_size: int = 0,
    buffers: Mapping[str, Any] | None = None,
    push_constants: Any = None,
    spec: Mapping[Any, float] | None = None,
    needs: list[Need] | None = None,
) -> Result:
    """Draw on the device. Everything is given as to the simulator, and the result has a framebuffer as its results do,
    but for how each invocation ended; `subgroup_size` and `needs` are those of `run_on`.

    Raises InputError: what `run_on` raises, and RK1108 for what of a drawing a driver can't be given.
    """
    refuse(drawing)
    module = taken(module)
    interface = interface_of(module, entry, spec, (enums.ExecutionModelFragment,))
    inputs = variables(interface.entry, enums.StorageClassInput)
    positions: list[list[int]] = []
    corners: list[Words] = []
    for primitive in drawing.primitives:
        order = corner_order(primitive, drawing.provoking)
        carried = given_words(interface.globals, inputs, primitive.inputs, len(primitive.corners))
        positions.extend([position_of(primitive.corners[at]) for at in order])
        corners.extend([carried[at] for at in order])
    sizes = [float_word(primitive.size) for primitive in drawing.primitives] if is_points(drawing) else []
    geometry = Geometry(corner_shader(interface.globals, inputs, positions, corners, sizes), "main", len(positions))
    geometry.points = bool(sizes)
    geometry.viewport = [-HALF, -HALF, SPAN, SPAN]
    given = given_buffers(buffers, push_constants)
    return drawn_with(target, module, interface, drawing, geometry, given, subgroup_size, needs or [])


def draw_vertices_on(
    target: Target,
    module: Module,
    vertices: Vertices,
    frame: Drawing,
    entry: str | None = None,
    *,
    subgroup_size: int = 0,
    buffers: Mapping[str, Any] | None = None,
    push_constants: Any = None,
    spec: Mapping[Any, float] | None = None,
) -> Result:
    """Draw what the vertex shader of the module makes of the vertices, by its fragment shader, into a frame, which is a
    drawing of nothing. Raises InputError as `draw_on` does."""
    module = taken(module)
    vertex = find_entry(module, entry, (enums.ExecutionModelVertex,))
    interface = interface_of(module, entry, spec, (enums.ExecutionModelFragment,), vertex)
    for point, stage in ((vertex, "vertex"), (interface.entry, "fragment")):
        if STAGES.get(point.word(0)) != stage:
            message = f"entry point {point.text(2)!r} is no {stage} shader, and a driver draws with both"
            raise InputError([Diagnostic("RK1108", message, Place(module.path))])
    geometry = Geometry(write_module(module), vertex.text(2), vertices.count)
    geometry.spec = interface.spec
    geometry.points = vertices.topology == "points"
    geometry.viewport = [0, 0, *frame.size]
    geometry.instances = vertices.instances
    geometry.first = vertices.first
    geometry.first_instance = vertices.first_instance
    geometry.base = vertices.base
    geometry.indices = vertices.indices
    inputs = variables(vertex, enums.StorageClassInput)
    fetched = max([len(values) for values in vertices.attributes.values()], default=0)
    words = given_words(interface.globals, inputs, vertices.attributes, fetched)
    for location, kind in sorted(attribute_kinds(interface.globals, inputs).items()):
        geometry.attributes.append([location, FORMATS[kind][2]])
        numbers = [each.get((location, component), 0) for each in words for component in range(COMPONENTS)]
        geometry.data.append(struct.pack(f"<{len(numbers)}I", *numbers))
    needed = [need for need in needs_of(module, vertex) if need.what.startswith("execution mode")]
    if any(slot.buffer is not None and slot.buffer.writable for slot in interface.slots):
        needed.append(Need("stores and atomics in a vertex shader", ["vertexPipelineStoresAndAtomics"]))
    given = given_buffers(buffers, push_constants)
    return drawn_with(target, module, interface, frame, geometry, given, subgroup_size, needed)


@final
class Geometry:
    """What comes before the fragment shader: a vertex shader, its attributes, and the vertices that are drawn."""

    __slots__ = (
        "code", "entry", "spec", "count", "instances", "first", "first_instance", "base", "indices", "points",
        "viewport", "attributes", "data",
    )  # fmt: skip

    def __init__(self, code: bytes, entry: str, count: int) -> None:
        self.code = code
        self.entry = entry
        self.spec: list[tuple[int, bytes]] = []
        self.count = count
        self.instances = 1
        self.first = 0
        self.first_instance = 0
        self.base = 0
        self.indices: list[int] | None = None
        self.points = False
        self.viewport: list[int] = []
        self.attributes: list[list[int]] = []
        self.data: list[bytes] = []

    def to_json(self) -> dict[str, Any]:
        return {
            "vertex": self.entry,
            "spec": [[number, len(value)] for number, value in self.spec],
            "count": self.count,
            "instances": self.instances,
            "first": self.first,
            "first_instance": self.first_instance,
            "base": self.base,
            "indexed": self.indices is not None,
            "points": self.points,
            "viewport": self.viewport,
            "attributes": self.attributes,
        }

    def blobs(self) -> list[bytes]:
        """The shader, its constants, the attributes' bytes, and those of the indices where there are some."""
        indices = [] if self.indices is None else [struct.pack(f"<{len(self.indices)}I", *self.indices)]
        return [self.code, b"".join([value for _, value in self.spec]), *self.data, *indices]


def drawn_with(
    target: Target,
    module: Module,
    interface: Interface,
    drawing: Drawing,
    geometry: Geometry,
    given: dict[str, Any],
    subgroup_size: int,
    needs: list[Need],
) -> Result:
    width, height = drawing.size
    colors = colors_of(interface)
    request, blobs = request_of(module, interface, given, (width, height, 1), [*needs, *storing(interface)])
    request.update(device=target.name, groups=[1, 1, 1], subgroup_size=subgroup_size)
    located = [colors.get(at) for at in range(1 + max(colors, default=-1))]
    pictures = [picture(drawing, *FORMATS[color.kind()], [EMPTY] * 4) if color else None for color in located]
    depth = None
    if drawing.compare:
        depth = picture(drawing, "f", "d32", D32, [float_word(drawing.depth), 0, 0, 0])
        depth["compare"] = drawing.compare
    request["draw"] = {
        **geometry.to_json(),
        "extent": [width, height],
        "samples": drawing.samples,
        "mask": drawing.sample_mask,
        "clockwise": drawing.front == "clockwise",
        "colors": pictures,
        "depth": depth,
    }
    blobs += geometry.blobs()
    texel = COMPONENTS * struct.pack("<I", EMPTY)
    blobs += [texel * (width * height) for color in located if color]
    if depth is not None:
        blobs.append(struct.pack("<f", drawing.depth) * (width * height))
    answer, results = ask(target, request, blobs, subgroup_size)
    result = result_of(module, interface, answer, results)
    drawn = iter([struct.unpack(f"<{len(data) // 4}I", data) for data in results[len(interface.slots) :]])
    result.framebuffer = Framebuffer(drawing)
    for location, color in enumerate(located):
        if color is not None:
            attachment = result.framebuffer.attachment(location, 0, color.name, color.shape)
            texels = next(drawn)
            for spot, at in spots(drawing):
                words = texels[COMPONENTS * at : COMPONENTS * at + COMPONENTS]
                if words != (EMPTY,) * COMPONENTS:
                    for component in color.components:
                        attachment.put(spot, component, words[component])
    if depth is not None:
        depths = next(drawn)
        each = 1 if drawing.samples == 1 else COMPONENTS
        result.framebuffer.depths = {spot: depths[each * at] for spot, at in spots(drawing)}
    return result


def attribute_kinds(globals: Globals, inputs: list[Instr]) -> dict[int, str]:
    """By location of an input, the kind of its components. Raises InputError (RK1108)."""
    kinds: dict[int, str] = {}
    for variable in inputs:
        for part in parts_of(globals, variable):
            for location, _, scalar in scalars(globals, part.type, part.location, part.component):
                shape = globals.shape(scalar)
                if shape is None or shape.width != 32:
                    raise unable(globals, variable, "input", "its components are not of 32 bits")
                kinds[location] = kind_of(shape)
    return kinds


def spots(drawing: Drawing) -> Iterator[tuple[Spot, int]]:
    """Each sample of a picture, and which of its texels it is."""
    width, height = drawing.size
    for sample in range(drawing.samples):
        for y in range(height):
            for x in range(width):
                yield (0, y, x, sample), (sample * height + y) * width + x


def refuse(drawing: Drawing) -> None:
    """What of a drawing there is no way to give a driver. Raises InputError (RK1108)."""
    faults: list[str] = []
    if drawing.quads:
        faults.append("quads whose invocations are given one by one")
    if len({primitive.is_point() for primitive in drawing.primitives}) > 1:
        faults.append("points and triangles in one drawing")
    if any(primitive.layer or primitive.viewport for primitive in drawing.primitives):
        faults.append("primitives of another layer or viewport than the first")
    if any(primitive.front is not None for primitive in drawing.primitives):
        faults.append("primitives that say themselves whether they face the viewer")
    if not drawing.primitives:
        faults.append("a drawing without primitives")
    if max(drawing.size) > HALF:
        faults.append(f"pictures of more than {HALF} pixels along an axis")
    help = "a driver draws triangles or points, whose corners say which pixels they cover"
    if faults:
        raise InputError([Diagnostic("RK1108", f"{what} can't be given to a driver", help=help) for what in faults])


def is_points(drawing: Drawing) -> bool:
    return drawing.primitives[0].is_point()


def corner_order(primitive: Primitive, provoking: str) -> list[int]:
    """The corners with the one first that flat inputs are of, which is where Vulkan has it, facing as before."""
    if primitive.is_point():
        return [0]
    return [0, 1, 2] if provoking == "first" else [2, 0, 1]


def position_of(corner: tuple[float, float, float, float]) -> list[int]:
    x, y, z, inverse = corner
    w = 1.0 / inverse
    return [float_word(part) for part in (x / HALF * w, y / HALF * w, z * w, w)]


def float_word(number: float) -> int:
    return int(struct.unpack("<I", struct.pack("<f", number))[0])


def picture(drawing: Drawing, component: str, name: str, format: int, clear: list[int]) -> dict[str, Any]:
    """What is drawn to, as `attachments.Attachment` reads it."""
    width, height = drawing.size
    image = {
        "dimension": enums.Dim2D,
        "arrayed": False,
        "format": name,
        "extent": [[width, height, 1]],
        "layers": 1,
        "starts": [0],
        "size": 4 * COMPONENTS * width * height,
        "atomic": False,
    }
    return {"image": image, "format": format, "component": component, "clear": clear}


def variables(entry: Instr, storage: int) -> list[Instr]:
    """Those of the entry point's interface in a storage class."""
    return [
        operand
        for operand in entry.operands[3:]
        if isinstance(operand, Instr)
        and operand.op == op.Variable
        and operand.type is not None
        and storage_of(operand.type) == storage
    ]


@final
class Color:
    """What is stored at a location, of which `components` are."""

    __slots__ = ("name", "shape", "components")

    def __init__(self, name: str, shape: Shape) -> None:
        self.name = name
        self.shape = shape
        self.components: list[int] = []

    def kind(self) -> str:
        return kind_of(self.shape.component())


def colors_of(interface: Interface) -> dict[int, Color]:
    """By location. Raises InputError (RK1108)."""
    globals = interface.globals
    colors: dict[int, Color] = {}
    for variable in variables(interface.entry, enums.StorageClassOutput):
        for part in parts_of(globals, variable):
            if globals.decorations.number(variable, enums.DecorationIndex) > 0:
                raise unable(globals, variable, "output", "it is the second source of a blend")
            shape = globals.shape(part.type)
            while shape is not None and shape.element is not None and shape.kind != VECTOR_KIND:
                shape = shape.element
            for location, component, _ in scalars(globals, part.type, part.location, part.component):
                if shape is None or shape.component().width != 32:
                    raise unable(globals, variable, "output", "its components are not of 32 bits")
                colors.setdefault(location, Color(variable.name, shape)).components.append(component)
    return colors


def kind_of(scalar: Shape) -> str:
    return "f" if scalar.kind == FLOAT_KIND else "i" if scalar.signed else "u"


def unable(globals: Globals, variable: Instr, what: str, why: str) -> InputError:
    message = f"{what} %{variable.name or variable.id} can't be given to a driver: {why}"
    return InputError([Diagnostic("RK1108", message, place_of(variable, globals.module))])


def storing(interface: Interface) -> list[Need]:
    """A fragment shader that has memory to write to needs the feature for it."""
    if any(slot.buffer is not None and slot.buffer.writable for slot in interface.slots):
        return [Need("stores and atomics in a fragment shader", ["fragmentStoresAndAtomics"])]
    return []
