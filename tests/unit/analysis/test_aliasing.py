"""Which variables may be the same memory. Source: SPIR-V 1.6, 2.18.2 "Aliasing"; Vulkan, "Descriptor Set Interface".

    "Only those memory object declarations decorated with Aliased or AliasedPointer may alias each other"
    "a consumer does not make any assumptions about whether or not memory regions of non memory object declarations
    overlap"
"""

from typing import Any

import pytest

import reknit
from reknit.analysis.aliasing import Aliasing
from reknit.ir.module import Module
from reknit.proof.prove import prove
from reknit.proof.question import Question

SHADER = """
OpCapability Shader
{capabilities}
OpMemoryModel Logical {model}
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
OpName %a "a"
OpName %b "b"
OpName %texels "texels"
OpDecorate %a DescriptorSet 0
OpDecorate %a Binding 0
OpDecorate %b DescriptorSet 0
OpDecorate %b Binding {binding}
OpDecorate %texels DescriptorSet 0
OpDecorate %texels Binding 7
OpDecorate %list DescriptorSet 1
OpDecorate %list Binding 0
{notes}
OpDecorate %B Block
OpMemberDecorate %B 0 Offset 0
%void = OpTypeVoid
%proc = OpTypeFunction %void
%u = OpTypeInt 32 0
%i = OpTypeInt 32 1
%two = OpConstant %u 2
%zero = OpConstant %u 0
%one = OpConstant %u 1
%five = OpConstant %u 5
%uv4 = OpTypeVector %u 4
%B = OpTypeStruct %u
%pB = OpTypePointer StorageBuffer %B
%pu = OpTypePointer StorageBuffer %u
%Many = OpTypeArray %B %two
%pMany = OpTypePointer StorageBuffer %Many
%image = OpTypeImage %u Buffer 0 0 0 1 Unknown
%pimage = OpTypePointer UniformConstant %image
%a = OpVariable %pB StorageBuffer
%b = OpVariable %pB StorageBuffer
%texels = OpVariable %pimage UniformConstant
%list = OpVariable %pMany StorageBuffer
%main = OpFunction %void None %proc
%begin = OpLabel
%pa = OpAccessChain %pu %a %zero
%pb = OpAccessChain %pu %b %zero
%first = OpAccessChain %pu %list %zero %zero
%second = OpAccessChain %pu %list %one %zero
{body}
OpReturn
OpFunctionEnd
"""

VULKAN = "OpCapability VulkanMemoryModel"
ALIASED = "OpDecorate %a Aliased\nOpDecorate %b Aliased\nOpDecorate %texels Aliased"


def module(body: str = "", notes: str = "", model: str = "GLSL450", binding: int = 1) -> Module:
    capabilities = (VULKAN if model == "Vulkan" else "") + "\nOpCapability SampledBuffer"
    text = SHADER.format(body=body, notes=notes, model=model, binding=binding, capabilities=capabilities)
    return reknit.load(text.encode(), format="spvasm")


def may_be(module: Module, *names: str) -> bool:
    aliasing = Aliasing(module)
    first, second = (next(each for each in aliasing.places if each.name == name) for name in names)
    return aliasing.places[first].may_be(aliasing.places[second])


def test_two_bindings() -> None:
    assert not may_be(module(), "a", "b")
    assert not may_be(module(notes="OpDecorate %a Aliased"), "a", "b")  # "Only those ... may alias each other"
    assert may_be(module(notes=ALIASED), "a", "b")
    assert may_be(module(model="Vulkan"), "a", "b")
    assert not may_be(module(model="Vulkan", notes="OpDecorate %a Restrict"), "a", "b")


def test_one_binding() -> None:
    assert may_be(module(binding=0), "a", "b")


def test_a_texel_buffer_and_a_buffer() -> None:
    """A row of the table: UniformConstant; Image, StorageBuffer, PhysicalStorageBuffer, Uniform, UniformConstant."""
    assert not may_be(module(), "a", "texels")
    assert may_be(module(notes=ALIASED), "a", "texels")


def test_what_is_written_by_another_name_is_written() -> None:
    """A value that an invocation stored is no value that all have, whichever of two variables of a binding reads it."""
    aliasing = Aliasing(module(binding=0))
    written = [each for each in aliasing.places if each.name == "a"]
    assert {each.name for each in aliasing.of_one_binding(written)} == {"a", "b"}


SWAPPED: dict[str, tuple[str, str, dict[str, Any]]] = {
    "one binding": ("OpStore %pa %one", "OpStore %pb %two", {"binding": 0}),
    "Aliased": ("OpStore %pa %one", "OpStore %pb %two", {"notes": ALIASED}),
    "elements": ("OpStore %first %one", "OpStore %second %two", {}),
    "elements that are loaded": ("OpStore %first %five", "%x = OpLoad %u %second\nOpStore %pa %x", {}),
    "a texel buffer": (
        "OpStore %pa %five",
        "%t = OpLoad %image %texels\n%x4 = OpImageFetch %uv4 %t %zero\n"
        "%x = OpCompositeExtract %u %x4 0\nOpStore %pb %x",
        {"notes": ALIASED.replace("OpDecorate %b Aliased\n", "")},
    ),
}


@pytest.mark.parametrize("name", SWAPPED)
@pytest.mark.parametrize("by_terms", [True, False])
def test_accesses_change_places(name: str, by_terms: bool) -> None:
    """Both judges: neither proves it, and where runs can bind one buffer twice they refute it."""
    first, second, options = SWAPPED[name]
    before, after = module(f"{first}\n{second}", **options), module(f"{second}\n{first}", **options)
    verdict = prove(before, after, Question(subgroup_sizes=[4], sample=4, by_terms=by_terms)).verdict
    assert verdict == ("sampled" if name == "a texel buffer" else "refuted")


BLOCKS = """
OpCapability Shader
OpCapability WorkgroupMemoryExplicitLayoutKHR
OpExtension "SPV_KHR_workgroup_memory_explicit_layout"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %a %b %out
OpExecutionMode %main LocalSize 1 1 1
OpName %a "a"
OpName %b "b"
OpDecorate %A Block
OpMemberDecorate %A 0 Offset 0
OpDecorate %a Aliased
OpDecorate %b Aliased
OpDecorate %Out Block
OpMemberDecorate %Out 0 Offset 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 0
%void = OpTypeVoid
%proc = OpTypeFunction %void
%u = OpTypeInt 32 0
%A = OpTypeStruct %u
%Out = OpTypeStruct %u
%pA = OpTypePointer Workgroup %A
%pOut = OpTypePointer StorageBuffer %Out
%pu = OpTypePointer Workgroup %u
%po = OpTypePointer StorageBuffer %u
%zero = OpConstant %u 0
%five = OpConstant %u 5
%six = OpConstant %u 6
%a = OpVariable %pA Workgroup
%b = OpVariable %pA Workgroup
%out = OpVariable %pOut StorageBuffer
%main = OpFunction %void None %proc
%begin = OpLabel
%pa = OpAccessChain %pu %a %zero
%pb = OpAccessChain %pu %b %zero
%to = OpAccessChain %po %out %zero
OpStore {} %five
OpStore {} %six
%x = OpLoad %u %pa
OpStore %to %x
OpReturn
OpFunctionEnd
"""


def test_blocks_in_workgroup_memory() -> None:
    """Vulkan, "Memory Model": "Variables with Workgroup storage class that point to a block-decorated type share a set
    of memory locations": what %a holds in the end is the value that was stored last, by either name."""
    before, after = (
        reknit.load(BLOCKS.format(*names).encode(), format="spvasm") for names in (("%pa", "%pb"), ("%pb", "%pa"))
    )
    assert may_be(before, "a", "b")
    assert not prove(before, after, Question(subgroup_sizes=[4], sample=2)).verdict.startswith("proved")


def test_different_bindings_are_proved() -> None:
    before, after = module("OpStore %pa %one\nOpStore %pb %two"), module("OpStore %pb %two\nOpStore %pa %one")
    assert prove(before, after, Question(subgroup_sizes=[4], sample=4)).verdict == "proved"


@pytest.mark.parametrize(
    "options, loads", [({}, 1), ({"notes": ALIASED}, 2), ({"binding": 0}, 2), ({"model": "Vulkan"}, 2)]
)
def test_loads_are_merged_where_nothing_may_write_between_them(options: dict[str, object], loads: int) -> None:
    body = "%x = OpLoad %u %pa\nOpStore %pb %x\n%y = OpLoad %u %pa\n%z = OpIAdd %u %x %y\nOpStore %first %z"
    before, after = module(body, **options), module(body, **options)  # type: ignore[arg-type]
    reknit.compile(after, "cse")
    assert str(after).count("= Load ") == loads
    assert prove(before, after, Question(subgroup_sizes=[4], sample=4)).verdict == "proved"
