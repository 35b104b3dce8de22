"""What is the same for all lanes is not masked: it must not be done where none is left, and lanes that are not there
give a fold nothing."""

import pytest

import reknit

pytest.importorskip("llvmlite", reason="native code needs llvmlite")

HEAD = """Capability Shader
Capability GroupNonUniformArithmetic
Extension "SPV_KHR_maximal_reconvergence"
MemoryModel Logical GLSL450
EntryPoint GLCompute @main "main" %out, %lane_id
ExecutionMode @main LocalSize 16 1 1
ExecutionMode @main MaximallyReconvergesKHR
Decorate %words ArrayStride 4
MemberDecorate %block 0 Offset 0
Decorate %block Block
Decorate %out DescriptorSet 0
Decorate %out Binding 0
Decorate %lane_id BuiltIn LocalInvocationIndex
declare u32, bool
%words = TypeRuntimeArray u32
%block = TypeStruct %words
declare ptr<StorageBuffer, %block>, ptr<Input, u32>
%out = Variable StorageBuffer : ptr<StorageBuffer, %block>
%lane_id = Variable Input : ptr<Input, u32>
declare void, fn() -> void, fn(u32) -> void, ptr<StorageBuffer, u32>, ptr<Function, u32>, 0u, 1u, 2u, 3u, 7u, 100u
"""
ENDS = """
func @main() -> void {
  %lane = Load %lane_id : u32
  %first = AccessChain %out, 0u, 0u : ptr<StorageBuffer, u32>
  %done = FunctionCall @leave, %lane : void
  Store %first, 7u
  return
}

func @leave(%lane: u32) -> void {
  %slot = AccessChain %out, 0u, %lane : ptr<StorageBuffer, u32>
  Store %slot, 1u
  %leaves = ULessThan %lane, LIMIT : bool
  if %leaves {
    terminate
  }
  return
}
"""


def words(text: str, size: int, engine: str) -> list[int]:
    result = reknit.run(reknit.load((HEAD + text).encode(), format="rk"), subgroup_size=size, engine=engine)
    assert result.engine == engine
    return result.buffers["out"].words[:16]


@pytest.mark.parametrize("size", [1, 2, 4, 8, 16, 32])
def test_what_follows_a_call_in_which_all_end_is_not_done(size: int) -> None:
    """Every invocation terminates in the call: the store of one word behind it, which is the same for all, has none
    to do it. With some left, it is done: word 0 is 7."""
    assert words(ENDS.replace("LIMIT", "100u"), size, "jit") == [1] * 16
    assert words(ENDS.replace("LIMIT", "3u"), size, "jit") == [7] + [1] * 15


FOLDS = """
func @main() -> void {
  %kept = Variable Function : ptr<Function, u32>
  %lane = Load %lane_id : u32
  Store %kept, 100u
  %slot = AccessChain %out, 0u, %lane : ptr<StorageBuffer, u32>
  %nothing = Load %slot : u32
  %number = IAdd %lane, %nothing : u32
  %low = BitwiseAnd %number, 3u : u32
  %third = IEqual %low, 3u : bool
  if %third {
    %sum = GroupNonUniformIAdd Subgroup OPERATION %lane : u32
    Store %kept, %sum
  }
  %found = Load %kept : u32
  Store %slot, %found
  return
}
"""


@pytest.mark.parametrize("operation", ["Reduce", "InclusiveScan", "ExclusiveScan"])
@pytest.mark.parametrize("size", [1, 2, 4, 8, 16, 32])
def test_a_fold_has_only_the_lanes_of_its_tangle(operation: str, size: int) -> None:
    """Lanes 3, 7, 11 and 15 sum their numbers, with those of them that are in their subgroup; for AVX-512, LLVM 22.1
    gives a lane of subgroups of two its neighbour's number where it sees which lanes are summed and which take it."""
    expected = [100] * 16
    for lane in range(3, 16, 4):
        here = [other for other in range(3, 16, 4) if other // size == lane // size]
        if operation == "InclusiveScan":
            here = [other for other in here if other <= lane]
        if operation == "ExclusiveScan":
            here = [other for other in here if other < lane]
        expected[lane] = sum(here)
    for engine in ("interpreter", "jit"):
        assert words(FOLDS.replace("OPERATION", operation), size, engine) == expected


SELECTS = """
func @main() -> void {
  %lane = Load %lane_id : u32
  %slot = AccessChain %out, 0u, %lane : ptr<StorageBuffer, u32>
  %nothing = Load %slot : u32
  %number = IAdd %lane, %nothing : u32
  %low = BitwiseAnd %number, 3u : u32
  %third = IEqual %low, 3u : bool
  %given = Select %third, %number, 100u : u32
  %other = OPERATION : u32
  %found = Select %third, %other, 7u : u32
  Store %slot, %found
  return
}
"""


@pytest.mark.parametrize(
    "operation", ["GroupNonUniformShuffleXor Subgroup %given, 1u", "GroupNonUniformQuadSwap Subgroup %given, 0u"]
)
@pytest.mark.parametrize("size", [2, 4, 8, 16, 32])
def test_what_is_chosen_before_and_after_a_shuffle_is_two_choices(operation: str, size: int) -> None:
    """Lane 3 takes what lane 2 has, which chose 100; nothing is divergent."""
    if size == 2 and "Quad" in operation:
        pytest.skip("a quad has four")
    expected = [100 if lane % 4 == 3 else 7 for lane in range(16)]
    head = HEAD.replace("Arithmetic", "Shuffle\nCapability GroupNonUniformQuad").replace("LocalSize 16", "LocalSize 32")
    result = reknit.run(
        reknit.load((head + SELECTS.replace("OPERATION", operation)).encode(), format="rk"),
        subgroup_size=size, engine="jit",
    )  # fmt: skip
    assert result.engine == "jit" and result.buffers["out"].words[:16] == expected
