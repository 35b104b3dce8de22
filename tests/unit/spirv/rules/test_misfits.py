"""Functions and blocks that are not closed, or closed twice, and ids that are used where they can't be.

An assembler refuses some of these, so instructions are left out of, or moved in, the words of a good module.
"""

import pytest

from reknit.spirv.asm import assemble
from reknit.spirv.rules.judge import examine
from reknit.spirv.words import parse

GOOD = """\
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%u32 = OpTypeInt 32 0
%one = OpConstant %u32 1
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%entry = OpLabel
%sum = OpIAdd %u32 %one %one
%twice = OpIAdd %u32 %sum %sum
OpReturn
OpFunctionEnd
%other = OpFunction %void None %fn
%first = OpLabel
%again = OpIAdd %u32 %one %one
OpReturn
OpFunctionEnd
"""
LINES = GOOD.splitlines()


def module(order: list[int], replaced: dict[int, dict[int, int]] | None = None) -> bytes:
    """The instructions of GOOD, by line, in this order; `replaced` gives words of a line other values."""
    binary = assemble(GOOD, version=(1, 3))
    columns = parse(binary)
    parts = []
    for line in order:
        start = 4 * int(columns.at[line])
        words = bytearray(binary[start : start + 4 * int(columns.size[line])])
        for place, value in (replaced or {}).get(line, {}).items():
            words[4 * place : 4 * place + 4] = value.to_bytes(4, "little")
        parts.append(bytes(words))
    return binary[:20] + b"".join(parts)


def found(binary: bytes) -> list[tuple[str, str]]:
    return [(finding.rule, finding.message) for finding in examine(parse(binary)).out.findings]


def without(*lines: str) -> list[int]:
    left = [LINES.index(line) for line in lines]
    return [line for line in range(len(LINES)) if line not in left]


def number(name: str) -> int:
    return int(parse(assemble(GOOD, version=(1, 3))).result[next(i for i, x in enumerate(LINES) if x.startswith(name))])


def test_the_good_module_is_good() -> None:
    assert found(module(list(range(len(LINES))))) == []


@pytest.mark.parametrize(
    "order, rules",
    [
        (without("OpReturn"), ["X01"]),  # the entry block of main runs into OpFunctionEnd
        (list(range(len(LINES) - 1)), ["X01"]),  # the last function isn't closed
        (list(range(len(LINES) - 2)), ["X01", "X01"]),  # nor its block
        (without("OpFunctionEnd"), ["X01"]),  # one function begins in another
        ([*range(len(LINES)), len(LINES) - 1], ["X01"]),  # an end too many
        ([*range(8), 13, *range(8, len(LINES))], ["X01"]),  # an end before the first function
        ([*range(9), *range(10, len(LINES))], ["X01", "X01", "X01"]),  # instructions of a function without a label
        ([*range(8), 15, 17, *range(8, 14)], ["X01"]),  # a block before the first function
    ],
)  # fmt: skip
def test_blocks_and_functions_are_closed_once(order: list[int], rules: list[str]) -> None:
    assert [rule for rule, _ in found(module(order))] == rules


def test_a_value_that_nothing_defines_is_reported_once_an_instruction() -> None:
    line = LINES.index("%twice = OpIAdd %u32 %sum %sum")
    bound = parse(assemble(GOOD, version=(1, 3))).bound
    for value in (0, bound, 0xFFFFFFFF):
        binary = module(list(range(len(LINES))), {line: {3: value, 4: value}})
        assert found(binary) == [("B33", f"%{value} is not defined")]


def test_a_value_of_another_function() -> None:
    line = LINES.index("%again = OpIAdd %u32 %one %one")
    binary = module(list(range(len(LINES))), {line: {4: number("%sum")}})
    assert found(binary) == [("B33", f"%{number('%sum')} is defined in another function")]


def test_a_value_that_comes_later_in_its_block() -> None:
    order = list(range(len(LINES)))
    order[10], order[11] = 11, 10
    assert found(module(order)) == [("B33", f"%{number('%sum')} is used before it is defined")]


def test_a_value_that_is_its_own_operand() -> None:
    line = LINES.index("%sum = OpIAdd %u32 %one %one")
    binary = module(list(range(len(LINES))), {line: {4: number("%sum")}})
    assert found(binary) == [("B33", f"%{number('%sum')} is used before it is defined")]
