"""Functions without structure: proved as trees for every input, and in each reading of what the input leaves open."""

from pathlib import Path

import pytest

import reknit
from reknit.cli.main import main
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.passes.manager import run_passes
from reknit.view.proof import show_verdict

HEAD = """
Capability Shader
Capability GroupNonUniform
Capability GroupNonUniformBallot
Extension "SPV_KHR_maximal_reconvergence"
MemoryModel Logical GLSL450
EntryPoint GLCompute @main "main" %out, %lane_id
ExecutionMode @main LocalSize 4 1 1
ExecutionMode @main MaximallyReconvergesKHR
Decorate %words ArrayStride 4
MemberDecorate %Words 0 Offset 0
Decorate %Words Block
Decorate %out DescriptorSet 0
Decorate %out Binding 0
Decorate %lane_id BuiltIn LocalInvocationIndex
%words = TypeRuntimeArray u32
%Words = TypeStruct %words
%out = Variable StorageBuffer : ptr<StorageBuffer, %Words>
%lane_id = Variable Input : ptr<Input, u32>
"""
# lane i leaves the loop in iteration i by `hit`, which can't go back: one by one (inside), or all together (outside)
LOOP = """func @main() -> void flat {
%b0:
  %lane = Load %lane_id : u32
  %to = AccessChain %out, 0u, %lane : ptr<StorageBuffer, u32>
  Branch %h
%h:
  %i = Phi 0u %b0, %i2 %next : u32
  %mine = IEqual %i, %lane : bool
  BranchConditional %mine %hit %next
%next:
  %i2 = IAdd %i, 1u : u32
  Branch %h
%hit:
  %who = GroupNonUniformBallot 3u, true : vec4<u32>
  %r = CompositeExtract %who 0 : u32
  Store %to, %r
  return
}
"""
IF = """func @main() -> void flat {
%b0:
  %lane = Load %lane_id : u32
  %to = AccessChain %out, 0u, %lane : ptr<StorageBuffer, u32>
  %low = ULessThan %lane, 2u : bool
  BranchConditional %low %a %m
%a:
  %who = GroupNonUniformBallot 3u, true : vec4<u32>
  %r = CompositeExtract %who 0 : u32
  Store %to, %r
  Branch %m
%m:
  return
}
"""


def loop() -> Module:
    return parse(HEAD + LOOP)


def tree(assume: str, text: str = LOOP) -> Module:
    module = parse(HEAD + text)
    run_passes(module, f"structurize{{assume={assume}}}")
    return module


def test_a_graph_without_an_open_loop_is_proved_for_every_input() -> None:
    """Lanes 0 and 1 vote, by the graph as by the tree; without a store the two differ."""
    before = parse(HEAD + IF)
    assert reknit.prove(before, tree("outside", IF)).verdict == "proved"
    assert reknit.prove(tree("outside", IF), before).verdict == "proved"
    fewer = parse(HEAD + IF.replace("ULessThan %lane, 2u", "ULessThan %lane, 3u"))
    assert reknit.prove(before, fewer).verdict == "refuted"


def test_an_open_loop_against_itself_holds_for_both_readings() -> None:
    """In each reading both are read alike."""
    other = parse(HEAD + LOOP.replace("  Store %to", "  %spare = IAdd %r, 1u : u32\n  Store %to"))
    verdict = reknit.prove(loop(), other)
    assert verdict.verdict == "proved"
    assert verdict.coverage.reading() == "holds for both interpretations"
    assert "holds for both interpretations" in show_verdict(loop(), verdict)


@pytest.mark.parametrize("assume, name", [("inside", "inner"), ("outside", "outer")])
def test_a_tree_of_one_reading_holds_for_that_one_only(assume: str, name: str) -> None:
    """Together the four lanes see 15, one by one 1, 2, 4 and 8: the other reading has no such result."""
    verdict = reknit.prove(loop(), tree(assume), subgroup_sizes=[4])
    assert verdict.verdict == "sampled"
    assert verdict.coverage.reading() == f"holds for the {name} interpretation only"
    first = show_verdict(loop(), verdict).splitlines()[0]
    assert first.startswith(f"sampled: holds for the {name} interpretation only")


@pytest.mark.parametrize("assume", ["inside", "outside"])
def test_what_before_determines_may_not_be_lost(assume: str) -> None:
    """A tree says which lanes vote together; the graph that it was made of does not."""
    verdict = reknit.prove(tree(assume), loop(), subgroup_sizes=[4])
    assert verdict.verdict == "refuted" and verdict.counterexample is not None
    assert verdict.counterexample.reason.endswith("after lost what before determines")


def test_another_result_is_refuted_in_both_readings() -> None:
    """A word more is in no reading of before."""
    after = parse(HEAD + LOOP.replace("Store %to, %r", "%s = IAdd %r, 100u : u32\n  Store %to, %s"))
    assert reknit.prove(loop(), after, subgroup_sizes=[4]).verdict == "refuted"


def test_one_reading_is_exit_code_1(tmp_path: Path) -> None:
    """As a refutation is: one of the two programs that the input may be was lost."""
    from reknit.files.save import save_file

    before, after = str(tmp_path / "before.rk"), str(tmp_path / "after.rk")
    save_file(loop(), before)
    save_file(tree("outside"), after)
    assert main(["prove", before, after, "--subgroup-sizes", "4"]) == 1
    assert main(["prove", before, before]) == 0
