"""Instructions that have lost their last words: what is left counts, and what follows is never read in their place.

OpSelectionMerge %m        without its control: the same findings as with it
OpFunctionCall %void %r    without its callee: calls nothing, whatever instruction comes next
"""

import pytest

from reknit.spirv.asm import assemble
from reknit.spirv.rules.judge import examine
from reknit.spirv.words import parse

TEXT = """\
OpCapability Shader
OpCapability Geometry
OpExtension "SPV_KHR_maximal_reconvergence"
%debug = OpExtInstImport "OpenCL.DebugInfo.100"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
OpName %main "main"
%void = OpTypeVoid
%bool = OpTypeBool
%u32 = OpTypeInt 32 0
%ptr = OpTypePointer Function %u32
%yes = OpConstantTrue %bool
%one = OpConstant %u32 1
%fn = OpTypeFunction %void
%give = OpTypeFunction %u32
%other = OpFunction %u32 None %give
%only = OpLabel
OpReturnValue %one
OpFunctionEnd
%main = OpFunction %void None %fn
%first = OpLabel
%var = OpVariable %ptr Function
OpBranch %head
%head = OpLabel
OpLoopMerge %end %next None
OpBranchConditional %yes %body %end
%body = OpLabel
OpSelectionMerge %after None
OpSwitch %one %after 1 %case
%case = OpLabel
%call = OpFunctionCall %u32 %other
OpBranch %after
%after = OpLabel
%phi = OpPhi %u32 %one %body %one %case
OpBranch %next
%next = OpLabel
OpBranch %head
%end = OpLabel
OpReturn
OpFunctionEnd
"""
LINES = TEXT.splitlines()
BINARY = assemble(TEXT, version=(1, 4))


def row_of(line: str) -> int:
    (found,) = [row for row, each in enumerate(LINES) if each.startswith(line)]
    return found


def cut(row: int, size: int, following: bytes = b"") -> list[tuple[str, int, str]]:
    """The findings if an instruction has only its first `size` words; `following` stands behind it."""
    columns = parse(BINARY)
    start, end = 4 * int(columns.at[row]), 4 * (int(columns.at[row]) + int(columns.size[row]))
    head = (int.from_bytes(BINARY[start : start + 2], "little") | size << 16).to_bytes(4, "little")
    binary = BINARY[:start] + head + BINARY[start + 4 : start + 4 * size] + following + BINARY[end:]
    return [(one.rule, one.row, one.message) for one in examine(parse(binary)).out.findings]


def test_the_whole_module_keeps_every_rule() -> None:
    assert examine(parse(BINARY)).out.findings == []


@pytest.mark.parametrize("line, size", [
    ("OpSelectionMerge %after", 2),
    ("OpLoopMerge %end", 3),
    ("OpSwitch", 3),  # the default alone
    ("OpName", 2),
    ("OpEntryPoint", 3),  # without a name
    ("%u32 = OpTypeInt", 3),
])  # fmt: skip
def test_what_is_left_is_enough(line: str, size: int) -> None:
    found = cut(row_of(line), size)
    assert [rule for rule, _, _ in found if rule not in ("B32",)] == []


LINES_AFTER = [
    (1 << 16 | 0).to_bytes(4, "little"),  # OpNop
    b"".join(word.to_bytes(4, "little") for word in (4 << 16 | 8, 14, 3, 3)),  # OpLine
    b"".join(word.to_bytes(4, "little") for word in (3 << 16 | 8, 1, 2)),  # OpLine, cut short
]


@pytest.mark.parametrize("line", [line for line in LINES if not line.startswith(("OpSwitch", "OpBranch", "OpReturn"))])
def test_what_follows_is_not_read(line: str) -> None:
    """With something else behind it, what is found of the instruction and those before it is the same."""
    row = LINES.index(line)
    columns = parse(BINARY)
    for size in range(1 + (columns.result[row] != 0) + (columns.type[row] != 0), int(columns.size[row])):
        before = [[one for one in cut(row, size, following) if one[1] <= row] for following in LINES_AFTER]
        assert before[1:] == before[:1] * (len(LINES_AFTER) - 1), (line, size)
