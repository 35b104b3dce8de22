"""Arrays of buffers, images and samplers without a length: as many elements as are given, by hand."""

from typing import Any

import pytest
from kit import oracles

import reknit
from reknit.ir.module import Module
from reknit.sim.decorations import Decorations
from reknit.sim.images import Image, Sampler
from reknit.sim.lengths import lengths_of
from reknit.sim.run import prepare, run
from reknit.source.diagnostic import InputError
from reknit.spirv.asm import assemble
from reknit.spirv.read import read_module

SHADER = """
               OpCapability Shader
               OpCapability RuntimeDescriptorArray
               OpCapability StorageBufferArrayNonUniformIndexing
               OpCapability SampledImageArrayNonUniformIndexing
               OpMemoryModel Logical GLSL450
               OpEntryPoint GLCompute %main "main" %index %b %others %t %s %out
               OpExecutionMode %main LocalSize 4 1 1
               OpName %b "b"
               OpName %others "others"
               OpName %t "t"
               OpName %s "s"
               OpName %out "out"
               OpDecorate %index BuiltIn LocalInvocationIndex
               OpDecorate %words ArrayStride 4
               OpDecorate %block Block
               OpMemberDecorate %block 0 Offset 0
               OpDecorate %out DescriptorSet 0
               OpDecorate %out Binding 0
               OpDecorate %b DescriptorSet 0
               OpDecorate %b Binding 1
               OpDecorate %others DescriptorSet 0
               OpDecorate %others Binding 1
               OpDecorate %t DescriptorSet 1
               OpDecorate %t Binding 0
               OpDecorate %s DescriptorSet 1
               OpDecorate %s Binding 1
               OpDecorate %word NonUniform
               OpDecorate %image NonUniform
       %void = OpTypeVoid
     %voidfn = OpTypeFunction %void
        %u32 = OpTypeInt 32 0
        %f32 = OpTypeFloat 32
         %f2 = OpTypeVector %f32 2
         %f4 = OpTypeVector %f32 4
         %c0 = OpConstant %u32 0
         %c1 = OpConstant %u32 1
         %f0 = OpConstant %f32 0
     %corner = OpConstantComposite %f2 %f0 %f0
      %words = OpTypeRuntimeArray %u32
      %block = OpTypeStruct %words
     %blocks = OpTypeRuntimeArray %block
    %texture = OpTypeImage %f32 2D 0 0 0 1 Unknown
   %textures = OpTypeRuntimeArray %texture
    %sampler = OpTypeSampler
   %samplers = OpTypeRuntimeArray %sampler
    %sampled = OpTypeSampledImage %texture
   %p_blocks = OpTypePointer StorageBuffer %blocks
    %p_block = OpTypePointer StorageBuffer %block
     %p_word = OpTypePointer StorageBuffer %u32
 %p_textures = OpTypePointer UniformConstant %textures
  %p_texture = OpTypePointer UniformConstant %texture
 %p_samplers = OpTypePointer UniformConstant %samplers
  %p_sampler = OpTypePointer UniformConstant %sampler
       %p_in = OpTypePointer Input %u32
      %index = OpVariable %p_in Input
        %out = OpVariable %p_block StorageBuffer
          %b = OpVariable %p_blocks StorageBuffer
     %others = OpVariable %p_blocks StorageBuffer
          %t = OpVariable %p_textures UniformConstant
          %s = OpVariable %p_samplers UniformConstant
       %main = OpFunction %void None %voidfn
      %entry = OpLabel
          %i = OpLoad %u32 %index
       %word = OpAccessChain %p_word %b %i %c0 %c1
      %found = OpLoad %u32 %word
      %image = OpAccessChain %p_texture %t %i
     %loaded = OpLoad %texture %image
         %at = OpAccessChain %p_sampler %s %c1
    %chosen = OpLoad %sampler %at
       %both = OpSampledImage %sampled %loaded %chosen
      %texel = OpImageSampleExplicitLod %f4 %both %corner Lod %f0
      %first = OpCompositeExtract %f32 %texel 0
     %number = OpConvertFToU %u32 %first
        %sum = OpIAdd %u32 %number %found
     %result = OpAccessChain %p_word %out %c0 %i
               OpStore %result %sum
               OpReturn
               OpFunctionEnd
"""
GIVEN: dict[str, Any] = {
    **{f"b[{at}]": [0, 10 * at] for at in range(4)},
    **{f"1.0[{at}]": Image([1, 1], "rgba32f", [at + 1.0, 0.0, 0.0, 0.0]) for at in range(4)},
    "s[1]": Sampler(),
}


@pytest.fixture
def module() -> Module:
    binary = assemble(SHADER)
    assert oracles.validate(binary) == (True, "")
    return read_module(binary)


@pytest.mark.parametrize("engine", ["interpreter", "jit"])
def test_each_element_that_is_given_is_there(module: Module, engine: str) -> None:
    """Lane i adds i + 1 of its texture and 10 i of its buffer."""
    result = reknit.run(module, buffers=GIVEN, engine=engine)
    assert [str(each) for each in result.diagnostics if each.severity == "error"] == []
    assert result.buffers["out"].words[:4] == [1, 12, 23, 34]
    assert {name for name in result.buffers if name.startswith("b[")} == {f"b[{at}]" for at in range(4)}


def test_the_highest_element_that_is_given_is_the_last(module: Module) -> None:
    """What is before it is zeros, and a variable of the same binding has the same elements."""
    given = {"others[3]": [0, 5], "1.0[3]": Image([1, 1], "rgba32f", [2.0, 0.0, 0.0, 0.0]), "s[1]": Sampler()}
    assert run(module, buffers=given).buffers["out"].words[:4] == [0, 0, 0, 7]


def test_an_index_past_what_is_given_is_reported(module: Module) -> None:
    """With nothing given there is one element of each."""
    said = [str(each) for each in run(module, buffers={"b[1]": [1, 1]}).diagnostics]
    assert len(said) == 4
    because = ", of an array without a length, which has as many elements as are given"
    assert f"buffer 2 of 2{because} (lanes 2-3)" in said[0]
    assert f"index 1 of 1{because} (lanes 1-3)" in said[1]
    assert f"index 1 of 1{because} (lanes 0-3)" in said[2]


def test_what_is_not_there_is_refused_by_name(module: Module) -> None:
    with pytest.raises(InputError, match=r"element 2048 of 'b' was given; an array without a length may have 2048"):
        run(module, buffers={"b[2048]": [1]})
    with pytest.raises(InputError, match=r"no buffer 'b'"):
        run(module, buffers={"b": [1]})
    program = prepare(module, bound=["b[1]"])
    with pytest.raises(InputError, match=r"no buffer 'b\[2\]'"):
        program.run(reknit.Policy(), buffers={"b[2]": [1]})


def test_images_of_halves_are_refused_by_name() -> None:
    """DXC writes them with -enable-16bit-types; Vulkan has no such image (VUID-StandaloneSpirv-OpTypeImage-04656)."""
    halves = SHADER.replace("OpTypeImage %f32", "OpTypeImage %f16").replace(
        "OpTypeFloat 32", "OpTypeFloat 32\n%f16 = OpTypeFloat 16\n%h4 = OpTypeVector %f16 4"
    )
    halves = halves.replace("ExplicitLod %f4", "ExplicitLod %h4").replace("Extract %f32", "Extract %f16")
    halves = halves.replace("OpCapability Shader\n", "OpCapability Shader\nOpCapability Float16\n")
    with pytest.raises(InputError, match="is an image of components of type f16; Vulkan has none of less than 32"):
        run(read_module(assemble(halves)))


def test_an_array_that_nothing_uses_or_gives_is_not_there(module: Module) -> None:
    """Nor are its elements anything that a run is asked for."""
    program = prepare(module)
    assert [buffer.label() for buffer in program.buffers()] == ["b[0]", "t[0]", "out"]
    assert [buffer.label() for buffer in prepare(module, bound=["others[1]"]).buffers()][:2] == ["b[0]", "b[1]"]


def test_lengths_are_of_bindings(module: Module) -> None:
    lengths = lengths_of(module, Decorations(module), ["b[2]", "0.1[4]", "others[1]", "t", "s[x]", "out[7]"])
    assert {variable.name: length for variable, length in lengths.items()} == {"b": 5, "others": 5}


def test_outcomes_and_proofs_have_them(module: Module) -> None:
    """A buffer of the next element is another one, where that is there."""
    allowed = reknit.outcomes(module, buffers=GIVEN)
    assert [each.result.buffers["out"].words[:4] for each in allowed.outcomes] == [[1, 12, 23, 34]]
    other = read_module(assemble(SHADER.replace("%b %i %c0 %c1", "%b %c0 %c0 %c1")))
    assert reknit.prove(module, module).verdict == "proved"
    assert reknit.prove(module, other).verdict == "refuted"
