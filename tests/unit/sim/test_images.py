"""Images in programs: what reads, writes, sizes, atomics and samples give, by hand from the specification."""

import json
import re
import struct
from typing import Any

import numpy
import pytest

from reknit.ir.module import Module
from reknit.sim.images import Image, Sampler
from reknit.sim.result import Result
from reknit.sim.run import run
from reknit.source.diagnostic import InputError
from reknit.spirv.asm import assemble
from reknit.spirv.read import read_module

HEAD = """
               OpCapability Shader
               OpCapability Sampled1D
               OpCapability Image1D
               OpCapability SampledBuffer
               OpCapability ImageBuffer
               OpCapability ImageQuery
               OpCapability StorageImageReadWithoutFormat
               OpCapability StorageImageWriteWithoutFormat
               OpCapability StorageImageExtendedFormats
               OpMemoryModel Logical GLSL450
               OpEntryPoint GLCompute %main "main" %index
               OpExecutionMode %main LocalSize {lanes} 1 1
               OpName %out "out"
               OpName %tex "tex"
               OpName %smp "smp"
               OpDecorate %index BuiltIn LocalInvocationIndex
               OpDecorate %array ArrayStride 16
               OpDecorate %block Block
               OpMemberDecorate %block 0 Offset 0
               OpDecorate %out DescriptorSet 0
               OpDecorate %out Binding 0
               OpDecorate %tex DescriptorSet 0
               OpDecorate %tex Binding 1
               OpDecorate %smp DescriptorSet 0
               OpDecorate %smp Binding 2
       %void = OpTypeVoid
     %voidfn = OpTypeFunction %void
        %u32 = OpTypeInt 32 0
        %i32 = OpTypeInt 32 1
        %f32 = OpTypeFloat 32
         %u2 = OpTypeVector %u32 2
         %u3 = OpTypeVector %u32 3
         %u4 = OpTypeVector %u32 4
         %i2 = OpTypeVector %i32 2
         %i4 = OpTypeVector %i32 4
         %f2 = OpTypeVector %f32 2
         %f3 = OpTypeVector %f32 3
         %f4 = OpTypeVector %f32 4
         %c0 = OpConstant %u32 0
         %c1 = OpConstant %u32 1
         %c2 = OpConstant %u32 2
         %c3 = OpConstant %u32 3
         %c4 = OpConstant %u32 4
         %m1 = OpConstant %i32 -1
         %p1 = OpConstant %i32 1
        %f00 = OpConstant %f32 0
       %f025 = OpConstant %f32 0.25
       %f05 = OpConstant %f32 0.5
        %f10 = OpConstant %f32 1
      %array = OpTypeRuntimeArray %u4
      %block = OpTypeStruct %array
   %ptrblock = OpTypePointer StorageBuffer %block
      %ptru4 = OpTypePointer StorageBuffer %u4
      %inu32 = OpTypePointer Input %u32
      %index = OpVariable %inu32 Input
        %out = OpVariable %ptrblock StorageBuffer
      %image = OpTypeImage {image}
     %holder = OpTypePointer UniformConstant %image
        %tex = OpVariable %holder UniformConstant
    %sampler = OpTypeSampler
  %keepsmp = OpTypePointer UniformConstant %sampler
        %smp = OpVariable %keepsmp UniformConstant
       %main = OpFunction %void None %voidfn
      %entry = OpLabel
       %lane = OpLoad %u32 %index
      %place = OpAccessChain %ptru4 %out %c0 %lane
          %t = OpLoad %image %tex
"""
END = """
               OpReturn
               OpFunctionEnd
"""


def module(image: str, body: str, lanes: int = 4, more: str = "") -> Module:
    """`image` are the operands of OpTypeImage, `more` types besides."""
    head = HEAD.format(lanes=lanes, image=image).replace("     %holder =", f"{more}\n     %holder =")
    return read_module(assemble(head + body + END))


def rows(result: Result) -> list[list[int]]:
    assert [str(diagnostic) for diagnostic in result.diagnostics] == []
    words = result.buffers["out"].words
    return [words[at : at + 4] for at in range(0, len(words), 4)]


def floats(words: list[int]) -> list[float]:
    return [struct.unpack("<f", struct.pack("<I", word))[0] for word in words]


def messages(result: Result) -> list[tuple[str, str]]:
    """With the ids of results left out."""
    return [(diagnostic.code, re.sub(r" %\d+", "", diagnostic.message)) for diagnostic in result.diagnostics]


# --- reading and writing ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [4, 8, 32, 64])
def test_each_lane_reads_and_writes_its_texel(size: int) -> None:
    """Lane k of 64 has texel (k mod 16, k / 16) of 16 x 4: it doubles it."""
    body = """
           %w = OpIMul %u32 %c4 %c4
           %x = OpUMod %u32 %lane %w
           %y = OpUDiv %u32 %lane %w
          %at = OpCompositeConstruct %u2 %x %y
       %texel = OpImageRead %u4 %t %at
       %twice = OpIAdd %u4 %texel %texel
                OpImageWrite %t %at %twice
                OpStore %place %texel
"""
    program = module("%u32 2D 0 0 0 2 Rg16ui", body, lanes=64)
    numbers = [part for k in range(64) for part in (k, 100 + k)]
    result = run(program, subgroup_size=size, buffers={"tex": Image([16, 4], "rg16ui", numbers)})
    assert rows(result) == [[k, 100 + k, 0, 1] for k in range(64)]
    assert result.buffers["tex"].texels() == [2 * number for number in numbers]


def test_an_image_array_ends_in_layers_and_a_volume_in_depth() -> None:
    """(lane, 1, 2) of 4 x 2 x 3: texel 4 * (2 * 2 + 1) + lane in both, since layers and depth lie alike."""
    body = """
          %at = OpCompositeConstruct %u3 %lane %c1 %c2
       %texel = OpImageRead %u4 %t %at
                OpStore %place %texel
"""
    numbers = list(range(24))
    for image in ("%u32 2D 0 1 0 2 R32ui", "%u32 3D 0 0 0 2 R32ui"):
        result = run(module(image, body), buffers={"tex": Image([4, 2, 3], "r32ui", numbers)})
        assert [row[0] for row in rows(result)] == [20, 21, 22, 23]


def test_a_binding_of_two_images_has_what_the_larger_one_needs() -> None:
    """The second variable has four samples a texel, of which the image that is given has none: they hold zeros. A
    pipeline may have both if a specialization leaves one of them to be used."""
    more = """
        %many = OpTypeImage %u32 2D 0 0 1 1 Unknown
       %keepms = OpTypePointer UniformConstant %many
           %ms = OpVariable %keepms UniformConstant
     %holder ="""
    body = """
            %m = OpLoad %many %ms
           %at = OpCompositeConstruct %u2 %lane %c0
        %texel = OpImageFetch %u4 %m %at Sample %c3
                 OpStore %place %texel
"""
    mark = "OpDecorate %smp Binding 2\n"
    head = HEAD.format(lanes=4, image="%u32 2D 0 0 0 1 Unknown").replace("     %holder =", more)
    head = head.replace(mark, f"{mark}OpDecorate %ms DescriptorSet 0\nOpDecorate %ms Binding 1\n")
    program = read_module(assemble(head + body + END))
    result = run(program, buffers={"tex": Image([4, 1], "r32ui", [7, 8, 9, 10])})
    assert all(row[0] in (0, 7, 8, 9, 10) and row[1:] == [0, 0, 1] for row in rows(result))


def test_levels_are_half_as_large_each() -> None:
    """4 x 2: 8 texels, then 2 x 1 and 1 x 1. Lane k fetches (0, 0) of level k mod 3, which are texels 0, 8 and 10."""
    body = """
       %level = OpUMod %u32 %lane %c3
          %at = OpCompositeConstruct %u2 %c0 %c0
       %texel = OpImageFetch %u4 %t %at Lod %level
        %size = OpImageQuerySizeLod %u2 %t %level
      %levels = OpImageQueryLevels %u32 %t
       %first = OpCompositeExtract %u32 %texel 0
       %whole = OpCompositeConstruct %u4 %first %size %levels
                OpStore %place %whole
"""
    result = run(module("%u32 2D 0 0 0 1 Unknown", body), buffers={"tex": Image([4, 2], "r8ui", range(11), levels=3)})
    assert rows(result) == [[0, 4, 2, 3], [8, 2, 1, 3], [10, 1, 1, 3], [0, 4, 2, 3]]


def test_an_offset_moves_the_coordinates() -> None:
    body = """
         %off = OpCompositeConstruct %i2 %p1 %m1
          %at = OpCompositeConstruct %u2 %lane %c1
       %texel = OpImageFetch %u4 %t %at Lod|Offset %c0 %off
                OpStore %place %texel
"""
    result = run(module("%u32 2D 0 0 0 1 Unknown", body), buffers={"tex": Image([5, 2], "r8ui", range(10))})
    assert [row[0] for row in rows(result)] == [1, 2, 3, 4]


def test_outside_of_an_image_zeros_are_read_and_writes_are_dropped() -> None:
    """x = lane - 1, of 2: lane 0 is far outside, lanes 1 and 2 inside, lane 3 one too far."""
    body = """
           %x = OpISub %u32 %lane %c1
       %texel = OpImageRead %u4 %t %x
        %full = OpCompositeConstruct %u4 %c4 %c4 %c4 %c4
                OpImageWrite %t %x %full
                OpStore %place %texel
"""
    given = {"tex": Image([2], "rgba8ui", [1, 2, 3, 4, 5, 6, 7, 8])}
    result = run(module("%u32 1D 0 0 0 2 Rgba8ui", body), buffers=given)
    assert list(zip(*[iter(result.buffers["out"].words)] * 4, strict=True)) == [
        (0, 0, 0, 0), (1, 2, 3, 4), (5, 6, 7, 8), (0, 0, 0, 0),
    ]  # fmt: skip
    assert result.buffers["tex"].texels() == [4] * 8
    assert messages(result) == [
        ("RK1014", "OpImageRead: texel (4294967295) of 2 in image tex (lanes 0, 3)"),
        ("RK1014", "OpImageWrite: texel (4294967295) of 2 in image tex (lanes 0, 3)"),
    ]


def test_a_level_that_is_not_there() -> None:
    body = """
       %texel = OpImageFetch %u4 %t %lane Lod %c2
        %size = OpImageQuerySizeLod %u32 %t %c2
       %whole = OpCompositeConstruct %u4 %size %size %size %size
                OpStore %place %whole
"""
    result = run(module("%u32 1D 0 0 0 1 Unknown", body), buffers={"tex": Image([4], "r8ui", levels=2)})
    assert [code for code, _ in messages(result)] == ["RK1014", "RK1015"]
    assert messages(result)[0][1] == "OpImageFetch: texel (0) of level 2 of 2 in image tex (lanes 0-3)"


def test_the_size_of_arrays_and_of_cubes() -> None:
    """A cube array of 12 layers of 4 x 4: 2 cubes."""
    body = """
        %size = OpImageQuerySizeLod %u3 %t %c0
       %whole = OpCompositeConstruct %u4 %size %c0
                OpStore %place %whole
"""
    array = run(module("%u32 2D 0 1 0 1 Unknown", body), buffers={"tex": Image([4, 2, 5], "r8ui")})
    cubes = run(module("%u32 Cube 0 1 0 1 Unknown", body), buffers={"tex": Image([4, 4, 2], "r8ui")})
    assert rows(array)[0] == [4, 2, 5, 0]
    assert rows(cubes)[0] == [4, 4, 2, 0]


# --- atomics and order ------------------------------------------------------------------------------------------------

ADD = """
     %pointer = OpImageTexelPointer %ptrtexel %tex %c1 %c0
         %old = OpAtomicIAdd %u32 %pointer %c1 %c0 %c2
       %whole = OpCompositeConstruct %u4 %old %old %old %old
                OpStore %place %whole
"""
TEXEL_POINTER = "%ptrtexel = OpTypePointer Image %u32"


@pytest.mark.parametrize("size", [4, 8, 32, 64])
def test_atomics_on_a_texel(size: int) -> None:
    """64 lanes add 2 to texel 1, which was 10: each finds another even number, 138 is left."""
    program = module("%u32 Buffer 0 0 0 2 R32ui", ADD, lanes=64, more=TEXEL_POINTER)
    result = run(program, subgroup_size=size, buffers={"tex": Image([3], "r32ui", [7, 10, 8])}, races=True)
    assert result.buffers["tex"].texels() == [7, 138, 8]
    assert sorted(row[0] for row in rows(result)) == [10 + 2 * lane for lane in range(64)]


def test_an_atomic_outside_is_reported() -> None:
    program = module("%u32 Buffer 0 0 0 2 R32ui", ADD, more=TEXEL_POINTER)
    result = run(program, buffers={"tex": Image([1], "r32ui", [7])})
    assert messages(result) == [("RK1014", "OpAtomicIAdd: texel (1) of 1 in image tex (lanes 0-3)")]
    assert result.buffers["tex"].texels() == [7]


def test_a_pointer_to_a_texel_of_several_numbers_is_reported() -> None:
    """OpImageTexelPointer's type "must be a scalar numerical type or OpTypeVoid" (SPIR-V 1.6, 3.52.8); slangc makes
    others."""
    body = """
     %pointer = OpImageTexelPointer %ptrtexel %tex %c1 %c0
       %whole = OpLoad %u4 %pointer
                OpStore %place %whole
"""
    program = module("%u32 Buffer 0 0 0 2 R32ui", body, more="%ptrtexel = OpTypePointer Image %u4")
    with pytest.raises(InputError, match="to scalars only"):
        run(program, buffers={"tex": Image([1], "r32ui", [7])})


def test_the_watch_sees_texels() -> None:
    """All lanes write texel (1, 0): a race, told with the texel; each its own: none."""
    body = """
          %at = OpCompositeConstruct %u2 {x} %c0
        %full = OpCompositeConstruct %u4 %lane %c0 %c0 %c0
                OpImageWrite %t %at %full
"""
    given = {"tex": Image([4, 1], "r32ui")}
    same = run(module("%u32 2D 0 0 0 2 R32ui", body.format(x="%c1")), buffers=given, races=True)
    own = run(module("%u32 2D 0 0 0 2 R32ui", body.format(x="%lane")), buffers=given, races=True)
    assert messages(same) == [("RK1017", "data race: OpImageWrite by lane 1 on texel (1, 0) of tex")]
    assert messages(own) == []


# --- sampling ---------------------------------------------------------------------------------------------------------

SAMPLE = """
         %s = OpLoad %sampler %smp
      %pair = OpSampledImage %both %t %s
    %number = OpConvertUToF %f32 %lane
         %x = OpFMul %f32 %number %f025
     %texel = OpImageSampleExplicitLod %f4 %pair %x Lod {lod}
      %bits = OpBitcast %u4 %texel
              OpStore %place %bits
"""
BOTH = "%both = OpTypeSampledImage %image"


def sampled(sampler: Sampler, lod: str = "%f00", levels: int = 1, lanes: int = 8) -> list[float]:
    """Red of a 1D image of 4 texels 10, 20, 30, 40 (then 100 and 200 of level 1) at lane / 4."""
    program = module("%f32 1D 0 0 0 1 Unknown", SAMPLE.format(lod=lod), lanes, BOTH)
    numbers = [10, 20, 30, 40, 100, 200][: 4 if levels == 1 else 6]
    result = run(program, buffers={"tex": Image([4], "r32f", numbers, levels), "smp": sampler})
    return [floats(row)[0] for row in rows(result)]


def test_the_nearest_texel_and_what_lies_outside() -> None:
    """At lane / 4 of 4 texels: the texel floor(lane)."""
    assert sampled(Sampler("nearest", "clamp")) == [10, 20, 30, 40, 40, 40, 40, 40]
    assert sampled(Sampler("nearest", "repeat")) == [10, 20, 30, 40, 10, 20, 30, 40]
    assert sampled(Sampler("nearest", "mirror")) == [10, 20, 30, 40, 40, 30, 20, 10]
    assert sampled(Sampler("nearest", "border")) == [10, 20, 30, 40, 0, 0, 0, 0]


def test_linear_filtering_mixes_two_texels_along_an_axis() -> None:
    """At u = lane the texels floor(u - 0.5) and the next, half each: at 0 texels -1 and 0."""
    assert sampled(Sampler("linear", "clamp")) == [10, 15, 25, 35, 40, 40, 40, 40]
    assert sampled(Sampler("linear", "repeat")) == [25, 15, 25, 35, 25, 15, 25, 35]
    assert sampled(Sampler("linear", "border")) == [5, 15, 25, 35, 20, 0, 0, 0]


def test_levels_are_chosen_or_mixed() -> None:
    """Level 0.5 rounds to 0 where levels are nearest (ceil(0.5 + 0.5) - 1), else is half of each: at lane 0,
    (10 + 100) / 2; at lane 2 texel 2 of level 0 and texel 1 of level 1: (30 + 200) / 2."""
    assert sampled(Sampler(), "%f05", 2, 4) == [10, 20, 30, 40]
    assert sampled(Sampler(levels="linear"), "%f05", 2, 4) == [55, 60, 115, 120]
    assert sampled(Sampler(), "%f10", 2, 4) == [100, 100, 200, 200]


def test_a_cube_is_sampled_by_direction() -> None:
    """Faces +x -x +y -y +z -z of one texel each, 0 to 5; the direction has its largest component there."""
    body = """
         %s = OpLoad %sampler %smp
      %pair = OpSampledImage %both %t %s
    %number = OpConvertUToF %f32 %lane
     %minus = OpFNegate %f32 %number
        %at = OpCompositeConstruct %f3 %f05 %minus %f025
     %texel = OpImageSampleExplicitLod %f4 %pair %at Lod %f00
      %bits = OpBitcast %u4 %texel
              OpStore %place %bits
"""
    program = module("%f32 Cube 0 0 0 1 Unknown", body, 2, BOTH)
    result = run(program, buffers={"tex": Image([1, 1], "r32f", [0, 1, 2, 3, 4, 5])})
    assert [floats(row)[0] for row in rows(result)] == [0, 3]


# --- given and got ----------------------------------------------------------------------------------------------------

COPY = """
       %texel = OpImageRead %u4 %t %lane
                OpImageWrite %t %lane %texel
                OpStore %place %texel
"""


def test_an_image_that_is_not_given_is_as_large_as_the_dispatch() -> None:
    """Two groups of 4: 8 texels of 1D; rgba32ui, since nobody names a format."""
    result = run(module("%u32 1D 0 0 0 2 Unknown", COPY), groups=(2, 1, 1))
    made = result.buffers["tex"].to_json()
    assert made["image"] == {
        "dimension": "1d", "format": "rgba32ui", "size": [8], "levels": 1, "texels": [0] * 32,
    }  # fmt: skip
    assert json.loads(json.dumps(made))["words"] == [0] * 32


@pytest.mark.parametrize(
    "given",
    [
        [0x04030201, 0x08070605],
        bytes([1, 2, 3, 4, 5, 6, 7, 8]),
        Image([2], "rgba8ui", bytes([1, 2, 3, 4, 5, 6, 7, 8])),
        Image([2], "", numpy.arange(1, 9, dtype=numpy.uint8)),
        Image([2], "rgba8ui", [1, 2, 3, 4, 5, 6, 7, 8]),
    ],
    ids=["words", "bytes", "image-bytes", "numpy", "numbers"],
)
def test_texels_as_words_bytes_and_numbers(given: Any) -> None:
    result = run(module("%u32 1D 0 0 0 2 Rgba8ui", COPY, lanes=2), buffers={"tex": given})
    assert rows(result)[:2] == [[1, 2, 3, 4], [5, 6, 7, 8]]


def test_one_texel_is_all_of_them() -> None:
    result = run(module("%u32 1D 0 0 0 2 Rg16ui", COPY), buffers={"0.1": Image([4], texels=[3, 9])})
    assert rows(result) == [[3, 9, 0, 1]] * 4


@pytest.mark.parametrize(
    "given, says",
    [
        (Image([4], "rgba8"), "image 'tex' is rgba8ui in the shader, not rgba8"),
        (Image([4], "rgb9"), "image 'tex': no format 'rgb9'"),
        (Image([4, 4]), "image 'tex' is 1d: its size is one number, each at least 1, not 4x4"),
        (Image([4], texels=[1, 2, 3]), "image 'tex' was given 3 components; 4 texels of rgba8ui have 16"),
        (Image([4], texels=[300] * 4), "image 'tex': rgba8ui can't hold 300"),
        (Image([4], texels=bytes(17)), "image 'tex' was given 17 bytes; 4 of rgba8ui has only 16"),
        (Image([4], levels=2), "image 'tex': 2 levels; it has 1 to 1"),
        (Image([1 << 25]), "image 'tex' has 33554432 texels; the most is 16777216"),
    ],
)
def test_what_does_not_fit_is_reported(given: Image, says: str) -> None:
    with pytest.raises(InputError) as caught:
        run(module("%u32 1D 0 0 0 2 Rgba8ui", COPY), buffers={"tex": given})
    assert [(found.code, found.message) for found in caught.value.diagnostics] == [("RK1004", says)]


def test_buffers_images_and_samplers_are_not_mixed_up() -> None:
    program = module("%u32 1D 0 0 0 2 Rgba8ui", COPY)
    with pytest.raises(InputError, match="'out' is a buffer, not an image"):
        run(program, buffers={"out": Image([4])})
    with pytest.raises(InputError, match="no sampler 'tex'"):
        run(program, buffers={"tex": Sampler()})
    with pytest.raises(InputError, match="a sampler that is 'cubic'"):
        Sampler("cubic")
