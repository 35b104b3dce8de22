"""A buffer's scalars by name and offset, from the layout that the decorations give."""

import reknit
from reknit.sim.decorations import Decorations
from reknit.sim.elements import elements
from reknit.sim.run import prepare

# pair { vec2 at 0, uint at 8 } every 16 bytes; a matrix of two columns 16 bytes apart. Offsets added up by hand.
SOURCE = """
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %out
OpExecutionMode %main LocalSize 1 1 1
OpName %out "out"
OpMemberName %block 0 "n"
OpMemberName %block 1 "m"
OpMemberName %block 2 "pairs"
OpMemberName %pair 0 "v"
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpMemberDecorate %block 1 Offset 16
OpMemberDecorate %block 1 ColMajor
OpMemberDecorate %block 1 MatrixStride 16
OpMemberDecorate %block 2 Offset 48
OpMemberDecorate %pair 0 Offset 0
OpMemberDecorate %pair 1 Offset 8
OpDecorate %array ArrayStride 16
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 0
%void = OpTypeVoid
%u32 = OpTypeInt 32 0
%f32 = OpTypeFloat 32
%v2 = OpTypeVector %f32 2
%m2 = OpTypeMatrix %v2 2
%pair = OpTypeStruct %v2 %u32
%array = OpTypeRuntimeArray %pair
%block = OpTypeStruct %u32 %m2 %array
%pb = OpTypePointer StorageBuffer %block
%out = OpVariable %pb StorageBuffer
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%a = OpLabel
OpReturn
OpFunctionEnd
"""


def test_names_and_offsets() -> None:
    module = reknit.load(SOURCE.encode(), format="spvasm")
    [buffer] = prepare(module).buffers()
    found = elements(buffer.layout, 48 + 2 * 16, buffer.type, Decorations(module))
    assert [(element.name, element.offset, str(element.shape)) for element in found] == [
        ("n", 0, "u32"),
        ("m[0].x", 16, "f32"),
        ("m[0].y", 20, "f32"),
        ("m[1].x", 32, "f32"),
        ("m[1].y", 36, "f32"),
        ("pairs[0].v.x", 48, "f32"),
        ("pairs[0].v.y", 52, "f32"),
        ("pairs[0].1", 56, "u32"),
        ("pairs[1].v.x", 64, "f32"),
        ("pairs[1].v.y", 68, "f32"),
        ("pairs[1].1", 72, "u32"),
    ]

IMAGE = """
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %picture
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %picture DescriptorSet 0
OpDecorate %picture Binding 0
%void = OpTypeVoid
%f32 = OpTypeFloat 32
%i32 = OpTypeInt 32 1
%v4 = OpTypeVector %f32 4
%i2 = OpTypeVector %i32 2
%at = OpConstantNull %i2
%texel = OpConstantNull %v4
%image = OpTypeImage %f32 2D 0 0 0 2 Rgba32f
%pi = OpTypePointer UniformConstant %image
%picture = OpVariable %pi UniformConstant
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%a = OpLabel
%loaded = OpLoad %image %picture
OpImageWrite %loaded %at %texel
OpReturn
OpFunctionEnd
"""


def test_texels_have_their_components() -> None:
    """Rgba32f: four floats of 32 bits a texel (SPIR-V 3.11, Image Format)."""
    module = reknit.load(IMAGE.encode(), format="spvasm")
    [buffer] = reknit.run(module, subgroup_size=4).buffers.values()
    found = elements(buffer.layout, 2 * 16, buffer.type, Decorations(module))
    assert [(element.name, element.offset, str(element.shape)) for element in found] == [
        (f"[{texel}].{component}", 16 * texel + 4 * number, "f32")
        for texel in range(2)
        for number, component in enumerate("xyzw")
    ]
