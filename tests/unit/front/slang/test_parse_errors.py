"""Syntax errors: each told once, where Slang tells it, and what stands after it is still read."""

import pytest
from kit.text.slang_trees import decl, said, told

from reknit.front.slang.parse.file import parse_file
from reknit.source.diagnostic import InputError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("int f( { return 1; }", "1:8 error[E20001]: unexpected '{', expected identifier"),
        ("void f() { if (x { y(); } z(); }", "1:18 error[E20001]: unexpected '{', expected ')'"),
        ("void f() { foo(1, 2; bar(); }", "1:20 error[E20001]: unexpected ';', expected ')'"),
        ("struct S { int a int b; float c; }", "1:18 error[E20001]: unexpected identifier, expected ';'"),
        ("int x = ;", "1:9 error[E20002]: syntax error."),
        ("enum E { A, B = , C }", "1:17 error[E20002]: syntax error."),
        ("void f() { int a[; }", "1:18 error[E20002]: syntax error."),
        ("interface I { int foo() int bar(); }", "1:25 error[E20001]: unexpected identifier, expected '{'"),
        ("void f() { switch (x) { case 1 g(); break; default: h(); } }",
         "1:32 error[E20001]: unexpected identifier, expected ':'"),
        ("void f() { x = (1 + 2; y = 3; }", "1:22 error[E20001]: unexpected ';', expected ')'"),
        ("void f()\n{\n  int x = 1\n}\nvoid g() { }", "4:1 error[E20001]: unexpected '}', expected ';'"),
        ("void f() { do { } until (x); y(); }",
         "1:19 error[E20004]: unexpected identifier, expected 'while' or 'catch'"),
        ("[numthreads(8,8,1] void f() { }", "1:18 error[E20001]: unexpected ']', expected ')'"),
        ("layout(binding = 1, 5) uniform S s;", "1:21 error[E20001]: unexpected integer literal, expected ')'"),
        ("void f() { else { } g(); }", "1:12 error[E20002]: syntax error."),
        ("void f() { a b c; }", "1:16 error[E20001]: unexpected identifier, expected ';'"),
        ("StructuredBuffer<int> ;", "1:23 error[E39999]: declaration does not declare anything"),
        ("import ;", "1:8 error[E20001]: unexpected ';', expected identifier"),
        ("typealias X int;", "1:13 error[E20001]: unexpected identifier, expected '='"),
        ("typedef float A[3], x;", "1:19 error[E20001]: unexpected ',', expected identifier"),
        ("int x;\n}\nint y;", "2:1 error[E20001]: unexpected '}', expected identifier"),
        ("int f();\n\nvoid g() {\n  int y = 1 +\n}", "5:1 error[E20002]: syntax error."),
        ("int a = 1 +", "1:12 error[E20015]: Unexpected end of file."),
        ("int a = ();", "1:9 error[E20005]: empty parenthesis '()' is not a valid expression."),
        ("struct S { S operator@(S a); }", "1:22 error[E20008]: invalid operator '@'."),
        ("int operator+;", "1:5 error[E20020]: an operator name can only be used to declare an operator function"),
        ("void f(); { }",
         "1:9 error[E20102]: unexpected function body after signature declaration, is this ';' a typo?"),
        ("void f() { int g() { return 1; } }", "1:16 error[E30102]: func is not allowed here."),
        ("void f() { case 1: g(); }", "1:12 error[E39999]: 'case' is only allowed in a 'switch' body"),
        ("void f() { if (x) { g(); }", "1:27 error[E20010]: '}' expected but end of file encountered."),
        ("void f() { if (x); g(); }",
         "1:18 warning[E20101]: potentially unintended empty statement at this location; use {} instead."),
    ],
)  # fmt: skip
def test_one_error_is_reported_once(text: str, expected: str) -> None:
    assert told(text) == [expected]


def test_several_errors_of_a_run() -> None:
    text = """
int f(int x)
{
    int y = x +;
    float z = 3
    float w = 4;
    foo(1 2);
    if (x) { a b c; } else { return y; }
    return y
}
struct S { int a; int = 3; int b }
void g( { }
int h() { return 1; }
"""
    assert told(text) == [
        "4:16 error[E20002]: syntax error.",
        "6:5 error[E20001]: unexpected identifier, expected ';'",
        "7:11 error[E20001]: unexpected integer literal, expected ')'",
        "8:18 error[E20001]: unexpected identifier, expected ';'",
        "10:1 error[E20001]: unexpected '}', expected ';'",
        "11:23 error[E20001]: unexpected '=', expected identifier",
        "11:34 error[E20001]: unexpected '}', expected ';'",
        "12:9 error[E20001]: unexpected '{', expected identifier",
    ]


@pytest.mark.parametrize(
    ("broken", "names"),
    [
        ("int a = ; int b;", ["b"]),
        ("void f() { x = ; } int b;", ["f", "b"]),
        ("struct S { int = 1; int x; }\nint b;", ["S", "b"]),
        ("void f( { } int b;", ["b"]),
        ("void f() { if (x } int b;", ["f", "b"]),
        ("enum E { 1, A }\nint b;", ["E", "b"]),
        ("namespace N { int ; int x; } int b;", ["N", "b"]),
    ],
)
def test_what_stands_around_an_error_is_kept(broken: str, names: list[str]) -> None:
    unit, reports = parse_file("t.slang", broken)
    assert reports.errors == 1
    assert [one.name for one in unit.declarations] == names


def test_statements_around_an_error_are_kept() -> None:
    unit, _ = parse_file("t.slang", "void f() { a(); b(; c(); if (x) { d( } e(); }")
    assert decl(unit.declarations[0]) == "(func f -> void {(call a) (call c) (if x {}) (call e)})"


def test_an_error_in_an_included_file_is_reported_there() -> None:
    from reknit.front.slang.options import Options

    _, reports = parse_file("t.slang", '#include "a.h"\nint y;', Options(files={"a.h": "int f(\n;"}))
    assert [str(one.place) for one in reports.diagnostics] == ["a.h:2:1"]


def test_an_error_out_of_a_macro_is_reported_at_its_use() -> None:
    assert told("#define BAD 1 +\n\nint x = BAD ;") == ["3:13 error[E20002]: syntax error."]
    assert told("#define BAD 1 2\n\nint x = BAD;") == ["3:9 error[E20001]: unexpected integer literal, expected ';'"]


def test_carets_are_as_long_as_the_token() -> None:
    _, reports = parse_file("t.slang", "int x = 1 hello;")
    place = reports.diagnostics[0].place
    assert place is not None and (place.column, place.length) == (11, 5)


def test_an_open_brace_is_shown() -> None:
    _, reports = parse_file("t.slang", "void f()\n  {\nint x;")
    notes = reports.diagnostics[0].notes
    assert [(note.message, str(note.place)) for note in notes] == [("see opening '{'", "t.slang:2:3")]


def test_at_most_a_hundred_errors() -> None:
    _, reports = parse_file("t.slang", "int = 1;\n" * 500)
    assert len(said(reports)) == 100


def test_refusing_raises_all_of_them() -> None:
    _, reports = parse_file("t.slang", "int a = ;\nint b = ;")
    with pytest.raises(InputError) as caught:
        reports.refuse()
    assert [one.code for one in caught.value.diagnostics] == ["E20002", "E20002"]
    parse_file("t.slang", "int a;")[1].refuse()
