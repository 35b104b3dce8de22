"""What an implementation chooses while it executes an instruction: which helper invocations take part in a group
operation, and whether derivatives, and levels of detail, are coarse or fine.

Vulkan 1.4, "Helper Invocations": "If the MaximallyReconvergesKHR execution mode is applied to the entry point, helper
invocations must: remain active for all instructions for the lifetime of the quad scope instance they are a part of. If
the MaximallyReconvergesKHR execution mode is not applied to the entry point, helper invocations may: be considered
inactive for group operations other than derivative and quad group operations."

"Derivative Operations": "The results for OpDPdx and OpDPdy may: be calculated as either fine or coarse derivatives,
with implementations favoring the most efficient approach. Implementations must: choose coarse or fine consistently
between the two."
"""

import pytest
from kit.fragments import pixels, shader
from kit.oracles import drivers
from kit.oracles.drivers import on_every_drawing_driver

from reknit import Drawing, Module, Policy, Primitive, Quad, outcomes, run
from reknit.sim.outcomes import Outcomes
from reknit.view.outcomes import show_outcomes, witness
from reknit.vulkan.draw import draw_on

SIZES = [4, 8, 32, 64]
MAXIMAL = "MaximallyReconvergesKHR"
FULL = "RequireFullQuadsKHR"
WRITE = "%f = OpConvertUToF %f32 %found\n%all = OpCompositeConstruct %v4f %f %f %f %f\nOpStore %color %all"
SUM = f"%found = OpGroupNonUniformIAdd %u32 %u3 Reduce %u1\n{WRITE}"
QUAD = "%neighbour = OpGroupNonUniformQuadSwap %u32 %u3 %u1 %u0\n"
UV = "%at = OpLoad %v2f %uv\n%x = OpCompositeExtract %f32 %at 0\n%y = OpCompositeExtract %f32 %at 1\n"


def fragment(body: str, *modes: str) -> Module:
    extensions = []
    capabilities = ["DerivativeControl"]
    if MAXIMAL in modes:
        extensions.append("SPV_KHR_maximal_reconvergence")
    if FULL in modes:
        extensions.append("SPV_KHR_quad_control")
        capabilities.append("QuadControlKHR")
    return shader(body, modes=modes, extensions=extensions, capabilities=capabilities)


def covering(*covered: int) -> Drawing:
    return Drawing([2, 2], quads=[Quad([0, 0], covered, {"0": [[0, 0], [1, 0], [0, 1], [1, 1]]})])


def values(*numbers: float) -> Drawing:
    """%x of the four invocations of a quad."""
    return Drawing([2, 2], quads=[Quad([0, 0], [1, 1, 1, 1], {"0": [[number, number] for number in numbers]})])


def seen(found: Outcomes) -> list[object]:
    return sorted([pixels(outcome.result) for outcome in found.outcomes], key=str)


# --- helper invocations in group operations ---------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES)
def test_each_helper_invocation_counts_or_does_not(size: int) -> None:
    """One invocation and three that help: the sum of ones is 1 to 4."""
    found = outcomes(fragment(SUM), drawing=covering(1, 0, 0, 0), subgroup_size=size)
    assert found.whole
    assert seen(found) == [[[count, None], [None, None]] for count in (1, 2, 3, 4)]
    told = [witness(outcome) for outcome in found.outcomes]
    assert any("helper invocations inactive: lanes 1-3" in text for text in told)
    assert "helper" in found.coverage


@pytest.mark.parametrize("size", SIZES)
def test_helper_invocations_that_were_demoted_are_like_the_others(size: int) -> None:
    body = f"""{UV}%left = OpFOrdLessThan %bool %x %fh
OpSelectionMerge %after None
OpBranchConditional %left %gone %after
%gone = OpLabel
OpDemoteToHelperInvocation
OpBranch %after
%after = OpLabel
{SUM}"""
    module = shader(body, extensions=["SPV_EXT_demote_to_helper_invocation"], capabilities=["DemoteToHelperInvocation"])
    found = outcomes(module, drawing=covering(1, 1, 1, 1), subgroup_size=size)
    counts = [outcome.result.framebuffer for outcome in found.outcomes]
    assert found.whole and len(counts) >= 3
    right = {str([row[1] for row in pixels(outcome.result)]) for outcome in found.outcomes}
    assert {"[2.0, 2.0]", "[3.0, 3.0]", "[4.0, 4.0]"} <= right


@pytest.mark.parametrize("size", SIZES)
def test_maximal_reconvergence_keeps_those_that_are_there(size: int) -> None:
    """The quad operation has them launched: "Fragment shaders that statically execute either
    OpGroupNonUniformQuadBroadcast or OpGroupNonUniformQuadSwap must: launch sufficient invocations to ensure their
    correct operation"."""
    found = outcomes(fragment(QUAD + SUM, MAXIMAL), drawing=covering(1, 0, 0, 0), subgroup_size=size)
    assert found.whole and seen(found) == [[[4, None], [None, None]]]


@pytest.mark.parametrize("size", SIZES)
def test_a_shader_that_needs_no_helper_invocations_may_have_none(size: int) -> None:
    """"When performing derivative or quad group operations in a fragment shader, additional invocations may: be spawned
    in order to ensure correct results". Both sums see the same: they are there, or they are not."""
    second = "%again = OpGroupNonUniformIAdd %u32 %u3 Reduce %u1\n%found = OpIMul %u32 %again %once\n" + WRITE
    body = "%once = OpGroupNonUniformIAdd %u32 %u3 Reduce %u1\n" + second
    found = outcomes(fragment(body, MAXIMAL), drawing=covering(1, 0, 0, 0), subgroup_size=size)
    assert found.whole
    assert seen(found) == [[[1, None], [None, None]], [[16, None], [None, None]]]
    each = outcomes(fragment(body), drawing=covering(1, 0, 0, 0), subgroup_size=size)
    assert len(each.outcomes) == len({a * b for a in range(1, 5) for b in range(1, 5)})


@pytest.mark.parametrize("size", SIZES)
def test_full_quads_have_them_launched(size: int) -> None:
    """SPV_KHR_quad_control: "Helper invocations must be spawned such that all quad groups start with four active
    invocations." With maximal reconvergence they stay active; without it they may still be considered inactive."""
    found = outcomes(fragment(SUM, MAXIMAL, FULL), drawing=covering(1, 0, 0, 0), subgroup_size=size)
    assert found.whole and seen(found) == [[[4, None], [None, None]]]
    assert len(outcomes(fragment(SUM, FULL), drawing=covering(1, 0, 0, 0), subgroup_size=size).outcomes) == 4


@pytest.mark.parametrize("size", SIZES)
def test_a_quad_operation_sees_all_of_its_quad(size: int) -> None:
    body = f"%found = OpGroupNonUniformQuadBroadcast %u32 %u3 %u1 %u3\n{WRITE}"
    found = outcomes(fragment(body), drawing=covering(1, 0, 0, 0), subgroup_size=size)
    assert found.whole and seen(found) == [[[1, None], [None, None]]]


def test_a_result_that_helper_invocations_cannot_change_is_one() -> None:
    """The greatest of ones, whoever takes part."""
    body = f"%found = OpGroupNonUniformUMax %u32 %u3 Reduce %u1\n{WRITE}"
    found = outcomes(fragment(body), drawing=covering(1, 0, 0, 0), subgroup_size=4)
    assert found.whole and len(found.outcomes) == 1 and witness(found.outcomes[0]) == "the default choices"


def test_many_helper_invocations_are_a_sample() -> None:
    """Four quads of one invocation each: 12 helper invocations, of which any may be inactive."""
    quads = [Quad([2 * at, 0], [1, 0, 0, 0], {"0": [[0, 0]] * 4}) for at in range(4)]
    found = outcomes(fragment(SUM), drawing=Drawing([8, 2], quads=quads), subgroup_size=16)
    assert not found.whole
    counts = {pixels(outcome.result)[0][0] for outcome in found.outcomes}
    assert {4.0, 16.0} <= counts
    assert "helpers-in-groups" in [each.freedom for each in found.sampled]
    text = show_outcomes(fragment(SUM), found, 16)
    assert "there may be more, since not all was tried of these freedoms (rules: " in text


def test_run_takes_one_of_them() -> None:
    module = fragment(SUM)
    assert pixels(run(module, drawing=covering(1, 0, 0, 0)))[0][0] == 4
    assert pixels(run(module, drawing=covering(1, 0, 0, 0), policy=Policy(helpers="inactive")))[0][0] == 1
    some = run(module, drawing=covering(1, 0, 0, 0), policy=Policy(helpers="random:1"))
    assert pixels(some)[0][0] in (1, 2, 3, 4)


# --- derivatives ------------------------------------------------------------------------------------------------------

SHOW = "%all = OpCompositeConstruct %v4f %part %other %part %part\nOpStore %color %all"


def derivative(opcode: str, second: str = "OpCopyObject") -> Module:
    return fragment(f"{UV}%part = {opcode} %f32 %x\n%other = {second} %f32 %x\n{SHOW}")


@pytest.mark.parametrize("opcode", ["OpDPdx", "OpDPdxCoarse"])
@pytest.mark.parametrize("size", SIZES)
def test_a_derivative_is_fine_or_coarse(opcode: str, size: int) -> None:
    """1 3 / 7 15: fine 2 and 8; coarse those of one row for all. Coarse ones "may: only calculate two values instead of
    four ... If an implementation does this, it should: use the fine derivative calculations described for P0"."""
    found = outcomes(derivative(opcode), drawing=values(1, 3, 7, 15), subgroup_size=size)
    assert found.whole
    assert seen(found) == [[[2, 2], [2, 2]], [[2, 2], [8, 8]], [[8, 8], [8, 8]]]


def test_a_fine_derivative_is_fine() -> None:
    found = outcomes(derivative("OpDPdxFine"), drawing=values(1, 3, 7, 15), subgroup_size=4)
    assert found.whole and seen(found) == [[[2, 2], [8, 8]]]


def test_where_the_value_is_linear_no_choice_shows() -> None:
    found = outcomes(derivative("OpDPdx", "OpDPdy"), drawing=values(1, 3, 7, 9), subgroup_size=4)
    assert found.whole and len(found.outcomes) == 1


def test_both_directions_are_coarse_or_fine_together() -> None:
    """Fine: 2 2 8 8 and 6 12 6 12. Coarse: 2 or 8 for all, and 6 or 12 for all."""
    found = outcomes(derivative("OpDPdx", "OpDPdy"), drawing=values(1, 3, 7, 15), subgroup_size=4)
    pairs = {(str(pixels(outcome.result, 0)), str(pixels(outcome.result, 1))) for outcome in found.outcomes}
    coarse = {(str([[float(x)] * 2] * 2), str([[float(y)] * 2] * 2)) for x in (2, 8) for y in (6, 12)}
    assert found.whole
    assert pairs == coarse | {(str([[2.0, 2.0], [8.0, 8.0]]), str([[6.0, 12.0], [6.0, 12.0]]))}


def test_run_takes_them_fine_or_coarse() -> None:
    module = derivative("OpDPdx")
    assert pixels(run(module, drawing=values(1, 3, 7, 15))) == [[2, 2], [8, 8]]
    coarse = run(module, drawing=values(1, 3, 7, 15), policy=Policy(derivatives="coarse"))
    assert pixels(coarse) == [[2, 2], [2, 2]]


# --- what drivers do --------------------------------------------------------------------------------------------------

CORNER = Drawing([2, 2], [Primitive([[0, 0], [1.2, 0], [0, 1.2]], {"0": [[0, 0], [1, 0], [0, 1]]})])
COVERED = Drawing([2, 2], [Primitive([[0, 0], [4, 0], [0, 4]], {"0": [[0, 0], [4, 0], [0, 4]]})])
BODIES = {
    "sum": SUM,
    "ballot": f"%who = OpGroupNonUniformBallot %v4u %u3 %true\n%found = OpCompositeExtract %u32 %who 0\n{WRITE}",
    "votes": f"""{UV}%near = OpFOrdLessThan %bool %x %fh
%every = OpGroupNonUniformAll %bool %u3 %near
%found = OpSelect %u32 %every %u1 %u0
{WRITE}""",
    "scan": f"%found = OpGroupNonUniformIAdd %u32 %u3 ExclusiveScan %u1\n{WRITE}",
    "quads": QUAD + SUM,
}


@on_every_drawing_driver
@pytest.mark.parametrize("name", BODIES)
def test_drivers_do_what_is_enumerated_of_helper_invocations(driver: str, lanes: int, name: str) -> None:
    module = fragment(BODIES[name])
    result = draw_on(drivers.target(driver, lanes), module, CORNER)
    assert pixels(result) in seen(outcomes(module, drawing=CORNER, subgroup_size=lanes))


@on_every_drawing_driver
@pytest.mark.parametrize("opcode", ["OpDPdx", "OpDPdy", "OpFwidth", "OpDPdxCoarse", "OpDPdyCoarse", "OpDPdxFine"])
def test_drivers_do_what_is_enumerated_of_derivatives(driver: str, lanes: int, opcode: str) -> None:
    """Of a product of both coordinates, whose slope differs from row to row and from column to column."""
    module = fragment(
        f"{UV}%product = OpFMul %f32 %x %y\n%part = {opcode} %f32 %product\n{SHOW}".replace("%other", "%x")
    )
    result = draw_on(drivers.target(driver, lanes), module, COVERED)
    assert pixels(result) in seen(outcomes(module, drawing=COVERED, subgroup_size=lanes))


def test_coverage_names_what_was_chosen() -> None:
    """1 + 1e-8 is rounded to either neighbour; a helper invocation takes part in a sum or not; a derivative is fine."""
    body = "%f = OpFAdd %f32 %x %tiny\n%all = OpCompositeConstruct %v4f %f %f %f %f\nOpStore %color %all"
    rounded = shader(UV + body, types="%tiny = OpConstant %f32 1e-8\n")
    named = {"float": rounded, "helper": fragment(SUM), "derivative": derivative("OpDPdx")}
    for kind, module in named.items():
        drawing = values(0, 1, 3, 7) if kind == "derivative" else covering(1, 0, 0, 0)
        found = outcomes(module, drawing=drawing, subgroup_size=4)
        words = found.coverage.partition(" choices")[0].split()
        assert {word.strip(",") for word in words} & {"float", "helper", "derivative"} == {kind}
