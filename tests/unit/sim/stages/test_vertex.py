"""Vertex shaders: what they are given, what they leave, and the drawing that it makes. Values are by hand."""

from collections.abc import Sequence
from typing import Any

import pytest

from reknit import Drawing, InputError, Vertices, drawn, run
from reknit.cli.main import main
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.proof.prove import prove
from reknit.proof.question import Question
from reknit.sim.framebuffer import Framebuffer
from reknit.sim.vertices import Vertex

SIZES = (4, 8, 32, 64)

# The vertices' built-in variables, a product of matrix and vector, and how many lanes there are; pixels of two of them.
MODULE = """
Capability Shader
Capability ClipDistance
Capability DrawParameters
Capability GroupNonUniform
Capability GroupNonUniformBallot
MemoryModel Logical GLSL450
EntryPoint Vertex @vertices "vertices" %at %kind %turn %vertex %instance %base %first %draw %block %said %who %lanes
EntryPoint Fragment @pixels "pixels" %saidIn %lanesIn %color
ExecutionMode @pixels OriginUpperLeft
names %at, %kind
Decorate %at Location 0
Decorate %kind Location 1
Decorate %kind Component 1
Decorate %turn Location 2
Decorate %vertex BuiltIn VertexIndex
Decorate %instance BuiltIn InstanceIndex
Decorate %base BuiltIn BaseVertex
Decorate %first BuiltIn BaseInstance
Decorate %draw BuiltIn DrawIndex
MemberDecorate %PerVertex 0 BuiltIn Position
MemberDecorate %PerVertex 1 BuiltIn ClipDistance
Decorate %PerVertex Block
Decorate %said Location 0
Decorate %who Location 1
Decorate %lanes Location 2
Decorate %saidIn Location 0
Decorate %lanesIn Location 2
Decorate %lanesIn Flat
Decorate %color Location 0
%distances = TypeArray f32, 1
%PerVertex = TypeStruct vec4<f32>, %distances
%at = Variable Input : ptr<Input, vec4<f32>>
%kind = Variable Input : ptr<Input, vec2<i32>>
%turn = Variable Input : ptr<Input, mat2x2<f32>>
%vertex = Variable Input : ptr<Input, i32>
%instance = Variable Input : ptr<Input, i32>
%base = Variable Input : ptr<Input, i32>
%first = Variable Input : ptr<Input, i32>
%draw = Variable Input : ptr<Input, i32>
%block = Variable Output : ptr<Output, %PerVertex>
%said = Variable Output : ptr<Output, vec2<f32>>
%who = Variable Output : ptr<Output, vec4<i32>>
%lanes = Variable Output : ptr<Output, u32>
%saidIn = Variable Input : ptr<Input, vec2<f32>>
%lanesIn = Variable Input : ptr<Input, u32>
%color = Variable Output : ptr<Output, vec3<f32>>

func @vertices() -> void {
  %p = Load %at : vec4<f32>
  %k = Load %kind : vec2<i32>
  %m = Load %turn : mat2x2<f32>
  %v = Load %vertex : i32
  %i = Load %instance : i32
  %b = Load %base : i32
  %bi = Load %first : i32
  %d = Load %draw : i32
  %position = AccessChain %block, 0i32 : ptr<Output, vec4<f32>>
  Store %position, %p
  %clip = AccessChain %block, 1i32, 0i32 : ptr<Output, f32>
  %kf = ConvertSToF %k : vec2<f32>
  %own = CompositeExtract %kf 0 : f32
  Store %clip, %own
  %turned = MatrixTimesVector %m %kf : vec2<f32>
  Store %said, %turned
  %tens = IMul %d, 10i32 : i32
  %last = IAdd %bi, %tens : i32
  %four = CompositeConstruct %v, %i, %b, %last : vec4<i32>
  Store %who, %four
  %all = GroupNonUniformBallot Subgroup true : vec4<u32>
  %count = GroupNonUniformBallotBitCount Subgroup Reduce %all : u32
  Store %lanes, %count
  return
}

func @pixels() -> void {
  %s = Load %saidIn : vec2<f32>
  %f = Load %lanesIn : u32
  %n = ConvertUToF %f : f32
  %c = CompositeConstruct %s, %n : vec3<f32>
  Store %color, %c
  return
}
"""

UNIT = [[1, 0], [0, 1]]


def module() -> Module:
    return parse(MODULE, "vertices")


def given(positions: list[list[float]], clip: int = 1) -> dict[str, Any]:
    """`kind` is (clip, vertex number); the matrix of `turn` leaves it as it is."""
    kinds = [[clip, number] for number in range(len(positions))]
    return {"at": positions, "1.1": kinds, "2": [UNIT] * len(positions)}


def vertices_of(vertices: Vertices, size: int = 32) -> list[Vertex]:
    result = run(module(), subgroup_size=size, drawing=vertices)
    assert not result.diagnostics and result.vertices is not None
    return result.vertices


PLACES: list[list[float]] = [[-1, -1, 0, 1], [3, -1, 0, 1], [-1, 3, 0, 1], [0, 0, 0, 1]]


@pytest.mark.parametrize("size", SIZES)
def test_numbers_of_vertices_and_instances(size: int) -> None:
    """VertexIndex begins with the first vertex, InstanceIndex with the first instance; BaseVertex and BaseInstance are
    those, DrawIndex 0 (Vulkan 1.4, "Built-In Variables"). Six invocations are subgroups of 4 and 2, or one of 6."""
    left = vertices_of(Vertices(3, instances=2, first=1, first_instance=5, attributes=given(PLACES)), size)
    assert [vertex.values["1"] for vertex in left] == [[v, i, 1, 5] for i in (5, 6) for v in (1, 2, 3)]
    assert [vertex.position for vertex in left] == PLACES[1:] * 2
    assert [vertex.values["2"] for vertex in left] == ([4, 4, 4, 4, 2, 2] if size == 4 else [6] * 6)
    assert [(vertex.index, vertex.instance) for vertex in left] == [(v, i) for i in (5, 6) for v in (1, 2, 3)]


def test_indices() -> None:
    """VertexIndex is the index and the vertex offset, which BaseVertex is."""
    left = vertices_of(Vertices(3, indices=[9, 0, 0, 2], first=1, base=1, attributes=given(PLACES)))
    assert [vertex.values["1"] for vertex in left] == [[v, 0, 1, 0] for v in (1, 1, 3)]
    assert [vertex.position for vertex in left] == [PLACES[1], PLACES[1], PLACES[3]]


def test_attributes_of_each_kind() -> None:
    """mat2 ((1, 2), (3, 4)) by columns times (5, 6): (1 * 5 + 3 * 6, 2 * 5 + 4 * 6)."""
    attributes: dict[str, Sequence[Any]] = {"at": [[0, 0, 0, 1]], "1.1": [[5, 6]], "2": [[[1, 2], [3, 4]]]}
    [vertex] = vertices_of(Vertices(1, attributes=attributes, topology="points"))
    assert vertex.values["0"] == [23, 34]
    assert vertex.clip == [5]


def test_an_attribute_that_the_shader_declares_and_does_not_read() -> None:
    """A pipeline may have it, too; the same vertex, and the proof's own samples of such a shader."""
    text = MODULE.replace("%at %kind", "%at %spare %kind")
    text = text.replace("Decorate %at Location 0\n", "Decorate %at Location 0\nDecorate %spare Location 9\n")
    text = text.replace("%kind = Var", "%spare = Variable Input : ptr<Input, vec4<f32>>\n%kind = Var")
    shader = parse(text, "vertices")
    attributes: dict[str, Sequence[Any]] = {"0": [[0, 0, 0, 1]], "1.1": [[5, 6]], "2": [UNIT], "9": [[1, 2, 3, 4]]}
    result = run(shader, entry="vertices", drawing=Vertices(1, attributes=attributes, topology="points"))
    assert result.vertices is not None and result.vertices[0].values["0"] == [5, 6]
    question = Question(entry="vertices", subgroup_sizes=[4], by_terms=False)
    assert prove(shader, module(), question).verdict == "sampled"


def picture(drawing: Drawing) -> Framebuffer:
    result = run(module(), subgroup_size=4, drawing=drawing)
    assert not result.diagnostics and result.framebuffer is not None
    return result.framebuffer


def test_vertices_are_drawn() -> None:
    """(-1, -1), (3, -1), (-1, 3) cover all of the picture: (x + 1) / 2 * 4 is 0 or 8. Of vertex numbers 0 1 2 the pixel
    (x, y) has b + 2c, with b = (x + 0.5) / 8 and c = (y + 0.5) / 8; the flat one is vertex 0's."""
    left = vertices_of(Vertices(3, attributes=given(PLACES)))
    framebuffer = picture(drawn(left, (4, 4)))
    [attachment] = framebuffer.attachments
    for x, y in [(x, y) for x in range(4) for y in range(4)]:
        assert attachment.at(x, y) == [1.0, (x + 0.5) / 8 + (y + 0.5) / 4, 3.0]


def test_division_by_w() -> None:
    """The same triangle at w 2: positions twice as large, and depth 1/2 of 1."""
    doubled = [[2 * x, 2 * y, 1, 2] for x, y, _, _ in PLACES]
    drawing = drawn(vertices_of(Vertices(3, attributes=given(doubled))), (4, 4))
    assert drawing.primitives[0].corners == [(0, 0, 0.5, 0.5), (8, 0, 0.5, 0.5), (0, 8, 0.5, 0.5)]
    points = vertices_of(Vertices(1, attributes=given(doubled), topology="points"))
    inside = drawn(points, (2, 2), "points").primitives
    assert [primitive.corners for primitive in inside] == [[(0, 0, 0.5, 0.5)]]


@pytest.mark.parametrize(
    ("moved", "clip", "what"),
    [
        ([-1, 3, -0.5, 1], 1, "primitive 0 crosses the near plane"),
        ([-1, 3, 2, 1], 1, "primitive 0 crosses the far plane"),
        ([-1, 3, 0, -1], 1, "primitive 0 crosses the far plane"),  # z <= w fails, too, where w is negative
        ([-1, 3, -2, -1], 1, "primitive 0 crosses the near plane"),
    ],
)
def test_what_would_have_to_be_cut(moved: list[float], clip: int, what: str) -> None:
    left = vertices_of(Vertices(3, attributes=given([*PLACES[:2], moved], clip)))
    with pytest.raises(InputError, match=what) as raised:
        drawn(left, (4, 4))
    assert raised.value.diagnostics[0].code == "RK1021"


def test_what_crosses_a_plane_of_its_own() -> None:
    attributes = given(PLACES)
    attributes["1.1"] = [[1, 0], [1, 1], [-1, 2], [1, 3]]
    with pytest.raises(InputError, match="crosses the plane of ClipDistance 0"):
        drawn(vertices_of(Vertices(3, attributes=attributes)), (4, 4))


def test_what_is_outside_is_not_drawn() -> None:
    """All of x above w; all behind the near plane; all outside of the shader's own plane."""
    cases: list[tuple[list[list[float]], int]] = [
        ([[2, 0, 0, 1], [3, 0, 0, 1], [2, 2, 0, 1]], 1),
        ([[x, y, -1, w] for x, y, _, w in PLACES[:3]], 1),
        (PLACES[:3], -1),
    ]
    for places, clip in cases:
        assert drawn(vertices_of(Vertices(3, attributes=given(places, clip))), (4, 4)).primitives == []


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ({"count": 0}, "0 vertices"),
        ({"count": 3, "instances": 0}, "0 instances"),
        ({"count": 1 << 17}, "at most|131072 vertices"),
        ({"count": 3, "topology": "fan"}, "topology 'fan'"),
        ({"count": 3, "indices": [0, 1]}, "2 indices"),
        ({"count": 5, "attributes": given(PLACES)}, "vertex 4 has no value of input"),
        ({"count": 1, "attributes": {**given(PLACES), "2": [UNIT]}}, "attribute '2' has 1 values"),
        ({"count": 1, "attributes": {"7": [1]}}, "no input '7'"),
        ({"count": 1, "attributes": {"1.1": [[0.5, 1]]}}, "0.5 is no value"),
        ({"count": 1, "indices": [-1]}, "an index can't be drawn by"),
        ({"count": 1, "indices": [0.5]}, "an index can't be drawn by"),
    ],
)
def test_vertices_that_can_not_be_drawn(arguments: dict[str, Any], what: str) -> None:
    with pytest.raises(InputError, match=what) as raised:
        run(module(), drawing=Vertices(**arguments))
    assert raised.value.diagnostics[0].code == "RK1021"


def test_the_command_line(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "both.rk"
    path.write_text(MODULE)
    attributes = ["--attribute", "at=-1,-1,0,1:3,-1,0,1:-1,3,0,1", "--attribute", "1.1=1,0:1,1:1,2"]
    command = ["run", str(path), "--vertices", "3", *attributes, "--subgroup-size", "4"]
    assert main(command) == 0
    said = capsys.readouterr().out
    assert "vertex 1: position (3, -1, 0, 1), clip (1), 0 = (0, 0), 1 = (1, 0, 0, 0), 2 = 3" in said
    assert main([*command, "--size", "2x2"]) == 0
    assert "(0, 0, 3)" in capsys.readouterr().out
    assert main(["run", str(path), "--indices", "0,1,2"]) == 2
    assert "about vertices, and there are none" in capsys.readouterr().err
    assert main([*command, "--primitive", "full"]) == 2
    assert main(["run", str(path), "--entry", "vertices"]) == 1
    assert "RK1020" in capsys.readouterr().err
