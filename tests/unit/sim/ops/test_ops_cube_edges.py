"""Texels beyond the edges of a cube's faces: each is the neighbour of the texel at the edge, seen from both sides."""

import math

import pytest

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
