"""Slang's tokens: kinds, texts, places, and what is no token."""

import pytest

from reknit.front.slang.lexer import kind_of, lex
from reknit.front.slang.literals import char_literal, float_literal, int_literal, string_literal
from reknit.front.slang.report import Reports
from reknit.front.slang.sources import Sources
from reknit.front.slang.tokens import (
    BAD,
    CHAR,
    END,
    FLOAT,
    INT,
    KIND,
    LINE_START,
    NAME,
    PUNCT,
    SPACE,
    STRING,
    Tokens,
    shown,
)


def tokens(text: str) -> tuple[Tokens, Reports]:
    reports = Reports(Sources())
    return lex(text, reports.sources.add("t.slang", text), reports), reports


def texts(text: str) -> list[str]:
    found, reports = tokens(text)
    assert reports.diagnostics == [] and found.faults == {}
    return found.texts[:-1]


def test_kinds() -> None:
    found, _ = tokens("""int a_1 = 0x1F + 1.5f; "s" 'c' é""")
    kinds = [kind & KIND for kind in found.kinds]
    assert kinds == [NAME, NAME, PUNCT, INT, PUNCT, FLOAT, PUNCT, STRING, CHAR, NAME, END]


def test_the_longest_operator_wins() -> None:
    assert texts("a<<=b>>=c->d++ +e...f::g##h==i=>j") == [
        "a", "<<=", "b", ">>=", "c", "->", "d", "++", "+", "e", "...", "f", "::", "g", "##", "h", "==", "i", "=>", "j",
    ]  # fmt: skip


def test_places_count_from_one_and_comments_count_lines() -> None:
    found, reports = tokens("a\n  b /* x\n y */ c\n// d \\\n e\n\tf")
    places = [str(reports.sources.place(at)) for at in found.ats[:-1]]
    assert found.texts[:-1] == ["a", "b", "c", "f"]  # the second comment goes on after its backslash
    assert places == ["t.slang:1:1", "t.slang:2:3", "t.slang:3:7", "t.slang:6:2"]


def test_what_stands_before_a_token_is_known() -> None:
    found, _ = tokens("a b\nc/**/d")
    flags = [kind & (SPACE | LINE_START) for kind in found.kinds[:-1]]
    assert flags == [LINE_START, SPACE, LINE_START | SPACE, SPACE]


def test_a_backslash_joins_lines() -> None:
    found, reports = tokens("#define A \\\n  b\nc")
    assert [kind & LINE_START != 0 for kind in found.kinds[:-1]] == [True, False, False, False, True]
    assert str(reports.sources.place(found.ats[3])) == "t.slang:2:3"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1.0", ["1.0"]),
        ("1.", ["1."]),
        (".5f", [".5f"]),
        ("1e5", ["1e5"]),
        ("10f+0x1f", ["10f", "+", "0x1f"]),
        ("1.5e-3h", ["1.5e-3h"]),
        ("0x1.8p3", ["0x1.8p3"]),
        ("1.#INF", ["1.#INF"]),
        ("2.4#INFf", ["2.4#INFf"]),
        ("1.xx", ["1", ".", "xx"]),  # a swizzle, as Slang has it
        ("1.0.xx", ["1.0", ".", "xx"]),
        ("0..x", ["0.", ".", "x"]),
        ("0x1e+1", ["0x1e", "+", "1"]),
    ],
)
def test_numbers_end_where_slang_ends_them(text: str, expected: list[str]) -> None:
    assert texts(text) == expected


def test_raw_strings() -> None:
    found, reports = tokens('R"x(a"b\n\\n)x" R c')
    assert found.texts[:-1] == ['R"x(a"b\n\\n)x"', "R", "c"]
    assert string_literal(found.texts[0], found.ats[0], reports) == 'a"b\n\\n'
    assert str(reports.sources.place(found.ats[2])) == "t.slang:2:9"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("a \\ b", "E10000"),
        ("a \x01 b", "E10000"),
        ("''", "E10001"),
        ('"abc', "E10004"),
        ('"abc\n', "E10005"),
        ("'a\nb", "E10005"),
    ],
)
def test_what_is_no_token_is_kept_with_its_reason(text: str, code: str) -> None:
    found, _ = tokens(text)
    assert [fault[0] for fault in found.faults.values()] == [code]
    assert all(found.kinds[i] & KIND == BAD for i in found.faults)


def test_an_open_comment_is_reported_where_it_starts() -> None:
    _, reports = tokens("a\n /* b\n c")
    assert [str(one) for one in reports.diagnostics] == [
        "t.slang:2:2: error[E10011]: unexpected end of input: a comment is not closed"
    ]


def test_the_kind_of_one_token() -> None:
    assert kind_of("ab1") == NAME
    assert kind_of("+=") == PUNCT
    assert kind_of("1u") == INT
    assert kind_of("a b") == BAD
    assert kind_of("-a") == BAD


def test_messages_call_tokens_as_slang_does() -> None:
    assert shown(PUNCT, ";") == "';'"
    assert shown(NAME | SPACE, "x") == "identifier"
    assert shown(END, "") == "end of file"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0", (0, "", True)),
        ("123u", (123, "u", True)),
        ("123UL", (123, "ul", True)),
        ("1lu", (1, "ul", True)),
        ("5ull", (5, "ull", True)),
        ("5LLU", (5, "ull", True)),
        ("7z", (7, "z", True)),
        ("0xFFFFFFFF", (0xFFFFFFFF, "", False)),
        ("0b101u", (5, "u", False)),
        ("18446744073709551615ull", (2**64 - 1, "ull", True)),
    ],
)
def test_integer_literals(text: str, expected: tuple[int, str, bool]) -> None:
    reports = Reports(Sources())
    assert int_literal(text, 0, reports) == expected
    assert reports.diagnostics == []


@pytest.mark.parametrize(
    ("text", "codes", "value"),
    [
        ("017", ["E10002"], 15),
        ("08", ["E10002", "E10003"], 0),
        ("0b12", ["E10003"], 0),
        ("1q", ["E39999"], 1),
        ("1lL", ["E39999"], 1),
        ("18446744073709551616", ["E10012"], 2**64 - 1),
        ("0x" + "f" * 5000, ["E10012"], 2**64 - 1),
    ],
)
def test_wrong_integer_literals(text: str, codes: list[str], value: int) -> None:
    reports = Reports(Sources())
    reports.sources.add("t.slang", text)
    assert int_literal(text, 0, reports)[0] == value
    assert [one.code for one in reports.diagnostics] == codes


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1.5", (1.5, "")),
        ("10f", (10.0, "f")),
        ("1.F", (1.0, "f")),
        (".25h", (0.25, "h")),
        ("1e3lf", (1000.0, "lf")),
        ("2.0L", (2.0, "l")),
        ("0x1.8p1", (3.0, "")),
        ("1.#INF", (float("inf"), "")),
        ("1e999", (float("inf"), "")),
    ],
)
def test_floating_point_literals(text: str, expected: tuple[float, str]) -> None:
    reports = Reports(Sources())
    assert float_literal(text, 0, reports) == expected
    assert reports.diagnostics == []


def test_escapes() -> None:
    reports = Reports(Sources())
    assert string_literal(r'"a\n\t\"\\\x41\u00e9\101\u{1F600}"', 0, reports) == 'a\n\t"\\A\u00e9A\U0001f600'
    assert char_literal(r"'\''", 0, reports) == ord("'")
    assert char_literal(r"'\0'", 0, reports) == 0
    assert char_literal("'é'", 0, reports) == 0xE9
    assert char_literal(r"'\xFEDC1234'", 0, reports) == 0xFEDC1234
    assert reports.diagnostics == []


def test_places_in_long_lines() -> None:
    """Past 65,535 columns; where a line has more than positions tell from each other, it is refused by name."""
    out, reports = tokens(" " * 70_000 + "@ x")
    assert reports.sources.place(out.ats[1]).column == 70_003
    out, reports = tokens("\n" + " " * (1 << 20) + "x y")
    place = reports.sources.place(out.ats[1])
    assert (place.line, place.column) == (2, 0)  # of a column that is not known
    assert [each.message for each in reports.diagnostics] == ["not supported: a line with more than 983039 characters"]
