"""What lint says of quads, held against runs: RK3008 where a derivative can be undefined, RK3006 where a quad of
helpers can be missed, and nothing where it can't. Which it is was derived by hand from the quad's tangle.

Each program is run over 16 quads, one for each way of the four invocations to answer a question (%x < 1).
"""

import pytest
from kit.fragments import shader, variable

from reknit import Drawing, Module, Quad, outcomes, run
from reknit.checks.lint.lint import lint_module

QUADS = [
    Quad([2 * number, 0], inputs={"0": [[number >> lane & 1, 0] for lane in range(4)], "1": [number & 1] * 4})
    for number in range(16)
]
DRAWING = Drawing([32, 2], quads=QUADS)
MAXIMAL = "SPV_KHR_maximal_reconvergence"
DEMOTE = "SPV_EXT_demote_to_helper_invocation"

ASK = "%at = OpLoad %v2f %uv\n%x = OpCompositeExtract %f32 %at 0\n%some = OpFOrdLessThan %bool %x %f1\n"
SLOPE = "%slope = OpDPdx %f32 %x\n"
KIND = "%number = OpLoad %u32 %kind\n%odd = OpIEqual %bool %number %u1\n"
WORD = "%place = OpAccessChain %word_p %out %u0 %u0\n%word = OpLoad %u32 %place\n%all = OpIEqual %bool %word %u0\n"


def when(condition: str, inside: str, leaves: str = "OpBranch %after") -> str:
    return f"""OpSelectionMerge %after None
OpBranchConditional {condition} %inside %after
%inside = OpLabel
{inside}{leaves}
%after = OpLabel
"""


def loop(condition: str, inside: str) -> str:
    """Once or twice: the condition is asked after each trip, of a counter that is 0 first."""
    return f"""OpBranch %header
%header = OpLabel
%trips = OpPhi %u32 %u0 %start %next %again
OpLoopMerge %after %again None
OpBranch %trip
%trip = OpLabel
{inside}%next = OpIAdd %u32 %trips %u1
%early = OpIEqual %bool %next %u2
%stop = OpLogicalOr %bool %early {condition}
OpBranchConditional %stop %after %again
%again = OpLabel
OpBranch %header
%after = OpLabel
"""


PROGRAMS = {
    # The quad is the tangle: all four come there together.
    "first": (ASK + SLOPE, False),
    "after the merge block": (ASK + when("%some", "") + SLOPE, False),
    "inside a condition of the buffer": (ASK + WORD + when("%all", SLOPE), False),
    "inside a flat condition": (ASK + KIND + when("%odd", SLOPE), None),
    "after a demote": (ASK + when("%some", "OpDemoteToHelperInvocation\n") + SLOPE, False),
    "after a loop": (ASK + loop("%some", "") + SLOPE, False),
    "in a loop that all leave together": (ASK + WORD + loop("%all", SLOPE), False),
    # Some of the four are elsewhere, or have ended.
    "inside a condition": (ASK + when("%some", SLOPE), True),
    "after a return": (ASK + when("%some", "", "OpReturn") + SLOPE, True),
    "after a kill": (ASK + when("%some", "", "OpKill") + SLOPE, True),
    "after a terminate": (ASK + when("%some", "", "OpTerminateInvocation") + SLOPE, True),
    "in a loop that some leave": (ASK + loop("%some", SLOPE), True),
}
"""By name: the program, and whether the derivative is undefined for some quads. None: it is not, for "any input
variables decorated with Flat are uniform within a primitive scope instance", which lint may leave open."""


def program(body: str) -> Module:
    kind = variable("kind", "Input", "%u32", "Location 1", "Flat")
    return shader(
        body,
        kind,
        modes=["MaximallyReconvergesKHR"],
        capabilities=["DemoteToHelperInvocation"],
        extensions=[MAXIMAL, DEMOTE],
    )


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_derivative_is_undefined_in_a_run_exactly_where_lint_reports_it(name: str) -> None:
    body, expected = PROGRAMS[name]
    module = program(body)
    for size in (4, 8, 32, 64):
        codes = {found.code for found in run(module, drawing=DRAWING, subgroup_size=size).diagnostics}
        assert codes == ({"RK1015"} if expected else set())
    reported = "RK3008" in [found.code for found in lint_module(module, "maximal")]
    assert expected is None or reported == expected


BALLOT = "%who = OpGroupNonUniformBallot %v4u %u3 %true\n"
SEEN = """%bits = OpCompositeExtract %u32 %who 0
%part = OpConvertUToF %f32 %bits
%color_of = OpCompositeConstruct %v4f %part %part %part %part
OpStore %color %color_of"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (ASK + when("%some", "OpDemoteToHelperInvocation\n") + BALLOT + SEEN, True),
        (ASK + BALLOT + when("%some", "OpDemoteToHelperInvocation\n") + SEEN, False),
        (ASK + when("%some", "OpDemoteToHelperInvocation\n") + SLOPE, False),
    ],
)
def test_helpers_can_be_missed_exactly_where_lint_reports_it(body: str, expected: bool) -> None:
    """Of two quads in a subgroup all of the second is demoted: it may end before the ballot, or not."""
    quads = [Quad([2 * at, 0], inputs={"0": [[value, 0]] * 4, "1": [0] * 4}) for at, value in enumerate((1, 0))]
    module = program(body)
    every = outcomes(module, subgroup_size=8, drawing=Drawing([4, 2], quads=quads))
    assert every.whole and (len(every.outcomes) > 1) == expected
    assert ("RK3006" in [found.code for found in lint_module(module, "maximal")]) == expected
