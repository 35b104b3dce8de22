"""Where the words of a binary alone tell that lint has nothing to say, and where they must not."""

import pytest

from reknit.checks.control_flow import judge_words
from reknit.checks.lint.api import lint_input
from reknit.checks.lint.codes import TARGETS
from reknit.checks.lint.config import Config
from reknit.checks.lint.lint import lint_module
from reknit.checks.lint.plain import has_no_findings
from reknit.spirv.asm import assemble
from reknit.spirv.read import read_module

HEAD = """
OpCapability Shader
OpCapability GroupNonUniform
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id
OpExecutionMode %main LocalSize 64 1 1
OpDecorate %id BuiltIn GlobalInvocationId
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%u32 = OpTypeInt 32 0
%v3 = OpTypeVector %u32 3
%in = OpTypePointer Input %v3
%zero = OpConstant %u32 0
%two = OpConstant %u32 2
%semantics = OpConstant %u32 264
%id = OpVariable %in Input
"""
BARRIER = "OpControlBarrier %two %two %semantics\n"
START = """
%all = OpLoad %v3 %id
%x = OpCompositeExtract %u32 %all 0
%c = OpIEqual %bool %x %zero
"""
IF = """OpSelectionMerge %after None
OpBranchConditional %c %then %after
%then = OpLabel
{}OpBranch %after
%after = OpLabel
"""
RETURN_INSIDE = IF.format("").replace("OpBranch %after", "OpReturn")
LOOP = """OpBranch %head
%head = OpLabel
{}OpLoopMerge %out %next None
OpBranch %test
%test = OpLabel
OpBranchConditional %c %out %next
%next = OpLabel
OpBranch %head
%out = OpLabel
"""
HELPER = "%helper = OpFunction %void None %fn\n%body = OpLabel\n{}OpReturn\nOpFunctionEnd\n"
CALL = "%called = OpFunctionCall %void %helper\n"


def shader(*parts: str, before: str = "") -> bytes:
    main = f"%main = OpFunction %void None %fn\n%entry = OpLabel\n{START}{''.join(parts)}OpReturn\nOpFunctionEnd\n"
    return assemble(HEAD + before + main)


def says_nothing(binary: bytes) -> bool:
    return has_no_findings(judge_words(binary, "<text>", None, True))


# The workgroup enters `main` whole (SPIR-V 1.6, 2.2.5); it is whole again at the merge block of what it entered whole,
# unless an invocation returns in between.
@pytest.mark.parametrize(
    "binary",
    [
        shader(IF.format("")),
        shader(BARRIER),
        shader(BARRIER, IF.format(""), BARRIER),
        shader(LOOP.format(""), BARRIER),
        shader(IF.format(CALL), BARRIER, before=HELPER.format("")),
    ],
    ids=["no operation", "at the start", "around an if", "after a loop", "after a call in an if"],
)
def test_what_all_execute_is_fine(binary: bytes) -> None:
    assert says_nothing(binary)
    for target in TARGETS:
        assert lint_module(read_module(binary), target) == []
    assert lint_input(binary, None, "<bytes>", "", None, Config()) == []


@pytest.mark.parametrize(
    ("binary", "found"),
    [
        (shader(IF.format(BARRIER)), ["RK3007"]),
        (shader(RETURN_INSIDE, BARRIER), ["RK3007"]),
        (shader(LOOP.format(BARRIER)), ["RK3007"]),
        (shader(IF.format(CALL), before=HELPER.format(BARRIER)), ["RK3007"]),
    ],
    ids=["in an if", "after a return", "in a loop", "in a function called in an if"],
)
def test_what_a_part_may_execute_is_asked_of_the_tree(binary: bytes, found: list[str]) -> None:
    assert not says_nothing(binary)
    assert [one.code for one in lint_input(binary, None, "<bytes>", "", None, Config())] == found


def test_what_is_not_well_formed_is_asked_of_the_tree() -> None:
    assert not says_nothing(shader(before="%wrong = OpConstantComposite %v3 %zero\n"))
