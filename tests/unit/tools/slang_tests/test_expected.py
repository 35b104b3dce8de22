"""What buffers look like as text, and when two such texts are the same."""

from pathlib import Path

import pytest
from slang_tests.directives import chosen, read_directives
from slang_tests.expected import compare, difference, expected_file, has_expected
from slang_tests.output import shown

pytestmark = pytest.mark.once


@pytest.mark.parametrize(
    ("words", "type", "lines"),
    [
        ([10, 0x3F800000], "", ["A", "3F800000"]),
        ([0x3F800000, 0xBFC00000], "float", ["type: float", "1.000000", "-1.500000"]),
        ([0xFFFFFFFF], "int32_t", ["type: int32_t", "-1"]),
        ([0xFFFFFFFF], "uint32_t", ["type: uint32_t", "4294967295"]),
        ([0xFFFE0001], "int16_t", ["type: int16_t", "1", "-2"]),
        ([0x3C00C000], "half", ["type: half", "-2.000000", "1.000000"]),
        ([0, 0x3FF00000], "double", ["type: double", "1.000000"]),
        ([5, 1], "uint64_t", ["type: uint64_t", str(5 + (1 << 32))]),
        ([0xFF, 1], "bool", ["type: bool", "FF", "1"]),
        ([0x7F800000, 0xFF800000, 0x7FC00000], "float", ["type: float", "inf", "-inf", "nan"]),
    ],
)
def test_buffers_as_text(words: list[int], type: str, lines: list[str]) -> None:
    assert shown(words, type) == lines


@pytest.mark.parametrize(
    ("mine", "wanted", "same"),
    [
        (["1", "2"], ["1", "2"], True),
        (["1", "2", "3"], ["1", "2"], True),  # more than is expected
        (["1"], ["1", "2"], False),
        (["1", "A"], ["1", "B"], False),
        (["type: float", "1.00001"], ["type: float", "1.0"], True),
        (["type: float", "1.001"], ["type: float", "1.0"], False),
        (["type: float", "0.000001"], ["type: float", "0.0"], False),  # nothing is close to zero
        (["type: float", "1"], ["type: half", "1"], False),
        (["type: int32_t", "10000"], ["type: int32_t", "10001"], False),
        (["1.00001"], ["1.0"], False),  # no type, no tolerance
    ],
)
def test_lines_are_compared_by_their_type(mine: list[str], wanted: list[str], same: bool) -> None:
    assert (compare(mine, wanted) is None) == same


def test_where_expected_values_come_from(tmp_path: Path) -> None:
    test = tmp_path / "t.slang"
    lines = "//TEST:SIMPLE:-target hlsl\n//TEST:COMPARE_COMPUTE: -vk\n"
    directive = chosen(read_directives(lines))
    assert directive is not None and directive.number == 1
    assert not has_expected(test, directive)
    (tmp_path / "t.slang.expected.txt").write_text("1\n2\n\n")
    assert difference(test, lines, directive, ["1", "2"]) is None
    (tmp_path / "t.slang.1.expected.txt").write_text("5\n")  # of this test alone
    assert expected_file(test, 1) == tmp_path / "t.slang.1.expected.txt"
    assert difference(test, lines, directive, ["1", "2"]) == "line 1 is 1, expected 5"

    inline = "//TEST:COMPARE_COMPUTE(filecheck-buffer=BUF): -vk\n// BUF: 7\n"
    directive = chosen(read_directives(inline))
    assert directive is not None and has_expected(test, directive)
    assert difference(test, inline, directive, ["7"]) is None
    assert difference(test, inline, directive, ["8"]) is not None
