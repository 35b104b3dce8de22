"""Multisampled images, and input attachments, whose coordinates are relative to the pixel. A texel is 100 * y + 10 * x
+ sample, so that a value says where it is from."""

import pytest
from kit.fragments import pixels, shader, variable

from reknit import Drawing, InputError, Quad, run
from reknit.sim.drawing import whole_picture
from reknit.sim.images import Image
from reknit.sim.result import Result

SIZES = [4, 8, 32]
UV = {"0": [[0, 0], [4, 0], [0, 4]]}
FULL = Drawing([2, 2], [whole_picture(2, 2, UV)])
COORD = variable("coord", "Input", "%v4f", "BuiltIn FragCoord")
AT = """%p = OpLoad %v4f %coord
%x = OpCompositeExtract %f32 %p 0
%y = OpCompositeExtract %f32 %p 1
%xi = OpConvertFToS %i32 %x
%yi = OpConvertFToS %i32 %y
%at = OpCompositeConstruct %v2i %xi %yi
%s = OpLoad %image %tex
"""
TYPES = """%v2i = OpTypeVector %i32 2
%i0 = OpConstant %i32 0
%origin = OpConstantComposite %v2i %i0 %i0
"""
STORE = "\nOpStore %color %texel"


def image(samples: int, size: int = 2, declared: int = 0) -> Image:
    places = [(x, y) for y in range(size) for x in range(size)]
    texels = [100.0 * y + 10 * x + sample for x, y in places for sample in range(samples)]
    return Image([size, size], "r32f", texels, samples=declared)


def read(body: str, kind: str, given: Image, drawing: Drawing = FULL, size: int = 4, *more: str) -> Result:
    tex = variable("tex", "UniformConstant", "%image", "DescriptorSet 0", "Binding 1", *more)
    types = f"{TYPES}%image = OpTypeImage %f32 {kind} Unknown\n"
    needs = ["InputAttachment", "StorageImageMultisample", "ImageQuery", "SampleRateShading"]
    module = shader(body + STORE, tex, COORD, types=types, capabilities=needs)
    return run(module, drawing=drawing, subgroup_size=size, buffers={"tex": given})


@pytest.mark.parametrize("size", SIZES)
def test_a_sample_of_a_texel_is_fetched(size: int) -> None:
    code = AT + "%texel = OpImageFetch %v4f %s %at Sample %u3"
    assert pixels(read(code, "2D 0 0 1 1", image(4), size=size)) == [[3, 13], [103, 113]]
    assert pixels(read(code, "2D 0 0 1 1", image(8, declared=8), size=size)) == [[3, 13], [103, 113]]


def test_a_sample_beyond_those_there_are_is_reported() -> None:
    code = AT + "%texel = OpImageFetch %v4f %s %at Sample %u3"
    result = read(code, "2D 0 0 1 1", image(2, declared=2))
    assert [diagnostic.code for diagnostic in result.diagnostics] == ["RK1014"]
    assert "sample 3 of 2 in image tex" in result.diagnostics[0].message


def test_samples_and_size_are_asked_for() -> None:
    """8 samples, 2 x 2 texels."""
    code = "%s = OpLoad %image %tex\n%n = OpImageQuerySamples %u32 %s\n%size = OpImageQuerySize %v2u %s\n"
    code += "%w = OpCompositeExtract %u32 %size 0\n%a = OpConvertUToF %f32 %n\n%b = OpConvertUToF %f32 %w\n"
    code += "%texel = OpCompositeConstruct %v4f %a %b %f0 %f0"
    result = read(code, "2D 0 0 1 1", image(8, declared=8))
    assert (pixels(result)[0][0], pixels(result, 1)[0][0]) == (8, 2)


def test_a_stored_sample_is_that_one() -> None:
    """Sample 1 of each texel becomes 100; the other three stay."""
    code = AT
    code += "%white = OpCompositeConstruct %v4f %f100 %f100 %f100 %f100\nOpImageWrite %s %at %white Sample %u1\n"
    code += "%texel = OpImageRead %v4f %s %at Sample %u2"
    result = read(code, "2D 0 0 1 2", image(4))
    assert pixels(result) == [[2, 12], [102, 112]]
    assert result.buffers["tex"].texels()[:8] == [0, 100, 2, 3, 10, 100, 12, 13]


@pytest.mark.parametrize("size", SIZES)
def test_an_input_attachment_is_read_where_the_pixel_is(size: int) -> None:
    code = "%s = OpLoad %image %tex\n%texel = OpImageRead %v4f %s %origin"
    attachment = "InputAttachmentIndex 0"
    assert pixels(read(code, "SubpassData 0 0 0 2", image(1), FULL, size, attachment)) == [[0, 10], [100, 110]]
    code += " Sample %u2"
    assert pixels(read(code, "SubpassData 0 0 1 2", image(4), FULL, size, attachment)) == [[2, 12], [102, 112]]


def test_helpers_outside_of_the_picture_read_nothing_and_report_nothing() -> None:
    """One pixel: the other three of the quad are outside. Quads that are given read at their places, too."""
    code = "%s = OpLoad %image %tex\n%texel = OpImageRead %v4f %s %origin"
    small = Drawing([1, 1], [whole_picture(1, 1, UV)])
    result = read(code, "SubpassData 0 0 0 2", image(1, 1), small, 4, "InputAttachmentIndex 0")
    assert pixels(result) == [[0]] and not result.diagnostics
    given = Drawing([4, 4], quads=[Quad([2, 0], inputs={"0": [[0, 0]] * 4})])
    result = read(code, "SubpassData 0 0 0 2", image(1, 4), given, 4, "InputAttachmentIndex 0")
    assert pixels(result)[0][2:] == [20, 30]


def test_an_atomic_goes_to_one_sample() -> None:
    """Each pixel adds 5 to sample 1 of its texel."""
    tex = variable("tex", "UniformConstant", "%image", "DescriptorSet 0", "Binding 1")
    types = f"{TYPES}%image = OpTypeImage %u32 2D 0 0 1 2 R32ui\n%texel_p = OpTypePointer Image %u32\n"
    body = AT.replace("%s = OpLoad %image %tex\n", "") + "%to = OpImageTexelPointer %texel_p %tex %at %u1\n"
    body += "%old = OpAtomicIAdd %u32 %to %u1 %u0 %u5"
    module = shader(body, tex, COORD, types=types, capabilities=["StorageImageMultisample"])
    given = Image([2, 2], "r32ui", list(range(8)), samples=2)
    result = run(module, drawing=FULL, subgroup_size=4, buffers={"tex": given})
    assert result.buffers["tex"].texels() == [0, 6, 2, 8, 4, 10, 6, 12]


def test_samples_are_refused_where_there_are_none() -> None:
    code = AT + "%texel = OpImageFetch %v4f %s %at Lod %u0"
    with pytest.raises(InputError, match="it is not multisampled"):
        read(code, "2D 0 0 0 1", image(4, declared=4))
    with pytest.raises(InputError, match="it has 1, 2, 4, 8, 16 samples"):
        read(code.replace("Lod %u0", "Sample %u0"), "2D 0 0 1 1", image(3, declared=3))
