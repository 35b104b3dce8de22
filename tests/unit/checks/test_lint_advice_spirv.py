"""The advice of lint that no GLSL text can take: for unstructured functions, OpGroup operations, operands that must be
uniform and descriptors, applied in reknit's own text. As in test_lint_advice, the program after has no finding and may
do no more than the one before."""

import pytest

import reknit
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.passes.manager import run_passes

HEAD = """
Capability Shader
Capability Groups
Capability GroupNonUniform
Capability GroupNonUniformBallot
Capability GroupNonUniformShuffle
Capability GroupNonUniformArithmetic
MemoryModel Logical GLSL450
EntryPoint GLCompute @main "main" %lane_id
ExecutionMode @main LocalSize 4 1 1
ExecutionMode @main MaximallyReconvergesKHR
Extension "SPV_KHR_maximal_reconvergence"
Decorate %lane_id BuiltIn LocalInvocationIndex
Decorate %words ArrayStride 4
Decorate %Block Block
MemberDecorate %Block 0 Offset 0
Decorate %out DescriptorSet 0
Decorate %out Binding 0
%words = TypeRuntimeArray u32
%Block = TypeStruct %words
%lane_id = Variable Input : ptr<Input, u32>
%out = Variable StorageBuffer : ptr<StorageBuffer, %Block>
func @main() -> void KIND{
%b0:
  %lane = Load %lane_id : u32
  %place = AccessChain %out 0u %lane : ptr<StorageBuffer, u32>
BODY
}
"""
OPEN_LOOP = """  Branch %h
%h:  MEMBER
  %i = Phi 0u %b0, %i2 %next : u32
  %mine = IEqual %i, %lane : bool
  BranchConditional %mine %hit %next
%next:
  %i2 = IAdd %i, 1u : u32
  Branch %h
%hit:  HIT
  %who = GroupNonUniformBallot 3u, true : vec4<u32>
  %x = CompositeExtract %who 0 : u32
  Store %place %x
  return"""
UNSTRUCTURED = """  %some = ULessThan %lane, 2u : bool
  SelectionMerge %d None
  BranchConditional %some %b %c
%b:
  Branch %c
%c:
  Branch %d
%d:
  %who = GroupNonUniformBallot 3u true : vec4<u32>
  %x = CompositeExtract %who 0 : u32
  Store %place %x
  return"""
IN_AN_ARM = """  %low = ULessThan %lane, 2u : bool
  if %low {
    %x = OPERATION : u32
    Store %place %x
  }
  return"""
INDEXED = """  %x = OPERATION : u32
  Store %place %x
  return"""

ARRAY = """%blocks = TypeArray %Block 4u
%out = Variable StorageBuffer : ptr<StorageBuffer, %blocks>"""


def module(body: str, kind: str = "") -> Module:
    return parse(HEAD.replace("KIND", kind).replace("BODY", body))


def codes(of: Module) -> list[str]:
    return [each.code for each in reknit.lint(of)]


def results(of: Module) -> set[tuple[int, ...]]:
    found = reknit.outcomes(of, subgroup_size=4)
    return {tuple(one.result.buffers["out"].words) for one in found.outcomes}


@pytest.mark.parametrize("assume", ["inside", "outside"])
def test_structurize_ends_what_an_open_loop_leaves(assume: str) -> None:
    """RK2501 and RK3009: "structure the function's control flow first", with either meaning."""
    before = module(OPEN_LOOP.replace("MEMBER", "").replace("HIT", ""), "flat ")
    assert {"RK2501"} <= set(codes(before))
    after = module(OPEN_LOOP.replace("MEMBER", "").replace("HIT", ""), "flat ")
    run_passes(after, f"structurize{{assume={assume}}}")
    assert codes(after) == []
    assert results(after) <= results(before)


@pytest.mark.parametrize(("loop", "block", "ballots"), [("", "member %h", (1, 2, 4, 8)), ("member %h", "", (15,) * 4)])
def test_a_member_says_what_belongs_to_the_loop(loop: str, block: str, ballots: tuple[int, ...]) -> None:
    """Inside, lanes that leave in the same iteration vote together, each alone here; outside, all four do."""
    before = module(OPEN_LOOP.replace("MEMBER", "").replace("HIT", ""), "flat ")
    after = module(OPEN_LOOP.replace("MEMBER", loop).replace("HIT", block), "flat ")
    assert "RK2501" in codes(before) and codes(after) == []
    assert results(after) == {ballots} and results(after) <= results(before)


def test_unstructured_with_merge_instructions() -> None:
    before = module(UNSTRUCTURED, "flat ")
    assert codes(before) == ["RK3009"]
    after = module(UNSTRUCTURED, "flat ")
    run_passes(after, "structurize")
    assert codes(after) == []
    assert results(after) <= results(before)


def test_what_needs_the_whole_subgroup() -> None:
    """The first is undefined, so anything that the second does is allowed."""
    before = module(IN_AN_ARM.replace("OPERATION", "GroupIAdd 3u Reduce %lane"))
    assert codes(before) == ["RK3012"]
    after = module(IN_AN_ARM.replace("OPERATION", "GroupNonUniformIAdd 3u Reduce %lane"))
    assert codes(after) == []
    assert results(after) == {(1, 1, 0, 0)}


def test_an_operand_that_must_be_uniform() -> None:
    """Either advice: an index that is the same for all, or the shuffle, whose index may differ."""
    reads = "GroupNonUniformBroadcast 3u %lane %index"
    differs = "  %index = BitwiseXor %lane, 1u : u32\n"
    assert codes(module(differs + INDEXED.replace("OPERATION", reads))) == ["RK3013"]
    uniform = "  %other = BitwiseXor %lane, 1u : u32\n  %index = GroupNonUniformBroadcastFirst 3u %other : u32\n"
    assert codes(module(uniform + INDEXED.replace("OPERATION", reads))) == []
    shuffled = module(differs + INDEXED.replace("OPERATION", reads.replace("Broadcast", "Shuffle")))
    assert codes(shuffled) == []
    assert results(shuffled) == {(1, 0, 3, 2)}


@pytest.mark.parametrize("decorated", [False, True])
def test_a_descriptor_by_an_index_that_differs(decorated: bool) -> None:
    """RK3014: the index and the pointers made from it are decorated with NonUniform."""
    text = HEAD.replace("KIND", "").replace("%out = Variable StorageBuffer : ptr<StorageBuffer, %Block>", ARRAY)
    text = text.replace("AccessChain %out 0u %lane", "AccessChain %out %lane 0u 0u")
    if decorated:
        text = text.replace(
            "Decorate %words", "Decorate %lane NonUniform\nDecorate %place NonUniform\nDecorate %words", 1
        )
    found = codes(parse(text.replace("BODY", "  Store %place %lane\n  return")))
    assert found == ([] if decorated else ["RK3014"])
