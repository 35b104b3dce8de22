"""Descriptors of an array, by an index that differs in a subgroup, in runs and in lint.

Vulkan, VUID-RuntimeSpirv-subgroupSize-10149: "If an instruction accesses memory through any resource, the effective
subgroup size is greater than 1, ... and the resource through which that memory is accessed is not uniform within the
invocation group, and not uniform within the subgroup, then the operand corresponding to that resource (e.g. the pointer
or sampled image operand) must: be decorated with NonUniform".
"""

import pytest

import reknit
from reknit.checks.lint.lint import lint_module
from reknit.ir.module import Module
from reknit.sim.images import Image
from reknit.sim.run import run

SHADER = """OpCapability Shader
OpCapability ShaderNonUniform
OpCapability StorageBufferArrayNonUniformIndexing
OpCapability StorageImageArrayNonUniformIndexing
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %index %group %b %t %out
OpExecutionMode %main LocalSize 8 1 1
OpName %b "b"
OpName %t "t"
OpName %out "out"
OpDecorate %index BuiltIn LocalInvocationIndex
OpDecorate %group BuiltIn WorkgroupId
OpDecorate %words ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 0
OpDecorate %b DescriptorSet 0
OpDecorate %b Binding 1
OpDecorate %t DescriptorSet 0
OpDecorate %t Binding 2
DECORATED
%void = OpTypeVoid
%voidfn = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%v2u = OpTypeVector %u32 2
%v3u = OpTypeVector %u32 3
%v4u = OpTypeVector %u32 4
%c0 = OpConstant %u32 0
%c1 = OpConstant %u32 1
%c2 = OpConstant %u32 2
%corner = OpConstantComposite %v2u %c0 %c0
%words = OpTypeRuntimeArray %u32
%block = OpTypeStruct %words
%blocks = OpTypeArray %block %c2
%image = OpTypeImage %u32 2D 0 0 0 2 R32ui
%images = OpTypeArray %image %c2
%out_p = OpTypePointer StorageBuffer %block
%b_p = OpTypePointer StorageBuffer %blocks
%word_p = OpTypePointer StorageBuffer %u32
%t_p = OpTypePointer UniformConstant %images
%image_p = OpTypePointer UniformConstant %image
%in_p = OpTypePointer Input %u32
%in3_p = OpTypePointer Input %v3u
%index = OpVariable %in_p Input
%group = OpVariable %in3_p Input
%out = OpVariable %out_p StorageBuffer
%b = OpVariable %b_p StorageBuffer
%t = OpVariable %t_p UniformConstant
%main = OpFunction %void None %voidfn
%entry = OpLabel
%lane = OpLoad %u32 %index
%groups = OpLoad %v3u %group
%g = OpCompositeExtract %u32 %groups 0
%low = OpBitwiseAnd %u32 %lane %c1
BODY
%q = OpAccessChain %word_p %out %c0 %lane
OpStore %q %word
OpReturn
OpFunctionEnd
"""
BUFFER = "%p = OpAccessChain %word_p %b INDEX %c0 %c0\n%word = OpLoad %u32 %p"
IMAGE = """%p = OpAccessChain %image_p %t INDEX
%handle = OpLoad %image %p
%texel = OpImageRead %v4u %handle %corner
%word = OpCompositeExtract %u32 %texel 0"""
WRITE = "%p = OpAccessChain %word_p %b INDEX %c0 %c1\nOpStore %p %lane\n%word = OpCopyObject %u32 %lane"


def program(body: str, index: str, decorated: str = "") -> Module:
    text = SHADER.replace("BODY", body.replace("INDEX", index)).replace("DECORATED", decorated)
    return reknit.load(text.encode(), format="spvasm")


def codes(module: Module, size: int) -> list[str]:
    images = {f"t[{at}]": Image([1, 1], "r32ui", [at]) for at in (0, 1)}
    given = {"b[0]": [10, 11], "b[1]": [20, 21], "out": [0] * 16}
    result = run(module, subgroup_size=size, buffers={**given, **images}, groups=(2, 1, 1))
    return [found.code for found in result.diagnostics]


@pytest.mark.parametrize("body", [BUFFER, IMAGE, WRITE])
@pytest.mark.parametrize("size", [4, 8, 32, 64])
def test_an_index_that_differs(body: str, size: int) -> None:
    assert codes(program(body, "%low"), size) == ["RK1015"]
    assert [found.code for found in lint_module(program(body, "%low"))] == ["RK3014"]


@pytest.mark.parametrize("body", [BUFFER, WRITE])
def test_what_is_decorated_may_differ(body: str) -> None:
    module = program(body, "%low", "OpDecorate %p NonUniform")
    assert codes(module, 4) == [] and lint_module(module) == []


def test_an_image_is_decorated_where_it_is_used() -> None:
    module = program(IMAGE, "%low", "OpDecorate %handle NonUniform")
    assert codes(module, 4) == [] and lint_module(module) == []


@pytest.mark.parametrize("body", [BUFFER, IMAGE, WRITE])
@pytest.mark.parametrize("index", ["%g", "%c1"])
def test_an_index_that_all_have(body: str, index: str) -> None:
    """The number of the workgroup is the same for all of it."""
    module = program(body, index)
    assert codes(module, 4) == [] and lint_module(module) == []
