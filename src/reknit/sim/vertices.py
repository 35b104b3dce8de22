"""What a vertex shader is given, and what it leaves: vertices.

    Vertices(3, attributes={"0": [[0, 0], [1, 0], [0, 1]]})          three vertices, with an input at location 0
    Vertices(6, indices=[0, 1, 2, 2, 1, 3], instances=2)             twelve invocations, of four vertices

    drawn(result.vertices, (4, 4))                                   the Drawing that a fragment shader is given then

An attribute is named as an input of a drawing is: by its location ("0"), by location and component ("0.2"), or by its
variable; it has a value for each vertex that is fetched. Source: Vulkan 1.4, "Programmable Primitive Shading",
"Vertex Input", "Coordinate Transformations".
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, final

from reknit.sim.drawing import Drawing, Primitive, refused
from reknit.sim.shadow.sources import Source
from reknit.sim.values import Shape

TOPOLOGIES: Final = {"points": 1, "triangles": 3}
MAX_VERTICES: Final = 1 << 16
MAX_INDICES: Final = 1 << 32

Attributes = Mapping[str, Sequence[Any]]


@final
class Vertices:
    """`count` vertices, or as many of the `indices`, from `first` on, of each of `instances` instances from
    `first_instance` on; `base` is added to indices. `topology` is "triangles" or "points", as lists.

    Raises InputError (RK1021) for what can't be drawn."""

    __slots__ = ("count", "instances", "first", "first_instance", "base", "indices", "attributes", "topology")

    def __init__(
        self,
        count: int,
        instances: int = 1,
        first: int = 0,
        first_instance: int = 0,
        base: int = 0,
        indices: Sequence[int] | None = None,
        attributes: Attributes | None = None,
        topology: str = "triangles",
    ) -> None:
        for what, number, least in (("vertices", count, 1), ("instances", instances, 1), ("vertices before", first, 0)):
            if not isinstance(number, int) or not least <= number < MAX_INDICES:
                raise refused(f"{number!r} {what} can't be drawn", f"it is a whole number from {least} on")
        if count * instances > MAX_VERTICES:
            raise refused(f"{count * instances} vertices can't be drawn", f"at most {MAX_VERTICES}, of all instances")
        if topology not in TOPOLOGIES:
            raise refused(f"topology {topology!r} is not known", f"one of {', '.join(TOPOLOGIES)}")
        if indices is not None and not all(isinstance(one, int) and 0 <= one < 1 << 32 for one in indices):
            raise refused("an index can't be drawn by", "indices are whole numbers of 32 bits, from 0 on")
        if indices is not None and len(indices) < first + count:
            raise refused(f"there are {len(indices)} indices, and {first + count} are drawn")
        self.count = count
        self.instances = instances
        self.first = first
        self.first_instance = first_instance
        self.base = base
        self.indices = list(indices) if indices is not None else None
        self.attributes = dict(attributes or {})
        self.topology = topology

    def numbers(self) -> list[int]:
        """VertexIndex of each vertex of an instance."""
        if self.indices is None:
            return list(range(self.first, self.first + self.count))
        return [index + self.base for index in self.indices[self.first : self.first + self.count]]

    def base_vertex(self) -> int:
        """BaseVertex: "the first vertex, or the vertex offset" of indexed ones."""
        return self.first if self.indices is None else self.base


@final
class Vertex:
    """What an invocation left: `position` and the other built-in outputs as far as the shader has them, and `values` by
    location and component ("0.2" for component 2 of location 0, "0" for component 0). `bits` has all of it as it was
    stored, by the name of a built-in output or as "location 0", and `undefined` which of its numbers may be
    anything."""

    __slots__ = (
        "index", "instance", "position", "size", "clip", "cull", "layer", "viewport", "values", "bits", "undefined",
    )  # fmt: skip

    def __init__(self, index: int, instance: int) -> None:
        self.index = index
        self.instance = instance
        self.position: list[float] | None = None
        self.size = 1.0
        self.clip: list[float] = []
        self.cull: list[float] = []
        self.layer = 0
        self.viewport = 0
        self.values: dict[str, Any] = {}
        self.bits: dict[str, tuple[Shape, Any]] = {}
        self.undefined: dict[str, dict[int, Source]] = {}

    def __repr__(self) -> str:
        return f"<vertex {self.index} of instance {self.instance}: {self.position}>"

    def to_json(self) -> dict[str, object]:
        document: dict[str, object] = {"index": self.index, "instance": self.instance}
        if self.position is not None:
            document["position"] = self.position
        if self.clip:
            document["clip"] = self.clip
        if self.cull:
            document["cull"] = self.cull
        document["outputs"] = self.values
        if self.undefined:
            document["undefined"] = {where: list(numbers) for where, numbers in self.undefined.items()}
        return document


def drawn(vertices: Sequence[Vertex], size: Sequence[int], topology: str = "triangles", samples: int = 1) -> Drawing:
    """The drawing of these vertices, in their order, by a viewport as large as the framebuffer.

        position (x, y, z, w)   ->   corner (width / 2 * x / w + width / 2, height / 2 * y / w + height / 2, z / w, 1/w)

    A primitive that lies outside of the view volume is left out; one that crosses its near or far plane or one of the
    shader's own would have to be cut, which is refused by name, as one with a corner behind the eye is. What crosses
    the other planes needs no cut: what lies outside is not in the framebuffer."""
    if topology not in TOPOLOGIES:
        raise refused(f"topology {topology!r} is not known", f"one of {', '.join(TOPOLOGIES)}")
    corners = TOPOLOGIES[topology]
    primitives: list[Primitive] = []
    for at in range(0, len(vertices) - corners + 1, corners):
        primitive = assembled(vertices[at : at + corners], size, at // corners)
        if primitive is not None:
            primitives.append(primitive)
    return Drawing(size, primitives, samples=samples)


def assembled(vertices: Sequence[Vertex], size: Sequence[int], number: int) -> Primitive | None:
    """None for one that is culled. Source: "Primitive Clipping", "Coordinate Transformations"."""
    sides: list[list[float]] = []
    for vertex in vertices:
        if vertex.position is None:
            raise refused("the vertex shader has no Position, and nothing to draw", "it stores to BuiltIn Position")
        x, y, z, w = vertex.position
        sides.append([w + x, w - x, w + y, w - y, z, w - z, *vertex.clip])
    culls = list(zip(*[vertex.cull for vertex in vertices], strict=True))
    if any(all(side < 0 for side in plane) for plane in [*zip(*sides, strict=True), *culls]):
        return None
    for plane, values in enumerate(zip(*sides, strict=True)):
        crossing = min(values) < 0
        if plane >= 4 and crossing:
            names = {4: "the near plane", 5: "the far plane"}
            name = names.get(plane, f"the plane of ClipDistance {plane - 6}")
            help = "primitives are not cut: draw one that lies on one side of it"
            raise refused(f"primitive {number} crosses {name}", help)
    corners: list[list[float]] = []
    for vertex in vertices:
        assert vertex.position is not None
        x, y, z, w = vertex.position
        if w <= 0:
            raise refused(f"primitive {number} has a corner behind the eye: its w is {w:g}", "w is more than 0")
        width, height = size
        corners.append([width / 2 * (x / w) + width / 2, height / 2 * (y / w) + height / 2, z / w, 1 / w])
    inputs = {name: [vertex.values[name] for vertex in vertices] for name in vertices[0].values}
    first = vertices[0]
    return Primitive(corners, inputs, size=first.size, layer=first.layer, viewport=first.viewport)
