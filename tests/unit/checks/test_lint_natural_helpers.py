"""RK3011: group operations of fragment shaders for which helper invocations may count, or not, each held to all
outcomes of a quad with one covered pixel.

Vulkan, "Helper Invocations": unless the entry point has MaximallyReconvergesKHR, "helper invocations may: be considered
inactive for group operations other than derivative and quad group operations".
"""

import pytest
from kit.fragments import shader, variable

from reknit import Drawing, Module, Quad, outcomes
from reknit.checks.lint.lint import lint_module
from reknit.ir.text.parser import parse

DRAWING = Drawing([2, 2], quads=[Quad([0, 0], [1, 0, 0, 0], {"0": [[number, 0] for number in (3, 1, 4, 1)]})])
ASK = """%at = OpLoad %v2f %uv
%x = OpCompositeExtract %f32 %at 0
%small = OpFOrdLessThan %bool %x %f2
%large = OpLogicalNot %bool %small
%helps = OpLoad %bool %helper
%stays = OpLogicalNot %bool %helps
"""
SHOW = "%f = OpConvertUToF %f32 %found\n%all = OpCompositeConstruct %v4f %f %f %f %f\nOpStore %color %all"
WORD = "%place = OpAccessChain %word_p %out %u0 %u0\n%word = OpLoad %u32 %place\n"
BOOL = "%found = OpSelect %u32 %vote %u1 %u0\n"
BITS = "%found = OpCompositeExtract %u32 %who 0\n"

SEEN = {
    "a sum": "%found = OpGroupNonUniformIAdd %u32 %u3 Reduce %u1\n",
    "a scan": "%k = OpConvertFToU %u32 %x\n%sum = OpGroupNonUniformIAdd %u32 %u3 InclusiveScan %k\n"
    "%found = OpGroupNonUniformUMax %u32 %u3 Reduce %sum\n",
    "a ballot": f"%who = OpGroupNonUniformBallot %v4u %u3 %true\n{BITS}",
    "any of what differs": f"%vote = OpGroupNonUniformAny %bool %u3 %small\n{BOOL}",
    "all of what differs": f"%vote = OpGroupNonUniformAll %bool %u3 %large\n{BOOL}",
    "the greatest of what differs": "%k = OpConvertFToU %u32 %x\n%found = OpGroupNonUniformUMax %u32 %u3 Reduce %k\n",
    "a sum of those that help": """%k = OpSelect %u32 %helps %u1 %u0
%found = OpGroupNonUniformIAdd %u32 %u3 Reduce %k
""",
    "a ballot of what is true in an arm": """OpSelectionMerge %after None
OpBranchConditional %large %inside %after
%inside = OpLabel
%holds = OpPhi %bool %large %start
%who = OpGroupNonUniformBallot %v4u %u3 %holds
%bits = OpCompositeExtract %u32 %who 0
OpBranch %after
%after = OpLabel
%found = OpPhi %u32 %bits %inside %u0 %start
""",
    "the first of all": """%k = OpConvertFToU %u32 %x
%who = OpGroupNonUniformBallot %v4u %u3 %small
%first = OpGroupNonUniformBallotFindLSB %u32 %u3 %who
%found = OpGroupNonUniformShuffle %u32 %u3 %k %first
""",
    "any that is small or helps": f"""%asked = OpLogicalOr %bool %small %helps
%vote = OpGroupNonUniformAny %bool %u3 %asked
{BOOL}""",
}
SAME = {
    "the greatest of what is the same": f"{WORD}%found = OpGroupNonUniformUMax %u32 %u3 Reduce %word\n",
    "a vote on what is the same": f"""%same = OpIEqual %bool %u1 %u1
%vote = OpGroupNonUniformAll %bool %u3 %same
{BOOL}""",
    "a sum without those that help": """%k = OpSelect %u32 %helps %u0 %u1
%found = OpGroupNonUniformIAdd %u32 %u3 Reduce %k
""",
    "a ballot of those that do not help": f"%who = OpGroupNonUniformBallot %v4u %u3 %stays\n{BITS}",
    "any that is small and does not help": f"""%asked = OpLogicalAnd %bool %small %stays
%vote = OpGroupNonUniformAny %bool %u3 %asked
{BOOL}""",
    "all are large or help": f"""%asked = OpLogicalOr %bool %large %helps
%vote = OpGroupNonUniformAll %bool %u3 %asked
{BOOL}""",
    "a scan without those that help": """%k = OpSelect %u32 %helps %u0 %u1
%found = OpGroupNonUniformIAdd %u32 %u3 InclusiveScan %k
""",
    "the least of those that do not help": """%k = OpConvertFToU %u32 %x
%few = OpSelect %u32 %helps %ones %k
%found = OpGroupNonUniformUMin %u32 %u3 Reduce %few
""",
    "the first that does not help": """%k = OpConvertFToU %u32 %x
%who = OpGroupNonUniformBallot %v4u %u3 %stays
%first = OpGroupNonUniformBallotFindLSB %u32 %u3 %who
%found = OpGroupNonUniformShuffle %u32 %u3 %k %first
""",
    "all are large or, if not, help": f"""OpSelectionMerge %joined None
OpBranchConditional %small %asks %joined
%asks = OpLabel
%helping = OpLoad %bool %helper
OpBranch %joined
%joined = OpLabel
%asked = OpPhi %bool %large %start %helping %asks
%vote = OpGroupNonUniformAll %bool %u3 %asked
{BOOL}""",
    "under a condition": """OpSelectionMerge %after None
OpBranchConditional %stays %inside %after
%inside = OpLabel
%sum = OpGroupNonUniformIAdd %u32 %u3 Reduce %u1
OpBranch %after
%after = OpLabel
%found = OpPhi %u32 %sum %inside %u0 %start
""",
    "a quad operation": "%k = OpConvertFToU %u32 %x\n%found = OpGroupNonUniformQuadSwap %u32 %u3 %k %u0\n",
}


def program(body: str, *modes: str) -> Module:
    helper = variable("helper", "Input", "%bool", "BuiltIn HelperInvocation")
    extensions = ["SPV_KHR_maximal_reconvergence"] if modes else []
    quads = "RequireFullQuadsKHR" in modes
    return shader(
        ASK + body + SHOW,
        helper,
        types="%ones = OpConstant %u32 4294967295\n",
        modes=modes,
        capabilities=["GroupNonUniformVote", "GroupNonUniformShuffle", *(["QuadControlKHR"] if quads else [])],
        extensions=[*extensions, *(["SPV_KHR_quad_control"] if quads else [])],
    )


def reported(module: Module) -> bool:
    return "RK3011" in [each.code for each in lint_module(module)]


@pytest.mark.parametrize("name", SEEN)
def test_what_helper_invocations_change_is_reported(name: str) -> None:
    module = program(SEEN[name])
    every = outcomes(module, drawing=DRAWING, subgroup_size=4)
    assert every.whole and len(every.outcomes) > 1
    assert reported(module)


@pytest.mark.parametrize("name", SAME)
def test_what_they_cannot_change_is_not_reported(name: str) -> None:
    module = program(SAME[name])
    every = outcomes(module, drawing=DRAWING, subgroup_size=4)
    assert every.whole and len(every.outcomes) == 1
    assert not lint_module(module)


@pytest.mark.parametrize("name", SEEN)
def test_maximal_reconvergence_with_full_quads_promises_it(name: str) -> None:
    """ "Helper invocations must: remain active for all instructions for the lifetime of the quad scope instance they
    are a part of", and with RequireFullQuadsKHR they are there."""
    module = program(SEEN[name], "MaximallyReconvergesKHR", "RequireFullQuadsKHR")
    assert len(outcomes(module, drawing=DRAWING, subgroup_size=4).outcomes) == 1
    assert not reported(module)
    assert reported(program(SEEN[name], "MaximallyReconvergesKHR"))


def test_other_stages_have_no_helper_invocations() -> None:
    body = SEEN["a sum"].replace("%f =", "%g =") + "%place = OpAccessChain %word_p %out %u0 %u0\nOpStore %place %found"
    module = shader(body, modes=["LocalSize 4 1 1"], stage="GLCompute")
    assert not reported(module)


@pytest.mark.parametrize(("given", "reports"), [("%stays", False), ("%stays %small", True)])
def test_a_condition_that_is_a_parameter_is_what_its_calls_give(given: str, reports: bool) -> None:
    """The ballot leaves helpers out if every call passes a condition that does."""
    calls = "".join([f"%r{at} = FunctionCall @vote {each} : u32\n" for at, each in enumerate(given.split())])
    text = f"""Capability Shader
Capability GroupNonUniformBallot
MemoryModel Logical GLSL450
EntryPoint Fragment @main "main" %helper %color
ExecutionMode @main OriginUpperLeft
Decorate %helper BuiltIn HelperInvocation
Decorate %helper Flat
Decorate %color Location 0
%helper = Variable Input : ptr<Input, bool>
%color = Variable Output : ptr<Output, u32>
func @vote(%counts: bool) -> u32 {{
  %who = GroupNonUniformBallot 3u, %counts : vec4<u32>
  %bits = CompositeExtract %who 0 : u32
  return %bits
}}
func @main() -> void {{
  %helps = Load %helper : bool
  %stays = LogicalNot %helps : bool
  %small = CopyObject true : bool
  {calls}
  Store %color, %r0
  return
}}
"""
    assert reported(parse(text)) == reports
