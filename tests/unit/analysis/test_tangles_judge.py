"""What `judge` makes of modules as a whole: several entry points, code from elsewhere, recursion, scopes, helpers."""

import re
from pathlib import Path

import pytest

from reknit.analysis.manager import Analyses
from reknit.analysis.tangles.judge import judge
from reknit.analysis.tangles.operations import QUAD, SUBGROUP, WORKGROUP, group_of
from reknit.ir import op, traits
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.walk import instructions

DOCUMENT = Path(__file__).resolve().parents[2] / "spec" / "guarantees.md"
PRELUDE = re.findall(r"^```rk prelude\n(.*?)^```$", DOCUMENT.read_text(), re.MULTILINE | re.DOTALL)[0]
NO_ENTRY = re.sub(r"(EntryPoint|ExecutionMode).*\n", "", PRELUDE)

# A function in which %met needs the whole group to have come in.
MEET = """
func @meet(%x: u32) -> void {
  %odd = BitwiseAnd %x, 1u : u32
  %mine = INotEqual %odd, 0u : bool
  if %mine {
  }
  %met = GroupNonUniformElect Subgroup : bool
  return
}
"""
BRANCH = """
func @NAME() -> void {
  %lane = Load %lane_id : u32
  %two = BitwiseAnd %lane, 2u : u32
  %some = INotEqual %two, 0u : bool
  if %some {
    %a = FunctionCall @meet, %lane : void
  }
  return
}
"""


def found(text: str, target: str | None = None) -> list[tuple[str, str]]:
    module = parse(text)
    return [(one.instr.name, one.kind) for one in judge(module, Analyses(module), target)]


def of(module: Module, name: str) -> str:
    return next(group_of(each) for each in instructions(module.functions[0]) if each.name == name)


def test_each_entry_point_has_the_rule_that_it_declares() -> None:
    both = PRELUDE.replace(
        "ExecutionMode @main LocalSize",
        'EntryPoint GLCompute @other "other" %lane_id\nExecutionMode @other LocalSize 32 1 1\n'
        "ExecutionMode @main MaximallyReconvergesKHR\nExecutionMode @main LocalSize",
    )
    text = both + MEET + BRANCH.replace("NAME", "main")
    other = "func @other() -> void {\n  CALL  return\n}\n"
    assert found(text + other.replace("CALL", "")) == []
    harmless = "%z = FunctionCall @meet, 0u : void\n"
    assert found(text + other.replace("CALL", harmless)) == []  # entered whole from the one that declares nothing
    assert found(text + BRANCH.replace("NAME", "other")) == [("met", "needs-maximal")]
    assert found(text + BRANCH.replace("NAME", "other"), "maximal") == []


def test_subgroup_uniform_control_flow_is_declared_too() -> None:
    section = """
func @main() -> void {
  %lane = Load %lane_id : u32
  %number = Load %subgroup_id : u32
  %mine = IEqual %lane, 3u : bool
  %first = IEqual %number, 0u : bool
  if %first {
    if %mine {
    }
    %late = GroupNonUniformElect Subgroup : bool
  }
  return
}
"""
    mode = "ExecutionMode @main SubgroupUniformControlFlowKHR\n"
    declared = PRELUDE.replace("ExecutionMode @main LocalSize", f"{mode}ExecutionMode @main LocalSize")
    assert found(PRELUDE + section) == [("late", "needs-subgroup-uniform")]
    assert found(declared + section) == []


def test_a_module_without_entry_points_may_be_called_by_a_part() -> None:
    assert found(NO_ENTRY + MEET) == [("met", "needs-maximal")]
    assert found(NO_ENTRY + MEET, "maximal") == []


def test_an_exported_function_may_be_called_by_a_part() -> None:
    main = "func @main() -> void {\n  %a = FunctionCall @meet, 0u : void\n  return\n}\n"
    assert found(PRELUDE + MEET + main) == []
    exported = PRELUDE.replace("Decorate %words", 'Decorate @meet LinkageAttributes "meet" Export\nDecorate %words', 1)
    assert found(exported + MEET + main) == [("met", "needs-maximal")]


def test_a_function_that_calls_itself_promises_nothing() -> None:
    text = """
func @down(%x: u32) -> void {
  %a = FunctionCall @down, %x : void
  %after = GroupNonUniformElect Subgroup : bool
  return
}
func @main() -> void {
  %before = GroupNonUniformElect Subgroup : bool
  %a = FunctionCall @down, 0u : void
  %last = GroupNonUniformElect Subgroup : bool
  return
}
"""
    assert [name for name, _ in found(PRELUDE + text)] == ["after", "last"]


def test_what_nothing_reaches_is_not_judged() -> None:
    assert found(PRELUDE + MEET + "func @main() -> void {\n  return\n}\n") == []


def test_the_group_of_an_operation() -> None:
    text = """
func @main() -> void {
  %lane = Load %lane_id : u32
  %a = GroupNonUniformElect Subgroup : bool
  %b = GroupNonUniformElect Workgroup : bool
  %c = GroupNonUniformQuadSwap Subgroup %lane, 0u : u32
  return
}
"""
    module = parse(PRELUDE + text)
    assert [of(module, name) for name in "abc"] == [SUBGROUP, WORKGROUP, QUAD]


def test_what_is_computed_from_a_ballot_asks_nobody() -> None:
    judged = traits.JUDGED
    assert op.GroupNonUniformBallot in judged and op.DPdx in judged and op.ControlBarrier in judged
    assert op.ImageSampleImplicitLod in judged and op.SubgroupBallotKHR in judged
    assert op.GroupNonUniformBallotBitCount not in judged and op.TraceRayKHR not in judged


FRAGMENT = (
    PRELUDE.replace("EntryPoint GLCompute", "EntryPoint Fragment")
    .replace("LocalSize 32 1 1", "OriginUpperLeft")
    .replace("MemoryModel", "Capability DemoteToHelperInvocation\nMemoryModel")
)


@pytest.mark.parametrize("ending", ["DemoteToHelperInvocation", "kill", "terminate"])
def test_helpers_may_be_gone_after_what_ends_invocations(ending: str) -> None:
    text = f"""
func @main() -> void {{
  %lane = Load %lane_id : u32
  %mine = IEqual %lane, 3u : bool
  %before = GroupNonUniformElect Subgroup : bool
  if %mine {{
    {ending}
  }}
  %quad = GroupNonUniformQuadSwap Subgroup %lane, 0u : u32
  %after = GroupNonUniformElect Subgroup : bool
  return
}}
"""
    assert ("after", "helpers") in found(FRAGMENT + text, "maximal")
    assert [name for name, kind in found(FRAGMENT + text, "maximal") if kind == "helpers"] == ["after"]


def test_the_reasons_lead_through_calls() -> None:
    module = parse(PRELUDE + MEET + BRANCH.replace("NAME", "main"))
    (one,) = judge(module, Analyses(module))
    texts = [reason.text for reason in one.reasons]
    assert texts[0].startswith("invocations that part at this `if` meet after it")
    assert texts[1] == "the function is called here"
    assert texts[2].startswith("not the whole workgroup takes one branch: the condition of this `if` may differ")
    assert all(reason.about is not None for reason in one.reasons)
