"""Quads of fragment shaders: derivatives and quad operations where control flow splits them, helper invocations, what
discards leave behind, outputs and depth. Expected values are by hand."""

import pytest
from kit.fragments import ends, pixels, shader, variable

from reknit import Drawing, Module, Policy, Primitive, Quad, outcomes, run
from reknit.sim.result import Result

SIZES = [4, 8, 32, 64]
WRITE = "%all = OpCompositeConstruct %v4f %part %part %part %part\nOpStore %color %all"
COUNT = """%place = OpAccessChain %word_p %out %u0 %u0
%old = OpAtomicIAdd %u32 %place %u1 %u0 %u1
"""
X = "%at = OpLoad %v2f %uv\n%x = OpCompositeExtract %f32 %at 0\n"


def quad(*values: float, at: tuple[int, int] = (0, 0), covered: tuple[int, ...] = (1, 1, 1, 1)) -> Quad:
    """%x of its four invocations."""
    return Quad(at, covered, {"0": [[value, 0] for value in values]})


def draw(body: str | Module, *quads: Quad, size: int = 4, policy: Policy | None = None) -> Result:
    width = 2 + max([each.at[0] for each in quads])
    module = shader(body) if isinstance(body, str) else body
    return run(module, drawing=Drawing([width, 2], quads=quads), subgroup_size=size, policy=policy)


# --- derivatives ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("opcode", "expected"),
    [
        # Values 1 3 / 7 15. Vulkan, "Derivative Operations": DPdx(P0) = DPdx(P1) = P1 - P0, DPdx(P2) = DPdx(P3) =
        # P3 - P2; DPdy(P0) = DPdy(P2) = P2 - P0, DPdy(P1) = DPdy(P3) = P3 - P1; coarse ones those of P0.
        ("OpDPdx", [2, 2, 8, 8]),
        ("OpDPdy", [6, 12, 6, 12]),
        ("OpFwidth", [8, 14, 14, 20]),
        ("OpDPdxFine", [2, 2, 8, 8]),
        ("OpDPdyFine", [6, 12, 6, 12]),
        ("OpFwidthFine", [8, 14, 14, 20]),
        ("OpDPdxCoarse", [2, 2, 2, 2]),
        ("OpDPdyCoarse", [6, 6, 6, 6]),
        ("OpFwidthCoarse", [8, 8, 8, 8]),
    ],
)
@pytest.mark.parametrize("size", SIZES)
def test_derivatives_of_a_quad(opcode: str, expected: list[int], size: int) -> None:
    module = shader(f"{X}%part = {opcode} %f32 %x\n{WRITE}", capabilities=["DerivativeControl"])
    result = draw(module, quad(1, 3, 7, 15), size=size)
    assert not result.diagnostics and pixels(result) == [expected[:2], expected[2:]]


def test_a_derivative_reaches_into_helper_invocations() -> None:
    """Only pixel (0, 0) is covered; its neighbours are helpers, whose values are interpolated outside."""
    result = draw(f"{X}%part = OpDPdx %f32 %x\n{WRITE}", quad(1, 3, 7, 15, covered=(1, 0, 0, 0)))
    assert not result.diagnostics and pixels(result) == [[2, None], [None, None]]
    assert ends(result) == ["w", "h", "h", "h"]


DIVERGENT = f"""{X}%some = OpFOrdLessThan %bool %x %f2
OpSelectionMerge %after None
OpBranchConditional %some %inside %after
%inside = OpLabel
%slope = OpDPdx %f32 %x
OpBranch %after
%after = OpLabel
%part = OpPhi %f32 %slope %inside %x %start
{WRITE}"""


@pytest.mark.parametrize("size", SIZES)
def test_a_divergent_derivative_is_undefined_and_reported(size: int) -> None:
    """"Explicit derivative instructions must be executed in control flow that is uniform within a derivative group":
    the first quad takes the branch as a whole, of the second lanes 4 and 7 do, of the third none."""
    quads = [quad(0, 1, 0, 1), quad(1, 3, 3, 1, at=(2, 0)), quad(3, 4, 5, 6, at=(4, 0))]
    result = draw(DIVERGENT, *quads, size=size)
    [found] = result.diagnostics
    assert found.code == "RK1015" and found.severity == "warning"
    assert "lane 4 needs lane 5 of its quad, which is not in its tangle" in found.message
    assert found.message.endswith("(lanes 4, 7)")
    assert pixels(result) == [[1, 1, 0, 3, 3, 4], [1, 1, 3, 0, 5, 6]]


def test_after_the_merge_block_a_quad_is_together_again() -> None:
    body = DIVERGENT.replace(WRITE, "%again = OpDPdy %f32 %x\n" + WRITE.replace("%part", "%again"))
    result = draw(body.replace("%slope = OpDPdx %f32 %x", "%slope = OpFAdd %f32 %x %f1"), quad(1, 3, 7, 15))
    assert not result.diagnostics and pixels(result) == [[6, 12], [6, 12]]


# --- helper invocations -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES)
def test_helpers_store_nothing_and_take_part_in_quads(size: int) -> None:
    """Vulkan, "Helper Invocations": "stores and atomics performed by helper invocations must not have any effect on
    memory". The counter counts three of four; the quad's swap along the row reads the helper's value."""
    body = f"""{COUNT}{X}%part = OpGroupNonUniformQuadSwap %f32 %u3 %x %u0
{WRITE}"""
    result = draw(body, quad(10, 20, 30, 40, covered=(1, 0, 1, 1)), size=size)
    assert result.buffers["out"].words[0] == 3 and pixels(result) == [[20, None], [40, 30]]


def test_quad_operations_by_hand() -> None:
    for code, expected in [
        ("OpGroupNonUniformQuadBroadcast %f32 %u3 %x %u2", [30, 30, 30, 30]),
        ("OpGroupNonUniformQuadSwap %f32 %u3 %x %u1", [30, 40, 10, 20]),
        ("OpGroupNonUniformQuadSwap %f32 %u3 %x %u2", [40, 30, 20, 10]),
    ]:
        result = draw(f"{X}%part = {code}\n{WRITE}", quad(10, 20, 30, 40))
        assert not result.diagnostics and pixels(result) == [expected[:2], expected[2:]]


def test_quad_votes_and_control_modes() -> None:
    """SPV_KHR_quad_control: QuadAny over 1 0 0 0 is true, QuadAll is not."""
    for code, expected in [("Any", 1), ("All", 2)]:
        body = f"""{X}%some = OpFOrdLessThan %bool %x %f2
%vote = OpGroupNonUniformQuad{code}KHR %bool %some
%part = OpSelect %f32 %vote %f1 %f2
{WRITE}"""
        module = shader(
            body,
            modes=["QuadDerivativesKHR", "RequireFullQuadsKHR", "MaximallyReconvergesKHR"],
            capabilities=["QuadControlKHR", "GroupNonUniformVote"],
            extensions=["SPV_KHR_quad_control", "SPV_KHR_maximal_reconvergence"],
        )
        result = draw(module, quad(1, 5, 5, 5))
        assert not result.diagnostics and pixels(result) == [[expected] * 2] * 2


HELPER = variable("helper", "Input", "%bool", "BuiltIn HelperInvocation")
DEMOTES = """%some = OpFOrdLessThan %bool %x %f2
OpSelectionMerge %after None
OpBranchConditional %some %inside %after
%inside = OpLabel
OpDemoteToHelperInvocation
OpBranch %after
%after = OpLabel
"""


@pytest.mark.parametrize(
    ("load", "counted"),
    [
        # What the invocation is now, and what it was at the start. Values 1 5 5 5: lane 0 demotes itself, lane 3 is a
        # helper from the start.
        ("%now = OpIsHelperInvocationEXT %bool", 0b1001),
        ("%now = OpLoad %bool %helper Volatile", 0b1001),
        ("%now = OpLoad %bool %helper", 0b1000),
    ],
)
def test_a_demoted_invocation_goes_on_as_a_helper(load: str, counted: int) -> None:
    """The ballot after the demote has all four lanes: "helper invocations must remain active for all instructions"
    with MaximallyReconvergesKHR."""
    body = f"""{X}{DEMOTES}{load}
%who = OpGroupNonUniformBallot %v4u %u3 %now
%word = OpCompositeExtract %u32 %who 0
%part = OpConvertUToF %f32 %word
{WRITE}"""
    module = shader(
        body, HELPER, capabilities=["DemoteToHelperInvocation"], extensions=["SPV_EXT_demote_to_helper_invocation"]
    )
    result = draw(module, quad(1, 5, 5, 5, covered=(1, 1, 1, 0)))
    assert not result.diagnostics and pixels(result) == [[None, counted], [counted, None]]
    assert ends(result) == ["d", "w", "w", "h"]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    ("ending", "policy"),
    [
        ("OpTerminateInvocation", Policy()),
        ("OpKill", Policy()),
        ("OpKill", Policy(kill="demote")),  # and returns, since it ends its block
    ],
)
def test_a_discard_before_a_derivative(ending: str, policy: Policy, size: int) -> None:
    """Values 1 5 9 13: lane 0 is discarded, three are left, whose quad has lost an invocation."""
    body = f"""{X}%some = OpFOrdLessThan %bool %x %f2
OpSelectionMerge %after None
OpBranchConditional %some %inside %after
%inside = OpLabel
{ending}
%after = OpLabel
{COUNT}%part = OpDPdx %f32 %x
{WRITE}"""
    result = draw(body, quad(1, 5, 9, 13), size=size, policy=policy)
    assert result.buffers["out"].words[0] == 3 and ends(result) == ["d", "w", "w", "w"]
    [found] = result.diagnostics
    assert found.code == "RK1015" and found.message.endswith("(lanes 1-3)")
    assert pixels(result) == [[None, 0], [0, 0]]


def test_an_ended_quad_is_an_outcome_of_its_own() -> None:
    """Demoted as a whole, the first quad "may become permanently inactive at any point": a ballot of the subgroup has
    its lanes or not."""
    body = f"""{X}{DEMOTES}%who = OpGroupNonUniformBallot %v4u %u3 %true
%word = OpCompositeExtract %u32 %who 0
%part = OpConvertUToF %f32 %word
{WRITE}"""
    module = shader(
        body,
        capabilities=["DemoteToHelperInvocation"],
        modes=["MaximallyReconvergesKHR"],
        extensions=["SPV_EXT_demote_to_helper_invocation", "SPV_KHR_maximal_reconvergence"],
    )
    drawing = Drawing([4, 2], quads=[quad(1, 1, 1, 1), quad(5, 5, 5, 5, at=(2, 0))])
    every = outcomes(module, subgroup_size=8, drawing=drawing)
    assert every.whole
    assert sorted([pixels(outcome.result)[0][2] or 0 for outcome in every.outcomes]) == [0b11110000, 0b11111111]


# --- outputs ----------------------------------------------------------------------------------------------------------


def test_outputs_go_to_their_locations_and_components() -> None:
    """An array takes a location an element, a component another part of the same location."""
    more = variable("more", "Output", "%pair", "Location 1")
    low = variable("low", "Output", "%i32", "Location 4")
    high = variable("high", "Output", "%i32", "Location 4", "Component 2")
    body = f"""{X}%part = OpFAdd %f32 %x %f1
%first = OpAccessChain %f32_p %more %u0
OpStore %first %x
%second = OpAccessChain %f32_p %more %u1
OpStore %second %part
OpStore %low %minus
OpStore %high %seven
{WRITE}"""
    types = "%pair = OpTypeArray %f32 %u2\n%f32_p = OpTypePointer Output %f32\n"
    types += "%minus = OpConstant %i32 -1\n%seven = OpConstant %i32 7\n"
    result = draw(shader(body, more, low, high, types=types), quad(1, 2, 3, 4))
    assert [pixels(result, location=at) for at in (0, 1, 2)] == [[[2, 3], [4, 5]], [[1, 2], [3, 4]], [[2, 3], [4, 5]]]
    assert result.framebuffer is not None
    assert result.framebuffer.attachments[3].at(0, 0) == [-1, 0, 7]
    document = result.to_json()["framebuffer"]
    assert isinstance(document, dict) and document["outputs"][1]["pixels"][3] == {"at": [1, 1], "value": [4.0]}


DEPTH = variable("depth", "Output", "%f32", "BuiltIn FragDepth")
FLAT = {"0": [[0, 0]] * 3}


def layers(compare: str, first: float, second: float) -> Drawing:
    """Two triangles over all of 2 x 2 pixels; %uv.x is the number of each."""
    corners = [[0, 0], [8, 0], [0, 8]]
    return Drawing(
        [2, 2],
        [
            Primitive([[*corner, depth] for corner in corners], {"0": [[number, 0]] * 3})
            for number, depth in enumerate((first, second), 1)
        ],
        compare=compare,
    )


@pytest.mark.parametrize(
    ("compare", "first", "second", "left"),
    [("less", 0.5, 0.25, 2), ("less", 0.25, 0.5, 1), ("greater", 0.5, 0.25, None), ("", 0.25, 0.5, 2)],
)
def test_the_depth_test_keeps_what_passes(compare: str, first: float, second: float, left: int | None) -> None:
    """The framebuffer starts with depth 1."""
    result = run(shader(f"{X}%part = OpCopyObject %f32 %x\n{WRITE}"), drawing=layers(compare, first, second))
    assert pixels(result) == [[left] * 2] * 2


@pytest.mark.parametrize(("modes", "left", "counted"), [([], 1, 8), (["EarlyFragmentTests"], 2, 8)])
def test_a_replaced_depth_is_tested_unless_tests_are_early(modes: list[str], left: int, counted: int) -> None:
    """The shader writes depth x / 2: 0.5 and 1. Tested late the second (1) is not less than the first (0.5); early, the
    interpolated depths 0.5 and 0.25 both pass, and what the shader writes is ignored."""
    body = f"{COUNT}{X}%half = OpFMul %f32 %x %fh\nOpStore %depth %half\n%part = OpCopyObject %f32 %x\n{WRITE}"
    result = run(shader(body, DEPTH, modes=["DepthReplacing", *modes]), drawing=layers("less", 0.5, 0.25))
    assert pixels(result) == [[left] * 2] * 2 and result.buffers["out"].words[0] == counted
    assert result.framebuffer is not None and result.framebuffer.depth(0, 0) == (0.25 if modes else 0.5)


def test_early_tests_come_before_the_side_effects() -> None:
    """The second triangle lies behind the first: its four invocations do not run. Late, they run and are dropped."""
    body = f"{COUNT}{X}%part = OpCopyObject %f32 %x\n{WRITE}"
    for modes, counted in ((["EarlyFragmentTests"], 4), ([], 8)):
        result = run(shader(body, modes=modes), drawing=layers("less", 0.25, 0.5))
        assert pixels(result) == [[1] * 2] * 2 and result.buffers["out"].words[0] == counted


def test_a_sample_mask_output_takes_samples_away() -> None:
    masks = variable("masks", "Output", "%array", "BuiltIn SampleMask")
    body = f"{X}%place = OpAccessChain %i32_p %masks %u0\nOpStore %place %two\n%part = OpCopyObject %f32 %x\n{WRITE}"
    types = "%array = OpTypeArray %i32 %u1\n%i32_p = OpTypePointer Output %i32\n%two = OpConstant %i32 2\n"
    drawing = Drawing([2, 2], quads=[Quad(covered=[3, 3, 3, 1], inputs={"0": [[1, 0]] * 4})], samples=2)
    result = run(shader(body, masks, types=types), drawing=drawing)
    assert pixels(result, sample=0) == [[None] * 2] * 2 and pixels(result, sample=1) == [[1, 1], [1, None]]


def test_a_run_that_stops_leaves_no_picture() -> None:
    body = f"""OpBranch %loop
%loop = OpLabel
OpLoopMerge %after %loop None
OpBranchConditional %true %loop %after
%after = OpLabel
{X}%part = OpCopyObject %f32 %x
{WRITE}"""
    result = run(shader(body), drawing=Drawing([2, 2], quads=[quad(1, 1, 1, 1)]), max_steps=1000)
    assert not result.finished and result.framebuffer is not None and not result.framebuffer.attachments


# --- compute ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        # 4 x 2 invocations, the value of each its LocalInvocationIndex squared: 0 1 4 9 / 16 25 36 49.
        ("Linear", [1, 1, 5, 5, 9, 9, 13, 13]),  # quads 0-3 and 4-7: 1 - 0, 9 - 4, 25 - 16, 49 - 36
        ("Quads", [1, 1, 5, 5, 9, 9, 13, 13]),  # rows within columns: 1 - 0, 9 - 4 / 25 - 16, 49 - 36
    ],
)
@pytest.mark.parametrize(("opcode", "across"), [("OpDPdx", True), ("OpDPdy", False)])
def test_compute_shaders_take_derivatives_in_groups(mode: str, expected: list[int], opcode: str, across: bool) -> None:
    """Vulkan, "Quad": Linear takes four neighbouring indices, Quads two by two of LocalInvocationId: DPdy is 4 - 0,
    9 - 1 / 36 - 16, 49 - 25 with Linear and 16 - 0, 25 - 1, 36 - 4, 49 - 9 with Quads."""
    index = variable("index", "Input", "%u32", "BuiltIn LocalInvocationIndex")
    body = f"""%i = OpLoad %u32 %index
%square = OpIMul %u32 %i %i
%value = OpConvertUToF %f32 %square
%slope = {opcode} %f32 %value
%word = OpConvertFToU %u32 %slope
%place = OpAccessChain %word_p %out %u0 %i
OpStore %place %word"""
    module = shader(
        body,
        index,
        modes=["LocalSize 4 2 1", f"DerivativeGroup{mode}KHR"],
        capabilities=[f"ComputeDerivativeGroup{mode}KHR"],
        extensions=["SPV_KHR_compute_shader_derivatives"],
        stage="GLCompute",
    )
    if not across:
        expected = [4, 8, 4, 8, 20, 24, 20, 24] if mode == "Linear" else [16, 24, 32, 40, 16, 24, 32, 40]
    for size in SIZES:
        result = run(module, subgroup_size=size, engine="jit")
        assert result.buffers["out"].words == expected and {found.code for found in result.diagnostics} <= {"RK1030"}
