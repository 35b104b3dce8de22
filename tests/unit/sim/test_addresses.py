"""Pointers that are addresses (SPIR-V 1.6, "Addressing Model", PhysicalStorageBuffer64), and integers as such."""

import pytest
from kit import oracles

import reknit
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.sim.engine import native_run
from reknit.sim.result import Result
from reknit.sim.run import run
from reknit.source.diagnostic import InputError
from reknit.vulkan.interface import interface_of

MODULE = """OpCapability Shader
OpCapability Int64
OpCapability PhysicalStorageBufferAddresses
OpMemoryModel PhysicalStorageBuffer64 GLSL450
OpEntryPoint GLCompute %main "main" %out %index %given
OpExecutionMode %main LocalSize 4 1 1
OpName %out "out"
OpDecorate %index BuiltIn LocalInvocationIndex
OpDecorate %words ArrayStride 4
OpDecorate %node ArrayStride 16
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 3
OpDecorate %Node Block
OpMemberDecorate %Node 0 Offset 0
OpMemberDecorate %Node 1 Offset 8
OpDecorate %Push Block
OpMemberDecorate %Push 0 Offset 0
OpMemberDecorate %Push 1 Offset 8
OpMemberDecorate %Push 2 Offset 16
OpTypeForwardPointer %node PhysicalStorageBuffer
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%ulong = OpTypeInt 64 0
%uvec2 = OpTypeVector %uint 2
%fn = OpTypeFunction %void
%words = OpTypeRuntimeArray %uint
%block = OpTypeStruct %words
%blocks = OpTypePointer StorageBuffer %block
%pointer = OpTypePointer StorageBuffer %uint
%Node = OpTypeStruct %node %uint
%node = OpTypePointer PhysicalStorageBuffer %Node
%at_word = OpTypePointer PhysicalStorageBuffer %uint
%at_node = OpTypePointer PhysicalStorageBuffer %node
%Push = OpTypeStruct %node %ulong %uvec2
%pushes = OpTypePointer PushConstant %Push
%push_node = OpTypePointer PushConstant %node
%push_long = OpTypePointer PushConstant %ulong
%push_pair = OpTypePointer PushConstant %uvec2
%inputs = OpTypePointer Input %uint
%zero = OpConstant %uint 0
%one = OpConstant %uint 1
%two = OpConstant %uint 2
%four = OpConstant %ulong 4
%null = OpConstantNull %ulong
%out = OpVariable %blocks StorageBuffer
%index = OpVariable %inputs Input
%given = OpVariable %pushes PushConstant
%main = OpFunction %void None %fn
%entry = OpLabel
%i = OpLoad %uint %index
%to = OpAccessChain %pointer %out %zero %i
%wide = OpUConvert %ulong %i
%step = OpIMul %ulong %wide %four
%first = OpAccessChain %push_node %given %zero
%second = OpAccessChain %push_long %given %one
%third = OpAccessChain %push_pair %given %two
BODY
OpFunctionEnd
"""

END = "OpReturn"
LIST = """%start = OpLoad %node %first
OpBranch %head
%head = OpLabel
%p = OpPhi %node %start %entry %next %again
%sum = OpPhi %uint %zero %entry %more %again
%number = OpConvertPtrToU %ulong %p
%left = OpINotEqual %bool %number %null
OpLoopMerge %done %again None
OpBranchConditional %left %body %done
%body = OpLabel
%at = OpAccessChain %at_word %p %one
%x = OpLoad %uint %at Aligned 4
%more = OpIAdd %uint %sum %x
%link = OpAccessChain %at_node %p %zero
%next = OpLoad %node %link Aligned 8
OpBranch %again
%again = OpLabel
OpBranch %head
%done = OpLabel
OpStore %to %sum
OpReturn"""
"""Sums a linked list."""

INTEGER = """%base = OpLoad %ulong %second
%sum = OpIAdd %ulong %base %step
%p = OpConvertUToPtr %at_word %sum
%x = OpLoad %uint %p Aligned 4
OpStore %to %x
OpReturn"""
PAIR = """%base = OpLoad %uvec2 %third
%q = OpBitcast %node %base
%p = OpPtrAccessChain %node %q %i
%at = OpAccessChain %at_word %p %one
%low = OpBitcast %ulong %at
%short = OpUConvert %uint %low
%x = OpLoad %uint %at Aligned 4
OpStore %at %short Aligned 4
OpStore %to %x
OpReturn"""


def loaded(body: str) -> Module:
    extra = "OpCapability VariablePointers\n" if "PtrAccessChain" in body else ""
    text = MODULE.replace("BODY", body).replace("OpCapability Int64\n", "OpCapability Int64\n" + extra)
    binary = oracles.assemble(text, "vulkan1.3")
    assert oracles.spirv_val(binary, "vulkan1.3") == (True, "")
    return reknit.load(binary)


def ran(body: str, push: list[int], races: bool = False, trace: bool = False, **memory: list[int]) -> Result:
    module = loaded(body)
    buffers = {"out": [0] * 4} | {name.removeprefix("at_"): words for name, words in memory.items()}
    results = [
        run(module, subgroup_size=size, buffers=buffers, push_constants=push, races=races, trace=trace)
        for size in (4, 8, 32, 64)
    ]
    held = [{name: buffer.words for name, buffer in result.buffers.items()} for result in results]
    assert held == held[:1] * 4
    return results[0]


def test_a_linked_list_is_followed() -> None:
    """0x20000 -> 0x10000 -> null; 7 + 5."""
    lists = {"at_0x10000": [0, 0, 5, 0], "at_0x20000": [0x10000, 0, 7, 0]}
    result = ran(LIST, [0x20000, 0, 0, 0, 0, 0], races=True, trace=True, **lists)
    assert result.diagnostics == []
    assert result.buffers["out"].words == [12] * 4


def test_an_integer_is_a_pointer() -> None:
    """Lane i reads the word at base + 4 i."""
    result = ran(INTEGER, [0, 0, 0x40, 1, 0, 0], at_0x100000040=[9, 8, 7, 6])
    assert result.diagnostics == []
    assert result.buffers["out"].words == [9, 8, 7, 6]


def test_two_words_are_a_pointer_and_elements_are_stepped_over() -> None:
    """Lane i: the element at 16 i, of which word 2 is read, and gets the low half of its own address."""
    result = ran(PAIR, [0, 0, 0, 0, 0x1000, 2], at_0x200001000=list(range(16)))
    assert result.diagnostics == []
    assert result.buffers["out"].words == [2, 6, 10, 14]
    held = [at if at % 4 != 2 else 0x1000 + 4 * at for at in range(16)]
    assert result.buffers["0x200001000"].words == held


def test_a_bound_buffer_has_an_address() -> None:
    """Set 0, binding 3 begins at 1 << 56 | 3 << 40: lane i reads what it stores to afterwards."""
    result = ran(INTEGER, [0, 0, 0, 1 << 24 | 3 << 8, 0, 0], out=[4, 3, 2, 1])
    assert result.diagnostics == []
    assert result.buffers["out"].words == [4, 3, 2, 1]


@pytest.mark.parametrize(
    ("low", "fault"),
    [
        (0, "the pointer is null"),
        (0x500, "address 0x500 is in no buffer"),
        (0x1001, "address 0x1001 is not a multiple of 4"),
        (0x1004, "address 0x1010 is in no buffer"),
    ],
)
def test_what_is_not_there_is_a_fault(low: int, fault: str) -> None:
    result = ran(INTEGER, [0, 0, low, 0, 0, 0], at_0x1000=[1, 2, 3, 4])
    (found,) = result.diagnostics
    assert found.code == "RK1014"
    assert fault in str(found)
    assert found.help.startswith("memory is given by its address, --set 0x10000=") is ("multiple" not in fault)


def test_a_data_race_through_two_addresses_is_found() -> None:
    """All lanes store to word 2 of element 0, of a list whose start is the same pointer."""
    body = "%p = OpLoad %node %first\n%at = OpAccessChain %at_word %p %one\nOpStore %at %i Aligned 4\nOpReturn"
    result = ran(body, [0x1000, 0, 0, 0, 0, 0], races=True, at_0x1000=[0] * 4)
    assert [found.code for found in result.diagnostics] == ["RK1017"]
    assert "word 2 of 0x1000" in str(result.diagnostics[0])


@pytest.mark.parametrize(
    ("memory", "message"),
    [
        ({"at_0x1008": [1]}, "memory can't be at address 0x1008"),
        ({"at_0x0": [1]}, "memory can't be at address 0x0"),
        ({"at_0x1000": [0] * 5, "at_0x1010": [0]}, "0x1000 and 0x1010 overlap"),
    ],
)
def test_memory_is_refused(memory: dict[str, list[int]], message: str) -> None:
    with pytest.raises(InputError, match=message) as raised:
        ran(END, [0] * 6, False, False, **memory)
    assert raised.value.diagnostics[0].code == "RK1004"


def test_native_code_leaves_addresses_to_the_interpreter() -> None:
    pytest.importorskip("llvmlite")
    given = {"out": [0] * 4, "0x1000": [1, 2, 3, 4]}
    result = run(loaded(INTEGER), buffers=given, push_constants=[0, 0, 0x1000, 0, 0, 0], native=native_run("jit"))
    assert result.fallback == "its pointers may be addresses"
    assert result.buffers["out"].words == [1, 2, 3, 4]


def test_a_driver_is_not_given_addresses() -> None:
    with pytest.raises(InputError, match="pointers that are addresses") as raised:
        interface_of(loaded(INTEGER), None, None)
    assert raised.value.diagnostics[0].code == "RK1108"


PAIRS = """Capability Shader
MemoryModel Logical GLSL450
EntryPoint GLCompute @main "main"
ExecutionMode @main LocalSize 1 1 1
Decorate %pairs ArrayStride 8
Decorate %Block Block
MemberDecorate %Block 0 Offset 0
Decorate %out DescriptorSet 0
Decorate %out Binding 0
%pairs = TypeRuntimeArray vec2<u32>
%Block = TypeStruct %pairs
%out = Variable StorageBuffer : ptr<StorageBuffer, %Block>

func @main() -> void {
  %to = AccessChain %out, 0u, 1u, 0u : ptr<StorageBuffer, u32>
  Store %to, 1u
  return
}
"""


def test_part_of_an_element_is_said_to_be_that() -> None:
    for words, said in (([0, 0, 0], "index 1 of 1 in buffer out: its last 4 bytes are no whole element of 8"),
                        ([0, 0], "index 1 of 1 in buffer out (")):  # fmt: skip
        (found,) = run(parse(PAIRS), buffers={"out": words}).diagnostics
        assert said in found.message
