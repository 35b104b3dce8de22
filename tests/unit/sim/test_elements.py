"""A buffer's scalars by name and offset, from the layout that the decorations give."""

import reknit
from reknit.ir.module import Module
from reknit.sim.decorations import Decorations
from reknit.sim.elements import Element, elements, existential_word
from reknit.sim.layout import Layout
from reknit.sim.run import prepare
from reknit.sim.values import F64, U8, U16, U32, array, vector

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

NONE = Decorations(Module())


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


def test_the_bits_of_an_element() -> None:
    """Little-endian, as many bytes as its type has."""
    data = bytes(range(1, 17))
    assert Element("a", 4, U32).bits(data) == 0x08070605
    assert Element("a", 2, U16).bits(data) == 0x0403
    assert Element("a", 8, F64).bits(data) == 0x100F0E0D0C0B0A09
    assert Element("a", 15, U8).bits(data) == 0x10


def test_what_ends_within_a_buffer_is_an_element() -> None:
    """Of a runtime array those that the buffer holds, and no part of one."""
    words = Layout(array(U32, 0), 0, 8, [], [Layout(U32, 4, 0, [], [])])
    assert [each.offset for each in elements(words, 24, None, NONE)] == [0, 8, 16]
    assert [each.offset for each in elements(words, 23, None, NONE)] == [0, 8]  # whole strides
    assert [each.name for each in elements(words, 16, None, NONE)] == ["[0]", "[1]"]
    fixed = Layout(array(U32, 3), 20, 8, [], [Layout(U32, 4, 0, [], [])])
    assert [each.offset for each in elements(fixed, 20, None, NONE)] == [0, 8, 16]
    assert [each.offset for each in elements(fixed, 19, None, NONE)] == [0, 8]
    five = Layout(vector(U8, 5), 5, 1, [], [Layout(U8, 1, 0, [], [])])
    assert [each.name for each in elements(five, 5, None, NONE)] == [".x", ".y", ".z", ".w", "[4]"]
    assert [existential_word(word) for word in range(6)] == [
        "rtti[0]", "rtti[1]", "table[0]", "table[1]", "value[0]", "value[1]",
    ]  # fmt: skip
