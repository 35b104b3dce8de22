"""Undefined values in runs: where each comes from, how it spreads, and where it arrives. `?` is a word that may be
anything, derived from the specification's sentence beside it; lanes 0 to 7 store one word each.
"""

from typing import Any

import pytest
from kit.programs.compute import Compute

import reknit
from reknit.ir import enums, op
from reknit.ir.module import Module, annotation
from reknit.sim.images import Image
from reknit.sim.outcomes import outcomes
from reknit.sim.policy import Policy
from reknit.sim.result import Result
from reknit.sim.run import prepare

SIZES = [4, 8, 32, 64]

HEAD = """Capability Shader
Capability Float64
Capability Int64
Capability Int16
Capability GroupNonUniformVote
Capability GroupNonUniformBallot
Capability GroupNonUniformShuffle
Capability GroupNonUniformShuffleRelative
Capability GroupNonUniformArithmetic
Capability GroupNonUniformClustered
Capability GroupNonUniformQuad
%glsl = ExtInstImport "GLSL.std.450"
MemoryModel Logical GLSL450
EntryPoint GLCompute @main "main" %out, %lane_id, %given
ExecutionMode @main LocalSize 8 1 1
names @main, %out, %given
Decorate %words ArrayStride 4
MemberDecorate %Words 0 Offset 0
Decorate %Words Block
Decorate %out DescriptorSet 0
Decorate %out Binding 0
Decorate %given DescriptorSet 0
Decorate %given Binding 1
Decorate %lane_id BuiltIn LocalInvocationIndex
%words = TypeRuntimeArray u32
%Words = TypeStruct %words
%Pair = TypeStruct u32, vec2<u32>
%Two = TypeStruct u32, u32
%Floats = TypeStruct f32, f32
%out = Variable StorageBuffer : ptr<StorageBuffer, %Words>
%given = Variable StorageBuffer : ptr<StorageBuffer, %Words>
%lane_id = Variable Input : ptr<Input, u32>
%s = Variable Workgroup : ptr<Workgroup, u32>
%t = Variable Workgroup : ptr<Workgroup, array<u32, 8>>
%p = Variable Private : ptr<Private, u32>
%half = ConstantComposite undef<u32>, 5u : vec2<u32>
%five = ConstantComposite 5u, 6u : vec2<u32>
"""


def module(body: str, more: str = "") -> Module:
    return reknit.load(module_text(body, more).encode(), format="rk")


def module_text(body: str, more: str = "") -> str:
    """`body` gives %r, which is stored. %any is undefined, %odd holds in odd lanes."""
    return f"""{HEAD}
func @main() -> void {{
  %v = Variable Function : ptr<Function, u32>
  %w = Variable Function : ptr<Function, vec2<u32>>
  %a = Variable Function : ptr<Function, array<u32, 4>>
  %lane = Load %lane_id : u32
  %slot = AccessChain %out, 0u, %lane : ptr<StorageBuffer, u32>
  %bit = BitwiseAnd %lane, 1u : u32
  %odd = IEqual %bit, 1u : bool
  %any = CopyObject undef<u32> : u32
  %perhaps = Select %odd, %any, 5u : u32
{body}
  Store %slot, %r
  return
}}
{more}"""


def run(body: str, size: int = 8, more: str = "", **options: Any) -> Result:
    return prepare(module(body, more), subgroup_size=size, **options).run(
        Policy(), buffers={"out": [9] * 8, "given": [0] * 8}
    )


def shown(body: str, size: int = 8, more: str = "") -> str:
    return run(body, size, more).buffers["out"].first(8)


CALLED = """func @read(%at: ptr<Function, u32>) -> u32 {
  %got = Load %at : u32
  return %got
}
func @same(%it: u32) -> u32 {
  return %it
}
"""

NONE = "? ? ? ? ? ? ? ?"

SOURCES = {
    # "Each consumption of Result <id> yields an arbitrary, possibly different bit pattern" (OpUndef)
    "OpUndef": ("%r = IAdd undef<u32>, 0u : u32", NONE),
    "a part of a constant": ("%r = CompositeExtract %half 0 : u32", NONE),
    "the other part": ("%r = CompositeExtract %half 1 : u32", "5 5 5 5 5 5 5 5"),
    # "if Initializer is not present, the initial contents are undefined" (OpVariable)
    "Function": ("%r = Load %v : u32", NONE),
    "Private": ("%r = Load %p : u32", NONE),
    "Workgroup": ("%r = Load %s : u32", NONE),
    "written by some lanes": ("if %odd { Store %v, 7u }\n  %r = Load %v : u32", "? 7 ? 7 ? 7 ? 7"),
    "an element that was written": (
        "%q = AccessChain %a, 1u : ptr<Function, u32>\n  Store %q, 4u\n  %r = Load %q : u32",
        "4 4 4 4 4 4 4 4",
    ),
    "another element": (
        "%q = AccessChain %a, 1u : ptr<Function, u32>\n  Store %q, 4u\n"
        "  %q2 = AccessChain %a, 2u : ptr<Function, u32>\n  %r = Load %q2 : u32",
        NONE,
    ),
    "one component of a vector": (
        "%q = AccessChain %w, %bit : ptr<Function, u32>\n  Store %q, 4u\n"
        "  %x = Load %w : vec2<u32>\n  %r = CompositeExtract %x 1 : u32",
        "? 4 ? 4 ? 4 ? 4",
    ),
    "through a pointer that is passed": (
        "if %odd { Store %v, 7u }\n  %r = FunctionCall @read, %v : u32",
        "? 7 ? 7 ? 7 ? 7",
    ),
    # "The resulting value is undefined if Shift is greater than or equal to the bit width" (OpShiftLeftLogical)
    "a shift": ("%by = IMul %lane, 8u : u32\n  %r = ShiftLeftLogical 1u, %by : u32", "1 256 65536 16777216 ? ? ? ?"),
    # "The resulting value is undefined if Operand 2 is 0" (OpUDiv)
    "a division": ("%r = UDiv 8u, %bit : u32", "? 8 ? 8 ? 8 ? 8"),
    # "... or if Operand 2 is -1 and Operand 1 is the minimum representable value" (OpSRem)
    "an overflow": (
        "%m = Select %odd, 4294967295u, 1u : u32\n  %r = SRem 2147483648u, %m : u32",
        "0 ? 0 ? 0 ? 0 ?",
    ),
    # "If Count + Offset is greater than the number of bits in the result, the result is undefined"
    "a bit field": ("%n = IMul %bit, 30u : u32\n  %r = BitFieldUExtract 255u, 4u, %n : u32", "0 ? 0 ? 0 ? 0 ?"),
    # "Behavior is undefined if Result Type is not wide enough to hold the converted value" (OpConvertFToU)
    "a conversion": (
        "%f = Select %odd, 1.0e20f, 3.5f : f32\n  %r = ConvertFToU %f : u32",
        "3 ? 3 ? 3 ? 3 ?",
    ),
    # "what memory is read is undefined if the value of Index is less than zero or ... the number of components"
    "a component that a vector has not": (
        "%r = VectorExtractDynamic %five, %lane : u32",
        "5 6 ? ? ? ? ? ?",
    ),
    # "0xFFFFFFFF, indicating that the corresponding result component has no source and is undefined" (OpVectorShuffle)
    "a shuffle without a source": (
        "%k = CompositeConstruct 5u, 6u : vec2<u32>\n  %k2 = VectorShuffle %k, %k, 1, 4294967295 : vec2<u32>\n"
        "  %e0 = CompositeExtract %k2 0 : u32\n  %e1 = CompositeExtract %k2 1 : u32\n"
        "  %r = Select %odd, %e1, %e0 : u32",
        "6 ? 6 ? 6 ? 6 ?",
    ),
    # "the result is undefined if Value ... is an inactive invocation" (OpGroupNonUniformShuffle)
    "an absent invocation": (
        "%r0 = Select %odd, 0u, 0u : u32\n  Store %v, 3u\n"
        "  if %odd {\n  %from = BitwiseAnd %lane, 2u : u32\n  %x = GroupNonUniformShuffle 3u, %lane, %from : u32\n"
        "  Store %v, %x\n}\n  %r = Load %v : u32",
        "3 ? 3 ? 3 ? 3 ?",
    ),
    # GLSL.std.450: Pow "Result is undefined if x < 0", SmoothStep "undefined if edge0 >= edge1", UClamp "if minVal >
    # maxVal"
    "a power": (
        "%f = Select %odd, -2.0f, 2.0f : f32\n  %g = ExtInst %glsl Pow %f, 2.0f : f32\n  %r = ConvertFToU %g : u32",
        "4 ? 4 ? 4 ? 4 ?",
    ),
    "a smooth step": (
        "%f = Select %odd, 2.0f, 0.0f : f32\n  %g = ExtInst %glsl SmoothStep %f, 1.0f, 3.0f : f32\n"
        "  %r = ConvertFToU %g : u32",
        "1 ? 1 ? 1 ? 1 ?",
    ),
    "a clamp": ("%r = ExtInst %glsl UClamp 5u, %bit, 0u : u32", "0 ? 0 ? 0 ? 0 ?"),
}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", SOURCES)
def test_where_undefined_values_come_from(name: str, size: int) -> None:
    body, expected = SOURCES[name]
    assert shown(body, size, CALLED if "@" in body else "") == expected


SPREADING = {
    "x & 0": ("%r = BitwiseAnd %any, 0u : u32", "0 0 0 0 0 0 0 0"),
    "x & lane": ("%r = BitwiseAnd %any, %bit : u32", "0 ? 0 ? 0 ? 0 ?"),
    "x * 0": ("%r = IMul %any, 0u : u32", "0 0 0 0 0 0 0 0"),
    "x | all bits": ("%r = BitwiseOr %any, 4294967295u : u32", " ".join(["4294967295"] * 8)),
    "x ^ x": ("%r = BitwiseXor %any, %any : u32", NONE),
    "x - x": ("%r = ISub %any, %any : u32", NONE),
    "x < 0, unsigned": ("%c = ULessThan %any, 0u : bool\n  %r = Select %c, 1u, 2u : u32", "2 2 2 2 2 2 2 2"),
    "x < 1, unsigned": ("%c = ULessThan %any, 1u : bool\n  %r = Select %c, 1u, 2u : u32", NONE),
    "a choice that is known": ("%r = Select %odd, %any, 5u : u32", "5 ? 5 ? 5 ? 5 ?"),
    "a choice that is not": (
        "%c = IEqual %any, 3u : bool\n  %r = Select %c, %lane, 4u : u32",
        "? ? ? ? 4 ? ? ?",
    ),
    "components": (
        "%x = CompositeConstruct %perhaps, %lane : vec2<u32>\n  %y = IAdd %x, %x : vec2<u32>\n"
        "  %r = CompositeExtract %y 1 : u32",
        "0 2 4 6 8 10 12 14",
    ),
    "the other component": (
        "%x = CompositeConstruct %perhaps, %lane : vec2<u32>\n  %y = IAdd %x, %x : vec2<u32>\n"
        "  %r = CompositeExtract %y 0 : u32",
        "10 ? 10 ? 10 ? 10 ?",
    ),
    "one component that is undefined": (
        "%x = CompositeConstruct %bit, 1u : vec2<u32>\n  %k = CompositeConstruct 6u, 8u : vec2<u32>\n"
        "  %y = UDiv %k, %x : vec2<u32>\n  %r = CompositeExtract %y 1 : u32",
        "8 8 8 8 8 8 8 8",
    ),
    "a member put in": (
        "%x = CompositeConstruct %any, %any : vec2<u32>\n  %y = CompositeInsert 3u, %x 1 : vec2<u32>\n"
        "  %r = CompositeExtract %y 1 : u32",
        "3 3 3 3 3 3 3 3",
    ),
    "a carry": (
        "%x = IAddCarry %any, 0u : %Two\n  %r = CompositeExtract %x 1 : u32",
        "0 0 0 0 0 0 0 0",
    ),
    "a sum with it": ("%x = IAddCarry %any, 0u : %Two\n  %r = CompositeExtract %x 0 : u32", NONE),
    "a cast": ("%f = Bitcast %perhaps : f32\n  %r = Bitcast %f : u32", "5 ? 5 ? 5 ? 5 ?"),
    "a float times zero, which may be a NaN": (
        "%f = Bitcast %any : f32\n  %g = FMul %f, 0.0f : f32\n  %r = Bitcast %g : u32",
        NONE,
    ),
    "a comparison with a NaN": (
        "%f = Bitcast %any : f32\n  %nan = Bitcast 2143289344u : f32\n  %c = FOrdLessThan %f, %nan : bool\n"
        "  %r = Select %c, 1u, 2u : u32",
        "2 2 2 2 2 2 2 2",
    ),
    "a call": (
        "%r = FunctionCall @same, %perhaps : u32",
        "5 ? 5 ? 5 ? 5 ?",
    ),
    "memory": ("Store %v, %perhaps\n  %r = Load %v : u32", "5 ? 5 ? 5 ? 5 ?"),
    "memory that is written again": ("Store %v, %any\n  Store %v, %lane\n  %r = Load %v : u32", "0 1 2 3 4 5 6 7"),
    "a buffer": (
        "%g = AccessChain %given, 0u, %lane : ptr<StorageBuffer, u32>\n  Store %g, %perhaps\n  %r = Load %g : u32",
        "5 ? 5 ? 5 ? 5 ?",
    ),
    "an atomic": (
        "%g = AccessChain %given, 0u, %lane : ptr<StorageBuffer, u32>\n  Store %g, %perhaps\n"
        "  %r = AtomicIAdd %g, 1u, 0u, 1u : u32",
        "5 ? 5 ? 5 ? 5 ?",
    ),
    "what an atomic leaves": (
        "%g = AccessChain %given, 0u, %lane : ptr<StorageBuffer, u32>\n"
        "  %old = AtomicIAdd %g, 1u, 0u, %perhaps : u32\n  %r = Load %g : u32",
        "5 ? 5 ? 5 ? 5 ?",
    ),
    "and with zero leaves": (
        "%g = AccessChain %given, 0u, %lane : ptr<StorageBuffer, u32>\n  Store %g, %any\n"
        "  %old = AtomicAnd %g, 1u, 0u, 0u : u32\n  %r = Load %g : u32",
        "0 0 0 0 0 0 0 0",
    ),
}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", SPREADING)
def test_how_they_spread(name: str, size: int) -> None:
    body, expected = SPREADING[name]
    assert shown(body, size, CALLED if "@" in body else "") == expected


def test_a_phi_passes_what_comes_along_its_edge() -> None:
    body = "if %odd {\na:\n  %x = IAdd %any, 1u : u32\n} else {\nb:\n  %y = IAdd %lane, 1u : u32\n}\n"
    body += "  %r = Phi %x a, %y b : u32"
    assert shown(body) == "1 ? 3 ? 5 ? 7 ?"


GROUPS = {
    # of what a vote asks, one lane that is known decides: All is false where one is false
    "all of what is known to be false somewhere": (
        "%c = ULessThan %perhaps, 5u : bool\n  %q = GroupNonUniformAll 3u, %c : bool\n  %r = Select %q, 1u, 2u : u32",
        dict.fromkeys(SIZES, "2 2 2 2 2 2 2 2"),
    ),
    "any of it": (
        "%c = ULessThan %perhaps, 5u : bool\n  %q = GroupNonUniformAny 3u, %c : bool\n  %r = Select %q, 1u, 2u : u32",
        dict.fromkeys(SIZES, NONE),
    ),
    "a ballot": (
        "%c = ULessThan %perhaps, 5u : bool\n  %q = GroupNonUniformBallot 3u, %c : vec4<u32>\n"
        "  %r = CompositeExtract %q 0 : u32",
        dict.fromkeys(SIZES, NONE),
    ),
    "the words of a ballot that no lane is in": (
        "%c = ULessThan %perhaps, 5u : bool\n  %q = GroupNonUniformBallot 3u, %c : vec4<u32>\n"
        "  %r = CompositeExtract %q 3 : u32",
        dict.fromkeys(SIZES, "0 0 0 0 0 0 0 0"),
    ),
    # lanes 0 to 3 are defined, lane 5 is not: a subgroup of 4 keeps it to itself
    "a sum": (
        "%six = IEqual %lane, 5u : bool\n  %x = Select %six, %any, 1u : u32\n"
        "  %r = GroupNonUniformIAdd 3u Reduce %x : u32",
        {4: "4 4 4 4 ? ? ? ?", 8: NONE, 32: NONE, 64: NONE},
    ),
    "a scan": (
        "%six = IEqual %lane, 5u : bool\n  %x = Select %six, %any, 1u : u32\n"
        "  %r = GroupNonUniformIAdd 3u InclusiveScan %x : u32",
        {4: "1 2 3 4 1 ? ? ?", 8: "1 2 3 4 5 ? ? ?", 32: "1 2 3 4 5 ? ? ?", 64: "1 2 3 4 5 ? ? ?"},
    ),
    "an exclusive scan": (
        "%six = IEqual %lane, 5u : bool\n  %x = Select %six, %any, 1u : u32\n"
        "  %r = GroupNonUniformIAdd 3u ExclusiveScan %x : u32",
        {4: "0 1 2 3 0 1 ? ?", 8: "0 1 2 3 4 5 ? ?", 32: "0 1 2 3 4 5 ? ?", 64: "0 1 2 3 4 5 ? ?"},
    ),
    "clusters": (
        "%six = IEqual %lane, 5u : bool\n  %x = Select %six, %any, 1u : u32\n"
        "  %r = GroupNonUniformIAdd 3u ClusteredReduce %x, 2u : u32",
        dict.fromkeys(SIZES, "2 2 2 2 ? ? 2 2"),
    ),
    "bits that all must have, of which a lane has none": (
        "%x = Select %odd, %any, 0u : u32\n  %r = GroupNonUniformBitwiseAnd 3u Reduce %x : u32",
        dict.fromkeys(SIZES, "0 0 0 0 0 0 0 0"),
    ),
    "what is read": (
        "%from = BitwiseXor %lane, 1u : u32\n  %r = GroupNonUniformShuffle 3u, %perhaps, %from : u32",
        {4: "? 5 ? 5 ? ? ? ?", 8: "? 5 ? 5 ? 5 ? 5", 32: "? 5 ? 5 ? 5 ? 5", 64: "? 5 ? 5 ? 5 ? 5"},
    ),
    "the first lane's": (
        "%r = GroupNonUniformBroadcastFirst 3u, %perhaps : u32",
        dict.fromkeys(SIZES, "5 5 5 5 5 5 5 5"),
    ),
    "a swap in quads": (
        "%r = GroupNonUniformQuadSwap 3u, %perhaps, 0u : u32",
        dict.fromkeys(SIZES, "? 5 ? 5 ? 5 ? 5"),
    ),
}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", GROUPS)
def test_groups(name: str, size: int) -> None:
    body, expected = GROUPS[name]
    assert shown(body, size) == expected[size]


G = "%g = AccessChain %given, 0u, %lane : ptr<StorageBuffer, u32>\n"
X = "%x = CompositeConstruct %perhaps, 7u : vec2<u32>\n"
ANY2 = "%x = CompositeConstruct %any, %any : vec2<u32>\n"
PICK = "%n = Select %odd, %any, 0u : u32\n"
OTHER = "%other = BitwiseXor %bit, 1u : u32\n"
BITS = "%b = INotEqual %any, 0u : bool\n"
MOST = " ".join(["4294967295"] * 8)


def of_bool(line: str) -> str:
    return f"{line}\n  %r = Select %c, 1u, 2u : u32"


MOVING = {
    "a component by a number": (X + "%r = VectorExtractDynamic %x, %bit : u32", "5 7 5 7 5 7 5 7"),
    "the other one by a number": (X + OTHER + "%r = VectorExtractDynamic %x, %other : u32", "7 ? 7 ? 7 ? 7 ?"),
    "a component by an undefined number": (PICK + "%r = VectorExtractDynamic %five, %n : u32", "5 ? 5 ? 5 ? 5 ?"),
    "a component put in by a number": (
        ANY2 + "%y = VectorInsertDynamic %x, %lane, %bit : vec2<u32>\n%r = VectorExtractDynamic %y, %bit : u32",
        "0 1 2 3 4 5 6 7",
    ),
    "beside one that is put in": (
        ANY2 + "%y = VectorInsertDynamic %x, %lane, %bit : vec2<u32>\n%r = CompositeExtract %y 0 : u32",
        "0 ? 2 ? 4 ? 6 ?",
    ),
    "put in by an undefined number": (
        PICK + "%y = VectorInsertDynamic %five, 3u, %n : vec2<u32>\n%r = CompositeExtract %y 1 : u32",
        "6 ? 6 ? 6 ? 6 ?",
    ),
    "a shuffle, of the first": (
        X + "%y = CompositeConstruct 2u, %any : vec2<u32>\n%z = VectorShuffle %x, %y, 0, 2 : vec2<u32>\n"
        "%r = CompositeExtract %z 0 : u32",
        "5 ? 5 ? 5 ? 5 ?",
    ),
    "a shuffle, of the second": (
        X + "%y = CompositeConstruct 2u, %any : vec2<u32>\n%z = VectorShuffle %x, %y, 0, 2 : vec2<u32>\n"
        "%r = CompositeExtract %z 1 : u32",
        "2 2 2 2 2 2 2 2",
    ),
    "a shuffle, of the last": (
        X + "%y = CompositeConstruct 2u, %any : vec2<u32>\n%z = VectorShuffle %x, %y, 1, 3 : vec2<u32>\n"
        "%r = CompositeExtract %z 1 : u32",
        NONE,
    ),
    "a vector in a vector": (
        X + "%y = CompositeConstruct %x, %lane : vec3<u32>\n%r = CompositeExtract %y 2 : u32",
        "0 1 2 3 4 5 6 7",
    ),
    "the first of a vector in a vector": (
        X + "%y = CompositeConstruct %x, %lane : vec3<u32>\n%r = CompositeExtract %y 0 : u32",
        "5 ? 5 ? 5 ? 5 ?",
    ),
    "the last of a vector in a vector": (
        X + "%y = CompositeConstruct %x, %any : vec3<u32>\n%r = CompositeExtract %y 1 : u32",
        "7 7 7 7 7 7 7 7",
    ),
    "within a struct": (
        "%x = CompositeConstruct %any, %five : %Pair\n%y = CompositeInsert %perhaps, %x 1 0 : %Pair\n"
        "%r = CompositeExtract %y 1 1 : u32",
        "6 6 6 6 6 6 6 6",
    ),
    "what is put in within a struct": (
        "%x = CompositeConstruct %any, %five : %Pair\n%y = CompositeInsert %perhaps, %x 1 0 : %Pair\n"
        "%r = CompositeExtract %y 1 0 : u32",
        "5 ? 5 ? 5 ? 5 ?",
    ),
    "beside a vector in a struct": (
        "%x = CompositeConstruct %any, %five : %Pair\n%y = CompositeInsert %perhaps, %x 1 0 : %Pair\n"
        "%r = CompositeExtract %y 0 : u32",
        NONE,
    ),
    "any of a vector, one of which is true": (
        BITS + of_bool("%v2 = CompositeConstruct %b, true : vec2<bool>\n%c = Any %v2 : bool"),
        "1 1 1 1 1 1 1 1",
    ),
    "any of a vector, of which the other is false": (
        BITS + of_bool("%v2 = CompositeConstruct %b, false : vec2<bool>\n%c = Any %v2 : bool"),
        NONE,
    ),
    "all of a vector, one of which is false": (
        BITS + of_bool("%v2 = CompositeConstruct false, %b : vec2<bool>\n%c = All %v2 : bool"),
        "2 2 2 2 2 2 2 2",
    ),
    "all of a vector, of which the other is true": (
        BITS + of_bool("%v2 = CompositeConstruct true, %b : vec2<bool>\n%c = All %v2 : bool"),
        NONE,
    ),
    "a choice of components": (
        "%k = CompositeConstruct %odd, %odd : vec2<bool>\n%x = CompositeConstruct %any, %lane : vec2<u32>\n"
        "%z = Select %k, %x, %five : vec2<u32>\n%r = CompositeExtract %z 1 : u32",
        "6 1 6 3 6 5 6 7",
    ),
    "a choice of undefined components": (
        "%k = CompositeConstruct %odd, %odd : vec2<bool>\n%x = CompositeConstruct %any, %lane : vec2<u32>\n"
        "%z = Select %k, %x, %five : vec2<u32>\n%r = CompositeExtract %z 0 : u32",
        "5 ? 5 ? 5 ? 5 ?",
    ),
    "a choice of two that are equal": (BITS + "%r = Select %b, 4u, 4u : u32", "4 4 4 4 4 4 4 4"),
    "a struct in memory": (
        X + "Store %w, %x\n%y = Load %w : vec2<u32>\n%r = CompositeExtract %y 1 : u32",
        "7 7 7 7 7 7 7 7",
    ),
    "private memory": ("Store %p, %perhaps\n%r = Load %p : u32", "5 ? 5 ? 5 ? 5 ?"),
    "workgroup memory": (
        "%q = AccessChain %t, %lane : ptr<Workgroup, u32>\nStore %q, %perhaps\n%r = Load %q : u32",
        "5 ? 5 ? 5 ? 5 ?",
    ),
}
KNOWN = {
    "x <= the greatest": (of_bool("%c = ULessThanEqual %any, 4294967295u : bool"), "1 1 1 1 1 1 1 1"),
    "x >= 0": (of_bool("%c = UGreaterThanEqual %any, 0u : bool"), "1 1 1 1 1 1 1 1"),
    "x > the greatest": (of_bool("%c = UGreaterThan %any, 4294967295u : bool"), "2 2 2 2 2 2 2 2"),
    "x > 0": (of_bool("%c = UGreaterThan %any, 0u : bool"), NONE),
    "x and false": (BITS + of_bool("%c = LogicalAnd %b, false : bool"), "2 2 2 2 2 2 2 2"),
    "x and true": (BITS + of_bool("%c = LogicalAnd %b, true : bool"), NONE),
    "x or true": (BITS + of_bool("%c = LogicalOr true, %b : bool"), "1 1 1 1 1 1 1 1"),
    "x or false": (BITS + of_bool("%c = LogicalOr false, %b : bool"), NONE),
    "not x": (BITS + of_bool("%c = LogicalNot %b : bool"), NONE),
    "x == x": (of_bool("%c = IEqual %any, %any : bool"), NONE),
    "a borrow": ("%x = ISubBorrow %any, 0u : %Two\n%r = CompositeExtract %x 1 : u32", "0 0 0 0 0 0 0 0"),
    "a difference": ("%x = ISubBorrow %any, 0u : %Two\n%r = CompositeExtract %x 0 : u32", NONE),
    "a product with 0, low": ("%x = UMulExtended %any, 0u : %Two\n%r = CompositeExtract %x 0 : u32", "0 0 0 0 0 0 0 0"),
    "a product with 0, high": (
        "%x = UMulExtended 0u, %any : %Two\n%r = CompositeExtract %x 1 : u32",
        "0 0 0 0 0 0 0 0",
    ),
    "a product with 1, high": (
        "%x = UMulExtended %any, 1u : %Two\n%r = CompositeExtract %x 1 : u32",
        "0 0 0 0 0 0 0 0",
    ),
    "a product with 2, high": ("%x = UMulExtended %any, 2u : %Two\n%r = CompositeExtract %x 1 : u32", NONE),
    "a least": ("%r = ExtInst %glsl UMin %any, 0u : u32", "0 0 0 0 0 0 0 0"),
    "a least of 1": ("%r = ExtInst %glsl UMin %any, 1u : u32", NONE),
    "a greatest": ("%r = ExtInst %glsl UMax %any, 4294967295u : u32", MOST),
    "not all bits": ("%n = Not %perhaps : u32\n%r = BitwiseAnd %n, 7u : u32", "2 ? 2 ? 2 ? 2 ?"),
    "a count of bits": ("%r = BitCount %perhaps : u32", "2 ? 2 ? 2 ? 2 ?"),
    "a sum of known ones beside": (
        X + "%y = IMul %x, %x : vec2<u32>\n%r = CompositeExtract %y 1 : u32",
        "49 49 49 49 49 49 49 49",
    ),
}
ATOMICS = {
    "all bits": (G + "Store %g, %any\n%old = AtomicOr %g, 1u, 0u, 4294967295u : u32\n%r = Load %g : u32", MOST),
    "no bit": (G + "Store %g, %any\n%old = AtomicOr %g, 1u, 0u, 0u : u32\n%r = Load %g : u32", NONE),
    "an exchange": (
        G + "Store %g, %any\n%old = AtomicExchange %g, 1u, 0u, %lane : u32\n%r = Load %g : u32",
        "0 1 2 3 4 5 6 7",
    ),
    "what an exchange gives": (G + "Store %g, %perhaps\n%r = AtomicExchange %g, 1u, 0u, %any : u32", "5 ? 5 ? 5 ? 5 ?"),
    "a least": (G + "Store %g, %any\n%old = AtomicUMin %g, 1u, 0u, 0u : u32\n%r = Load %g : u32", "0 0 0 0 0 0 0 0"),
    "a greatest": (G + "Store %g, %any\n%old = AtomicUMax %g, 1u, 0u, 4294967295u : u32\n%r = Load %g : u32", MOST),
    "an undefined greatest of the greatest": (
        G + "Store %g, 4294967295u\n%old = AtomicUMax %g, 1u, 0u, %any : u32\n%r = Load %g : u32",
        MOST,
    ),
    "one more": (
        G + "Store %g, %perhaps\n%old = AtomicIIncrement %g, 1u, 0u : u32\n%r = Load %g : u32",
        "6 ? 6 ? 6 ? 6 ?",
    ),
    "a store": (G + "AtomicStore %g, 1u, 0u, %perhaps\n%r = Load %g : u32", "5 ? 5 ? 5 ? 5 ?"),
    "a load": (G + "Store %g, %perhaps\n%r = AtomicLoad %g, 1u, 0u : u32", "5 ? 5 ? 5 ? 5 ?"),
    "a swap where it is equal": (
        G + "Store %g, 5u\n%old = AtomicCompareExchange %g, 1u, 0u, 0u, %any, 5u : u32\n%r = Load %g : u32",
        NONE,
    ),
    "a swap where it is not": (
        G + "Store %g, 4u\n%old = AtomicCompareExchange %g, 1u, 0u, 0u, %any, 5u : u32\n%r = Load %g : u32",
        "4 4 4 4 4 4 4 4",
    ),
    "what a swap gives": (
        G + "Store %g, %perhaps\n%r = AtomicCompareExchange %g, 1u, 0u, 0u, 1u, 5u : u32",
        "5 ? 5 ? 5 ? 5 ?",
    ),
    "a swap of what is undefined": (
        G + "Store %g, %any\n%old = AtomicCompareExchange %g, 1u, 0u, 0u, 1u, 5u : u32\n%r = Load %g : u32",
        NONE,
    ),
    "a swap by what is undefined": (
        G + "Store %g, 4u\n%old = AtomicCompareExchange %g, 1u, 0u, 0u, 1u, %any : u32\n%r = Load %g : u32",
        NONE,
    ),
}


@pytest.mark.parametrize("size", [4, 32])
@pytest.mark.parametrize(
    "name",
    [
        *[f"moving: {name}" for name in MOVING],
        *[f"known: {name}" for name in KNOWN],
        *[f"atomic: {name}" for name in ATOMICS],
    ],
)
def test_moves_known_bits_and_atomics(name: str, size: int) -> None:
    """A bit of a result is known if it is the same whatever the undefined bits are; each use has others."""
    kind, _, row = name.partition(": ")
    body, expected = {"moving": MOVING, "known": KNOWN, "atomic": ATOMICS}[kind][row]
    assert shown(body, size) == expected


MORE_GROUPS = {
    "whether all are equal": (of_bool("%c = GroupNonUniformAllEqual 3u, %perhaps : bool"), NONE),
    "whether all are equal, of which two known ones are not": (
        "%n = Select %odd, %any, %lane : u32\n" + of_bool("%c = GroupNonUniformAllEqual 3u, %n : bool"),
        "2 2 2 2 2 2 2 2",
    ),
    "a least of all, of which one has 0": (
        "%n = Select %odd, %any, 0u : u32\n%r = GroupNonUniformUMin 3u Reduce %n : u32",
        "0 0 0 0 0 0 0 0",
    ),
    "a greatest": ("%r = GroupNonUniformUMax 3u Reduce %perhaps : u32", NONE),
    "a product of all, of which one has 0": (
        "%n = Select %odd, %any, 0u : u32\n%r = GroupNonUniformIMul 3u Reduce %n : u32",
        "0 0 0 0 0 0 0 0",
    ),
    "the lane beside": ("%r = GroupNonUniformShuffleXor 3u, %perhaps, 1u : u32", "? 5 ? 5 ? 5 ? 5"),
    "two lanes on": ("%r = GroupNonUniformShuffleXor 3u, %perhaps, 2u : u32", "5 ? 5 ? 5 ? 5 ?"),
    "the quad's second": ("%r = GroupNonUniformQuadBroadcast 3u, %perhaps, 1u : u32", NONE),
    "the quad's third": ("%r = GroupNonUniformQuadBroadcast 3u, %perhaps, 2u : u32", "5 5 5 5 5 5 5 5"),
    "a swap of rows": ("%r = GroupNonUniformQuadSwap 3u, %perhaps, 1u : u32", "5 ? 5 ? 5 ? 5 ?"),
    "a lane that is named": ("%r = GroupNonUniformBroadcast 3u, %perhaps, 2u : u32", "5 5 5 5 5 5 5 5"),
    "an undefined lane that is named": ("%r = GroupNonUniformBroadcast 3u, %perhaps, 3u : u32", NONE),
    "a vote of which one is false": (
        "%n = Select %odd, %any, 0u : u32\n%b2 = INotEqual %n, 0u : bool\n"
        + of_bool("%c = GroupNonUniformAll 3u, %b2 : bool"),
        "2 2 2 2 2 2 2 2",
    ),
    "a vote of which one is true": (
        "%n = Select %odd, %any, 0u : u32\n%b2 = IEqual %n, 0u : bool\n"
        + of_bool("%c = GroupNonUniformAny 3u, %b2 : bool"),
        "1 1 1 1 1 1 1 1",
    ),
}


@pytest.mark.parametrize("size", [4, 32])
@pytest.mark.parametrize("name", MORE_GROUPS)
def test_what_one_lane_decides_for_all(name: str, size: int) -> None:
    body, expected = MORE_GROUPS[name]
    assert shown(body, size) == expected


IMAGE = """Decorate %image DescriptorSet 0
Decorate %image Binding 2
names %image
%Image = TypeImage u32 1D 0 0 0 2 {format}
%image = Variable UniformConstant : ptr<UniformConstant, %Image>
"""
OPEN = "%im = Load %image : %Image\n"
TEXEL = OPEN + "%mine = CompositeConstruct %perhaps, %lane, %any, 7u : vec4<u32>\nImageWrite %im, %lane, %mine\n"
BACK = "%t4 = ImageRead %im, {at} : vec4<u32>\n%r = CompositeExtract %t4 {part} : u32"
TEXELS = {
    "a texel's first": ("Rgba32ui", TEXEL + BACK.format(at="%lane", part=0), "5 ? 5 ? 5 ? 5 ?"),
    "a texel's second": ("Rgba32ui", TEXEL + BACK.format(at="%lane", part=1), "0 1 2 3 4 5 6 7"),
    "a texel's third": ("Rgba32ui", TEXEL + BACK.format(at="%lane", part=2), NONE),
    "a texel's last": ("Rgba32ui", TEXEL + BACK.format(at="%lane", part=3), "7 7 7 7 7 7 7 7"),
    "a texel's last, of bytes": ("Rgba8ui", TEXEL + BACK.format(at="%lane", part=3), "7 7 7 7 7 7 7 7"),
    "a texel's first, of bytes": ("Rgba8ui", TEXEL + BACK.format(at="%lane", part=0), "5 ? 5 ? 5 ? 5 ?"),
    "a component that the format has not": ("R32ui", TEXEL + BACK.format(at="%lane", part=2), "0 0 0 0 0 0 0 0"),
    "the last that the format has not": ("R32ui", TEXEL + BACK.format(at="%lane", part=3), "1 1 1 1 1 1 1 1"),
    "the one that the format has": ("R32ui", TEXEL + BACK.format(at="%lane", part=0), "5 ? 5 ? 5 ? 5 ?"),
    "a texel that is written again": (
        "R32ui",
        TEXEL
        + "%again = CompositeConstruct %lane, 0u, 0u, 0u : vec4<u32>\nImageWrite %im, %lane, %again\n"
        + BACK.format(at="%lane", part=0),
        "0 1 2 3 4 5 6 7",
    ),
    "an undefined texel": ("R32ui", OPEN + BACK.format(at="%perhaps", part=0), "0 ? 0 ? 0 ? 0 ?"),
    "a texel that nobody writes": (
        "R32ui",
        OPEN
        + "%mine = CompositeConstruct %any, %any, %any, %any : vec4<u32>\nif %odd { ImageWrite %im, %lane, %mine }\n"
        + BACK.format(at="%lane", part=0),
        "0 ? 0 ? 0 ? 0 ?",
    ),
    "an undefined place that is written": (
        "R32ui",
        OPEN
        + "%mine = CompositeConstruct 3u, 3u, 3u, 3u : vec4<u32>\nImageWrite %im, %any, %mine\n"
        + BACK.format(at="%lane", part=0),
        NONE,
    ),
}


@pytest.mark.parametrize("name", TEXELS)
def test_texels(name: str) -> None:
    """Component by component; what is written to an undefined place may be anywhere. What a format lacks is 0, 0, 1."""
    format, body, expected = TEXELS[name]
    head = HEAD.replace(
        "Capability Float64", "Capability Float64\nCapability Image1D\nCapability StorageImageExtendedFormats"
    )
    text = module_text(body).replace(HEAD, head)
    at = text.index("%words = TypeRuntimeArray")
    lines = IMAGE.format(format=format).split("\n")
    text = text[:at] + "\n".join(lines[:3]) + "\n" + text[at:]
    at = text.index("%lane_id = Variable")
    text = text[:at] + "\n".join(lines[3:]) + text[at:]
    program = prepare(reknit.load(text.encode(), format="rk"), subgroup_size=8)
    image = Image([8], {"Rgba32ui": "rgba32ui", "Rgba8ui": "rgba8ui", "R32ui": "r32ui"}[format])
    result = program.run(Policy(), buffers={"out": [9] * 8, "given": [0] * 8, "image": image})
    assert result.buffers["out"].first(8) == expected


# --- where they arrive ------------------------------------------------------------------------------------------------


def reached(result: Result) -> list[tuple[str, list[str]]]:
    said = [found for found in result.diagnostics if found.code == "RK1022"]
    assert all(found.severity == "warning" for found in said)
    return [(found.message, [note.message for note in found.notes]) for found in said]


def test_words_name_their_source() -> None:
    assert reached(run("%r = Load %v : u32")) == [
        ("words 0-7 of out are undefined", ["it comes from OpLoad %r: nothing has written v before"])
    ]
    result = run("%r = Load %v : u32")
    source = result.buffers["out"].undefined[3]
    assert source.where() == "line " + str(source.place.line) and source.place.line > 40


def test_what_is_reported_itself_is_not_reported_twice() -> None:
    result = run("%r = UDiv 8u, %bit : u32")
    assert [found.code for found in result.diagnostics] == ["RK1015"]


def test_zeros_in_the_place_of_undefined_values_are_no_fault() -> None:
    """8 / x divides by what may be 0; that it is 0 is not known."""
    result = run("%r = UDiv 8u, %any : u32")
    assert [found.code for found in result.diagnostics] == ["RK1022"]


def test_a_branch() -> None:
    body = "%c = IEqual %perhaps, 5u : bool\n  if %c { Store %v, 1u } else { Store %v, 2u }\n  %r = Load %v : u32"
    result = run(body)
    assert reached(result) == [("a branch depends on an undefined value (lanes 1, 3, 5, 7)", ["it comes from OpUndef"])]
    every = outcomes(module(body), subgroup_size=8, buffers={"out": [9] * 8, "given": [0] * 8})
    assert not every.exhaustive
    assert len(every.undefined_reached) == 1
    assert "undefined values were taken as zero: a branch depends" in every.coverage


def test_an_address_that_is_read() -> None:
    body = "%i = BitwiseAnd %perhaps, 3u : u32\n  %g = AccessChain %given, 0u, %i : ptr<StorageBuffer, u32>\n"
    body += "  %r = Load %g : u32"
    result = run(body)
    assert result.buffers["out"].first(8) == "0 ? 0 ? 0 ? 0 ?"
    assert [text for text, _ in reached(result)] == [
        "OpLoad %r: the address of an access depends on an undefined value (lanes 1, 3, 5, 7)",
        "words 1, 3, 5, 7 of out are undefined",
    ]


def test_an_address_that_is_written() -> None:
    """All of what may be written may be anything."""
    body = "%i = BitwiseAnd %any, 3u : u32\n  %g = AccessChain %given, 0u, %i : ptr<StorageBuffer, u32>\n"
    body += "  Store %g, 1u\n  %r = IAdd 0u, 1u : u32"
    result = run(body)
    assert result.buffers["given"].first(8) == NONE
    assert result.buffers["out"].first(8) == "1 1 1 1 1 1 1 1"


def test_an_operand_that_says_which_lane_is_read() -> None:
    body = "%from = BitwiseAnd %any, 3u : u32\n  %r = GroupNonUniformShuffle 3u, %lane, %from : u32"
    result = run(body)
    assert result.buffers["out"].first(8) == NONE
    assert reached(result)[0][0] == "OpGroupNonUniformShuffle %r: an operand is undefined (lanes 0-7)"


# --- what is promised -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    "code, decoration, a, expected",
    [
        # a + 1 for a = 0x7fffffff wraps as a signed number, for a = 0xffffffff as an unsigned one
        (op.IAdd, enums.DecorationNoSignedWrap, 0x7FFFFFFE, "2147483647 ? 2147483649 2147483650"),
        (op.IAdd, enums.DecorationNoUnsignedWrap, 0x7FFFFFFE, "2147483647 2147483648 2147483649 2147483650"),
        (op.IAdd, enums.DecorationNoUnsignedWrap, 0xFFFFFFFE, "4294967295 ? 1 2"),
        (op.ISub, enums.DecorationNoUnsignedWrap, 0, "? 0 1 2"),
    ],
)
def test_what_is_decorated_not_to_wrap(code: int, decoration: int, a: int, expected: str, size: int) -> None:
    """%r = a + lane + 1, or a + lane - 1. "Apply to an instruction to indicate that it does not cause signed integer
    wrapping to occur" (SPV_KHR_no_integer_wrap_decoration)."""
    p = Compute(4)
    made = p.op2(code, p.op2(op.IAdd, p.const(a), p.index), p.const(1))
    p.module.decorations.append(annotation(op.Decorate, [made, decoration]))
    p.out(made)
    p.b.return_()
    assert prepare(p.module, subgroup_size=size).run(Policy()).buffers["out"].first(4) == expected


def test_a_trace_shows_them() -> None:
    program = prepare(module("if %odd { Store %v, 7u }\n  %r = Load %v : u32"), subgroup_size=8)
    program.record("all")
    result = program.run(Policy(), buffers={"out": [9] * 8}, trace=True)
    assert result.trace is not None and result.trace.recording is not None
    rows = list(result.trace.recording.table)
    assert ("?", 7, "?", 7, "?", 7, "?", 7) in rows and (5, "?", 5, "?", 5, "?", 5, "?") in rows
    assert [store.values for store in result.trace.recording.stores] == [("?", 7, "?", 7, "?", 7, "?", 7)]


# --- native code ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*SOURCES, *SPREADING, *GROUPS])
def test_native_code_gives_the_same(name: str) -> None:
    pytest.importorskip("llvmlite")
    body = {**SOURCES, **SPREADING, **GROUPS}[name][0]
    given = {"out": [9] * 8, "given": [0] * 8}
    plain = module(body) if "@" not in body else module(body, CALLED)
    results = [reknit.run(plain, engine=engine, subgroup_size=8, buffers=given) for engine in ("interpreter", "jit")]
    assert results[0].buffers["out"].first(8) == results[1].buffers["out"].first(8)


NATIVE = {
    "all that is read is written": ("Store %r0, %lane\n  %r = Load %r0 : u32", "0 1 2 3 4 5 6 7", True),
    "what another lane wrote": (
        "Store %r0, %lane\n  ControlBarrier 2u, 2u, 264u\n  %no = BitwiseXor %lane, 1u : u32\n"
        "  %at = AccessChain %t, %no : ptr<Workgroup, u32>\n  %r = Load %at : u32",
        "1 0 3 2 5 4 7 6",
        True,
    ),
    "what another lane did not write": (
        "if %low { Store %r0, %lane }\n  ControlBarrier 2u, 2u, 264u\n  %no = BitwiseXor %lane, 1u : u32\n"
        "  %at = AccessChain %t, %no : ptr<Workgroup, u32>\n  %r = Load %at : u32",
        "1 0 ? 2 ? ? ? ?",
        False,
    ),
    "the same place twice": (
        "Store %r0, 3u\n  %x = Load %r0 : u32\n  Store %r0, %x\n  %r = Load %r0 : u32",
        "3 3 3 3 3 3 3 3",
        True,
    ),
    "a function that is called twice": (
        "Store %r0, 3u\n  %x = FunctionCall @one, %r0 : u32\n  %w1 = BitwiseXor %lane, 7u : u32\n"
        "  %far = AccessChain %a, 1u : ptr<Function, u32>\n  %near = AccessChain %a, 0u : ptr<Function, u32>\n"
        "  Store %near, 1u\n  %y = FunctionCall @two, %near : u32\n  %r = FunctionCall @two, %far : u32",
        "? ? ? ? ? ? ? ?",
        False,
    ),
    "an atomic": ("%x = AtomicIAdd %r0, 2u, 0u, 1u : u32\n  %r = IAdd %x, 0u : u32", "? ? ? ? ? ? ? ?", False),
    "an atomic on what was written": (
        "Store %r0, 3u\n  %x = AtomicIAdd %r0, 2u, 0u, 1u : u32\n  %r = Load %r0 : u32",
        "4 4 4 4 4 4 4 4",
        True,
    ),
    "a struct in parts": (
        "%b = AccessChain %pair, 0u : ptr<Function, u32>\n  Store %b, 6u\n  %x = Load %b : u32\n"
        "  %r = IAdd %x, 0u : u32",
        "6 6 6 6 6 6 6 6",
        True,
    ),
    "a struct as a whole": (
        "%b = AccessChain %pair, 0u : ptr<Function, u32>\n  Store %b, 6u\n  %x = Load %pair : %Pair\n"
        "  %r = CompositeExtract %x 1 0 : u32",
        "? ? ? ? ? ? ? ?",
        False,
    ),
}


@pytest.mark.parametrize("size", [4, 8])
@pytest.mark.parametrize("name", NATIVE)
def test_native_code_sees_what_was_not_written(name: str, size: int) -> None:
    """And runs what is written, by itself; the rest is left to the interpreter."""
    pytest.importorskip("llvmlite")
    body, expected, runs = NATIVE[name]
    text = f"{HEAD}func @main() -> void {{\n  %a = Variable Function : ptr<Function, array<u32, 4>>\n"
    text += "  %pair = Variable Function : ptr<Function, %Pair>\n"
    text += "  %lane = Load %lane_id : u32\n  %low = ULessThan %lane, 3u : bool\n"
    text += "  %slot = AccessChain %out, 0u, %lane : ptr<StorageBuffer, u32>\n"
    text += "  %r0 = AccessChain %t, %lane : ptr<Workgroup, u32>\n"
    text += f"  {body}\n  Store %slot, %r\n  return\n}}\n"
    for function, storage in (("one", "Workgroup"), ("two", "Function")):
        text += f"func @{function}(%{function}_at: ptr<{storage}, u32>) -> u32 {{\n"
        text += f"  %{function}_got = Load %{function}_at : u32\n  return %{function}_got\n}}\n"
    native = reknit.run(
        reknit.load(text.encode(), format="rk"), engine="jit", subgroup_size=size, buffers={"out": [9] * 8}
    )
    assert native.buffers["out"].first(8) == expected
    assert native.engine == ("jit" if runs else "interpreter"), native.fallback


# --- what is made of it -----------------------------------------------------------------------------------------------


def test_outcomes_that_differ_in_such_words_are_one() -> None:
    """Nothing was written; see also `cases`: two drivers leave what they like."""
    every = outcomes(module("%r = Load %s : u32"), subgroup_size=8, buffers={"out": [9] * 8, "given": [0] * 8})
    assert every.exhaustive and len(every.outcomes) == 1
    assert every.outcomes[0].to_json()["buffers"]["out"]["undefined"] == list(range(8))  # type: ignore[index]
    assert every.outcomes[0].result.buffers["out"].words == [0] * 8


def test_a_run_that_meets_none_is_not_tracked() -> None:
    """Nor is one that watches a variable, as long as what it reads was written. %any stays where nothing uses it."""
    text = f"{HEAD}func @main() -> void {{\n  %lane = Load %lane_id : u32\n"
    text += "  %q = AccessChain %t, %lane : ptr<Workgroup, u32>\n  Store %q, %lane\n  %r = Load %q : u32\n"
    text += "  %slot = AccessChain %out, 0u, %lane : ptr<StorageBuffer, u32>\n  Store %slot, %r\n  return\n}\n"
    program = prepare(reknit.load(text.encode(), format="rk"), subgroup_size=8)
    assert [variable.name for variable in program.preparation.watched] == ["t"]
    result = program.run(Policy(), buffers={"out": [9] * 8})
    assert program.tracker is None
    assert result.buffers["out"].first(8) == "0 1 2 3 4 5 6 7"


def test_a_variable_that_every_way_writes_is_not_watched() -> None:
    body = "if %odd { Store %v, 7u } else { Store %v, 8u }\n  %r = Load %v : u32"
    assert "v" not in [variable.name for variable in prepare(module(body), subgroup_size=8).preparation.watched]
    body = "if %odd { Store %v, 7u }\n  %r = Load %v : u32"
    assert "v" in [variable.name for variable in prepare(module(body), subgroup_size=8).preparation.watched]
