"""OpPtrEqual, OpPtrNotEqual, OpPtrDiff (SPIR-V 1.6, 3.52.8), and the shuffles of SPV_INTEL_subgroups."""

from typing import Any

import pytest
from kit import oracles

import reknit
from reknit.ir import op
from reknit.ir.instr import Instr
from reknit.sim.layout import Layout
from reknit.sim.memory import Buffer
from reknit.sim.pointer_values import between, same
from reknit.sim.values import U32, array

BUFFER = """OpCapability Shader
OpCapability VariablePointers
OpCapability VariablePointersStorageBuffer
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %out %index %shared
OpExecutionMode %main LocalSize 4 1 1
OpName %out "out"
OpDecorate %index BuiltIn LocalInvocationIndex
OpDecorate %words ArrayStride 4
OpDecorate %pointer ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 0
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
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
%row = OpTypeArray %uint %eight
%rows = OpTypePointer Workgroup %row
%local = OpTypePointer Workgroup %uint
%out = OpVariable %blocks StorageBuffer
%index = OpVariable %inputs Input
%shared = OpVariable %rows Workgroup
%main = OpFunction %void None %fn
%entry = OpLabel
%i = OpLoad %uint %index
%low = OpULessThan %bool %i %two
%place = OpIMul %uint %i %two
%a = OpAccessChain %pointer %out %zero %place
%b = OpAccessChain %pointer %out %zero %two
%c = OpSelect %pointer %low %a %b
%same = OpPtrEqual %bool %c %b
%other = OpPtrNotEqual %bool %c %b
%steps = OpPtrDiff %uint %a %b
%d = OpAccessChain %local %shared %place
%e = OpAccessChain %local %shared %one
%far = OpPtrDiff %uint %d %e
%equal = OpSelect %uint %same %one %zero
%differ = OpSelect %uint %other %two %zero
%both = OpBitwiseOr %uint %equal %differ
%wide = OpIMul %uint %i %eight
%at0 = OpIAdd %uint %wide %eight
%p0 = OpAccessChain %pointer %out %zero %at0
OpStore %p0 %both
%at1 = OpIAdd %uint %at0 %one
%p1 = OpAccessChain %pointer %out %zero %at1
OpStore %p1 %steps
%at2 = OpIAdd %uint %at0 %two
%p2 = OpAccessChain %pointer %out %zero %at2
OpStore %p2 %far
OpReturn
OpFunctionEnd
"""


def test_pointers_are_compared_and_subtracted() -> None:
    """Lane i: a is at 2 i, b at 2, c is a in lanes 0 and 1 and b else, d at 2 i and e at 1 of shared memory."""
    binary = oracles.assemble(BUFFER, "spv1.4")
    assert oracles.spirv_val(binary, "spv1.4") == (True, "")
    result = reknit.run(reknit.load(binary), subgroup_size=4, buffers={"out": [0] * 40})
    assert [str(fault) for fault in result.diagnostics] == []
    words = result.buffers["out"].words
    rows = [words[8 + 8 * lane : 11 + 8 * lane] for lane in range(4)]
    assert rows == [[2, -2 & 0xFFFFFFFF, -1 & 0xFFFFFFFF], [1, 0, 1], [1, 2, 3], [1, 4, 5]]


SHUFFLE = """OpCapability Shader
OpCapability SubgroupShuffleINTEL
OpExtension "SPV_INTEL_subgroups"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %out %index
OpExecutionMode %main LocalSize 4 1 1
OpName %out "out"
OpDecorate %index BuiltIn LocalInvocationIndex
OpDecorate %words ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 0
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%fn = OpTypeFunction %void
%words = OpTypeRuntimeArray %uint
%block = OpTypeStruct %words
%blocks = OpTypePointer StorageBuffer %block
%pointer = OpTypePointer StorageBuffer %uint
%inputs = OpTypePointer Input %uint
%zero = OpConstant %uint 0
%one = OpConstant %uint 1
%ten = OpConstant %uint 10
%out = OpVariable %blocks StorageBuffer
%index = OpVariable %inputs Input
%main = OpFunction %void None %fn
%entry = OpLabel
%i = OpLoad %uint %index
%j = OpIAdd %uint %i %ten
%r = OPERATION
%p = OpAccessChain %pointer %out %zero %i
OpStore %p %r
OpReturn
OpFunctionEnd
"""


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        ("OpSubgroupShuffleINTEL %uint %j %zero", [10, 10, 10, 10]),
        ("OpSubgroupShuffleXorINTEL %uint %j %one", [11, 10, 13, 12]),
        ("OpSubgroupShuffleDownINTEL %uint %i %j %one", [1, 2, 3, 10]),  # beyond the end: of the next, from its start
        ("OpSubgroupShuffleUpINTEL %uint %j %i %one", [13, 0, 1, 2]),  # before the start: of the previous, from its end
    ],
)
def test_shuffles_of_older_subgroups(operation: str, expected: list[int]) -> None:
    binary = oracles.assemble(SHUFFLE.replace("OPERATION", operation), "spv1.4")
    result = reknit.run(reknit.load(binary), subgroup_size=4, buffers={"out": [0] * 4})
    assert [str(fault) for fault in result.diagnostics] == []
    assert result.buffers["out"].words == expected


CELLS: list[list[int]] = [[0], [0]]
OTHERS: list[list[int]] = [[0], [0]]  # equal, and another object
WORDS = Layout(array(U32, 0), 0, 4, [], [Layout(U32, 4, 0, [], [])])


def buffer(name: str) -> Buffer:
    return Buffer(name, 0, 0, 0, WORDS, Instr(op.TypeInt, None, [32, 0]), True)


FIRST, SECOND, ALIAS = buffer("first"), buffer("second"), buffer("first too")
ALIAS.alias = FIRST


@pytest.mark.parametrize(
    ("a", "b", "equal"),
    [
        (0, 0, True), (0, (FIRST, 0), False), ((FIRST, 0), 0, False), ((FIRST, 4), (FIRST, 4), True),
        ((FIRST, 4), (FIRST, 8), False), ((FIRST, 4), (SECOND, 4), False), ((FIRST, 4), (ALIAS, 4), True),
        ((ALIAS, 4), (FIRST, 4), True), ((SECOND, 4), (ALIAS, 4), False), ((CELLS, 0, [1]), (CELLS, 0, [1]), True),
        ((CELLS, 0, [1]), (CELLS, 0, [2]), False), ((CELLS, 0, [1]), (CELLS, 1, [1]), False),
        ((CELLS, 0, [1]), (OTHERS, 0, [1]), False), ((CELLS, 0, [1]), (CELLS, 0, [1, 0]), False),
        ((FIRST, 4), (CELLS, 4), False),
    ],
)  # fmt: skip
def test_the_same_place(a: Any, b: Any, equal: bool) -> None:
    """Of the same object, at the same place in it; two variables of one binding are one buffer, 0 is null."""
    assert same(a, b) is equal


@pytest.mark.parametrize(
    ("a", "b", "elements"),
    [
        ((FIRST, 12), (FIRST, 4), 2), ((FIRST, 4), (FIRST, 12), -2), ((FIRST, 4), (ALIAS, 0), 1),
        ((FIRST, 6), (FIRST, 4), None),
        ((FIRST, 4), (SECOND, 4), None), (0, (FIRST, 4), None), ((FIRST, 4), 0, None), (0, 0, None),
        ((CELLS, 0, [1, 5]), (CELLS, 0, [1, 2]), 3), ((CELLS, 0, [1, 5]), (CELLS, 0, [2, 2]), None),
        ((CELLS, 0, [1]), (CELLS, 1, [1]), None), ((CELLS, 0, [1, 5]), (CELLS, 0, [1]), None),
        ((CELLS, 0, [4]), (OTHERS, 0, [1]), None), ((CELLS, 0, []), (CELLS, 0, []), 0),
        ((CELLS, 1, [0]), (CELLS, 1, [6]), -6),
    ],
)  # fmt: skip
def test_elements_between(a: Any, b: Any, elements: int | None) -> None:
    """In units of the stride, here 4 bytes: "the number of elements between" two of one array, the second's from the
    first's; what is not in one array has none."""
    assert between(a, b, 4) == elements
