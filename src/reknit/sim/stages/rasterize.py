"""Which invocations a drawing has: coverage of samples by primitives, and the quads that this makes.

    triangle (0, 0) (3, 0) (0, 3) on 4 x 4 pixels           quads, in the order of lanes
      # # . .      # covered: its center is inside          0 1   4 h      h: helper invocations, which no
      # . . .      (with the top-left rule on edges)        2 h   h h         sample of is covered
      . . . .

Quads come primitive by primitive, row by row, left to right, and of a multisampled pixel that is shaded by samples,
sample by sample; they follow each other in subgroups without gaps. Coordinates are integers: units of which a pixel has
`scale`, so that everything is exact. Source: Vulkan 1.4, "Basic Polygon Rasterization", "Basic Point Rasterization",
"Sample Mask Test", "Multisampling" (the standard sample locations).
"""

from fractions import Fraction
from typing import Final, final

from reknit.sim.drawing import Drawing, Primitive, Quad
from reknit.sim.ops.ieee import FORMAT32, Format, round_ratio
from reknit.source.meter import spend

STANDARD: Final = {
    1: ((8, 8),),
    2: ((12, 12), (4, 4)),
    4: ((6, 2), (14, 6), (2, 10), (10, 14)),
    8: ((9, 5), (7, 11), (13, 9), (5, 3), (3, 13), (1, 7), (11, 15), (15, 1)),
    16: (
        (9, 9), (7, 5), (5, 10), (12, 7), (3, 6), (10, 13), (13, 11), (11, 3),
        (6, 14), (8, 1), (4, 2), (2, 12), (0, 8), (15, 4), (14, 15), (1, 0),
    ),
}  # fmt: skip
"""Where the samples of a pixel are, in sixteenths of it."""

MIDDLE: Final = (8, 8)

Units = int | Fraction
"""A position, whole but where a shader names one; what is linear in it."""


class Surface:
    """What a quad is a part of, and what its invocations have from it. Positions are in sixteenths of a pixel."""

    __slots__ = ("front", "layer", "viewport", "number", "inputs")

    def __init__(self, front: bool, layer: int, viewport: int, number: int, inputs: dict[str, list[object]]) -> None:
        self.front = front
        self.layer = layer
        self.viewport = viewport
        self.number = number
        self.inputs = inputs

    def depth(self, invocation: "Invocation", x: int, y: int) -> int:
        """The bits of the depth at a position."""
        raise AssertionError("a surface is one of the classes derived from this one")

    def w(self, invocation: "Invocation", x: int, y: int) -> int:
        """The bits of 1/w at a position."""
        raise AssertionError("a surface is one of the classes derived from this one")

    def mixed(
        self, given: list[float], invocation: "Invocation", x: Units, y: Units, straight: bool, form: Format
    ) -> int:
        """The bits of a number at a position; `given` has it for each corner (or invocation, of a quad that was given),
        `straight` is without perspective."""
        raise AssertionError("a surface is one of the classes derived from this one")

    def spot(self, x: int, y: int) -> tuple[int, int]:
        """PointCoord, as bits."""
        return 0, 0


@final
class Invocation:
    """One of the four of a quad, the `place`-th. `mask` has a bit for each sample that it covers, none for a helper;
    `sample` is the one that it shades, -1 where it shades all."""

    __slots__ = ("surface", "place", "x", "y", "mask", "sample")

    def __init__(self, surface: Surface, place: int, x: int, y: int, mask: int, sample: int) -> None:
        self.surface = surface
        self.place = place
        self.x = x
        self.y = y
        self.mask = mask
        self.sample = sample


@final
class Plane:
    """A number that depends linearly on the position: (x * position.x + y * position.y + constant)."""

    __slots__ = ("x", "y", "constant")

    def __init__(self, x: int, y: int, constant: int) -> None:
        self.x = x
        self.y = y
        self.constant = constant

    def at(self, x: Units, y: Units) -> Units:
        return self.x * x + self.y * y + self.constant


def combined(planes: list[Plane], factors: list[int]) -> Plane:
    pairs = list(zip(planes, factors, strict=True))
    return Plane(
        sum([plane.x * factor for plane, factor in pairs]),
        sum([plane.y * factor for plane, factor in pairs]),
        sum([plane.constant * factor for plane, factor in pairs]),
    )


def whole_numbers(given: list[float]) -> tuple[list[int], int]:
    """The numbers as integers over one denominator."""
    ratios = [Fraction(number) for number in given]
    denominator = max([ratio.denominator for ratio in ratios])  # powers of two
    return [int(ratio * denominator) for ratio in ratios], denominator


def ratio_bits(numerator: Units, denominator: Units, form: Format) -> int:
    """Rounded once; where the denominator is 0, infinity or NaN."""
    if isinstance(numerator, Fraction) or isinstance(denominator, Fraction):
        ratio = Fraction(numerator) / denominator if denominator else Fraction(numerator)
        numerator, denominator = ratio.numerator, ratio.denominator if denominator else 0
    if denominator == 0:
        return form.nan if numerator == 0 else form.inf | (form.sign if numerator < 0 else 0)
    if denominator < 0:
        numerator, denominator = -numerator, -denominator
    return round_ratio(numerator, denominator, form)


@final
class Triangle(Surface):
    """`areas` are twice the areas of the triangles that a position makes with two corners each, opposite to corner 0, 1
    and 2: `area` together, in units of `scale` a pixel. All are positive inside."""

    __slots__ = ("corners", "scale", "areas", "area", "owns", "box", "_planes", "_w", "_depth")

    def __init__(self, primitive: Primitive, number: int, clockwise_is_front: bool) -> None:
        flat, denominator = whole_numbers([part for corner in primitive.corners for part in corner[:2]])
        self.scale = max(denominator, 16)
        points = [
            (flat[at] * (self.scale // denominator), flat[at + 1] * (self.scale // denominator)) for at in (0, 2, 4)
        ]
        self.areas: list[Plane] = []
        for corner in range(3):
            x, y = points[(corner + 1) % 3]
            dx = points[(corner + 2) % 3][0] - x
            dy = points[(corner + 2) % 3][1] - y
            self.areas.append(Plane(-dy, dx, dy * x - dx * y))
        self.area = int(self.areas[0].at(*points[0]))
        # Vulkan's area has the other sign: "a triangle with positive area" is counter-clockwise where y goes down.
        front = self.area > 0 if clockwise_is_front else self.area < 0
        if primitive.front is not None:
            front = primitive.front
        super().__init__(front, primitive.layer, primitive.viewport, number, primitive.inputs)
        if self.area < 0:
            self.area = -self.area
            self.areas = [Plane(-plane.x, -plane.y, -plane.constant) for plane in self.areas]
        # A sample on a left edge (which goes up) or a top edge (level, to the right) is inside.
        self.owns = [plane.x > 0 or (plane.x == 0 and plane.y > 0) for plane in self.areas]
        self.corners = primitive.corners
        xs = [point[0] for point in points]
        ys = [point[1] for point in points]
        self.box = (
            min(xs) // self.scale, min(ys) // self.scale, max(xs) // self.scale, max(ys) // self.scale
        )  # fmt: skip
        self._planes: dict[tuple[tuple[float, ...], bool], tuple[Plane, Plane, int]] = {}
        self._w = self.plane([corner[3] for corner in self.corners])
        self._depth = self.plane([corner[2] for corner in self.corners])

    def plane(self, given: list[float]) -> tuple[Plane, int]:
        """What interpolates numbers of the corners linearly, over a denominator."""
        numbers, denominator = whole_numbers(given)
        return combined(self.areas, numbers), denominator * self.area

    def covers(self, x: int, y: int) -> bool:
        """Whether a position, in units of `scale`, is inside."""
        for plane, owns in zip(self.areas, self.owns, strict=True):
            side = plane.at(x, y)
            if side < 0 or (side == 0 and not owns):
                return False
        return True

    def depth(self, invocation: Invocation, x: int, y: int) -> int:
        plane, denominator = self._depth
        factor = self.scale // 16
        return ratio_bits(plane.at(x * factor, y * factor), denominator, FORMAT32)

    def w(self, invocation: Invocation, x: int, y: int) -> int:
        plane, denominator = self._w
        factor = self.scale // 16
        return ratio_bits(plane.at(x * factor, y * factor), denominator, FORMAT32)

    def mixed(
        self, given: list[float], invocation: Invocation, x: Units, y: Units, straight: bool, form: Format
    ) -> int:
        key = (tuple(given), straight)
        known = self._planes.get(key)
        if known is None:
            known = self._mixing(given, straight)
            self._planes[key] = known
        above, below, denominator = known
        factor = self.scale // 16
        x *= factor
        y *= factor
        return ratio_bits(above.at(x, y), below.at(x, y) * denominator, form)

    def _mixing(self, given: list[float], straight: bool) -> tuple[Plane, Plane, int]:
        """f = (a fa / wa + ...) / (a / wa + ...), or f = a fa + ..., the areas being a, b and c times their sum."""
        numbers, denominator = whole_numbers(given)
        if straight:
            return combined(self.areas, numbers), Plane(0, 0, self.area), denominator
        ws, _ = whole_numbers([corner[3] for corner in self.corners])
        above = combined(self.areas, [number * w for number, w in zip(numbers, ws, strict=True)])
        return above, combined(self.areas, ws), denominator


@final
class Point(Surface):
    """All of it has the values of its only corner."""

    __slots__ = ("x", "y", "size", "box", "_depth", "_w")

    def __init__(self, primitive: Primitive, number: int) -> None:
        super().__init__(True, primitive.layer, primitive.viewport, number, primitive.inputs)
        self.x = Fraction(primitive.corners[0][0]) * 16
        self.y = Fraction(primitive.corners[0][1]) * 16
        self.size = Fraction(primitive.size) * 16
        half = self.size / 2
        self.box = (
            int((self.x - half) // 16), int((self.y - half) // 16),
            int((self.x + half) // 16), int((self.y + half) // 16),
        )  # fmt: skip
        self._depth = FORMAT32.encode(primitive.corners[0][2])
        self._w = FORMAT32.encode(primitive.corners[0][3])

    def covers(self, x: int, y: int) -> bool:
        """In sixteenths. The square has its left and top edge, as a triangle has."""
        half = self.size / 2
        return self.x - half <= x < self.x + half and self.y - half <= y < self.y + half

    def depth(self, invocation: Invocation, x: int, y: int) -> int:
        return self._depth

    def w(self, invocation: Invocation, x: int, y: int) -> int:
        return self._w

    def mixed(
        self, given: list[float], invocation: Invocation, x: Units, y: Units, straight: bool, form: Format
    ) -> int:
        return form.encode(given[0])

    def spot(self, x: int, y: int) -> tuple[int, int]:
        """s = 1/2 + (xp - xf) / size, and t likewise."""
        s = Fraction(1, 2) + (x - self.x) / self.size
        t = Fraction(1, 2) + (y - self.y) / self.size
        return ratio_bits(s.numerator, s.denominator, FORMAT32), ratio_bits(t.numerator, t.denominator, FORMAT32)


@final
class Given(Surface):
    """A quad whose invocations have their values set one by one."""

    __slots__ = ("quad",)

    def __init__(self, quad: Quad) -> None:
        super().__init__(quad.front, quad.layer, quad.viewport, quad.primitive, quad.inputs)
        self.quad = quad

    def depth(self, invocation: Invocation, x: int, y: int) -> int:
        return FORMAT32.encode(self.quad.depth[invocation.place])

    def w(self, invocation: Invocation, x: int, y: int) -> int:
        return FORMAT32.encode(self.quad.w[invocation.place])

    def mixed(
        self, given: list[float], invocation: Invocation, x: Units, y: Units, straight: bool, form: Format
    ) -> int:
        return form.encode(given[invocation.place])


# --- quads ------------------------------------------------------------------------------------------------------------


def invocations_of(drawing: Drawing, by_sample: bool, most: int) -> list[Invocation]:
    """All invocations, in the order of lanes; `by_sample`: one for each sample that is covered. No primitive is begun,
    and no row of one, where there are more than `most`."""
    invocations: list[Invocation] = []
    for number, primitive in enumerate(drawing.primitives):
        if len(invocations) > most:
            return invocations
        if primitive.is_point():
            point = Point(primitive, number)
            _of_area(invocations, point, point.box, drawing, by_sample, most)
            continue
        triangle = Triangle(primitive, number, drawing.front == "clockwise")
        if triangle.area:
            _of_area(invocations, triangle, triangle.box, drawing, by_sample, most)
    for quad in drawing.quads:
        given = Given(quad)
        masks = [mask & drawing.sample_mask for mask in quad.covered]
        sample = quad.sample if by_sample else -1
        if by_sample:
            masks = [mask & (1 << sample) for mask in masks]
        _add_quad(invocations, given, quad.at, masks, sample)
    return invocations


def _of_area(
    invocations: list[Invocation],
    surface: Triangle | Point,
    box: tuple[int, int, int, int],
    drawing: Drawing,
    by_sample: bool,
    most: int,
) -> None:
    left, top, right, bottom = box
    width, height = drawing.size
    for y in range(max(top, 0) & ~1, min(bottom, height - 1) + 1, 2):
        if len(invocations) > most:
            return
        for x in range(max(left, 0) & ~1, min(right, width - 1) + 1, 2):
            spend(drawing.samples)
            masks = [coverage(surface, x + place % 2, y + place // 2, drawing) for place in range(4)]
            if not any(masks):
                continue
            if not by_sample:
                _add_quad(invocations, surface, (x, y), masks, -1)
                continue
            for sample in range(drawing.samples):
                alone = [mask & (1 << sample) for mask in masks]
                if any(alone):
                    _add_quad(invocations, surface, (x, y), alone, sample)


def _add_quad(
    invocations: list[Invocation], surface: Surface, at: tuple[int, int], masks: list[int], sample: int
) -> None:
    for place in range(4):
        x, y = at[0] + place % 2, at[1] + place // 2
        invocations.append(Invocation(surface, place, x, y, masks[place], sample))


def coverage(surface: Triangle | Point, x: int, y: int, drawing: Drawing) -> int:
    """The samples of a pixel that a primitive covers, of those that are drawn to."""
    if x >= drawing.size[0] or y >= drawing.size[1]:
        return 0
    factor = surface.scale // 16 if isinstance(surface, Triangle) else 1
    mask = 0
    for sample, (dx, dy) in enumerate(STANDARD[drawing.samples]):
        if surface.covers((16 * x + dx) * factor, (16 * y + dy) * factor):
            mask |= 1 << sample
    return mask & drawing.sample_mask
