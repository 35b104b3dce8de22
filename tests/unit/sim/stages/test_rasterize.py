"""Coverage and interpolation against a model in rational numbers, on random triangles and points.

The model finds a position's weights by Cramer's rule. A sample on an edge belongs to what is to the right of it or,
where the edge is level, below it (the top-left rule): it is taken a little to the right, and far less down.
Sources: Vulkan 1.4, "Basic Polygon Rasterization", "Basic Point Rasterization", "Multisampling".
"""

import random
from collections.abc import Sequence
from fractions import Fraction

import numpy
import pytest

from reknit.sim.drawing import Drawing, Primitive, Quad
from reknit.sim.ops.ieee import FORMAT32
from reknit.sim.stages.rasterize import STANDARD, Invocation, Point, Triangle, invocations_of

RIGHT, DOWN = Fraction(1, 1 << 40), Fraction(1, 1 << 80)
SIZE = (6, 5)
MOST = 1 << 16
Weights = tuple[Fraction, Fraction, Fraction]


def weights(corners: Sequence[Sequence[float]], x: Fraction, y: Fraction) -> Weights:
    (ax, ay), (bx, by), (cx, cy) = [(Fraction(corner[0]), Fraction(corner[1])) for corner in corners]
    whole = (by - cy) * (ax - cx) + (cx - bx) * (ay - cy)
    a = ((by - cy) * (x - cx) + (cx - bx) * (y - cy)) / whole
    b = ((cy - ay) * (x - cx) + (ax - cx) * (y - cy)) / whole
    return a, b, 1 - a - b


def covers(primitive: Primitive, x: Fraction, y: Fraction) -> bool:
    x, y = x + RIGHT, y + DOWN
    if len(primitive.corners) == 1:
        left, top = Fraction(primitive.corners[0][0]), Fraction(primitive.corners[0][1])
        half = Fraction(primitive.size) / 2
        return abs(x - left) < half and abs(y - top) < half
    return all(weight > 0 for weight in weights(primitive.corners, x, y))


def expected(drawing: Drawing, by_sample: bool) -> list[tuple[int, int, int, int, int, int]]:
    """(primitive, place, x, y, mask, sample) of each invocation, in order."""
    found: list[tuple[int, int, int, int, int, int]] = []
    for number, primitive in enumerate(drawing.primitives):
        for top in range(0, drawing.size[1], 2):
            for left in range(0, drawing.size[0], 2):
                masks: list[int] = []
                for place in range(4):
                    x, y = left + place % 2, top + place // 2
                    mask = 0
                    for sample, (dx, dy) in enumerate(STANDARD[drawing.samples]):
                        inside = covers(primitive, x + Fraction(dx, 16), y + Fraction(dy, 16))
                        mask |= (x < drawing.size[0] and y < drawing.size[1] and inside) << sample
                    masks.append(mask & drawing.sample_mask)
                parts = [(-1, masks)]
                if by_sample:
                    parts = [(each, [mask & 1 << each for mask in masks]) for each in range(drawing.samples)]
                for sample, alone in parts:
                    if any(alone):
                        found += [
                            (number, place, left + place % 2, top + place // 2, alone[place], sample)
                            for place in range(4)
                        ]
    return found


def shown(invocation: Invocation) -> tuple[int, int, int, int, int, int]:
    at = invocation
    return at.surface.number, at.place, at.x, at.y, at.mask, at.sample


def triangles(draws: random.Random, count: int) -> list[Primitive]:
    """Corners on halves, sixteenths and finer, which the edges of others meet; some lie outside in part."""
    made: list[Primitive] = []
    while len(made) < count:
        by = draws.choice([1, 2, 16, 64])
        corners = [
            [
                draws.randint(-2 * by, 8 * by) / by,
                draws.randint(-2 * by, 7 * by) / by,
                draws.random(),
                draws.choice([0.5, 1.0, 2.0]),
            ]
            for _ in range(3)
        ]
        (ax, ay), (bx, by_), (cx, cy) = [corner[:2] for corner in corners]
        if (bx - ax) * (cy - ay) != (by_ - ay) * (cx - ax):
            made.append(Primitive(corners, {"0": [1.5, -2.0, 7.25]}))
    return made


@pytest.mark.parametrize("samples", [1, 2, 4, 8, 16])
def test_the_samples_that_are_covered(samples: int) -> None:
    draws = random.Random(samples)
    for mask in (0xFFFF, 0b0110):
        points = [
            Primitive(
                [[draws.randint(-16, 100) / 16, draws.randint(-16, 90) / 16]], size=draws.choice([0.5, 1.0, 2.0, 3.25])
            )
            for _ in range(4)
        ]
        drawing = Drawing(SIZE, [*triangles(draws, 6), *points], samples=samples, sample_mask=mask)
        for by_sample in (False, True):
            assert [shown(each) for each in invocations_of(drawing, by_sample, MOST)] == expected(drawing, by_sample)


def test_quads_that_are_given_have_the_samples_that_are_drawn_to() -> None:
    quads = [Quad(at=(2, 0), covered=[3, 1, 0, 2], sample=1)]
    drawing = Drawing(SIZE, quads=quads, samples=2, sample_mask=2)
    assert [shown(each)[1:] for each in invocations_of(drawing, False, MOST)] == [
        (0, 2, 0, 2, -1), (1, 3, 0, 0, -1), (2, 2, 1, 0, -1), (3, 3, 1, 2, -1),
    ]  # fmt: skip
    assert [shown(each)[4:] for each in invocations_of(drawing, True, MOST)] == [(2, 1), (0, 1), (0, 1), (2, 1)]


def is_rounded(bits: int, exact: Fraction) -> bool:
    """Whether a float is one of those next to a number, and the nearer one."""
    value = numpy.array([bits], numpy.uint32).view(numpy.float32)[0]
    return abs(Fraction(float(value)) - exact) <= Fraction(float(numpy.spacing(abs(value)))) / 2


def test_what_triangles_interpolate() -> None:
    """f = (a fa / wa + b fb / wb + c fc / wc) / (a / wa + b / wb + c / wc); depth, 1/w and what has no perspective are
    linear. A corner's fourth number is 1/w."""
    draws = random.Random(1)
    for primitive in triangles(draws, 40):
        surface = Triangle(primitive, 0, False)
        x, y = draws.randint(-16, 96), draws.randint(-16, 80)
        at = Invocation(surface, 0, x // 16, y // 16, 1, -1)
        parts = weights(primitive.corners, Fraction(x, 16), Fraction(y, 16))
        ws = [Fraction(corner[3]) for corner in primitive.corners]
        depths = [Fraction(corner[2]) for corner in primitive.corners]
        given = [1.5, -2.0, 7.25]
        linear = sum((part * Fraction(each) for part, each in zip(parts, given, strict=True)), Fraction(0))
        over = sum((part * w for part, w in zip(parts, ws, strict=True)), Fraction(0))
        above = sum((p * w * Fraction(each) for p, w, each in zip(parts, ws, given, strict=True)), Fraction(0))
        assert is_rounded(
            surface.depth(at, x, y), sum((p * d for p, d in zip(parts, depths, strict=True)), Fraction(0))
        )
        assert is_rounded(surface.w(at, x, y), over)
        assert is_rounded(surface.mixed(given, at, x, y, True, FORMAT32), linear)
        between = surface.mixed(given, at, Fraction(x), Fraction(y), True, FORMAT32)
        assert between == surface.mixed(given, at, x, y, True, FORMAT32)
        if over:
            assert is_rounded(surface.mixed(given, at, x, y, False, FORMAT32), above / over)


def test_which_way_a_triangle_faces() -> None:
    """ "Counter-clockwise" where y goes down: (0, 0), (0, 4), (4, 0) has a positive area in Vulkan's formula."""
    corners = [[0.0, 0.0], [0.0, 4.0], [4.0, 0.0]]
    for points, turns_counter in ((corners, True), (corners[::-1], False)):
        assert Triangle(Primitive(points), 0, False).front == turns_counter
        assert Triangle(Primitive(points), 0, True).front != turns_counter
        assert Triangle(Primitive(points, front=False), 0, True).front is False
        assert Triangle(Primitive(points, front=True), 0, False).front is True


def test_where_in_a_point() -> None:
    """s = 1/2 + (xp - xf) / size: the left edge of a point of size 2 at x = 3 is 2, its right one 4."""
    point = Point(Primitive([[3.0, 2.5, 0.25, 0.5]], {"0": [4.5]}, size=2.0), 0)
    at = Invocation(point, 0, 3, 2, 1, -1)
    decoded = [tuple(FORMAT32.decode(bits) for bits in point.spot(x, y)) for x, y in ((32, 24), (48, 40), (56, 52))]
    assert decoded == [(0.0, 0.0), (0.5, 0.5), (0.75, 0.875)]
    assert FORMAT32.decode(point.depth(at, 0, 0)) == 0.25 and FORMAT32.decode(point.w(at, 0, 0)) == 0.5
    assert FORMAT32.decode(point.mixed([4.5], at, 0, 0, False, FORMAT32)) == 4.5
