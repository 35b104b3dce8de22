"""OpenCL kernels (SPIR-V's execution model Kernel): arguments, sizes and alignment as in C, built-in variables."""

import pytest
from kit import oracles

import reknit
from reknit.ir.module import Module
from reknit.sim.run import run
from reknit.source.diagnostic import InputError

MODULE = """OpCapability Kernel
OpCapability Addresses
OpCapability Int64
OpCapability Int8
OpCapability Linkage
OpMemoryModel PhysicalWIDTH OpenCL
OpEntryPoint Kernel %main "main" %ids %sizes %line
OpExecutionMode %main LocalSize 4 1 1
OpName %out "out"
OpName %n "n"
OpName %pairs "pairs"
OpDecorate %ids BuiltIn GlobalInvocationId
OpDecorate %sizes BuiltIn GlobalSize
OpDecorate %line BuiltIn GlobalLinearId
%void = OpTypeVoid
%bool = OpTypeBool
%uchar = OpTypeInt 8 0
%uint = OpTypeInt 32 0
%ulong = OpTypeInt 64 0
%vector = OpTypeVector %SIZE 3
%triple = OpTypeVector %uint 3
%Pair = OpTypeStruct %uchar %triple %uint
%pointer = OpTypePointer CrossWorkgroup %uint
%bytes = OpTypePointer CrossWorkgroup %uchar
%pair = OpTypePointer CrossWorkgroup %Pair
%shared = OpTypePointer Workgroup %uint
%inputs = OpTypePointer Input %vector
%input = OpTypePointer Input %SIZE
%zero = OpConstant %uint 0
%one = OpConstant %uint 1
%two = OpConstant %uint 2
%ids = OpVariable %inputs Input
%sizes = OpVariable %inputs Input
%line = OpVariable %input Input
%fn = OpTypeFunction %void %pointer %uint %pair
%main = OpFunction %void None %fn
%out = OpFunctionParameter %pointer
%n = OpFunctionParameter %uint
%pairs = OpFunctionParameter %pair
%entry = OpLabel
%id = OpLoad %vector %ids Aligned 32
%i = OpCompositeExtract %SIZE %id 0
%at = OpInBoundsPtrAccessChain %pointer %out %i
BODY
OpReturn
OpFunctionEnd
"""

SCALED = """%w = OpUConvert %uint %i
%x = OpIMul %uint %w %n
OpStore %at %x Aligned 4"""
PAIRS = """%member = OpInBoundsPtrAccessChain %pointer %pairs %i %two
%x = OpLoad %uint %member Aligned 4
%y = OpInBoundsPtrAccessChain %pointer %pairs %i %one %two
%z = OpLoad %uint %y Aligned 4
%first = OpInBoundsPtrAccessChain %bytes %pairs %i %zero
%b = OpLoad %uchar %first Aligned 1
%c = OpUConvert %uint %b
%s = OpIAdd %uint %x %z
%t = OpIAdd %uint %s %c
OpStore %at %t Aligned 4"""
SIZES = """%size = OpLoad %vector %sizes Aligned 32
%width = OpCompositeExtract %SIZE %size 0
%number = OpLoad %SIZE %line Aligned 4
%sum = OpIAdd %SIZE %width %number
%x = OpUConvert %uint %sum
OpStore %at %x Aligned 4"""
ADDRESS = """%number = OpConvertPtrToU %SIZE %at
%same = OpConvertUToPtr %pointer %number
%old = OpLoad %uint %same Aligned 4
%as = OpBitcast %bytes %at
%low = OpLoad %uchar %as Aligned 1
%x = OpUConvert %uint %number
%y = OpUConvert %uint %low
%z = OpIAdd %uint %x %y
%sum = OpIAdd %uint %z %old
OpStore %at %sum Aligned 4"""


def loaded(body: str, width: int = 64, shared: bool = False) -> Module:
    text = MODULE.replace("BODY", body).replace("%SIZE", "%ulong" if width == 64 else "%uint")
    text = text.replace("WIDTH", str(width))
    if width == 32:  # no two types that are the same, no conversion between numbers of one width
        text = text.replace("%triple = OpTypeVector %uint 3\n", "").replace("%triple", "%vector")
        text = text.replace("OpUConvert %uint %i\n", "OpCopyObject %uint %i\n")
        text = text.replace("OpUConvert %uint %sum\n", "OpCopyObject %uint %sum\n")
        text = text.replace("OpUConvert %uint %number\n", "OpCopyObject %uint %number\n")
    if shared:
        text = text.replace("%n = OpFunctionParameter %uint", "%n = OpFunctionParameter %shared")
        text = text.replace("OpTypeFunction %void %pointer %uint %pair", "OpTypeFunction %void %pointer %shared %pair")
    binary = oracles.assemble(text, "opencl2.2")
    assert oracles.spirv_val(binary, "opencl2.2") == (True, "")
    return reknit.load(binary)


def ran(body: str, width: int = 64, **given: list[int]) -> list[int]:
    """What `out` holds, of two workgroups."""
    module = loaded(body, width)
    held: list[list[int]] = []
    for size in (4, 8, 32, 64):
        result = run(module, subgroup_size=size, groups=(2, 1, 1), buffers=given, races=True)
        assert result.diagnostics == []
        held.append(result.buffers["out"].words)
    assert held == held[:1] * 4
    return held[0]


@pytest.mark.parametrize("width", [32, 64])
def test_a_value_and_a_pointer_are_given_by_name(width: int) -> None:
    """Invocation i stores i n; a buffer that is not set has a place for each of the 8."""
    assert ran(SCALED, width, n=[5]) == [5 * i for i in range(8)]


def test_arguments_have_numbers() -> None:
    given = {"argument 0": [9] * 4, "argument 1": [2]}
    module = loaded(SCALED)
    assert run(module, buffers=given, subgroup_size=4).buffers["out"].words == [0, 2, 4, 6]
    for parameter in module.functions[0].params:
        parameter.name = ""
    assert run(module, buffers=given, subgroup_size=4).buffers["argument 0"].words == [0, 2, 4, 6]


def test_structs_lie_as_in_c() -> None:
    """A struct { uchar, uint3, uint } is 48 bytes: 0, 16, 32, and a gap. Words 8 and 6 and byte 0 are read."""
    words = [0x100 * k + 100 * (k // 12) + k for k in range(96)]
    expected = [words[12 * i + 8] + words[12 * i + 6] + (words[12 * i] & 0xFF) for i in range(8)]
    assert ran(PAIRS, pairs=words) == expected


@pytest.mark.parametrize("width", [32, 64])
def test_sizes_are_those_of_the_range(width: int) -> None:
    """GlobalSize is 8, GlobalLinearId the number of the invocation."""
    assert ran(SIZES, width) == [8 + i for i in range(8)]


@pytest.mark.parametrize("width", [32, 64])
def test_a_pointer_is_its_address(width: int) -> None:
    """The first argument begins at 1 << 28; its word i is 3 i, whose low byte is read once more."""
    assert ran(ADDRESS, width, out=[3 * i for i in range(8)]) == [(1 << 28) + 4 * i + 6 * i for i in range(8)]


def test_what_lies_outside_is_a_fault() -> None:
    result = run(loaded(SCALED), buffers={"out": [0] * 3}, subgroup_size=4)
    (fault,) = result.diagnostics
    assert fault.code == "RK1014"
    assert "address 0x1000000c is in no buffer (lane 3)" in fault.message


def test_a_pointer_to_workgroup_memory_is_refused_by_name() -> None:
    module = loaded(SCALED.replace("%n", "%one"), shared=True)
    with pytest.raises(InputError, match="parameter %n of the kernel can't be given") as raised:
        run(module)
    assert raised.value.diagnostics[0].code == "RK1001"


def test_a_proof_draws_arguments() -> None:
    """Where n is 0 the first stores 0, the second at least the size of the dispatch."""
    verdict = reknit.prove(loaded(SCALED), loaded(SIZES))
    assert verdict.verdict == "refuted" and verdict.counterexample is not None
    assert {each.buffer for each in verdict.counterexample.differences} == {"out"}


def test_outcomes_has_no_arguments_for_a_kernel() -> None:
    with pytest.raises(InputError, match="takes parameters"):
        reknit.outcomes(loaded(SCALED))
