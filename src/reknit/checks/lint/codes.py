"""The findings of lint: by kind, the code, what is said, and what to do about it.

    kind (analysis.tangles.judge)  ─▶  RK3001 .. RK3009, RK3011 .. RK3013

A code never changes its meaning; `reknit explain CODE` has the page.
"""

from typing import Final, final

from reknit.analysis.tangles.kinds import (
    FALLS_IN,
    HELPERS,
    NATURAL,
    NEEDS_MAXIMAL,
    NEEDS_SUBGROUP_UNIFORM,
    NOT_UNIFORM,
    PART_OF_QUAD,
    PART_OF_SUBGROUP,
    PART_OF_WORKGROUP,
    UNITED,
    UNSTRUCTURED,
    VALUES_DIFFER,
)
from reknit.analysis.tangles.rules import RULES

TARGETS: Final = RULES

DECLARE_MAXIMAL: Final = (
    "declare MaximallyReconvergesKHR for the entry point (GLSL: [[maximally_reconverges]] of "
    "GL_EXT_maximal_reconvergence; dxc: -fspv-enable-maximal-reconvergence, which is off by default)"
)
LOWER: Final = "`reknit compile FILE -o OUT` rewrites the switch so that one answer is left"
DECLARE_UNIFORM: Final = (
    "declare SubgroupUniformControlFlowKHR for the entry point (GLSL: [[subgroup_uniform_control_flow]] of "
    "GL_EXT_subgroup_uniform_control_flow), or MaximallyReconvergesKHR"
)
DECLARED: Final = "the entry point declares {mode}, which --target {target} leaves out: it is no finding without that"
"""What is said in place of advice to declare a mode, where that is declared and what was asked doesn't count it."""

LOST_BY_DXC: Final = (
    "in HLSL the active lanes follow the program's control flow: `run` and `outcomes` judge it that way, and `reknit "
    "compile` declares it; dxc's SPIR-V promises it only with -fspv-enable-maximal-reconvergence"
)
"""Of what is found in HLSL. "implementations must enforce that the number of active lanes exactly corresponds to the
programmer's view of flow control": DirectXShaderCompiler's wiki, Wave Intrinsics."""

DEMOTE: Final = (
    "demote invocations instead of ending them (OpDemoteToHelperInvocation; GLSL: demote of "
    "GL_EXT_demote_to_helper_invocation), so that they go on as helpers, or "
)
"""Where invocations are missing because they were ended, before the help of the finding."""


@final
class Code:
    """`message` has {what} for the operation and {by} for what was asked to promise it."""

    __slots__ = ("code", "message", "help")

    def __init__(self, code: str, message: str, help: str) -> None:
        self.code = code
        self.message = message
        self.help = help


FULL_SUBGROUPS: Final = (
    "; if the pipeline requires full subgroups (VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT), "
    "--full-subgroups says so, and this is no finding"
)
"""Of a finding that is none where each workgroup of the subgroup's size is one subgroup."""
SUBGROUP_SIZES: Final = "; if subgroups have no such size where the shader runs, --subgroup-sizes says which they have"

OPEN: Final = "RK2501"
"""What an input without structure leaves open (`open_input`)."""

REPACKING: Final = "RK3010"
"""A note, which is of no operation (`repacking`)."""

CODES: Final = {
    NEEDS_MAXIMAL: Code(
        "RK3001",
        "{what} depends on invocations meeting again, which {by} does not promise here",
        DECLARE_MAXIMAL + ", or move the operation to where all come",
    ),
    NEEDS_SUBGROUP_UNIFORM: Code(
        "RK3002",
        "{what} depends on a subgroup meeting again, which {by} does not promise here",
        DECLARE_UNIFORM,
    ),
    UNITED: Code(
        "RK3003",
        "{what} may be executed by more invocations at once than are in this tangle: {by} allows uniting them",
        DECLARE_MAXIMAL + ", or move the operation before the branch that leaves",
    ),
    VALUES_DIFFER: Code(
        "RK3004",
        "{what} is in a case for several values: not even MaximallyReconvergesKHR says which invocations run it "
        "together",
        LOWER + "; or give each value a case of its own",
    ),
    FALLS_IN: Code(
        "RK3005",
        "{what} is in a case that is reached by fallthrough: not even MaximallyReconvergesKHR says which invocations "
        "run it together",
        LOWER + "; or end each case with a break",
    ),
    HELPERS: Code(
        "RK3006",
        "{what} may or may not include helper invocations: invocations may have been terminated or demoted before it",
        "move the operation before what terminates or demotes invocations, or exclude helper invocations by a "
        "condition",
    ),
    NATURAL: Code(
        "RK3011",
        "{what} may or may not count helper invocations",
        "exclude helper invocations by a condition (GLSL: !gl_HelperInvocation), or declare MaximallyReconvergesKHR "
        "and RequireFullQuadsKHR for the entry point, so that all of them exist and take part",
    ),
    PART_OF_WORKGROUP: Code(
        "RK3007",
        "{what} for the workgroup may be reached by only a part of it, which is undefined behavior",
        "move the operation to where every invocation of the workgroup executes it",
    ),
    PART_OF_SUBGROUP: Code(
        "RK3012",
        "{what} for the subgroup may be reached by only a part of it, which is undefined behavior",
        "move the operation to where every invocation of the subgroup executes it, or use the OpGroupNonUniform "
        "operation, which involves only the invocations that reach it",
    ),
    NOT_UNIFORM: Code(
        "RK3013",
        "{what} has an operand that must be the same for all invocations that execute it, and may differ",
        "make the value uniform (GLSL: subgroupBroadcastFirst), or use OpGroupNonUniformShuffle, whose index may "
        "differ",
    ),
    PART_OF_QUAD: Code(
        "RK3008",
        "{what} takes a derivative where a part of the quad may be elsewhere, which is undefined",
        "move the operation before the branch, or give the level of detail or the gradients",
    ),
    UNSTRUCTURED: Code(
        "RK3009",
        "{what} is in control flow that is not structured: nothing is promised about it",
        "structure the function's control flow first",
    ),
}
