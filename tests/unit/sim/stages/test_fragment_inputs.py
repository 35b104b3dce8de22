"""What fragment shaders are given: coverage, interpolation, built-in variables. Expected values are by hand, from the
formulas of the Vulkan specification."""

from typing import Any

import pytest
from kit.fragments import ends, pixels, shader, variable

from reknit import Drawing, InputError, Primitive, Quad, run
from reknit.ir.module import Module
from reknit.sim.drawing import whole_picture
from reknit.sim.result import Result

SIZES = [4, 8, 16, 32, 64]


def component(value: str, type: str = "%v2f", at: str = "0") -> str:
    """Writes a component of a loaded input to all of color."""
    return f"""%loaded = OpLoad {type} {value}
%part = OpCompositeExtract %f32 %loaded {at}
%all = OpCompositeConstruct %v4f %part %part %part %part
OpStore %color %all"""


def number(value: str, type: str = "%u32", convert: str = "OpConvertUToF") -> str:
    """Writes an integer input to all of color."""
    return f"""%loaded = OpLoad {type} {value}
%part = {convert} %f32 %loaded
%all = OpCompositeConstruct %v4f %part %part %part %part
OpStore %color %all"""


def truth(value: str) -> str:
    return f"""%loaded = OpLoad %bool {value}
%part = OpSelect %f32 %loaded %f1 %f2
%all = OpCompositeConstruct %v4f %part %part %part %part
OpStore %color %all"""


def draw(module: Module, drawing: Drawing, size: int = 4) -> Result:
    result = run(module, subgroup_size=size, drawing=drawing)
    assert not result.diagnostics
    return result


UV = {"0": [[0, 0], [8, 0], [0, 8]]}
TRIANGLE = [[0, 0], [8, 0], [0, 8]]


@pytest.mark.parametrize("size", SIZES)
def test_a_pixel_is_covered_where_its_center_is_inside(size: int) -> None:
    """(0, 0) (3, 0) (0, 3): a center (x + 1/2, y + 1/2) is inside where x + y + 1 < 3. On the long edge lie those with
    x + y = 2, and it is neither a top nor a left edge. The quad at (0, 0), of which
    all but (1, 1) are covered, is the only one with a covered pixel: (2, 0) has x + y = 2."""
    result = draw(shader(component("%uv")), Drawing([4, 4], [Primitive([[0, 0], [3, 0], [0, 3]], UV)]), size)
    assert [[value is not None for value in row] for row in pixels(result)] == [
        [True, True, False, False],
        [True, False, False, False],
        [False] * 4,
        [False] * 4,
    ]
    assert ends(result) == ["w", "w", "w", "h"]


@pytest.mark.parametrize("turned", [False, True])
def test_a_shared_edge_through_centers_belongs_to_one_triangle(turned: bool) -> None:
    """Vulkan, "Basic Polygon Rasterization": "if two polygons lie on either side of a common edge (with identical
    endpoints) on which a sample point lies, then exactly one of the polygons must result in a covered sample"."""
    corners = [[0.5, 0.5], [4.5, 0.5], [0.5, 4.5], [4.5, 4.5]]
    order = ([0, 1, 2], [1, 2, 3]) if not turned else ([2, 1, 0], [3, 1, 2])
    kinds = variable("kind", "Input", "%u32", "Location 1", "Flat")
    triangles = [
        Primitive([corners[at] for at in part], {"0": [[0, 0]] * 3, "1": [number + 1] * 3})
        for number, part in enumerate(order)
    ]
    # The square owns its left and its top edge: 4 x 4 pixels, each once.
    result = draw(shader(number_and_count(), kinds), Drawing([6, 6], triangles))
    drawn = pixels(result)
    assert [[value is not None for value in row] for row in drawn] == [
        [x < 4 and y < 4 for x in range(6)] for y in range(6)
    ]
    assert result.buffers["out"].words[:1] == [16]  # no pixel was shaded by both


def number_and_count() -> str:
    return f"""%place = OpAccessChain %word_p %out %u0 %u0
%old = OpAtomicIAdd %u32 %place %u1 %u0 %u1
{number("%kind")}"""


def test_interpolation_is_linear_where_all_w_are_the_same() -> None:
    """a f_a + b f_b + c f_c with f = 8 x / 8: the value of %uv.x at a center is x + 1/2."""
    result = draw(shader(component("%uv")), Drawing([4, 2], [Primitive(TRIANGLE, UV)]))
    assert pixels(result) == [[0.5, 1.5, 2.5, 3.5]] * 2


def test_perspective_divides_by_the_interpolated_1_over_w() -> None:
    """f = (a f_a / w_a + b f_b / w_b + c f_c / w_c) / (a / w_a + b / w_b + c / w_c). Corners (0, 0), (8, 0), (0, 8)
    with 1/w 1, 1/2, 1 and f 0, 8, 0. At x = 2.5, y = 0.5: b = 5/16, c = 1/16, a = 10/16, so that the denominator is
    10/16 + 5/32 + 1/16 = 27/32, the numerator 8 * 5/32 = 40/32: 40/27. Without perspective: 8 * 5/16 = 2.5."""
    corners: list[list[float]] = [[0, 0, 0, 1], [8, 0, 0, 0.5], [0, 8, 0, 1]]
    line = variable("line", "Input", "%f32", "Location 1", "NoPerspective")
    inputs: dict[str, list[Any]] = {**UV, "1": [0, 8, 0]}
    drawing = Drawing([4, 2], [Primitive(corners, inputs)])
    assert pixels(draw(shader(component("%uv")), drawing))[0][2] == pytest.approx(40 / 27, rel=2**-24)
    straight = number("%line", "%f32", "OpFNegate")
    assert pixels(draw(shader(straight, line), drawing))[0][2] == -2.5
    # 1/w itself, the last of FragCoord: a + b / 2 + c = 27/32.
    at = variable("at", "Input", "%v4f", "BuiltIn FragCoord")
    assert pixels(draw(shader(component("%at", "%v4f", "3"), at), drawing))[0][2] == 27 / 32


@pytest.mark.parametrize(("provoking", "expected"), [("first", 7), ("last", 9)])
def test_flat_inputs_are_those_of_the_provoking_vertex(provoking: str, expected: int) -> None:
    kind = variable("kind", "Input", "%u32", "Location 1", "Flat")
    drawing = Drawing([2, 2], [Primitive(TRIANGLE, {**UV, "kind": [7, 8, 9]})], provoking=provoking)
    assert pixels(draw(shader(number("%kind"), kind), drawing)) == [[expected] * 2] * 2


def test_frag_coord_is_the_center_and_the_interpolated_depth() -> None:
    """z = a z_a + b z_b + c z_c, "determined using linear interpolation": at (1.5, 0.5), b = 3/16 of depth 1."""
    at = variable("at", "Input", "%v4f", "BuiltIn FragCoord")
    drawing = Drawing([2, 2], [Primitive([[0, 0, 0], [8, 0, 1], [0, 8, 0]], UV)])
    expected = [[[0.5, 1.5]] * 2, [[0.5] * 2, [1.5] * 2], [[1 / 16, 3 / 16]] * 2, [[1.0] * 2] * 2]
    for part in range(4):
        assert pixels(draw(shader(component("%at", "%v4f", str(part)), at), drawing)) == expected[part]


@pytest.mark.parametrize(
    ("corners", "front", "expected"),
    [
        # a = -1/2 sum(x_i y_(i+1) - x_(i+1) y_i): -32 for TRIANGLE, "a triangle with positive area is front-facing"
        # with VK_FRONT_FACE_COUNTER_CLOCKWISE.
        (TRIANGLE, "counter-clockwise", 2),
        (TRIANGLE, "clockwise", 1),
        (TRIANGLE[::-1], "counter-clockwise", 1),
        (TRIANGLE[::-1], "clockwise", 2),
    ],
)
def test_front_facing_is_by_the_sign_of_the_area(corners: list[list[float]], front: str, expected: int) -> None:
    facing = variable("facing", "Input", "%bool", "BuiltIn FrontFacing")
    drawing = Drawing([2, 2], [Primitive(corners, UV)], front=front)
    assert pixels(draw(shader(truth("%facing"), facing), drawing)) == [[expected] * 2] * 2


@pytest.mark.parametrize("builtin", ["PrimitiveId", "Layer", "ViewportIndex"])
def test_a_primitive_has_a_number_and_a_place(builtin: str) -> None:
    which = variable("which", "Input", "%u32", f"BuiltIn {builtin}", "Flat")
    capabilities = ["Geometry", "ShaderLayer", "ShaderViewportIndex"]
    primitives = [Primitive([[0, 0], [1, 0], [0, 1]], UV), Primitive([[2, 0], [4, 0], [2, 4]], UV, viewport=1)]
    result = draw(shader(number("%which"), which, capabilities=capabilities), Drawing([4, 2], primitives))
    assert pixels(result)[0][2] == {"PrimitiveId": 1, "Layer": 0, "ViewportIndex": 1}[builtin]


def test_a_layer_is_another_picture() -> None:
    which = variable("which", "Input", "%u32", "BuiltIn Layer", "Flat")
    drawing = Drawing([2, 2], [whole_picture(2, 2, UV), Primitive(TRIANGLE, UV, layer=3)])
    result = draw(shader(number("%which"), which, capabilities=["Geometry", "ShaderLayer"]), drawing)
    assert result.framebuffer is not None
    [color] = result.framebuffer.attachments
    assert color.at(0, 0) == [0.0] * 4 and color.at(0, 0, layer=3) == [3.0] * 4 and color.at(0, 0, layer=1) is None


def test_a_point_is_a_square_with_coordinates() -> None:
    """"s = 1/2 + (x_p - x_f) / size": size 4 about (2, 2), at x 0.5, 1.5, 2.5, 3.5: 1/2 + (x - 2) / 4."""
    spot = variable("spot", "Input", "%v2f", "BuiltIn PointCoord")
    drawing = Drawing([6, 6], [Primitive([[2, 2]], {"0": [[0, 0]]}, size=4)])
    result = draw(shader(component("%spot"), spot), drawing)
    assert pixels(result) == [[0.125, 0.375, 0.625, 0.875, None, None]] * 4 + [[None] * 6] * 2
    assert pixels(draw(shader(component("%spot", at="1"), spot), drawing))[3][:4] == [0.875] * 4


def test_values_are_set_for_each_invocation_of_a_quad() -> None:
    drawing = Drawing([4, 4], quads=[Quad([2, 2], [1, 1, 0, 1], {"uv": [[1, 0], [2, 0], [3, 0], [4, 0]]})])
    result = draw(shader(component("%uv")), drawing)
    assert pixels(result)[2:] == [[None, None, 1, 2], [None, None, None, 4]] and ends(result) == ["w", "w", "h", "w"]


@pytest.mark.parametrize("size", SIZES)
def test_quads_fill_subgroups_without_gaps(size: int) -> None:
    """16 quads of 8 x 8 pixels, in rows: quad q has lanes 4 q to 4 q + 3, and of lane l the subgroup invocation is
    l modulo the size."""
    index = variable("index", "Input", "%u32", "BuiltIn SubgroupLocalInvocationId", "Flat")
    drawing = Drawing([8, 8], [whole_picture(8, 8, UV)])
    drawn = pixels(draw(shader(number("%index"), index, capabilities=["GroupNonUniform"]), drawing, size))
    for y in range(8):
        for x in range(8):
            lane = 4 * (y // 2 * 4 + x // 2) + y % 2 * 2 + x % 2
            assert drawn[y][x] == lane % size


def test_barycentric_coordinates_weigh_the_corners() -> None:
    """At (2.5, 0.5) of (0, 0) (8, 0) (0, 8): b = 5/16, c = 1/16, a = 10/16. A quad has no corners: it is given them."""
    weights = variable("weights", "Input", "%v3f", "BuiltIn BaryCoordKHR")
    needs = ["FragmentBarycentricKHR"]
    named = ["SPV_KHR_fragment_shader_barycentric"]
    for at, expected in ((0, 10 / 16), (1, 5 / 16), (2, 1 / 16)):
        module = shader(component("%weights", "%v3f", str(at)), weights, capabilities=needs, extensions=named)
        assert pixels(draw(module, Drawing([4, 2], [Primitive(TRIANGLE, UV)])))[0][2] == expected
    given = {"weights": [[0, 0, number] for number in range(4)]}
    assert pixels(draw(module, Drawing([2, 2], quads=[Quad(inputs=given)]))) == [[0, 1], [2, 3]]
    with pytest.raises(InputError, match="does not have input weights for a quad, which has no corners"):
        run(module, drawing=Drawing([2, 2], quads=[Quad()]))


# --- samples ----------------------------------------------------------------------------------------------------------


def test_coverage_is_by_the_standard_samples() -> None:
    """4 samples at (6, 2), (14, 6), (2, 10), (10, 14) sixteenths. The triangle right of x = 1/2 covers samples 1 and 3
    of pixel (0, 0): mask 0b1010."""
    masks = variable("masks", "Input", "%array", "BuiltIn SampleMask", "Flat")
    body = """%place = OpAccessChain %i32_p %masks %u0
%loaded = OpLoad %i32 %place
%part = OpConvertSToF %f32 %loaded
%all = OpCompositeConstruct %v4f %part %part %part %part
OpStore %color %all"""
    types = "%array = OpTypeArray %i32 %u1\n%i32_p = OpTypePointer Input %i32\n"
    drawing = Drawing([2, 2], [Primitive([[0.5, -8], [16, -8], [0.5, 24]], UV)], samples=4)
    result = draw(shader(body, masks, types=types), drawing)
    assert pixels(result, sample=1)[0] == [0b1010, 0b1111]
    assert pixels(result, sample=0)[0] == [None, 0b1111]


def test_a_shader_that_asks_for_its_sample_runs_for_each() -> None:
    """"If a fragment shader entry point statically uses SampleId, sample shading is enabled": four invocations a pixel,
    each of which sees its own position, and %uv.x interpolated there where it is decorated Sample."""
    which = variable("which", "Input", "%u32", "BuiltIn SampleId", "Flat")
    at = variable("at", "Input", "%v2f", "Location 1", "Sample")
    drawing = Drawing([2, 2], [Primitive(TRIANGLE, {**UV, "1": [[0, 0], [8, 0], [0, 8]]})], samples=4)
    sampled = ["SampleRateShading"]
    result = draw(shader(number("%which"), which, capabilities=sampled), drawing)
    assert [pixels(result, sample=sample)[0][0] for sample in range(4)] == [0, 1, 2, 3] and len(ends(result)) == 16
    result = draw(shader(component("%at"), at, capabilities=sampled), drawing)
    assert [pixels(result, sample=sample)[0][1] for sample in range(4)] == [1.375, 1.875, 1.125, 1.625]
    position = variable("position", "Input", "%v2f", "BuiltIn SamplePosition")
    result = draw(shader(component("%position", at="1"), position, capabilities=sampled), drawing)
    assert [pixels(result, sample=sample)[1][0] for sample in range(4)] == [0.125, 0.375, 0.625, 0.875]


def test_centroid_moves_into_the_primitive() -> None:
    """Right of x = 3/4 pixel (0, 0) has sample 1 of 4 alone, at x = 14/16: the centroid is there, the center is not
    inside. A pixel that is covered as a whole is interpolated at its center."""
    at = variable("at", "Input", "%v2f", "Location 1", "Centroid")
    corners = [[0.75, -8], [16.75, -8], [0.75, 24]]
    inputs: dict[str, list[Any]] = {"0": [[0, 0]] * 3, "1": [[0.75, 0], [16.75, 0], [0.75, 0]]}  # x itself
    result = draw(shader(component("%at"), at), Drawing([2, 2], [Primitive(corners, inputs)], samples=4))
    assert pixels(result, sample=1)[0] == [14 / 16, 1.5]


def test_samples_outside_of_the_mask_are_not_drawn() -> None:
    drawing = Drawing([2, 2], [Primitive(TRIANGLE, UV)], samples=2, sample_mask=0b10)
    result = draw(shader(component("%uv")), drawing)
    assert pixels(result, sample=0) == [[None] * 2] * 2 and pixels(result, sample=1) == [[0.5, 1.5]] * 2


def test_what_covers_nothing_runs_nothing() -> None:
    """Between the centers of pixels, outside of the picture, and without an area."""
    small = [Primitive([[0.6, 0.6], [0.7, 0.6], [0.6, 0.7]], UV), Primitive([[8, 8], [9, 8], [8, 9]], UV)]
    result = draw(shader(number_and_count(), variable("kind", "Input", "%u32", "Location 1", "Flat")),
                  Drawing([2, 2], [*small, Primitive([[0, 0], [1, 1], [2, 2]], UV)]))  # fmt: skip
    assert result.buffers["out"].words[0] == 0 and ends(result) == [] and result.steps == 0


# --- what can't be given ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({}, "does not have input uv (location 0)"),
        ({"0": [1, 2, 3]}, "input uv (location 0) can't be 1"),
        ({"0": [["a", "b"]] * 3}, "input uv (location 0) can't be 'a'"),
        ({"0": [[1]] * 3}, "input uv (location 0) can't be [1]"),
    ],
)
def test_an_input_that_does_not_fit_is_named(inputs: dict[str, list[Any]], message: str) -> None:
    with pytest.raises(InputError) as raised:
        run(shader(component("%uv")), drawing=Drawing([2, 2], [Primitive(TRIANGLE, inputs)]))
    assert raised.value.diagnostics[0].code == "RK1021" and message in raised.value.diagnostics[0].message


def test_what_has_no_room_or_no_meaning_is_refused() -> None:
    drawing = Drawing([2, 2], [Primitive(TRIANGLE, UV)])
    with pytest.raises(InputError, match="no room for a quad"):
        run(shader(component("%uv")), subgroup_size=2, drawing=drawing)
    with pytest.raises(InputError, match="fragment shader interlock"):
        locked = ["PixelInterlockOrderedEXT"]
        run(
            shader(
                component("%uv"), modes=locked, capabilities=["FragmentShaderPixelInterlockEXT"],
                extensions=["SPV_EXT_fragment_shader_interlock"],
            ),
            drawing=drawing,
        )  # fmt: skip
    with pytest.raises(InputError, match="is no fragment shader, and draws nothing"):
        run(shader("", modes=["LocalSize 4 1 1"], stage="GLCompute"), drawing=drawing)
    with pytest.raises(InputError, match="is a vertex shader, which is run over vertices"):
        run(shader("", stage="Vertex"), drawing=drawing)
