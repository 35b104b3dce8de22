"""Operands of branches, returns, phis and loop controls: one small function each, judged beside SPIRV-Tools.

body of main  ->  rules that are broken, with a part of what is said     ("" : none; SPIRV-Tools accepts it too)
"""

import pytest
from kit import oracles

from reknit.spirv.asm import assemble
from reknit.spirv.rules.judge import examine
from reknit.spirv.words import parse

BEFORE = """\
OpCapability Shader
OpCapability Int64
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
OpSource GLSL 450
%void = OpTypeVoid
%bool = OpTypeBool
%bool2 = OpTypeVector %bool 2
%u32 = OpTypeInt 32 0
%u64 = OpTypeInt 64 0
%f32 = OpTypeFloat 32
%ptr = OpTypePointer Function %u32
%pp = OpTypePointer Private %u32
%private = OpVariable %pp Private
%yes = OpConstantTrue %bool
%yes2 = OpConstantComposite %bool2 %yes %yes
%one = OpConstant %u32 1
%two = OpConstant %u32 2
%half = OpConstant %f32 0.5
%long = OpConstant %u64 1
%fn = OpTypeFunction %void
%fu = OpTypeFunction %u32
%fp = OpTypeFunction %pp
"""
MAIN = "%main = OpFunction %void None %fn\n"
END = "OpFunctionEnd\n"
RETURN = "%e = OpLabel\nOpReturn\n"


def switch(literals: str, selector: str = "%one") -> str:
    return (
        f"{MAIN}%e = OpLabel\nOpSelectionMerge %m None\nOpSwitch {selector} %m {literals}\n"
        f"%a = OpLabel\nOpBranch %m\n%b = OpLabel\nOpBranch %m\n%m = OpLabel\nOpReturn\n{END}"
    )


def branch(condition: str) -> str:
    return (
        f"{MAIN}%e = OpLabel\nOpSelectionMerge %m None\nOpBranchConditional {condition}\n"
        f"%a = OpLabel\nOpBranch %m\n%m = OpLabel\nOpReturn\n{END}"
    )


def join(phi: str, before: str = "") -> str:
    return (
        f"{MAIN}%e = OpLabel\nOpSelectionMerge %m None\nOpBranchConditional %yes %a %m\n"
        f"%a = OpLabel\nOpBranch %m\n%m = OpLabel\n{before}{phi}\nOpReturn\n{END}"
    )


def loop(control: str) -> str:
    return (
        f"{MAIN}%e = OpLabel\nOpBranch %h\n%h = OpLabel\nOpLoopMerge %m %c {control}\nOpBranch %c\n"
        f"%c = OpLabel\nOpBranchConditional %yes %h %m\n%m = OpLabel\nOpReturn\n{END}"
    )


def second(function: str) -> str:
    return f"{MAIN}{RETURN}{END}{function}{END}"


CASES = [
    (branch("%yes %a %m"), ""),
    (branch("%yes %a %m 1 2"), ""),
    (branch("%one %a %m"), "B31: is not a Boolean"),
    (branch("%yes2 %a %m"), "B31: is not a Boolean"),
    (branch("%bool %a %m"), "B31: is not a Boolean"),
    (switch("0 %a 1 %b"), ""),
    (switch("0 %a 0x100000000 %b", "%long"), ""),
    (switch("0x100000005 %a 0x200000005 %b", "%long"), ""),
    (second("%g = OpFunction %u32 None %fu\n%l = OpLabel\nOpReturnValue %one\n"), ""),
    (second(f"%g = OpFunction %u32 None %fu\n{RETURN.replace('%e', '%l')}"), "B34: which returns a value"),
    (second("%g = OpFunction %u32 None %fu\n%l = OpLabel\nOpReturnValue %half\n"), "B34: has another type"),
    (second("%g = OpFunction %u32 None %fu\n%l = OpLabel\nOpReturnValue %u32\n"), "B34: is no value"),
    (second("%g = OpFunction %pp None %fp\n%l = OpLabel\nOpReturnValue %private\n"), "B34: is a pointer"),
    (
        second(
            "%g = OpFunction %u32 None %fu\n%l = OpLabel\nOpSelectionMerge %k None\nOpBranchConditional %yes %j %k\n"
            "%j = OpLabel\nOpReturnValue %one\n%k = OpLabel\nOpReturnValue %half\n"
        ),
        "B34: has another type",
    ),
    (join("%p = OpPhi %u32 %one %a %two %e"), ""),
    (join("%p = OpPhi %u32 %one %a %two %e\n%q = OpPhi %u32 %one %e %two %a"), ""),
    (join("%p = OpPhi %u32 %one %a %two %e", "OpNoLine\n"), ""),
    (join("%p = OpPhi %u32 %one %a %two %e", "%x = OpIAdd %u32 %one %one\n"), "B32: after an instruction"),
    (join("%p = OpPhi %u32 %one %a"), "B32: no value for"),
    (join("%p = OpPhi %u32 %one %a %two %a"), "B32: named twice"),
    (join("%p = OpPhi %u32 %one %a %half %e"), "B32: has another type"),
    (join("%p = OpPhi %u32 %one %a %two %m"), "B32: does not branch here"),
    (join("%p = OpPhi %u32 %one %a %two %one"), "B32: is not a label"),
    (join("%p = OpPhi %pp %private %a %private %e"), "B32: only variable pointers"),
    (f"{MAIN}%e = OpLabel\n%p = OpPhi %u32\nOpReturn\n{END}", "B32: has no predecessors"),
    (loop("None"), ""),
    (loop("Unroll"), ""),
    (loop("DontUnroll|Unroll"), "X03: exclude each other"),
    (loop("IterationMultiple 0"), "X03: at least 1"),
    (loop("DependencyLength|MinIterations|IterationMultiple 3 0 4"), ""),
    (loop("DependencyLength|MinIterations|IterationMultiple 3 4 0"), "X03: at least 1"),
    (loop("DontUnroll|PartialCount 2"), "X03: PartialCount exclude"),
]


@pytest.mark.parametrize("body, wanted", CASES)
def test_findings_and_what_spirv_tools_say(body: str, wanted: str) -> None:
    oracles.need("slang-glslang")
    binary = assemble(BEFORE + body, version=(1, 4))
    found = [f"{finding.rule}: {finding.message}" for finding in examine(parse(binary)).out.findings]
    if wanted:
        rule, part = wanted.split(": ")
        assert len(found) == 1 and found[0].startswith(rule) and part in found[0]
    else:
        assert found == []
    fine, message = oracles.validate(binary)
    assert fine == (not wanted), message


@pytest.mark.parametrize("literals", ["0 %a 0 %b", "0x100000005 %a 0x100000005 %b"])
def test_a_literal_comes_once(literals: str) -> None:
    """A rule of the specification that SPIRV-Tools does not check (OpSwitch)."""
    binary = assemble(BEFORE + switch(literals, "%long"), version=(1, 4))
    (found,) = examine(parse(binary)).out.findings
    assert found.rule == "B30" and found.message.endswith(f"literal {int(literals.split()[0], 0)}")
