"""Texels beyond the edges of a cube's faces: each is the neighbour of the texel at the edge, seen from both sides."""

import math
import random
from collections.abc import Callable

import pytest

from reknit.sim.ops.image_lod import level_of, on_face
from reknit.sim.ops.image_sample import around_edge, face_of

FACES = [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)]
"""+x -x +y -y +z -z, the order of layers (Vulkan 1.4, "Cube Map Face Selection")."""


def middle(x: int, y: int, face: int, size: int) -> tuple[float, float, float]:
    """Where the middle of a texel is on the cube: s_c and t_c of the table of faces, solved for the direction."""
    s = (2 * x + 1) / size - 1
    t = (2 * y + 1) / size - 1
    rows = [(1, -t, -s), (-1, -t, s), (s, 1, t), (s, -1, -t), (s, -t, 1), (-s, -t, -1)]
    return rows[face]


@pytest.mark.parametrize("size", [1, 2, 4, 8])
def test_the_neighbour_across_an_edge_is_the_nearest_texel_of_another_face(size: int) -> None:
    """Middles of texels at both sides of an edge are 1/size from it, along faces that stand at a right angle: their
    distance is the root of 2 times 1/size, and each is the other's neighbour."""
    for face in range(6):
        for along in range(size):
            for beyond, inside in (((-1, along), (0, along)), ((size, along), (size - 1, along)),
                                   ((along, -1), (along, 0)), ((along, size), (along, size - 1))):  # fmt: skip
                [(x, y, other)] = around_edge(*beyond, face, size)
                assert other != face and 0 <= x < size and 0 <= y < size
                here, there = middle(*inside, face, size), middle(x, y, other, size)
                assert math.dist(here, there) == pytest.approx(math.sqrt(2) / size)
                assert sum(a * b for a, b in zip(FACES[face], FACES[other], strict=True)) == 0


@pytest.mark.parametrize("size", [1, 2, 8])
def test_beyond_a_corner_are_the_three_texels_there(size: int) -> None:
    for face in range(6):
        for x, y in ((-1, -1), (size, -1), (-1, size), (size, size)):
            near = around_edge(x, y, face, size)
            assert len({other for _, _, other in near}) == 3 and near[0][2] == face
            for each in near:
                assert face_of(*middle(*each, size))[0] == each[2]
                assert min(abs(part) for part in middle(*each, size)) == pytest.approx(1 - 1 / size)


TABLE: dict[int, Callable[[float, float, float], tuple[float, float, float]]] = {
    0: lambda x, y, z: (-z, -y, x), 1: lambda x, y, z: (z, -y, x), 2: lambda x, y, z: (x, z, y),
    3: lambda x, y, z: (x, -z, y), 4: lambda x, y, z: (x, -y, z), 5: lambda x, y, z: (-x, -y, z),
}  # fmt: skip
"""Vulkan 1.4, "Cube Map Face Selection": (sc, tc, rc) by face, +x -x +y -y +z -z."""


def placed(face: int, direction: list[float]) -> list[float]:
    """ "Cube Map Coordinate Transformation": s = sc / (2 |rc|) + 1/2, t likewise."""
    sc, tc, rc = TABLE[face](*direction)
    return [0.5 * sc / abs(rc) + 0.5, 0.5 * tc / abs(rc) + 0.5]


def test_faces_are_those_of_the_table() -> None:
    draws = random.Random(7)
    for _ in range(200):
        direction = [draws.uniform(-1, 1) for _ in range(3)]
        largest = max(range(3), key=lambda axis: abs(direction[axis]))
        face = 2 * largest + (direction[largest] < 0)
        assert face_of(*direction)[0] == face and face_of(*direction)[1] == pytest.approx(placed(face, direction))
    assert face_of(0.0, 0.0, 0.0) == (4, [0.5, 0.5])
    for equal, face in (([1.0, 1.0, 1.0], 4), ([1.0, -1.0, 0.5], 3), ([-1.0, 1.0, -1.0], 5), ([-1.0, 0.5, 0.5], 1)):
        assert face_of(*equal)[0] == face  # z before y, y before x


def test_gradients_on_a_face_are_the_derivatives_of_the_place() -> None:
    """By differences of the table's formula, along the face of the direction itself."""
    draws = random.Random(8)
    for _ in range(100):
        direction = [draws.uniform(-2, 2) for _ in range(3)]
        gradient = [draws.uniform(-1, 1) for _ in range(3)]
        face, _ = face_of(*direction)
        by = 1e-6
        ahead = placed(face, [a + by * b for a, b in zip(direction, gradient, strict=True)])
        behind = placed(face, [a - by * b for a, b in zip(direction, gradient, strict=True)])
        expected = [(a - b) / (2 * by) for a, b in zip(ahead, behind, strict=True)]
        assert on_face(direction, gradient) == pytest.approx(expected, rel=1e-4, abs=1e-6)
    assert on_face([0.0, 0.0, 0.0], [1.0, 1.0, 1.0]) == [0.0, 0.0]


def test_the_level_is_the_logarithm_of_the_scale() -> None:
    """lambda = log2 rho; of no change at all minus infinity, which is clamped to the first level."""
    assert level_of(8.0) == 3.0 and level_of(0.5) == -1.0 and level_of(0.0) == -math.inf
