"""What drivers draw, against what the rasterization rules of Vulkan 1.4 give by hand."""

from collections.abc import Sequence
from typing import Any

import pytest
from kit import oracles
from kit.oracles import drivers
from kit.oracles.drivers import on_every_drawing_driver

from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.sim.drawing import Drawing, Primitive, Quad, whole_picture
from reknit.sim.result import Result
from reknit.sim.run import run
from reknit.sim.vertices import Vertices, drawn
from reknit.source.diagnostic import InputError
from reknit.spirv.read import read_module
from reknit.vulkan.draw import draw_on, draw_vertices_on

pytestmark = pytest.mark.once

SHADER = """
#version 450
layout(location = 0) in vec2 uv;
layout(location = 1) flat in uint id;
layout(location = 2, component = 1) in vec2 twice[2];
layout(location = 4) in mat2 m;
layout(location = 0) out vec4 color;
layout(location = 2) out uvec4 who;
layout(location = 3) out ivec4 sign;
layout(set = 0, binding = 0) buffer Counted { uint count; };
layout(set = 0, binding = 1) uniform sampler2D texture0;
layout(push_constant) uniform Push { uint added; };
void main() {
    color = vec4(uv, dFdx(uv.x), dFdy(uv.y));
    who = uvec4(id + added, gl_FragCoord.x * 2.0, gl_FragCoord.y * 2.0, gl_FrontFacing);
    sign = ivec4(-twice[1] * 8.0, m[1][0] * 8.0, textureLod(texture0, uv, 0.0).x * 8.0);
    atomicAdd(count, 1u);
}
"""


def compiled(source: str = SHADER) -> Module:
    return read_module(oracles.glslang(source, "frag"))


def picture(result: Result, location: int = 0, sample: int = 0) -> list[list[float] | None]:
    """The pixels of an output, row by row; None where nothing was drawn."""
    assert result.framebuffer is not None
    width, height = result.framebuffer.size
    [attachment] = [each for each in result.framebuffer.attachments if each.location == location]
    return [attachment.at(x, y, sample) for y in range(height) for x in range(width)]


ROWS = [[[0, 0], [0, 0]], [[4, 0], [8, 0]], [[0, 4], [0, 8]]]
"""Two vectors a corner: (x, y) and twice that, in the units of uv times 4."""

CORNER = Primitive(
    [[0, 0], [4, 0], [0, 4]],
    {"uv": [[0, 0], [1, 0], [0, 1]], "1": [7, 8, 9], "2.1": ROWS, "m": [[[0, 0], [x / 4, 0]] for x in (0, 4, 0)]},
)
"""Half of 4 x 4 pixels. A sample on the long edge is not covered: it is neither a top nor a left edge (Vulkan 1.4,
"Basic Polygon Rasterization", and the top-left rule of drivers)."""


@on_every_drawing_driver
def test_a_triangle_with_inputs_of_each_kind(driver: str, lanes: int) -> None:
    """At the center of pixel (x, y), uv is ((x + 0.5) / 4, (y + 0.5) / 4), whose derivatives are 0.25."""
    result = draw_on(drivers.target(driver, lanes), compiled(), Drawing([4, 4], [CORNER]), push_constants=[100])
    covered = [(x, y) for y in range(4) for x in range(4) if x + y < 3]
    assert result.buffers["Counted"].words == [len(covered)]
    assert result.framebuffer is not None
    assert [attachment.location for attachment in result.framebuffer.attachments] == [0, 2, 3]
    color, who, sign = (picture(result, location) for location in (0, 2, 3))
    for x, y in [(x, y) for y in range(4) for x in range(4)]:
        at = 4 * y + x
        if (x, y) not in covered:
            assert color[at] is None and who[at] is None and sign[at] is None
            continue
        u, v = (x + 0.5) / 4, (y + 0.5) / 4
        assert color[at] == [u, v, 0.25, 0.25]
        assert who[at] == [107, 2 * x + 1, 2 * y + 1, 0]
        assert sign[at] == [-int(u * 64), -int(v * 64), int(u * 8), 0]


def test_the_side_that_is_seen_and_the_corner_of_flat_inputs() -> None:
    """(0, 0), (4, 0), (0, 4) go clockwise, as seen: y is down. `test_a_triangle_with_inputs_of_each_kind` has the
    others."""
    result = draw_on(drivers.target(), compiled(), Drawing([4, 4], [CORNER], front="clockwise", provoking="last"))
    assert picture(result, 2)[0] == [9, 1, 1, 1]


@pytest.mark.parametrize("driver, lanes", [("lavapipe", 8), ("swiftshader", 4)])
def test_four_samples_a_pixel(driver: str, lanes: int) -> None:
    """Samples are at (6, 2), (14, 6), (2, 10), (10, 14) sixteenths ("standard sample locations"): of a pixel on the
    diagonal the edge x + y = 1 leaves those whose sum is below 16 sixteenths, the first and the third. gl_SampleMaskIn
    has them; the pixel's invocation stores once. The drawing's mask keeps sample 2 from being drawn to."""
    source = """
    #version 450
    layout(location = 0) out uvec4 mask;
    void main() { mask = uvec4(gl_SampleMaskIn[0], 1u, 2u, 3u); }
    """
    drawing = Drawing([2, 2], [Primitive([[0, 0], [2, 0], [0, 2]])], samples=4, sample_mask=0b1011)
    result = draw_on(drivers.target(driver, lanes), compiled(source), drawing)
    inside = [15 & 0b1011, 1, 2, 3]
    edge = [0b0101 & 0b1011, 1, 2, 3]
    assert picture(result) == [inside, edge, edge, None]
    assert picture(result, sample=1) == [inside, None, None, None]
    assert picture(result, sample=2) == [None] * 4
    assert picture(result, sample=3) == [inside, None, None, None]


def test_depth_decides_between_triangles() -> None:
    source = """
    #version 450
    layout(location = 0) flat in uint id;
    layout(location = 0) out uvec4 color;
    void main() { color = uvec4(id); }
    """
    near, far = [Primitive([[0, 0, z], [4, 0, z], [0, 4, z]], {"0": [id] * 3}) for z, id in ((0.25, 1), (0.75, 2))]
    for order, compare, depth, expected in (
        ([near, far], "less", 1.0, 1),
        ([far, near], "greater", 0.5, 2),
        ([near, far], "", 1.0, 2),
    ):
        result = draw_on(drivers.target(), compiled(source), Drawing([2, 2], order, compare=compare, depth=depth))
        assert picture(result) == [[expected] * 4] * 4


@pytest.mark.parametrize("driver, lanes", [("lavapipe", 8), ("swiftshader", 4)])
def test_perspective(driver: str, lanes: int) -> None:
    """Half way between f_a, f_b with w_a = 1, w_b = 1/3: (f_a / w_a + f_b / w_b) / (1 / w_a + 1 / w_b) = (0 + 3) / 4
    ("Basic Line Segment Rasterization"); noperspective 1/2. The w of FragCoord is that of 1/w, (1 + 3) / 2."""
    source = """
    #version 450
    layout(location = 0) in float across;
    layout(location = 1) noperspective in float straight;
    layout(location = 0) out vec4 color;
    void main() { color = vec4(across, straight, gl_FragCoord.zw); }
    """
    values = [0, 1, 0]
    corners = [[0.5, 0.5, 0.5, 1], [2.5, 0.5, 0.5, 3], [0.5, 2.5, 0.5, 1]]
    drawing = Drawing([4, 4], [Primitive(corners, {"0": values, "1": values})])
    result = draw_on(drivers.target(driver, lanes), compiled(source), drawing)
    assert picture(result)[1] == pytest.approx([0.75, 0.5, 0.5, 2.0], rel=1e-5)


@pytest.mark.parametrize("driver, lanes", [("lavapipe", 8)])
def test_points(driver: str, lanes: int) -> None:
    """A point covers a square around its corner ("Basic Point Rasterization")."""
    source = """
    #version 450
    layout(location = 0) in float value;
    layout(location = 0) out vec4 color;
    void main() { color = vec4(value, gl_PointCoord, 1); }
    """
    drawing = Drawing([4, 2], [Primitive([[1, 1]], {"0": [3.0]}, size=2), Primitive([[3.5, 0.5]], {"0": [4.0]})])
    result = draw_on(drivers.target(driver, lanes), compiled(source), drawing)
    upper = [[3.0, 0.25, 0.25, 1.0], [3.0, 0.75, 0.25, 1.0], None, [4.0, 0.5, 0.5, 1.0]]
    assert picture(result) == [*upper, [3.0, 0.25, 0.75, 1.0], [3.0, 0.75, 0.75, 1.0], None, None]


@pytest.mark.parametrize(
    "drawing, what",
    [
        (Drawing([2, 2], quads=[Quad()]), "quads"),
        (Drawing([2, 2]), "without primitives"),
        (Drawing([2, 2], [Primitive([[0, 0]]), CORNER]), "points and triangles"),
        (Drawing([2, 2], [Primitive([[0, 0]], layer=1)]), "layer"),
        (Drawing([4096, 2], [CORNER]), "more than 2048"),
        (Drawing([2, 2], [Primitive([[0, 0]], front=True)]), "face the viewer"),
    ],
)
def test_what_a_driver_can_not_be_given(drawing: Drawing, what: str) -> None:
    with pytest.raises(InputError, match=what) as raised:
        draw_on(drivers.target(), compiled(), drawing)
    assert {diagnostic.code for diagnostic in raised.value.diagnostics} == {"RK1108"}


def test_inputs_that_the_shader_does_not_have() -> None:
    for inputs, what in (
        ({"9": [0, 0, 0]}, "no input '9'"),
        ({"uv": [1, 2, 3]}, "1 numbers and has 2"),
        ({"id": [0.5] * 3}, "0.5"),
    ):
        with pytest.raises(InputError, match=what) as raised:
            draw_on(drivers.target(), compiled(), Drawing([2, 2], [whole_picture(2, 2, inputs)]))
        assert raised.value.diagnostics[0].code == "RK1021"


def test_outputs_that_no_picture_has() -> None:
    source = """
    #version 450
    #extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
    #extension GL_EXT_shader_16bit_storage : require
    layout(location = 0) out f16vec4 color;
    void main() { color = f16vec4(1); }
    """
    with pytest.raises(InputError, match="not of 32 bits") as raised:
        draw_on(drivers.target(), compiled(source), Drawing([2, 2], [whole_picture(2, 2)]))
    assert raised.value.diagnostics[0].code == "RK1108"


BOTH = """
Capability Shader
Capability DrawParameters
MemoryModel Logical GLSL450
EntryPoint Vertex @vertices "main" %at %kind %turn %vertex %instance %base %first %draw %position %said %who
EntryPoint Fragment @pixels "main" %saidIn %whoIn %color %numbers
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
Decorate %position BuiltIn Position
Decorate %said Location 0
Decorate %who Location 1
Decorate %saidIn Location 0
Decorate %whoIn Location 1
Decorate %whoIn Flat
Decorate %color Location 0
Decorate %numbers Location 1
%at = Variable Input : ptr<Input, vec3<f32>>
%kind = Variable Input : ptr<Input, vec2<i32>>
%turn = Variable Input : ptr<Input, mat2x2<f32>>
%vertex = Variable Input : ptr<Input, i32>
%instance = Variable Input : ptr<Input, i32>
%base = Variable Input : ptr<Input, i32>
%first = Variable Input : ptr<Input, i32>
%draw = Variable Input : ptr<Input, i32>
%position = Variable Output : ptr<Output, vec4<f32>>
%said = Variable Output : ptr<Output, vec2<f32>>
%who = Variable Output : ptr<Output, vec4<i32>>
%saidIn = Variable Input : ptr<Input, vec2<f32>>
%whoIn = Variable Input : ptr<Input, vec4<i32>>
%color = Variable Output : ptr<Output, vec2<f32>>
%numbers = Variable Output : ptr<Output, vec4<i32>>

; Each instance from the first on is moved a quarter of the picture to the right.
func @vertices() -> void {
  %p = Load %at : vec3<f32>
  %k = Load %kind : vec2<i32>
  %m = Load %turn : mat2x2<f32>
  %v = Load %vertex : i32
  %i = Load %instance : i32
  %b = Load %base : i32
  %f = Load %first : i32
  %d = Load %draw : i32
  %count = ISub %i, %f : i32
  %moves = ConvertSToF %count : f32
  %half = FMul %moves, 0.5f : f32
  %x = CompositeExtract %p 0 : f32
  %right = FAdd %x, %half : f32
  %y = CompositeExtract %p 1 : f32
  %z = CompositeExtract %p 2 : f32
  %corner = CompositeConstruct %right, %y, %z, 1.0f : vec4<f32>
  Store %position, %corner
  %kf = ConvertSToF %k : vec2<f32>
  %turned = MatrixTimesVector %m %kf : vec2<f32>
  Store %said, %turned
  %last = IAdd %f, %d : i32
  %four = CompositeConstruct %v, %i, %b, %last : vec4<i32>
  Store %who, %four
  return
}

func @pixels() -> void {
  %s = Load %saidIn : vec2<f32>
  Store %color, %s
  %w = Load %whoIn : vec4<i32>
  Store %numbers, %w
  return
}
"""


@pytest.mark.parametrize("lanes", [4, 8])
@pytest.mark.parametrize("indices", [None, [7, 1, 3, 0, 2, 0, 3]])
def test_vertices_of_the_module_s_own_shader(lanes: int, indices: list[int] | None) -> None:
    """The simulator's vertices, drawn by the simulator, are the driver's. By hand: the first of the pixels is of vertex
    0 of the first instance, 5. With indices from the second on, and one added, the triangles are 2 4 1 and 3 1 4, which
    both cover it; the second one is drawn over the first."""
    module = parse(BOTH, "both")
    places = [[-1, -1, 0.5], [-0.5, -1, 0.5], [-1, 1, 0.5], [-0.5, 1, 0.5], [-1, -1, 0.5]]
    attributes: dict[str, Sequence[Any]] = {
        "at": places,
        "1.1": [[4 * number, 1] for number in range(5)],
        "2": [[[1, 2], [3, 4]]] * 5,
    }
    first, base = (0, 0) if indices is None else (1, 1)
    vertices = Vertices(3 if indices is None else 6, 3, first, 5, base, indices, attributes)
    left = run(module, drawing=vertices).vertices
    assert left is not None
    simulated = run(module, drawing=drawn(left, (8, 8))).framebuffer
    result = draw_vertices_on(drivers.target(lanes=lanes), module, vertices, Drawing([8, 8]))
    assert simulated is not None and result.framebuffer is not None
    *theirs, _ = result.framebuffer.contents()  # the last is depth, which a driver keeps where it is tested
    *ours, _ = simulated.contents()
    assert theirs == ours
    [vertex, instance, base_vertex, rest] = picture(result, 1)[0] or []
    assert (vertex, instance, base_vertex, rest) == ((0, 5, 0, 5) if indices is None else (3, 5, 1, 5))


def test_a_driver_needs_both_shaders() -> None:
    with pytest.raises(InputError, match="no vertex shader, and a driver draws with both") as raised:
        draw_vertices_on(drivers.target(), compiled(), Vertices(3), Drawing([2, 2]))
    assert raised.value.diagnostics[0].code == "RK1108"
