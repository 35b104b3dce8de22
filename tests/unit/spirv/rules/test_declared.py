"""Arrays, interfaces, atomics and images: one small module each, judged beside SPIRV-Tools for Vulkan.

declarations, and the body of main  ->  the rule that is broken ("": none; SPIRV-Tools accepts it too)
"""

import pytest
from kit import oracles

from reknit.spirv.asm import assemble
from reknit.spirv.rules.judge import examine
from reknit.spirv.words import parse

BEFORE = """\
OpCapability Shader
OpCapability Int64
OpMemoryModel Logical GLSL450
OpEntryPoint {model} %main "main" {interface}
{marks}%void = OpTypeVoid
%u32 = OpTypeInt 32 0
%i32 = OpTypeInt 32 1
%u64 = OpTypeInt 64 0
%v4f = OpTypeVector %f32 4
%zero = OpConstant %u32 0
%one = OpConstant %u32 1
%fn = OpTypeFunction %void
"""


def whole(declared: str, body: str = "", marks: str = "", interface: str = "", model: str = "Vertex") -> bytes:
    before = BEFORE.replace("%v4f", "%f32 = OpTypeFloat 32\n%v4f")
    head = before.format(model=model, interface=interface, marks=marks)
    end = f"%main = OpFunction %void None %fn\n%start = OpLabel\n{body}OpReturn\nOpFunctionEnd\n"
    return assemble(head + declared + end, version=(1, 3))


def rules_of(binary: bytes) -> list[str]:
    """The rules that are broken; SPIRV-Tools refuses the module for Vulkan if there are any, and not else."""
    oracles.need("slang-glslang")
    fine, message = oracles.validate(binary)
    broken = [finding.rule for finding in examine(parse(binary)).out.findings]
    assert fine == (not broken), message
    return broken


@pytest.mark.parametrize(("length", "wanted"), [
    ("OpConstant %u32 0", ["D01"]),
    ("OpConstant %u32 1", []),
    ("OpConstant %i32 -1", ["D01"]),
    ("OpConstant %i32 7", []),
    ("OpConstant %u64 0", ["D01"]),
    ("OpConstant %u64 0x100000000", []),  # its low word is 0
    ("OpConstantNull %u32", ["D01"]),
    ("OpSpecConstant %u32 0", []),
    ("OpSpecConstant %u32 3", []),
])  # fmt: skip
def test_lengths_of_arrays(length: str, wanted: list[str]) -> None:
    marks = "OpDecorate %length SpecId 1\n" if "Spec" in length else ""
    assert rules_of(whole(f"%length = {length}\n%array = OpTypeArray %u32 %length\n", marks=marks)) == wanted


VARIABLES = """\
%in = OpTypePointer Input %i32
%out = OpTypePointer Output %f32
%a = OpVariable %in Input
%b = OpVariable %in Input
%c = OpVariable %out Output
%d = OpVariable %out Output
"""


@pytest.mark.parametrize(("marks", "interface", "wanted"), [
    ("%a BuiltIn VertexIndex;%b BuiltIn InstanceIndex", "%a %b", []),
    ("%a BuiltIn VertexIndex;%b BuiltIn VertexIndex", "%a %b", ["D02"]),
    ("%a BuiltIn VertexIndex;%b BuiltIn VertexIndex", "%a", []),  # the other is no part of the interface
    ("%c BuiltIn PointSize;%d BuiltIn PointSize", "%c %d", ["D02"]),
    ("%a Location 0;%b Location 1", "%a %b", []),
    ("%a Location 2;%b Location 2", "%a %b", ["D02"]),
    ("%a Location 2;%b Location 2;%b Component 1", "%a %b", []),
    ("%a Location 2;%c Location 2", "%a %c", []),  # an input and an output
    ("%c Location 2;%d Location 2;%a Location 0;%b Location 0", "%a %b %c %d", ["D02", "D02"]),
])  # fmt: skip
def test_interfaces(marks: str, interface: str, wanted: list[str]) -> None:
    decorations = "".join(f"OpDecorate {mark}\n" for mark in marks.split(";"))
    assert rules_of(whole(VARIABLES, marks=decorations, interface=interface)) == wanted


def test_two_outputs_that_are_blended_have_an_index() -> None:
    """VUID-StandaloneSpirv-OpEntryPoint-08722: each location, component and index."""
    marks = "OpExecutionMode %main OriginUpperLeft\nOpDecorate %c Location 0\nOpDecorate %d Location 0\n"
    both = marks + "OpDecorate %c Index 0\nOpDecorate %d Index 1\n"
    variables = "".join(f"{line}\n" for line in VARIABLES.splitlines() if "Input" not in line)
    assert rules_of(whole(variables, marks=both, interface="%c %d", model="Fragment")) == []
    assert rules_of(whole(variables, marks=marks, interface="%c %d", model="Fragment")) == ["D02"]


@pytest.mark.parametrize(("storage", "wanted"), [
    ("Workgroup", []), ("Private", ["D03"]), ("Function", ["D03"]), ("Output", ["D03"]),
])  # fmt: skip
@pytest.mark.parametrize("atomic", [
    "%old = OpAtomicIAdd %u32 %place %one %zero %one", "OpAtomicStore %place %one %zero %one",
    "%old = OpAtomicLoad %u32 %place %one %zero",
])  # fmt: skip
def test_atomics(storage: str, atomic: str, wanted: list[str]) -> None:
    variable = f"%place = OpVariable %pointer {storage}\n"
    outside = "" if storage == "Function" else variable
    inside = variable if storage == "Function" else ""
    model, mode = ("Vertex", "") if storage == "Output" else ("GLCompute", "OpExecutionMode %main LocalSize 1 1 1\n")
    marks = mode + ("OpDecorate %place Location 0\n" if storage == "Output" else "")
    interface = "%place" if storage == "Output" else ""
    declared = f"%pointer = OpTypePointer {storage} %u32\n{outside}"
    assert rules_of(whole(declared, f"{inside}{atomic}\n", marks, interface, model)) == wanted


@pytest.mark.parametrize(("stored", "wanted"), [
    ("%image", ["D04"]), ("%sampler", ["D04"]), ("%pair", ["D04"]), ("%row", ["D04"]), ("%u32", []), ("%own", []),
])  # fmt: skip
def test_images_are_not_stored(stored: str, wanted: list[str]) -> None:
    """Nor what has one, as an array."""
    types = """%image = OpTypeImage %f32 2D 0 0 0 1 Unknown
%sampler = OpTypeSampler
%pair = OpTypeSampledImage %image
%row = OpTypeArray %image %one
%own = OpTypeStruct %u32 %u32
"""
    types += f"%pointer = OpTypePointer Function {stored}\n"
    body = f"%place = OpVariable %pointer Function\n%value = OpUndef {stored}\nOpStore %place %value\n"
    assert rules_of(whole(types, body, "OpExecutionMode %main LocalSize 1 1 1\n", "", "GLCompute")) == wanted
