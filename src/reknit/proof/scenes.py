"""What is drawn in a proof of fragment shaders, and the vertices in one of vertex shaders.

    given (--primitive, --scene, --vertices)     that, and nothing else
    else, for a fragment shader                  a fixed sample: a whole picture, triangles whose quads have helper
                                                 invocations, two that overlap, one that faces away, one in perspective,
                                                 one with four samples a pixel, a point
    for a vertex shader                          a few vertices of two instances

Inputs go by location, so that names may differ; numbers are simple fractions, and of the pool (`pool`).
"""

import random
from typing import Any, Final, final

from reknit.ir import enums
from reknit.ir.module import Module
from reknit.proof.pool import Pool
from reknit.sim.drawing import Drawing, Primitive
from reknit.sim.entry import find_entry
from reknit.sim.globals import Globals
from reknit.sim.locations import Part, parts_of
from reknit.sim.ops.ieee import format_of
from reknit.sim.scene import document_of
from reknit.sim.stages.interface import inputs_of
from reknit.sim.values import BOOL_KIND, FLOAT_KIND, INT_KIND, Shape
from reknit.sim.vertices import Vertices

SCENE: Final = "what is drawn"
"""By this an input of a proof has it, beside its buffers."""

Scene = Drawing | Vertices

OF_VERTICES: Final = (
    "count", "instances", "first", "first_instance", "base", "indices", "attributes", "topology",
)  # fmt: skip

STAGES: Final = (enums.ExecutionModelFragment, enums.ExecutionModelVertex)


@final
class Shapes:
    """A drawing without inputs: the corners of each primitive, and what `Drawing` takes."""

    __slots__ = ("name", "size", "primitives", "options")

    def __init__(self, name: str, size: tuple[int, int], primitives: list[list[list[float]]], **options: Any) -> None:
        self.name = name
        self.size = size
        self.primitives = primitives
        self.options = options


SHAPES: Final = (
    Shapes("a whole picture", (4, 4), [[[0, 0], [8, 0], [0, 8]]]),
    Shapes("a corner", (4, 4), [[[0, 0], [3, 0], [0, 3]]]),
    Shapes("a pixel", (2, 2), [[[1, 1], [2, 1], [1, 2.5]]]),
    Shapes("a triangle in perspective", (4, 2), [[[0, 0, 0, 1], [8, 0, 0.5, 2], [0, 4, 0.25, 0.5]]], provoking="last"),
    Shapes("two triangles tested by depth", (4, 4), [
        [[0, 0, 0.5], [8, 0, 0.25], [0, 8, 0.5]], [[4, 4, 0.25], [0, 4, 0.75], [4, 0, 0.25]],
    ], compare="less"),
    Shapes("a triangle that faces away", (4, 4), [[[0, 0], [0, 4], [4, 0]]]),
    Shapes("four samples a pixel", (4, 2), [[[0, 0], [4, 0], [0, 2]]], samples=4),
    Shapes("a point", (4, 2), [[[2, 1]]]),
)  # fmt: skip
"""Of the first the extent is, that buffers and images are sized by."""

FRACTIONS: Final = [number / 8 for number in range(-8, 25)]


def scenes_for(before: Module, after: Module, entry: str, given: Scene | None, pool: Pool) -> dict[str, Scene]:
    """What an entry point is run over, by how a verdict names it: nothing where its stage needs nothing."""
    model = find_entry(before, entry).word(0)
    if given is not None or model not in STAGES:
        return {} if given is None else {text_of(given): given}
    parts: dict[str, tuple[Part, Shape, bool]] = {}
    for module in (before, after):
        globals = Globals(module, {})
        for variable in inputs_of(find_entry(module, entry)):
            for part in parts_of(globals, variable):
                shape = globals.shape(part.type)
                if shape is not None:
                    by_corner = is_by_corner(globals, part)
                    parts.setdefault(f"{part.location}.{part.component}", (part, shape, by_corner))
    scenes: dict[str, Scene] = {}
    if model == enums.ExecutionModelVertex:
        for number in range(2):
            source = random.Random(f"vertices {number}")
            attributes = {name: [value(shape, pool, source) for _ in range(6)] for name, (_, shape, _) in parts.items()}
            vertices = Vertices(6, attributes=attributes, instances=1 + number, first_instance=3 * number)
            scenes[text_of(vertices)] = vertices
        return scenes
    for number, shapes in enumerate(SHAPES):
        primitives: list[Primitive] = []
        for corners in shapes.primitives:
            source = random.Random(f"{number}/{len(primitives)}")
            inputs: dict[str, Any] = {}
            for name, (_, shape, by_corner) in parts.items():
                each = shape.element if by_corner and shape.element is not None else shape
                inputs[name] = [value(each, pool, source) for _ in corners]
            primitives.append(Primitive(corners, inputs, size=2.0 if len(corners) == 1 else 1.0))
        scenes[shapes.name] = Drawing(shapes.size, primitives, **{"compare": "always", **shapes.options})
    return scenes


def is_by_corner(globals: Globals, part: Part) -> bool:
    """Whether an input has a value for each corner (PerVertexKHR)."""
    return globals.decorations.has(part.variable, enums.DecorationPerVertexKHR)


def value(shape: Shape, pool: Pool, source: random.Random) -> Any:
    """A value of an input's type. Types nest a few levels."""
    if shape.members:
        return [value(member, pool, source) for member in shape.members]
    if shape.element is not None:
        return [value(shape.element, pool, source) for _ in range(shape.count)]
    form = format_of(shape.width) if shape.kind == FLOAT_KIND else None
    if form is not None:
        if source.randrange(4):
            return source.choice(FRACTIONS)
        number = form.decode(source.choice(pool.of(shape)))
        return number if -(2.0**20) < number < 2.0**20 else 1.0
    if shape.kind == BOOL_KIND:
        return source.randrange(2)
    bits = source.choice(pool.of(shape)) if source.randrange(3) == 0 else source.randrange(5)
    return bits - (1 << shape.width) if shape.kind == INT_KIND and bits >> (shape.width - 1) else bits


def fitting(scene: Scene | None, module: Module, entry: str) -> Scene | None:
    """A scene without attributes of inputs that a module lacks: a pass may have taken one out that nothing reads."""
    if not isinstance(scene, Vertices):
        return scene
    globals = Globals(module, {})
    parts = [part for variable in inputs_of(find_entry(module, entry)) for part in parts_of(globals, variable)]
    places = {f"{part.location}.{part.component}" for part in parts}
    kept = {name: values for name, values in scene.attributes.items() if name in places}
    if len(kept) == len(scene.attributes) or not all("." in name for name in scene.attributes):
        return scene
    return Vertices(
        scene.count, scene.instances, scene.first, scene.first_instance, scene.base, scene.indices, kept, scene.topology
    )


def text_of(scene: Scene) -> str:
    """In a few words: what a verdict names as its domain."""
    if isinstance(scene, Vertices):
        instances = f" of {scene.instances} instances" if scene.instances > 1 else ""
        return f"{scene.count} vertices{instances}"
    width, height = scene.size
    parts: list[str] = []
    for count, what in ((len(scene.primitives), "primitive"), (len(scene.quads), "quad")):
        if count:
            parts.append(f"{count} {what}{'s' * (count > 1)}")
    samples = f" of {scene.samples} samples" if scene.samples > 1 else ""
    return f"{' and '.join(parts) or 'nothing'} on {width}x{height} pixels{samples}"


def scene_document(scene: Scene) -> dict[str, Any]:
    """A drawing as a scene file has it; vertices as the arguments of `Vertices`."""
    if isinstance(scene, Drawing):
        return document_of(scene)
    plain = Vertices(1)
    parts = {name: getattr(scene, name) for name in OF_VERTICES}
    return {name: part for name, part in parts.items() if name == "count" or part != getattr(plain, name)}
