"""Where instructions stand and what they name: one small function each.

lines of main  ->  the rules that are broken, each with the line that it is at
"""

import pytest

from reknit.spirv.asm import assemble
from reknit.spirv.rules.judge import diagnostics, examine
from reknit.spirv.words import parse

BEFORE = """\
OpCapability Shader
OpCapability Linkage
%debug = OpExtInstImport "OpenCL.DebugInfo.100"
%glsl = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
%file = OpString "a.comp"
OpName %main "main"
OpName %first ""
OpName %first "entry"
OpName %first "late"
%void = OpTypeVoid
%bool = OpTypeBool
%u32 = OpTypeInt 32 0
%f32 = OpTypeFloat 32
%ptr = OpTypePointer Function %u32
%cell = OpTypePointer Private %u32
%yes = OpConstantTrue %bool
%one = OpConstant %u32 1
%half = OpConstant %f32 0.5
%global = OpVariable %cell Private
%fn = OpTypeFunction %void
%other = OpFunction %void None %fn
%elsewhere = OpLabel
OpReturn
OpFunctionEnd
%main = OpFunction %void None %fn
%first = OpLabel
"""
END = "OpReturn\nOpFunctionEnd\n"


def judged(body: str, before: str = BEFORE, end: str = END) -> list[tuple[str, str]]:
    text = before + body + end
    found = examine(parse(assemble(text, version=(1, 4)))).out.findings
    return [(one.rule, text.splitlines()[one.row]) for one in found]


X, Y = "%x = OpVariable %ptr Function\n", "%y = OpVariable %ptr Function %one\n"
LINE = "OpLine %file 1 1\n"
DEBUG = "%d = OpExtInst %void %debug DebugInfoNone\n"
ADD = "%s = OpIAdd %u32 %one %one\n"
SQRT = "%s = OpExtInst %f32 %glsl Sqrt %half\n"


@pytest.mark.parametrize("body, misplaced", [
    (X, ""),
    (X + Y, ""),
    (LINE + X + "OpNoLine\n" + LINE + Y, ""),
    (DEBUG + X + DEBUG.replace("%d =", "%e =") + Y, ""),
    (X + ADD + Y, "y"),
    (ADD + X + Y, "x"),  # what follows a misplaced one is not reported again
    (SQRT + X, "x"),
    (X + SQRT + LINE + Y, "y"),
    ("OpNop\n" + X, "x"),
    ("OpBranch %b\n%b = OpLabel\n" + X, "x"),
    (X + "OpBranch %b\n%b = OpLabel\n" + Y, "y"),
    (X + "OpBranch %b\n%b = OpLabel\n" + LINE + Y, "y"),
])  # fmt: skip
def test_variables_come_first(body: str, misplaced: str) -> None:
    lines = [line for line in body.splitlines() if line.startswith(f"%{misplaced} = OpVariable")]
    assert judged(body) == ([("X02", lines[0])] if misplaced else [])


SELECTION = "OpSelectionMerge %m None\n"
LOOP = "OpLoopMerge %m %c None\n"
AROUND = "OpBranch %h\n%h = OpLabel\n"
TAIL = "%c = OpLabel\nOpBranch %h\n%m = OpLabel\n"


@pytest.mark.parametrize("body, at", [
    (SELECTION + "OpBranchConditional %yes %a %m\n%a = OpLabel\nOpBranch %m\n%m = OpLabel\n", ""),
    (SELECTION + "OpSwitch %one %m 1 %a\n%a = OpLabel\nOpBranch %m\n%m = OpLabel\n", ""),
    (SELECTION + "OpBranch %m\n%m = OpLabel\n", SELECTION),
    (SELECTION + ADD + "OpBranch %m\n%m = OpLabel\n", SELECTION),
    (SELECTION + "OpReturn\n%m = OpLabel\n", SELECTION),
    (AROUND + LOOP + "OpBranch %b\n%b = OpLabel\nOpBranchConditional %yes %c %m\n" + TAIL, ""),
    (AROUND + LOOP + "OpBranchConditional %yes %m %c\n" + TAIL, ""),
    (AROUND + LOOP + "OpSwitch %one %m 1 %c\n" + TAIL, LOOP),
    (AROUND + LOOP + ADD + "OpBranchConditional %yes %m %c\n" + TAIL, LOOP),
])  # fmt: skip
def test_merges_precede_branches(body: str, at: str) -> None:
    found = [one for one in judged(body) if one[0] == "B04"]
    assert found == ([("B04", at.strip())] if at else [])


@pytest.mark.parametrize("target, why, noted", [
    ("%nothing", "is not defined", ""),
    ("%one", "is not a label", "%one = OpConstant %u32 1"),
    ("%elsewhere", "is a label of another function", "%elsewhere = OpLabel"),
])  # fmt: skip
def test_targets_are_labels(target: str, why: str, noted: str) -> None:
    text = f"{BEFORE}OpBranch {target}\nOpFunctionEnd\n"
    columns = parse(assemble(text, version=(1, 4)))
    (found,) = examine(columns).out.findings
    assert found.rule == "B02" and found.message.endswith(f", which it names, {why}")
    assert text.splitlines()[found.row] == f"OpBranch {target}"
    assert [text.splitlines()[row] for _, row in found.notes] == ([noted] if noted else [])
    (one,) = diagnostics(examine(columns), "a.spv")
    assert one.code == "RK0602" and one.place is not None and one.place.word == columns.at[found.row]
    assert "(function %main)" in one.message
    (bare,) = diagnostics(examine(columns), "a.spv", with_words=False)
    assert bare.place is not None and bare.place.word < 0


def test_the_last_id_may_be_a_label() -> None:
    """The label with the highest id, and one above the bound."""
    text = f"{BEFORE}OpBranch %last\n%last = OpLabel\n{END}"
    binary = bytearray(assemble(text, version=(1, 4)))
    columns = parse(bytes(binary))
    row = text.splitlines().index("OpBranch %last")
    assert columns.bound == 1 + int(columns.result[row + 1])
    assert examine(columns).out.findings == []
    binary[4 * int(columns.at[row]) + 4 : 4 * int(columns.at[row]) + 8] = int(columns.bound).to_bytes(4, "little")
    (found,) = examine(parse(bytes(binary))).out.findings
    assert found.message == f"%{columns.bound}, which it names, is not defined"


def test_names_are_the_first_that_is_not_empty() -> None:
    (found,) = examine(parse(assemble(f"{BEFORE}OpBranch %first\nOpFunctionEnd\n", version=(1, 4)))).out.findings
    assert found.message == "%entry branches to %entry, the first block of the function"


@pytest.mark.parametrize("operands, sizes, wanted", [
    ("%x 0", "", ""),
    ("%x 4", "", "a size other than 0 needs the capability Addresses"),
    ("%x 4", "OpCapability Addresses\n", ""),
    ("%global 0", "", "%global is not a pointer to a variable of the function"),
    ("%one 0", "", "%one is not a pointer to a variable of the function"),
    ("%global 4", "OpCapability Addresses\n", "%global is not a pointer to a variable of the function"),
])  # fmt: skip
@pytest.mark.parametrize("code", ["OpLifetimeStart", "OpLifetimeStop"])
def test_lifetimes(code: str, operands: str, sizes: str, wanted: str) -> None:
    text = sizes + BEFORE + X + f"{code} {operands}\n" + END
    case = examine(parse(assemble(text, version=(1, 4))))
    row = text.splitlines().index(f"{code} {operands}")
    names = {
        f"%{case.columns.result[at]}": line.split()[0] for at, line in enumerate(text.splitlines()) if " = " in line
    }
    messages = [" ".join(names.get(word, word) for word in one.message.split()) for one in case.out.findings]
    assert messages == ([wanted] if wanted else [])
    assert [(one.rule, one.row) for one in case.out.findings] == ([("X05", row)] if wanted else [])


@pytest.mark.parametrize("control, wanted", [
    ("None", ""),
    ("DontUnroll", ""),
    ("DontUnroll|Unroll", "DontUnroll and Unroll exclude each other"),
    ("DontUnroll|PeelCount 2", "DontUnroll and PeelCount exclude each other"),
    ("DontUnroll|PartialCount 2", "DontUnroll and PartialCount exclude each other"),
    ("Unroll|PeelCount|PartialCount 2 2", ""),
    ("DontUnroll|DependencyLength 4", ""),
    ("IterationMultiple 1", ""),
    ("IterationMultiple 0", "IterationMultiple is at least 1"),
    ("MinIterations|IterationMultiple 0 2", ""),
    ("MinIterations|IterationMultiple 2 0", "IterationMultiple is at least 1"),
    ("MaxIterations|IterationMultiple 0 2", ""),
    ("MaxIterations|IterationMultiple 2 0", "IterationMultiple is at least 1"),
    ("DependencyLength|IterationMultiple 2 0", "IterationMultiple is at least 1"),
    ("DependencyLength|MinIterations|MaxIterations|IterationMultiple 1 0 0 5", ""),
    ("DependencyLength|MinIterations|MaxIterations|IterationMultiple 1 2 3 0", "IterationMultiple is at least 1"),
    ("MinIterations|MaxIterations|IterationMultiple|PeelCount 1 2 1 0", ""),
    ("DependencyInfinite|IterationMultiple 0", "IterationMultiple is at least 1"),
])  # fmt: skip
def test_loop_controls(control: str, wanted: str) -> None:
    loop = f"OpLoopMerge %m %c {control}"
    text = f"{BEFORE}{AROUND}{loop}\nOpBranchConditional %yes %m %c\n{TAIL}{END}"
    found = examine(parse(assemble(text, version=(1, 4)))).out.findings
    assert [one.message.partition(": ")[2] for one in found] == ([wanted] if wanted else [])
    assert [text.splitlines()[one.row] for one in found] == ([loop] if wanted else [])


ARM = "%y = OpLabel\nOpBranch %z\n%z = OpLabel\n"
LATER = "OpSwitch %one %m 1 %a\n%a = OpLabel\nOpBranch %m\n%m = OpLabel\n"


@pytest.mark.parametrize("body, end, rule", [
    (ADD + X, END, "X02"),
    (X + "OpLifetimeStart %one 0\n", END, "X05"),
    (X + "OpLifetimeStart %x 4\n", END, "X05"),
    ("%r = OpFunctionCall %void %main\n", END, "X04"),
    ("", "OpKill\nOpFunctionEnd\n", "B36"),
    ("", "OpTerminateInvocation\nOpFunctionEnd\n", "B36"),
    ("", "OpReturnValue %one\nOpFunctionEnd\n", "B34"),
    ("%s = OpIAdd %u32 %one %gone\n", END, "B33"),
    ("%p = OpPhi %u32 %one %first\n", END, "B32"),
    ("OpSelectionMerge %z None\nOpBranchConditional %one %y %z\n" + ARM, END, "B31"),
    ("OpSelectionMerge %z None\nOpSwitch %one %z 1 %y 1 %y\n" + ARM, END, "B30"),
    ("OpBranch %h\n%h = OpLabel\nOpLoopMerge %k %c DontUnroll|Unroll\nOpBranch %c\n%c = OpLabel\n"
     "OpBranchConditional %yes %h %k\n%k = OpLabel\n", END, "X03"),
])  # fmt: skip
def test_what_says_nothing_of_blocks_leaves_them_to_be_judged(body: str, end: str, rule: str) -> None:
    """An OpSwitch without a merge is found too, though that is asked last."""
    entry = 'OpEntryPoint GLCompute %main "main"\n'
    before = BEFORE.replace("OpCapability Linkage\n", "").replace("%file = ", f"{entry}%file = ")
    found = [one for one, _ in judged(body + LATER, before, end)]
    assert found == ([rule] if rule != "B36" or "Kill" in end else [rule, rule]) + ["B27"]
