"""What is drawn: primitives with what their corners carry, or quads whose invocations are given one by one.

    Drawing([4, 4], [Primitive([[0, 0], [8, 0], [0, 8]], {"0": [[0, 0], [1, 0], [0, 1]]})])
    Drawing([2, 2], quads=[Quad([0, 0], covered=[1, 1, 0, 1], inputs={"0": [1.0, 2.0, 3.0, 4.0]})])

Corners are in framebuffer coordinates: x to the right, y down, the center of the first pixel at (0.5, 0.5); then depth
(0 unless given) and 1/w (1 unless given). An input is named by its location ("0"), by location and component ("0.2"),
or by its variable; it has a value for each corner, or for each invocation of a quad: a number, a list of numbers for a
vector, a list of lists for a matrix or an array. Nothing here knows a shader. Source: Vulkan 1.4, "Rasterization".
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final, final

from reknit.sim.comparisons import COMPARES
from reknit.source.diagnostic import Diagnostic, InputError

SAMPLES: Final = (1, 2, 4, 8, 16)
PROVOKING: Final = ("first", "last")
WINDINGS: Final = ("counter-clockwise", "clockwise")
MAX_PIXELS: Final = 1 << 24
FARTHEST: Final = 1 << 24
"""How far from the origin a corner may be, in pixels."""

Inputs = Mapping[str, Sequence[Any]]


def refused(message: str, help: str = "") -> InputError:
    return InputError([Diagnostic("RK1021", message, help=help)])


@final
class Primitive:
    """A triangle of three `corners`, or a point of one, whose `size` is in pixels. `layer` and `viewport` are where it
    goes; `front` says whether it faces the viewer, None where the order of its corners does."""

    __slots__ = ("corners", "inputs", "size", "layer", "viewport", "front")

    def __init__(
        self,
        corners: Sequence[Sequence[float]],
        inputs: Inputs | None = None,
        size: float = 1.0,
        layer: int = 0,
        viewport: int = 0,
        front: bool | None = None,
    ) -> None:
        if len(corners) not in (1, 3):
            what = "a line" if len(corners) == 2 else f"a primitive of {len(corners)} corners"
            raise refused(f"{what} can't be drawn", "a triangle has three corners, a point has one")
        self.corners = [_corner(corner) for corner in corners]
        self.inputs = _inputs(inputs, len(corners), "corners")
        self.size = _number(size, "the size of a point")
        if not 0.0 < self.size < FARTHEST:
            raise refused(f"a point of size {size!r} can't be drawn", "it is more than 0")
        self.layer = _count(layer, "a layer")
        self.viewport = _count(viewport, "a viewport")
        self.front = front

    def is_point(self) -> bool:
        return len(self.corners) == 1


@final
class Quad:
    """Four invocations, at (x, y), (x + 1, y), (x, y + 1) and (x + 1, y + 1) of `at`, which is even. `covered` has for
    each the mask of the samples that it covers: one that covers none is a helper invocation. `depth` and `w` are the
    last two components of FragCoord, the same for all four or one each; another built-in input may be given by name."""

    __slots__ = ("at", "covered", "inputs", "depth", "w", "front", "layer", "viewport", "primitive", "sample")

    def __init__(
        self,
        at: Sequence[int] = (0, 0),
        covered: Sequence[int] = (1, 1, 1, 1),
        inputs: Inputs | None = None,
        depth: float | Sequence[float] = 0.0,
        w: float | Sequence[float] = 1.0,
        front: bool = True,
        layer: int = 0,
        viewport: int = 0,
        primitive: int = 0,
        sample: int = 0,
    ) -> None:
        if len(at) != 2 or any(part % 2 for part in at):
            raise refused(f"a quad at {list(at)!r} can't be drawn", "it begins at two even numbers")
        if len(covered) != 4:
            raise refused(f"a quad has {len(covered)} masks of coverage", "it has four invocations")
        self.at = (_count(at[0], "the x of a quad"), _count(at[1], "the y of a quad"))
        self.covered = [_count(int(mask), "a mask of coverage") for mask in covered]
        self.inputs = _inputs(inputs, 4, "invocations")
        self.depth = _four(depth, "the depth of a quad")
        self.w = _four(w, "the w of a quad")
        self.front = front
        self.layer = _count(layer, "a layer")
        self.viewport = _count(viewport, "a viewport")
        self.primitive = _count(primitive, "the number of a primitive")
        self.sample = _count(sample, "the number of a sample")


@final
class Drawing:
    """`size` is that of the framebuffer, in pixels, of `samples` samples each, of which `sample_mask` are drawn to.
    `front` is the order of corners, as seen, of a triangle that faces the viewer; `provoking` the corner whose values
    flat inputs have. Where `compare` is not "", each sample is tested against its depth, which begins as `depth`.

    All `primitives` are drawn, in their order, then all `quads`. Raises InputError (RK1021) for what can't be drawn."""

    __slots__ = ("size", "primitives", "quads", "samples", "sample_mask", "front", "provoking", "compare", "depth")

    def __init__(
        self,
        size: Sequence[int],
        primitives: Sequence[Primitive] = (),
        quads: Sequence[Quad] = (),
        samples: int = 1,
        sample_mask: int = 0xFFFFFFFF,
        front: str = "counter-clockwise",
        provoking: str = "first",
        compare: str = "",
        depth: float = 1.0,
    ) -> None:
        if len(size) != 2 or min(size) < 1 or size[0] * size[1] > MAX_PIXELS:
            raise refused(f"a framebuffer of {'x'.join(map(str, size))} pixels", "it has a width and a height")
        if samples not in SAMPLES:
            raise refused(f"{samples!r} samples a pixel", f"one of {', '.join(map(str, SAMPLES))}")
        _one_of("front", front, WINDINGS)
        _one_of("provoking", provoking, PROVOKING)
        _one_of("compare", compare, ("", *COMPARES))
        self.size = (int(size[0]), int(size[1]))
        self.primitives = list(primitives)
        self.quads = list(quads)
        self.samples = samples
        self.sample_mask = _count(sample_mask, "a sample mask")
        self.front = front
        self.provoking = provoking
        self.compare = compare
        self.depth = _number(depth, "the depth of a framebuffer")
        for quad in self.quads:
            if max(quad.covered) >> samples or quad.sample >= samples:
                message = f"the quad at {list(quad.at)!r} names a sample that {samples} a pixel don't have"
                raise refused(message, "its masks and its sample are below the number of samples")
            if quad.at[0] >= self.size[0] or quad.at[1] >= self.size[1]:
                raise refused(f"the quad at {list(quad.at)!r} is outside of {self.size[0]}x{self.size[1]} pixels")

    def __repr__(self) -> str:
        parts = [f"{len(self.primitives)} primitives"] if self.primitives else []
        parts += [f"{len(self.quads)} quads"] if self.quads else []
        return f"<drawing of {self.size[0]}x{self.size[1]} pixels: {', '.join(parts) or 'nothing'}>"


def whole_picture(width: int, height: int, inputs: Inputs | None = None) -> Primitive:
    """One triangle that covers all of a picture."""
    return Primitive([[0, 0], [2 * width, 0], [0, 2 * height]], inputs)


# --- what a caller gives ----------------------------------------------------------------------------------------------


def _corner(corner: Sequence[float]) -> tuple[float, float, float, float]:
    if not 2 <= len(corner) <= 4:
        raise refused(f"a corner of {len(corner)} numbers", "x and y, then depth and 1/w where they are needed")
    x, y, z, w = [*[_number(part, "a corner") for part in corner], *(0.0, 1.0)[len(corner) - 2 :]]
    if abs(x) > FARTHEST or abs(y) > FARTHEST:
        raise refused(f"a corner at ({x}, {y})", f"it is at most {FARTHEST} pixels away")
    if w <= 0.0:
        raise refused(f"a corner whose 1/w is {w}", "it is more than 0: primitives are clipped by then")
    return x, y, z, w


def _inputs(inputs: Inputs | None, count: int, of: str) -> dict[str, list[Any]]:
    kept: dict[str, list[Any]] = {}
    for name, values in (inputs or {}).items():
        if isinstance(values, str) or not hasattr(values, "__len__") or len(values) != count:
            raise refused(f"input {name!r} does not have {count} values", f"it has one for each of the {count} {of}")
        kept[str(name)] = list(values)
    return kept


def _four(given: float | Sequence[float], what: str) -> list[float]:
    if isinstance(given, int | float):
        return [_number(given, what)] * 4
    if len(given) != 4:
        raise refused(f"{what} has {len(given)} numbers", "one, or one for each of the four invocations")
    return [_number(part, what) for part in given]


def _number(given: float, what: str) -> float:
    if isinstance(given, bool) or not isinstance(given, int | float) or not math.isfinite(given):
        raise refused(f"{what} is {given!r}", "it is a finite number")
    return float(given)


def _count(given: int, what: str) -> int:
    if not isinstance(given, int) or not 0 <= given < 1 << 32:
        raise refused(f"{what} is {given!r}", "it is a whole number from 0 on")
    return given


def _one_of(what: str, given: str, known: Sequence[str]) -> None:
    if given not in known:
        raise refused(f"{what} {given!r} is not known", f"one of {', '.join([word for word in known if word])}")
