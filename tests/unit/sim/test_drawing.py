"""What is drawn, as a caller or a scene file gives it."""

import json
from typing import Any

import pytest

from reknit import Drawing, InputError, Primitive, Quad
from reknit.sim.drawing import whole_picture
from reknit.sim.scene import document_of, drawing_of, read_scene

TRIANGLE: list[list[float]] = [[0, 0], [8, 0], [0, 8]]


def test_a_scene_is_the_arguments_of_a_drawing() -> None:
    document = {
        "size": [4, 2],
        "samples": 4,
        "provoking": "last",
        "primitives": [{"corners": [[0, 0], [8, 0, 0.5], [0, 8, 0.25, 2]], "inputs": {"0": [[0, 0], [1, 0], [0, 1]]}}],
        "quads": [{"at": [2, 0], "covered": [15, 3, 0, 1], "depth": [0, 1, 2, 3], "front": False}],
    }
    drawing = drawing_of(document)
    assert drawing.size == (4, 2) and drawing.samples == 4 and drawing.provoking == "last"
    [primitive] = drawing.primitives
    assert primitive.corners == [(0.0, 0.0, 0.0, 1.0), (8.0, 0.0, 0.5, 1.0), (0.0, 8.0, 0.25, 2.0)]
    assert primitive.inputs == {"0": [[0, 0], [1, 0], [0, 1]]}
    [quad] = drawing.quads
    assert quad.covered == [15, 3, 0, 1] and quad.depth == [0.0, 1.0, 2.0, 3.0] and quad.w == [1.0] * 4
    assert repr(drawing) == "<drawing of 4x2 pixels: 1 primitives, 1 quads>"


def test_one_triangle_covers_a_whole_picture() -> None:
    assert [corner[:2] for corner in whole_picture(4, 2).corners] == [(0.0, 0.0), (8.0, 0.0), (0.0, 4.0)]


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ([], "the scene is"),
        ({"size": [4]}, "a framebuffer of 4 pixels"),
        ({"size": ["a", "b"]}, "can't be drawn"),
        ({"size": [0, 4]}, "a framebuffer of 0x4 pixels"),
        ({"size": [4, 4], "sise": 1}, "has 'sise', which is not known"),
        ({"size": [4, 4], "samples": 3}, "3 samples a pixel"),
        ({"size": [4, 4], "front": "up"}, "front 'up' is not known"),
        ({"size": [4, 4], "primitives": {}}, "primitives of the scene"),
        ({"size": [4, 4], "primitives": [{}]}, "one of the primitives can't be drawn"),
        ({"size": [4, 4], "primitives": [{"corners": TRIANGLE[:2]}]}, "a line can't be drawn"),
        ({"size": [4, 4], "primitives": [{"corners": [[0, 0], [0, 1], [1]]}]}, "a corner of 1 numbers"),
        ({"size": [4, 4], "primitives": [{"corners": [[0, 0], [0, 1], [1, 1, 0, 0]]}]}, "1/w is 0.0"),
        ({"size": [4, 4], "primitives": [{"corners": [[0, 0], [0, 1], [1, "x"]]}]}, "a corner is 'x'"),
        ({"size": [4, 4], "primitives": [{"corners": TRIANGLE, "inputs": {"0": [1, 2]}}]}, "input '0' does not have 3"),
        ({"size": [4, 4], "primitives": [{"corners": [[1, 1]], "size": 0}]}, "a point of size 0"),
        ({"size": [4, 4], "quads": [{"at": [1, 0]}]}, "a quad at"),
        ({"size": [4, 4], "quads": [{"at": [4, 0]}]}, "outside of 4x4"),
        ({"size": [4, 4], "quads": [{"covered": [2, 0, 0, 0]}]}, "names a sample"),
    ],
)
def test_what_does_not_fit_is_named(document: Any, message: str) -> None:
    with pytest.raises(InputError) as raised:
        read_scene(json.dumps(document).encode(), "a.json")
    [diagnostic] = raised.value.diagnostics
    assert diagnostic.code == "RK1021" and message in diagnostic.message
    assert diagnostic.place is not None and diagnostic.place.file == "a.json"


def test_what_is_no_json_is_named() -> None:
    with pytest.raises(InputError, match="is not JSON"):
        read_scene(b"{", "a.json")


def test_the_classes_are_part_of_the_api() -> None:
    drawing = Drawing([2, 2], [Primitive([[1, 1]], size=2.0)], [Quad(covered=[1, 0, 0, 0])])
    assert drawing.primitives[0].is_point() and len(drawing.quads) == 1


@pytest.mark.parametrize(
    "document",
    [
        {"size": [1, 1]},
        {"size": [4, 2], "samples": 4, "sample_mask": 5, "front": "clockwise", "provoking": "last"},
        {"size": [4, 4], "primitives": [{"corners": [[0.0, 0.0, 0.0, 1.0], [8.0, 0.0, 0.5, 1.0], [0.0, 8.0, 0.25, 2.0]],
                                         "inputs": {"0": [[0, 0], [1, 0], [0, 1]]}, "layer": 1, "viewport": 2}]},
        {"size": [4, 4], "primitives": [{"corners": [[1.0, 1.0, 0.0, 1.0]], "size": 3.0}]},
        {"size": [4, 4], "quads": [{"at": [2, 0], "covered": [1, 1, 0, 1], "depth": [0.0, 1.0, 2.0, 3.0],
                                    "front": False, "layer": 3}, {"at": [0, 0], "covered": [1, 1, 1, 1]}]},
    ],
)  # fmt: skip
def test_a_drawing_is_written_as_the_scene_it_came_from(document: Any) -> None:
    """Without what it would have anyway; corners with all four numbers."""
    written = document_of(drawing_of(document))
    assert json.loads(json.dumps(written)) == document
    assert read_scene(json.dumps(document).encode(), "a.json").size == tuple(document["size"])
