"""The options that say what a fragment shader draws.

    --size 4x4 --primitive full --input 0=0,0:2,0:0,2          a triangle over the whole picture, with an input
    --size 8x8 --primitive 0,0:8,0:0,8 --primitive 8,8:0,8:8,0 --samples 4
    --scene scene.json                                         a file, see `sim.scene`

Corners are X,Y, X,Y,DEPTH or X,Y,DEPTH,1/W, between colons; an input has as many values, of all primitives alike.
"""

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from reknit.cli.misuse import misuse
from reknit.files.streams import read_bytes, shown_name

if TYPE_CHECKING:
    from reknit.sim.drawing import Drawing, Primitive

FULL = "full"
SIZE = "4x4"


def add_drawing(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("of fragment shaders")
    group.add_argument("--scene", metavar="FILE", help="what is drawn, as JSON")
    group.add_argument(
        "--primitive",
        action="append",
        metavar="CORNERS",
        help="a triangle X,Y:X,Y:X,Y in pixels (each with ,DEPTH,1/W where needed), a point X,Y, or full: all of the "
        "picture",
    )
    group.add_argument("--size", metavar="WxH", help=f"of the picture, in pixels (default {SIZE})")
    group.add_argument(
        "--input",
        action="append",
        metavar="LOCATION=V:V:V",
        help="an input of the primitives, by location or name, with a value for each corner: 0=0,0:1,0:0,1",
    )
    group.add_argument("--samples", type=int, metavar="N", help="of a pixel: 1 (default), 2, 4, 8 or 16")


def drawing_of_options(options: Namespace) -> "Drawing | None":
    """None where nothing is drawn. Raises Misuse (RK0010), InputError (RK1021)."""
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

    width, _, height = (options.size or SIZE).partition("x")
    if not all(part.isascii() and part.isdecimal() and len(part) < 8 for part in (width, height)):
        raise misuse("RK0010", f"--size {options.size}: it is WxH, as 8x4")
    size = (int(width), int(height))
    inputs = _inputs(options.input or [])
    primitives = [_primitive(text, size, inputs) for text in options.primitive]
    return Drawing(size, primitives, samples=1 if options.samples is None else options.samples)


def _primitive(text: str, size: tuple[int, int], inputs: dict[str, list[object]]) -> "Primitive":
    from reknit.sim.drawing import Primitive, whole_picture

    if text == FULL:
        return whole_picture(size[0], size[1], inputs)
    corners = [[_number(part, f"--primitive {text}") for part in corner.split(",")] for corner in text.split(":")]
    return Primitive(corners, inputs)


def _inputs(given: list[str]) -> dict[str, list[object]]:
    inputs: dict[str, list[object]] = {}
    for text in given:
        name, equals, values = text.partition("=")
        if not equals or not name:
            raise misuse("RK0010", f"--input {text}: it is LOCATION=V:V:V, a value for each corner")
        parts = [[_number(part, f"--input {text}") for part in value.split(",")] for value in values.split(":")]
        inputs[name] = [part[0] if len(part) == 1 else part for part in parts]
    return inputs


def _number(text: str, option: str) -> float:
    try:
        return int(text, 10) if text.strip().lstrip("+-").isdecimal() else float(text)
    except ValueError:
        raise misuse("RK0010", f"{option}: {text!r} is not a number") from None
