"""OpPtrAccessChain in Workgroup memory, and what is known of accesses through pointers into it, by SPIR-V 1.6.

The array is 10, 11 ... 17 before the barrier, lane i has a pointer to element 2 i.
"""

import pytest
from kit import oracles

import reknit
from reknit.sim.run import run
from reknit.spirv.asm import assemble
from reknit.spirv.read import read_module

SHADER = """
               OpCapability Shader
               OpCapability VariablePointers
               OpMemoryModel Logical GLSL450
               OpEntryPoint GLCompute %main "main" %out %index %shared %pairs %alone
               OpExecutionMode %main LocalSize 4 1 1
               OpName %out "out"
               OpDecorate %index BuiltIn LocalInvocationIndex
               OpDecorate %words ArrayStride 4
               OpDecorate %block Block
               OpMemberDecorate %block 0 Offset 0
               OpDecorate %local ArrayStride 8
               OpDecorate %out DescriptorSet 0
               OpDecorate %out Binding 0
       %void = OpTypeVoid
       %bool = OpTypeBool
       %uint = OpTypeInt 32 0
        %int = OpTypeInt 32 1
         %fn = OpTypeFunction %void
      %words = OpTypeRuntimeArray %uint
      %block = OpTypeStruct %words
     %blocks = OpTypePointer StorageBuffer %block
    %pointer = OpTypePointer StorageBuffer %uint
     %inputs = OpTypePointer Input %uint
       %zero = OpConstant %uint 0
        %one = OpConstant %uint 1
        %two = OpConstant %uint 2
      %eight = OpConstant %uint 8
        %ten = OpConstant %uint 10
        %i64 = OpConstant %uint 264
       %less = OpConstant %int -1
       %more = OpConstant %int 1
       %none = OpConstant %int 0
        %row = OpTypeArray %uint %eight
       %pair = OpTypeArray %uint %two
      %three = OpTypeArray %pair %eight
     %inside = OpTypeStruct %uint %uint
      %local = OpTypePointer Workgroup %uint
       %rows = OpTypePointer Workgroup %row
    %p_three = OpTypePointer Workgroup %three
     %p_pair = OpTypePointer Workgroup %pair
   %p_inside = OpTypePointer Workgroup %inside
        %use = OpTypeFunction %uint %local
        %out = OpVariable %blocks StorageBuffer
      %index = OpVariable %inputs Input
     %shared = OpVariable %rows Workgroup
      %pairs = OpVariable %p_three Workgroup
      %alone = OpVariable %p_inside Workgroup
     %stepped = OpFunction %uint None %use
     %parameter = OpFunctionParameter %local
     %its_entry = OpLabel
     %its = OpPtrAccessChain %local %parameter {element}
     %its_word = OpLoad %uint %its
               OpReturnValue %its_word
               OpFunctionEnd
       %main = OpFunction %void None %fn
      %entry = OpLabel
          %i = OpLoad %uint %index
          %k = OpIMul %uint %i %two
         %k1 = OpIAdd %uint %k %one
        %at0 = OpAccessChain %local %shared %k
        %at1 = OpAccessChain %local %shared %k1
      %word0 = OpIAdd %uint %k %ten
      %word1 = OpIAdd %uint %k1 %ten
               OpStore %at0 %word0
               OpStore %at1 %word1
      %inner = OpAccessChain %local %pairs %i %zero
               OpStore %inner %word0
     %inner1 = OpAccessChain %local %pairs %i %one
               OpStore %inner1 %word1
     %member = OpAccessChain %local %alone %zero
       %first = OpIEqual %bool %i %zero
               OpSelectionMerge %met None
               OpBranchConditional %first %sets %met
       %sets = OpLabel
               OpStore %member %ten
     %second = OpAccessChain %local %alone %one
               OpStore %second %two
               OpBranch %met
        %met = OpLabel
               OpControlBarrier %two %two %i64
{access}
     %result = OpAccessChain %pointer %out %zero %i
               OpStore %result %word
               OpReturn
               OpFunctionEnd
"""
CALL = "%word = OpFunctionCall %uint %stepped %at0"


def stored(element: str, access: str = CALL) -> tuple[list[int], list[str]]:
    """What lanes store, and what is reported."""
    binary = assemble(SHADER.replace("{element}", element).replace("{access}", access))
    assert oracles.validate(binary) == (True, "")
    result = run(read_module(binary), races=True, unwritten=True)
    return result.buffers["out"].words, [str(each) for each in result.diagnostics]


@pytest.mark.parametrize(("element", "words"), [("%more", [11, 13, 15, 17]), ("%none", [10, 12, 14, 16])])
def test_a_parameter_is_moved_by_elements(element: str, words: list[int]) -> None:
    """ "Element is treated as a signed count of elements E, relative to the original Base element B"; the ArrayStride
    of the pointer's type, 8, counts for nothing in Workgroup memory, as in the CTS (workgroup_bad_stride.amber)."""
    assert stored(element) == (words, [])


def test_an_element_before_the_first_is_reported() -> None:
    """ "undefined behavior results when B + E is not an element in the same array": lane 0 goes to element -1."""
    words, said = stored("%less")
    assert words == [0, 11, 13, 15]
    assert ": element -1 of 8 (lane 0)" in said[0]


def test_the_end_of_an_array_is_a_pointer_and_no_place() -> None:
    """ "The exception being when B + E = L": lane 3's pointer, from which the last element is one back."""
    there = "%end = OpPtrAccessChain %local %at1 %more\n"
    assert stored("%none", there + "%back = OpPtrAccessChain %local %end %less\n%word = OpLoad %uint %back") == (
        [11, 13, 15, 17],
        [],
    )
    words, said = stored("%none", there + "%word = OpLoad %uint %end")
    assert words == [12, 14, 16, 0]
    assert len(said) == 1 and "element 8 of 8 (lane 3)" in said[0]
    words, said = stored("%none", there + "OpStore %end %one\n%word = OpLoad %uint %at1")
    assert words == [11, 13, 15, 17] and "element 8 of 8 (lane 3)" in "".join(said)


def test_only_the_innermost_array_is_stepped_over() -> None:
    """ "same innermost array, if array types are nested": two on from the first of a pair is past its end."""
    words, said = stored("%none", "%word = OpFunctionCall %uint %stepped %inner")
    assert (words, said) == ([10, 12, 14, 16], [])
    far = "%far = OpPtrAccessChain %local %inner %two\n%farther = OpPtrAccessChain %local %far %more\n"
    words, said = stored("%none", far + "%word = OpLoad %uint %farther")
    assert words == [0, 0, 0, 0]
    assert ": element 3 of 2 (lanes 0-3)" in said[0]


def test_indices_go_on_from_the_element() -> None:
    """The second word of the next pair for lane 0, of the one before for the others."""
    step = """%pair_of = OpAccessChain %p_pair %pairs %i
              %by = OpSelect %int %first %more %less
              %word_of = OpPtrAccessChain %local %pair_of %by %one
              %word = OpLoad %uint %word_of"""
    assert stored("%none", step) == ([13, 11, 13, 15], [])


def test_what_is_in_no_array_is_not_stepped_from() -> None:
    words, said = stored("%more", "%word = OpFunctionCall %uint %stepped %member")
    assert words == [0, 0, 0, 0]
    assert "a step by 1 from a pointer that is to no element of an array (lanes 0-3)" in said[0]
    assert stored("%none", "%word = OpFunctionCall %uint %stepped %member") == ([10] * 4, [])


def test_a_race_is_seen_whatever_pointer_leads_there() -> None:
    """Each lane stores through a selected pointer to element 0 or 1: two lanes to each."""
    race = """%low = OpULessThan %bool %i %two
              %one_of = OpAccessChain %local %shared %zero
              %other = OpAccessChain %local %shared %one
              %chosen = OpSelect %local %low %one_of %other
              OpStore %chosen %i
              %word = OpLoad %uint %chosen"""
    module = read_module(assemble(SHADER.replace("{element}", "%none").replace("{access}", race)))
    found = [each.code for each in run(module, races=True).diagnostics]
    assert found == ["RK1017"]
    assert len(reknit.outcomes(module).outcomes) > 1


def test_a_race_is_of_the_element_that_is_stepped_to() -> None:
    """Lane i stores to the element after its own, which is nobody else's: element 2 i + 1; stepped from 2 i + 1 it is
    the next lane's, which that one reads."""
    store = "%next = OpPtrAccessChain %local {from} %more\nOpStore %next %i\n%word = OpLoad %uint %at0"
    assert stored("%none", store.replace("{from}", "%at0"))[1] == []
    said = stored("%none", store.replace("{from}", "%at1"))[1]
    assert any("RK1017" in each for each in said)
