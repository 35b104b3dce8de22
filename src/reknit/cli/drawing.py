"""The options that say what a fragment shader draws, and what a vertex shader is given.

    --size 4x4 --primitive full --input 0=0,0:2,0:0,2          a triangle over the whole picture, with an input
    --size 8x8 --primitive 0,0:8,0:0,8 --primitive 8,8:0,8:8,0 --samples 4
    --scene scene.json                                         a file, see `sim.scene`
    --vertices 3 --attribute 0=0,0:1,0:0,1                     three vertices, with an input
    --vertices 3 --size 4x4                                    and what the module's fragment shader draws with them

Corners are X,Y, X,Y,DEPTH or X,Y,DEPTH,1/W, between colons; an input has as many values, of all primitives alike.
"""

from argparse import Namespace
from typing import TYPE_CHECKING

from reknit.cli.misuse import misuse
from reknit.cli.parser import Parser, whole
from reknit.files.streams import read_bytes, shown_name
from reknit.source.digits import integer, is_decimal, is_signed_decimal

if TYPE_CHECKING:
    from reknit.sim.drawing import Drawing, Primitive
    from reknit.sim.vertices import Vertices

OF_VERTICES = {
    "instances": "number of instances of each vertex (default 1)",
    "first-vertex": "where VertexIndex, or the list of indices, begins (default 0)",
    "first-instance": "where InstanceIndex begins (default 0)",
    "vertex-offset": "number that is added to each index (default 0)",
}
FULL = "full"
SIZE = "4x4"


def add_drawing(parser: Parser) -> None:
    group = parser.group("fragment shaders")
    group.add_argument("--scene", metavar="FILE", help="what to draw, as a JSON file")
    group.add_argument(
        "--primitive",
        action="append",
        metavar="CORNERS",
        help="draw a triangle X,Y:X,Y:X,Y in pixels (a corner may end in ,DEPTH,1/W), a point X,Y, or full: the whole "
        "picture",
    )
    group.add_argument("--size", metavar="WxH", help=f"size of the picture, in pixels (default {SIZE})")
    group.add_argument(
        "--input",
        action="append",
        metavar="LOCATION=V:V:V",
        help="input of the primitives, by location or name, with a value per corner: 0=0,0:1,0:0,1",
    )
    group.add_argument("--samples", type=whole, metavar="N", help="samples per pixel: 1 (default), 2, 4, 8 or 16")


def add_vertices(parser: Parser) -> None:
    group = parser.group("vertex shaders")
    group.add_argument(
        "--vertices",
        type=whole,
        metavar="N",
        help="number of vertices; with --size, the fragment shader of the module draws triangles of them",
    )
    for name in OF_VERTICES:
        group.add_argument(f"--{name}", type=whole, metavar="N", help=OF_VERTICES[name])
    group.add_argument("--indices", metavar="I,I,I", help="draw these vertices, in this order")
    group.add_argument(
        "--attribute",
        action="append",
        metavar="LOCATION=V:V:V",
        help="input of the vertices, by location or name, with a value per vertex: 0=0,0:1,0:0,1",
    )


def vertices_of_options(options: Namespace) -> "Vertices | None":
    """None where none are given. Raises Misuse (RK0010), InputError (RK1021)."""
    names = [name.replace("-", "_") for name in (*OF_VERTICES, "indices", "attribute")]
    given = {name: getattr(options, name) for name in names if getattr(options, name, None) is not None}
    if getattr(options, "vertices", None) is None:
        if given:
            name = next(iter(given)).replace("_", "-")
            raise misuse("RK0010", f"--{name} is about vertices, and there are none", "--vertices N")
        return None
    for name in ("scene", "primitive", "input"):
        if getattr(options, name, None) is not None:
            raise misuse("RK0010", f"--{name} is not for --vertices, of which primitives are made")
    from reknit.sim.vertices import Vertices

    if "indices" in given:
        parts = given["indices"].split(",")
        if not all(is_decimal(part) for part in parts):
            raise misuse("RK0010", f"--indices {given['indices']}: it is I,I,I, whole numbers")
        given["indices"] = [int(part) for part in parts]
    attributes = values_of(given.pop("attribute", []), "--attribute")
    renamed = {"first_vertex": "first", "vertex_offset": "base"}
    return Vertices(
        options.vertices, attributes=attributes, **{renamed.get(name, name): value for name, value in given.items()}
    )


def drawing_of_options(options: Namespace) -> "Drawing | None":
    """None where nothing is drawn, or by vertices. Raises Misuse (RK0010), InputError (RK1021)."""
    if getattr(options, "vertices", None) is not None:
        return None
    given = [name for name in ("primitive", "size", "input", "samples") if getattr(options, name, None) is not None]
    scene: str | None = getattr(options, "scene", None)
    if scene is not None:
        if given:
            raise misuse("RK0010", f"--{given[0]} is not for --scene {scene}, which says all that is drawn")
        from reknit.sim.scene import read_scene

        return read_scene(read_bytes(scene), shown_name(scene))
    if not given:
        return None
    if options.primitive is None:
        help = "--primitive full, or --scene FILE"
        raise misuse("RK0010", f"--{given[0]} is about a drawing, and there is none", help)
    from reknit.sim.drawing import Drawing

    size = size_of(options.size or SIZE)
    inputs = values_of(options.input or [], "--input")
    primitives = [_primitive(text, size, inputs) for text in options.primitive]
    return Drawing(size, primitives, samples=1 if options.samples is None else options.samples)


def _primitive(text: str, size: tuple[int, int], inputs: dict[str, list[object]]) -> "Primitive":
    from reknit.sim.drawing import Primitive, whole_picture

    if text == FULL:
        return whole_picture(size[0], size[1], inputs)
    corners = [[_number(part, f"--primitive {text}") for part in corner.split(",")] for corner in text.split(":")]
    return Primitive(corners, inputs)


def size_of(text: str) -> tuple[int, int]:
    width, _, height = text.partition("x")
    if not all(part.isascii() and part.isdecimal() and len(part) < 8 for part in (width, height)):
        raise misuse("RK0010", f"--size {text}: it is WxH, as 8x4")
    return int(width), int(height)


def frame_of(options: Namespace, why: str) -> "Drawing":
    """The drawing of nothing that --vertices are drawn into. Raises Misuse (RK0010) where --size is missing."""
    from reknit.sim.drawing import Drawing

    if options.size is None:
        raise misuse("RK0010", f"--vertices needs --size for {why}")
    return Drawing(size_of(options.size), samples=options.samples or 1)


def values_of(given: list[str], option: str) -> dict[str, list[object]]:
    """Of `LOCATION=V:V:V` each."""
    inputs: dict[str, list[object]] = {}
    for text in given:
        name, equals, values = text.partition("=")
        if not equals or not name:
            of = "corner" if option == "--input" else "vertex"
            raise misuse("RK0010", f"{option} {text}: it is LOCATION=V:V:V, a value for each {of}")
        parts = [[_number(part, f"{option} {text}") for part in value.split(",")] for value in values.split(":")]
        inputs[name] = [part[0] if len(part) == 1 else part for part in parts]
    return inputs


def _number(text: str, option: str) -> float:
    from reknit.cli.numbers import float_of

    try:
        return integer(text.strip()) if is_signed_decimal(text.strip()) else float_of(text)
    except ValueError:
        raise misuse("RK0010", f"{option}: {text!r} is not a number") from None
