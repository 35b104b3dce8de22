"""What lint does not report: shapes of real shaders that were judged noise, each beside one that differs in the point
that matters and has a finding.

Sources: SPIR-V 1.6, 2.2.5 "Uniform Control Flow"; Vulkan, "Helper Invocations"; the sentences that `uniformity` cites.
"""

import pytest

from reknit.checks.lint.lint import lint_module
from reknit.ir.text.parser import parse
from reknit.source.diagnostic import Diagnostic

FRAGMENT = """Capability Shader
Capability GroupNonUniformBallot
Capability DemoteToHelperInvocation
MemoryModel Logical GLSL450
EntryPoint Fragment @main "main" %material, %uv
ExecutionMode @main OriginUpperLeft
Decorate %material Flat
%f32 = TypeFloat 32
%Stage = TypeStruct u32, u32
%material = Variable Input : ptr<Input, u32>
%uv = Variable Input : ptr<Input, %f32>
%hidden = Variable Private : ptr<Private, bool>
"""


def found(text: str) -> list[Diagnostic]:
    return lint_module(parse(FRAGMENT + text), "base")


def codes(text: str) -> list[str]:
    return [finding.code for finding in found(text)]


# A texture is sampled if the material has one; glslang gives the argument in a variable.
MATERIAL = """func @main() -> void {{
  %param = Variable Function : ptr<Function, {type}>
  %which = Load %{input} : {type}
  Store %param, %which
  %u = FunctionCall @shade %param : void
  return
}}
func @shade(%flags: ptr<Function, {type}>) -> void {{
  %all = Load %flags : {type}
  %has = {test} : bool
  %where = Load %uv : %f32
  if %has {{
    %slope = DPdx %where : %f32
  }}
  return
}}
"""


def test_a_flat_input_through_a_parameter() -> None:
    test = "INotEqual %all, 0u"
    assert codes(MATERIAL.format(type="u32", input="material", test=test)) == []
    test = "FOrdGreaterThan %all, %all"
    assert codes(MATERIAL.format(type="%f32", input="uv", test=test)) == ["RK3008"]


# A color is unpacked from two words of a material, as a vector of which the last part is left undefined.
UNPACKED = """func @main() -> void {{
  %which = Load %material : u32
  %where = Load %uv : %f32
  %there = ConvertFToU %where : u32
  %high = ShiftRightLogical %which, 16u : u32
  %v0 = CompositeInsert %{first}, undef<vec4<u32>> 0 : vec4<u32>
  %v1 = CompositeInsert %which, %v0 1 : vec4<u32>
  %v2 = CompositeInsert %high, %v1 2 : vec4<u32>
  %color = VectorShuffle %v2, %v2 0 1 {last} : vec3<u32>
  %each = INotEqual %color, null<vec3<u32>> : vec3<bool>
  %any = Any %each : bool
  if %any {{
    %slope = DPdx %where : %f32
  }}
  return
}}
"""


@pytest.mark.parametrize(
    ("first", "last", "expected"), [("high", 2, []), ("there", 2, ["RK3008"]), ("high", 3, ["RK3008"])]
)
def test_a_vector_without_its_undefined_part(first: str, last: int, expected: list[str]) -> None:
    assert codes(UNPACKED.format(first=first, last=last)) == expected


STAGE = """func @main() -> void {{
  %stage = Variable Function : ptr<Function, %Stage>
  %which = Load %material : u32
  %there = Load %uv : %f32
  %first = AccessChain %stage, 0u : ptr<Function, u32>
  Store %first, %which
  %second = AccessChain %stage, 1u : ptr<Function, u32>
  %number = ConvertFToU %there : u32
  Store %second, %number
  %whole = Load %stage : %Stage
  %part = CompositeExtract %whole {member} : u32
  %on = INotEqual %part, 0u : bool
  if %on {{
    %slope = DPdx %there : %f32
  }}
  return
}}
"""


def test_the_members_of_a_struct_that_is_filled_one_by_one() -> None:
    """One of them differs: a branch on the other doesn't."""
    assert codes(STAGE.format(member=0)) == []
    assert codes(STAGE.format(member=1)) == ["RK3008"]


# Discarding is put off to the end of main: what is counted before it is not counted after it.
LATE = """func @main() -> void {{
  %where = Load %uv : %f32
  %behind = FOrdLessThan %where, %where : bool
  Store %hidden, false
  if %behind {{
    Store %hidden, true
  }}
  {ballots}
  return
}}
func @leave() -> void {{
  %gone = Load %hidden : bool
  if %gone {{
    kill
  }}
  return
}}
"""
COUNT, LEAVE = "%who = GroupNonUniformBallot Subgroup true : vec4<u32>", "%u = FunctionCall @leave : void"


def test_a_discard_behind_an_operation_has_not_happened_before_it() -> None:
    assert codes(LATE.format(ballots=f"{COUNT}\n  {LEAVE}")) == []
    assert "RK3006" in codes(LATE.replace("kill", "DemoteToHelperInvocation").format(ballots=f"{LEAVE}\n  {COUNT}"))


def test_in_a_loop_it_may_have() -> None:
    text = f"loop @l {{\n {COUNT}\n {LEAVE}\n %t = Load %hidden : bool\n if %t nojoin {{\n break @l\n }}\n }}"
    module = parse(FRAGMENT + LATE.replace("kill", "DemoteToHelperInvocation").format(ballots=text))
    assert [finding.code for finding in lint_module(module, "maximal")] == ["RK3006"]


KILLED = """func @main() -> void {{
  %where = Load %uv : %f32
  %behind = FOrdLessThan %where, %where : bool
  if %behind {{
    {end}
  }}
  %slope = DPdx %where : %f32
  return
}}
"""


@pytest.mark.parametrize(
    "end, help",
    [
        ("kill", "demote invocations instead of ending them (OpDemoteToHelperInvocation"),
        ("terminate", "demote invocations instead of ending them (OpDemoteToHelperInvocation"),
        ("return", "move the operation before the branch"),
    ],
)
def test_behind_a_discard_the_help_names_demote(end: str, help: str) -> None:
    (finding,) = found(KILLED.format(end=end))
    assert finding.code == "RK3008" and finding.help.startswith(help)


def test_a_demote_keeps_the_quad() -> None:
    assert codes(KILLED.format(end="DemoteToHelperInvocation")) == []


def test_behind_a_call_that_discards() -> None:
    text = LATE.format(ballots=f"{LEAVE}\n  %slope = DPdx %where : %f32")
    (finding,) = found(text)
    assert finding.code == "RK3008" and "OpDemoteToHelperInvocation" in finding.help
