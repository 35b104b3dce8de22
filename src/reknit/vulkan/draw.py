"""Draw with a module's fragment shader on a Vulkan driver: what the simulator does with a `Drawing`, a second opinion.

    draw_on(target, module, Drawing(...), buffers=...)   ->   Result, with a picture of each output location

The vertices are corners of the drawing (`corners`), the pictures have four 32-bit components of the output's type.

    framebuffer (x, y), depth z, 1/w    ->    position (x / 2048, y / 2048, z, 1) times w

for a viewport of 4096 pixels around the origin: a division by a power of two is exact, and nothing near is clipped.
"""

import struct
from collections.abc import Mapping
from typing import Any, Final

from reknit.ir import enums, op
from reknit.ir.instr import Instr
from reknit.ir.locate import place_of
from reknit.ir.module import Module
from reknit.ir.types import storage_of
from reknit.sim.drawing import Drawing, Primitive
from reknit.sim.globals import Globals
from reknit.sim.locations import Words, given_words, parts_of, scalars
from reknit.sim.result import Result
from reknit.sim.values import FLOAT_KIND
from reknit.source.diagnostic import Diagnostic, InputError
from reknit.vulkan.corners import corner_shader
from reknit.vulkan.interface import Interface, interface_of
from reknit.vulkan.needs import Need
from reknit.vulkan.process import ask
from reknit.vulkan.run import given_buffers, request_of, result_of
from reknit.vulkan.target import Target

FORMATS: Final = {"f": ("rgba32f", 109), "i": ("rgba32i", 108), "u": ("rgba32ui", 107)}
"""By the kind of an output's components: a format of Vulkan."""

D32: Final = 126
SPAN: Final = 4096
"""Pixels of the viewport: each device has as many (Vulkan 1.4, "Required Limits", maxViewportDimensions)."""

HALF: Final = SPAN // 2
TEXEL: Final = 16  # bytes


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
) -> tuple[Result, dict[int, list[int]]]:
    """Draw on the device. Everything is given as to the simulator; `subgroup_size` and `needs` are those of `run_on`.

    Raises InputError: what `run_on` raises, and RK1108 for what of a drawing a driver can't be given.
    """
    refuse(drawing)
    interface = interface_of(module, entry, spec, (enums.ExecutionModelFragment,))
    width, height = drawing.size
    asked = [*(needs or []), *storing(interface)]
    given = given_buffers(buffers, push_constants)
    request, blobs = request_of(module, interface, given, (width, height, 1), asked)
    inputs = variables(interface, enums.StorageClassInput)
    colors = colors_of(interface)
    positions: list[list[int]] = []
    corners: list[Words] = []
    for primitive in drawing.primitives:
        order = corner_order(primitive, drawing.provoking)
        carried = given_words(interface.globals, inputs, primitive.inputs, len(primitive.corners))
        positions.extend([position_of(primitive.corners[at]) for at in order])
        corners.extend([carried[at] for at in order])
    sizes = [float_word(primitive.size) for primitive in drawing.primitives] if is_points(drawing) else []
    request.update(device=target.name, groups=[1, 1, 1], subgroup_size=subgroup_size)
    located = [colors.get(at) for at in range(1 + max(colors, default=-1))]
    pictures = [picture(drawing, *FORMATS[kind], kind, [0, 0, 0, 0]) if kind else None for kind in located]
    depth = None
    if drawing.compare:
        depth = picture(drawing, "d32", D32, "f", [float_word(drawing.depth), 0, 0, 0])
        depth["compare"] = drawing.compare
    request["draw"] = {
        "extent": [width, height],
        "span": SPAN,
        "samples": drawing.samples,
        "mask": drawing.sample_mask,
        "clockwise": drawing.front == "clockwise",
        "points": bool(sizes),
        "count": len(positions),
        "instances": 1,
        "first": 0,
        "first_instance": 0,
        "vertex": "main",
        "spec": [],
        "attributes": [],
        "colors": pictures,
        "depth": depth,
    }
    blobs += [corner_shader(interface.globals, inputs, positions, corners, sizes), b""]
    blobs += [bytes(TEXEL * width * height) for kind in located if kind]
    if depth is not None:
        blobs.append(struct.pack("<f", drawing.depth) * (width * height))
    answer, results = ask(target, request, blobs, subgroup_size)
    result = result_of(module, interface, answer, results)
    drawn = results[len(interface.slots) :]
    words = [list(struct.unpack(f"<{len(data) // 4}I", data)) for data in drawn]
    return result, dict(zip([at for at, kind in enumerate(located) if kind], words, strict=False))


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


def picture(drawing: Drawing, name: str, format: int, component: str, clear: list[int]) -> dict[str, Any]:
    """What is drawn to, as `attachments.Attachment` reads it."""
    width, height = drawing.size
    image = {
        "dimension": enums.Dim2D,
        "arrayed": False,
        "format": name,
        "extent": [[width, height, 1]],
        "layers": 1,
        "starts": [0],
        "size": TEXEL * width * height,
        "atomic": False,
    }
    return {"image": image, "format": format, "component": component, "clear": clear}


def variables(interface: Interface, storage: int) -> list[Instr]:
    """Those of the entry point's interface in a storage class."""
    return [
        operand
        for operand in interface.entry.operands[3:]
        if isinstance(operand, Instr)
        and operand.op == op.Variable
        and operand.type is not None
        and storage_of(operand.type) == storage
    ]


def colors_of(interface: Interface) -> dict[int, str]:
    """By location of an output, the kind of its components. Raises InputError (RK1108)."""
    globals = interface.globals
    colors: dict[int, str] = {}
    for variable in variables(interface, enums.StorageClassOutput):
        for part in parts_of(globals, variable):
            if globals.decorations.number(variable, enums.DecorationIndex) > 0:
                raise unable(globals, variable, "it is the second source of a blend")
            for location, _, scalar in scalars(globals, part.type, part.location, part.component):
                shape = globals.shape(scalar)
                if shape is None or shape.width != 32:
                    raise unable(globals, variable, "its components are not of 32 bits")
                colors[location] = "f" if shape.kind == FLOAT_KIND else "i" if shape.signed else "u"
    return colors


def unable(globals: Globals, variable: Instr, why: str) -> InputError:
    message = f"output %{variable.name or variable.id} can't be drawn by a driver: {why}"
    return InputError([Diagnostic("RK1108", message, place_of(variable, globals.module))])


def storing(interface: Interface) -> list[Need]:
    """A fragment shader that has memory to write to needs the feature for it."""
    if any(slot.buffer is not None and slot.buffer.writable for slot in interface.slots):
        return [Need("stores and atomics in a fragment shader", ["fragmentStoresAndAtomics"])]
    return []
