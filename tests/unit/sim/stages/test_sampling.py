"""Sampling in fragment shaders: the level of detail from the quad, gradients, projection, references, gathers. Levels
hold their number plus 1 in red, so that a sample shows which levels it is mixed of."""

import math

import pytest
from kit.fragments import pixels, shader, variable
from kit.oracles import drivers

from reknit import Drawing, InputError, Quad, run
from reknit.sim.drawing import whole_picture
from reknit.sim.images import Image, Sampler
from reknit.sim.result import Result
from reknit.vulkan.draw import draw_on

SIZES = [4, 8, 32]
TYPES = """%image = OpTypeImage %f32 2D 0 0 0 1 Unknown
%sampled = OpTypeSampledImage %image
%c05 = OpConstantComposite %v2f %fh %fh
%step = OpConstant %f32 0.25
%dx = OpConstantComposite %v2f %step %f0
%dy = OpConstantComposite %v2f %f0 %step
"""
TEX = variable("tex", "UniformConstant", "%sampled", "DescriptorSet 0", "Binding 1")


def levels(count: int = 4, sampler: Sampler | None = None) -> Image:
    """8 x 8 texels and the levels below, the texels of each its number plus 1."""
    texels: list[float] = []
    for level in range(count):
        texels.extend([level + 1.0] * (8 >> level) ** 2)
    return Image([8, 8], "r32f", texels, count, sampler)


def sampled(code: str, sampler: Sampler, scale: float, image: Image | None = None, size: int = 4) -> Result:
    """`code` makes %texel; %uv changes by `scale` a pixel along x, from pixel to pixel of a 4 x 4 picture."""
    body = f"%s = OpLoad %sampled %tex\n%at = OpLoad %v2f %uv\n{code}\nOpStore %color %texel"
    inputs = {"0": [[0, 0], [8 * scale, 0], [0, 8 * scale]]}
    drawing = Drawing([4, 4], [whole_picture(4, 4, inputs)])
    given = levels(sampler=sampler) if image is None else image
    module = shader(body, TEX, types=TYPES, capabilities=["ImageQuery", "MinLod"])
    return run(module, drawing=drawing, subgroup_size=size, buffers={"tex": given})


IMPLICIT = "%texel = OpImageSampleImplicitLod %v4f %s %at"


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    ("scale", "expected"),
    [
        # rho = |ds/dx| * 8, lambda = log2 rho; nearest(d') = ceil(d' + 0.5) - 1.
        (1 / 8, 1),  # rho 1, lambda 0
        (1 / 4, 2),
        (1 / 2, 3),
        (1, 4),
        (1 / 16, 1),  # lambda -1 is clamped to the first level
        (8, 4),  # and to the last
    ],
)
def test_the_level_is_that_of_the_step_to_the_next_pixel(scale: float, expected: int, size: int) -> None:
    result = sampled(IMPLICIT, Sampler(address="repeat"), scale, size=size)
    assert not result.diagnostics and pixels(result) == [[expected] * 4] * 4


def test_levels_are_mixed_by_the_fraction() -> None:
    """rho = 8 * 3/16 = 3/2, lambda = log2 3/2 = 0.585: 1 by 1 - lambda, 2 by lambda."""
    mixed = pixels(sampled(IMPLICIT, Sampler(levels="linear", address="repeat"), 3 / 16))[0][0]
    assert mixed == pytest.approx(1 + math.log2(1.5), rel=2**-22)


@pytest.mark.parametrize(
    ("code", "sampler", "expected"),
    [
        ("%texel = OpImageSampleImplicitLod %v4f %s %at Bias %f1", Sampler(address="repeat"), 2),
        (IMPLICIT, Sampler(address="repeat", bias=2), 3),
        (IMPLICIT, Sampler(address="repeat", least=3), 4),
        ("%texel = OpImageSampleImplicitLod %v4f %s %at Bias %f2", Sampler(address="repeat", most=1), 2),
        ("%texel = OpImageSampleImplicitLod %v4f %s %at MinLod %f2", Sampler(address="repeat"), 3),
        # Gradients of 1/4 along each axis: rho = 8 / 4.
        ("%texel = OpImageSampleExplicitLod %v4f %s %at Grad %dx %dy", Sampler(address="repeat"), 2),
        ("%texel = OpImageSampleExplicitLod %v4f %s %at Lod %f2", Sampler(address="repeat"), 3),
    ],
)
def test_bias_limits_and_gradients(code: str, sampler: Sampler, expected: int) -> None:
    result = sampled(code, sampler, 1 / 8)
    assert not result.diagnostics and pixels(result) == [[expected] * 4] * 4


def test_projection_comes_before_the_gradients() -> None:
    """(s, t, q) = (2 u, 2 v, 2): divided it is (u, v), whose level is that of u."""
    code = """%s0 = OpCompositeExtract %f32 %at 0
%t0 = OpCompositeExtract %f32 %at 1
%s2 = OpFMul %f32 %s0 %f2
%t2 = OpFMul %f32 %t0 %f2
%stq = OpCompositeConstruct %v3f %s2 %t2 %f2
%texel = OpImageSampleProjImplicitLod %v4f %s %stq"""
    assert pixels(sampled(code, Sampler(address="repeat"), 1 / 4)) == [[2] * 4] * 4


def test_a_query_gives_the_level_and_lambda() -> None:
    """"The return value is the vector (d_l - level_base, lambda')": rho = 1/2 gives lambda' -1, and level 0."""
    code = "%lod = OpImageQueryLod %v2f %s %at\n%texel = OpVectorShuffle %v4f %lod %lod 0 1 0 1"
    result = sampled(code, Sampler(address="repeat"), 1 / 16)
    assert pixels(result) == [[0] * 4] * 4 and pixels(result, 1) == [[-1] * 4] * 4
    result = sampled(code, Sampler(address="repeat", levels="linear"), 1 / 4)
    assert pixels(result) == [[1] * 4] * 4 and pixels(result, 1) == [[1] * 4] * 4


SQUARE = Image([2, 2], "r32f", [1, 2, 3, 4])
CUBE = variable("tex", "UniformConstant", "%sampled", "DescriptorSet 0", "Binding 1")
CUBE_TYPES = """%image = OpTypeImage %f32 Cube 0 0 0 1 Unknown
%sampled = OpTypeSampledImage %image
%back = OpConstant %f32 -0.9
%at = OpConstantComposite %v3f %f1 %f0 %back
"""


@pytest.mark.parametrize("filter", ["nearest", "linear"])
def test_a_gather_goes_on_beyond_the_edge_of_a_face(filter: str) -> None:
    """Texels are 10 * face + 2 * row + column. (1, 0, -0.9) is on face 0 at s = 0.9, t = 0: u * 2 - 0.5 is 1.4 and
    v * 2 - 0.5 is 0.5, so i0 = 1 and j0 = 0; i1 is beyond the edge, in column 0 of face 5, whose s is -x. Vulkan 1.4,
    "Texel Gathering": "the rules for the VK_FILTER_LINEAR minification filter are applied to identify the four selected
    texels"."""
    body = "%s = OpLoad %sampled %tex\n%texel = OpImageGather %v4f %s %at %u0\nOpStore %color %texel"
    module = shader(body, CUBE, types=CUBE_TYPES)
    image = Image([2, 2], "r32f", [10 * face + at for face in range(6) for at in range(4)], 1, Sampler(filter))
    drawing = Drawing([2, 2], [whole_picture(2, 2, {"0": [[0, 0]] * 3})])
    given = {"tex": image}
    results = [run(module, drawing=drawing, subgroup_size=4, buffers=given)]
    for driver in ("lavapipe", "swiftshader"):
        results.append(draw_on(drivers.target(driver), module, drawing, buffers=given))
    for result in results:
        assert [pixels(result, part)[0][0] for part in range(4)] == [3, 52, 50, 1], result.on


def test_a_gather_takes_the_four_texels_around() -> None:
    """At the middle of 2 x 2 texels i0 = j0 = 0: R (i0 j1), G (i1 j1), B (i1 j0), A (i0 j0) are 3, 4, 2, 1."""
    result = sampled("%texel = OpImageGather %v4f %s %c05 %u0", Sampler(), 1, SQUARE)
    assert [pixels(result, part)[0][0] for part in range(4)] == [3, 4, 2, 1]


@pytest.mark.parametrize(
    ("compare", "expected"), [("less", 0.5), ("less-equal", 0.75), ("greater", 0.25), ("equal", 0.25)]
)
def test_a_reference_is_compared_before_texels_are_mixed(compare: str, expected: float) -> None:
    """Reference 2 against 1 2 3 4, each a quarter of the sample: "1.0 if the comparison evaluates to true"."""
    code = "%depth = OpImageSampleDrefExplicitLod %f32 %s %c05 %f2 Lod %f0\n"
    code += "%texel = OpCompositeConstruct %v4f %depth %depth %depth %depth"
    image = Image([2, 2], "r32f", [1, 2, 3, 4], sampler=Sampler("linear", compare=compare))
    assert pixels(sampled(code, Sampler(), 1, image)) == [[expected] * 4] * 4


@pytest.mark.parametrize("size", SIZES)
def test_a_sample_where_the_quad_is_not_together_is_undefined(size: int) -> None:
    """"Dynamic instances of implicit derivative operations can be executed in control flow that is not uniform within
    the derivative group, but results are undefined" (Vulkan, "Derivative Operations")."""
    body = """%s = OpLoad %sampled %tex
%at = OpLoad %v2f %uv
%x = OpCompositeExtract %f32 %at 0
%some = OpFOrdLessThan %bool %x %f1
OpSelectionMerge %after None
OpBranchConditional %some %inside %after
%inside = OpLabel
%texel = OpImageSampleImplicitLod %v4f %s %at
OpStore %color %texel
OpBranch %after
%after = OpLabel"""
    quads = [
        Quad([0, 0], inputs={"0": [[0.25, 0], [0.5, 0], [0.25, 0.25], [0.5, 0.25]]}),  # all inside
        Quad([2, 0], inputs={"0": [[0.25, 0], [1.5, 0], [0.25, 0.25], [1.5, 0.25]]}),  # lanes 4 and 6
    ]
    result = run(shader(body, TEX, types=TYPES), drawing=Drawing([4, 2], quads=quads), subgroup_size=size,
                 buffers={"tex": levels()})  # fmt: skip
    [found] = result.diagnostics
    assert found.code == "RK1015" and found.message.endswith("which is not in its tangle (lanes 4, 6)")
    assert pixels(result) == [[2, 2, 0, 0]] * 2


def test_without_quads_there_is_no_level_of_detail() -> None:
    body = "%s = OpLoad %sampled %tex\n%texel = OpImageSampleImplicitLod %v4f %s %c05"
    with pytest.raises(InputError, match="takes the level of detail from its quad"):
        run(shader(body, TEX, types=TYPES, modes=["LocalSize 4 1 1"], stage="GLCompute"))


def test_a_sampler_past_the_end_of_its_array_is_reported() -> None:
    types = TYPES + "%sampler = OpTypeSampler\n%two = OpTypeArray %sampler %u2\n"
    types += "%one_p = OpTypePointer UniformConstant %sampler\n"
    body = """%at = OpLoad %v2f %uv
%i = OpLoad %image %flat
%word_at = OpAccessChain %word_p %out %u0 %u0
%which = OpLoad %u32 %word_at
%place = OpAccessChain %one_p %all %which
%one = OpLoad %sampler %place
%both = OpSampledImage %sampled %i %one
%texel = OpImageSampleImplicitLod %v4f %both %at
OpStore %color %texel"""
    image = variable("flat", "UniformConstant", "%image", "DescriptorSet 0", "Binding 1")
    samplers = variable("all", "UniformConstant", "%two", "DescriptorSet 0", "Binding 2")
    drawing = Drawing([2, 2], quads=[Quad(inputs={"0": [[0, 0]] * 4})])
    for which, codes in ((1, []), (2, ["RK1014", "RK1015"])):
        result = run(shader(body, image, samplers, types=types), drawing=drawing, buffers={"out": [which]})
        assert [found.code for found in result.diagnostics] == codes
