"""Constants that are computed of specialization constants: they are what their operation gives (SPIR-V 1.6, 2.9,
"Specialization"), whatever these are set to.
"""

import pytest
from kit.proving import finding

from reknit.ir.text.parser import parse

TEXT = """
Capability Shader
MemoryModel Logical GLSL450
EntryPoint GLCompute @main "main" %lane_id
ExecutionMode @main LocalSize 4 1 1
Decorate %words ArrayStride 4
MemberDecorate %Words 0 Offset 0
Decorate %Words Block
Decorate %out DescriptorSet 0
Decorate %out Binding 0
Decorate %lane_id BuiltIn LocalInvocationIndex
Decorate %n SpecId 0
Decorate %m SpecId 1
%words = TypeRuntimeArray u32
%Words = TypeStruct %words
%out = Variable StorageBuffer : ptr<StorageBuffer, %Words>
%lane_id = Variable Input : ptr<Input, u32>
%n = SpecConstant 4 : u32
%m = SpecConstant 2 : u32
CONSTANTS
func @main() -> void {
  %lane = Load %lane_id : u32
  %to = AccessChain %out, 0u, %lane : ptr<StorageBuffer, u32>
BODY
  return
}
"""
SQUARE = "%s = SpecConstantOp IMul %n, %n : u32"
PAIR = "%v = SpecConstantComposite %n, %m : vec2<u32>\n%s = SpecConstantOp CompositeExtract %v, 1 : u32"
IS_FOUR = "%is = SpecConstantOp IEqual %n, 4u : bool\n%s = SpecConstantOp Select %is, %m, 7u : u32"
EQUAL = {
    "an operation is the one in code": (SQUARE, "Store %to, %s", "", "%p = IMul %n, %n : u32\nStore %to, %p"),
    "a part of what is made of them": (PAIR, "Store %to, %s", "", "Store %to, %m"),
    "a choice": (
        IS_FOUR, "Store %to, %s", "", "%c = IEqual %n, 4u : bool\n%p = Select %c, %m, 7u : u32\nStore %to, %p",
    ),
    "a quotient of both": (
        "%s = SpecConstantOp UDiv %n, %m : u32", "%p = IAdd %s, 0u : u32\nStore %to, %p",
        "%s = SpecConstantOp UDiv %n, %m : u32", "Store %to, %s",
    ),
}  # fmt: skip
DIFFERING = {
    "another operation": (SQUARE, "Store %to, %s", "%s = SpecConstantOp IMul %n, %m : u32", "Store %to, %s"),
    "its default": (SQUARE, "Store %to, %s", "", "Store %to, 16u"),
    "another part": (PAIR, "Store %to, %s", "", "Store %to, %n"),
    "a quotient that was computed where nothing divides by 0": (
        "", "%c = INotEqual %m, 0u : bool\nif %c {\n%q = UDiv %n, %m : u32\nStore %to, %q\n}",
        "%s = SpecConstantOp UDiv %n, %m : u32", "%c = INotEqual %m, 0u : bool\nif %c {\nStore %to, %s\n}",
    ),
}  # fmt: skip


def text_of(constants: str, body: str) -> str:
    return TEXT.replace("CONSTANTS", constants).replace("BODY", body)


@pytest.mark.parametrize("name", EQUAL)
def test_what_is_equal_whatever_they_are_set_to_is_proved(name: str) -> None:
    constants, body, others, other = EQUAL[name]
    found = finding(parse(text_of(constants, body)), parse(text_of(others, other)))
    assert found.proved, found.text()


@pytest.mark.parametrize("name", DIFFERING)
def test_what_differs_for_a_specialization_is_not(name: str) -> None:
    constants, body, others, other = DIFFERING[name]
    found = finding(parse(text_of(constants, body)), parse(text_of(others, other)))
    assert not found.proved and "follow" not in found.reason, found.text()
