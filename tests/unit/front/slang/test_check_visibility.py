"""Private members, and what is said of them; codes and places are slangc's."""

import pytest
from kit.text.slang_checks import checked, returned, said

PRIVATE = """struct S
{
    private int a;
    private static int n() { return 1; }
    private property int p { get { return a; } }
    private int operator()(int x) { return x + a + n() + this.p; }
}
"""

SUBSCRIPT = "struct T { private __subscript(int i) -> int { get { return i; } } }\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("int f(S s) { return s.a; }", ["E30600 8:23"]),
        ("int f(S s) { return S.n(); }", ["E30600 8:23"]),
        ("int f(S s) { return s.p; }", ["E30600 8:23"]),
        ("int f(S s) { return s(1); }", ["E30600 8:22"]),
        (SUBSCRIPT + "int f(T t) { return t[1]; }", ["E30600 9:22"]),
        ("extension S { int b() { return a; } }", []),
        ("namespace N { int f(S s) { return s.a; } }", ["E30600 8:37"]),
    ],
)
def test_who_may_name_private_members(text: str, expected: list[str]) -> None:
    assert said(PRIVATE + text) == expected


def test_a_derived_struct_may_not() -> None:
    assert said("struct S { private int a; }\nstruct T : S { int f() { return a; } }") == ["E30600 2:33"]


def test_overloads_that_may_be_named_are_left() -> None:
    checked(
        "struct S { private int f(int x) { return 1; } int f(float x) { return 2; } }\nint g(S s) { return s.f(1); }"
    )


def test_private_requirements_and_globals() -> None:
    assert said("interface I { private int f(); }") == ["E30603 1:15"]
    assert said("private int g() { return 1; }\nint f() { return g(); }") == ["E30603 1:1"]


FIELDS = "struct S { private int a; int b; static S make() { S s = { 4 }; return s; } }\n"


def test_private_fields_are_not_in_a_list() -> None:
    """slangc: the initializer that a struct has of its fields is without those, inside of the struct too."""
    assert returned(FIELDS + "S f() { return { 2 }; }") == "(construct (zero):int 2:int):S"
    assert returned(FIELDS + "S f() { return S(2); }") == "(construct (zero):int 2:int):S"
    assert said(FIELDS + "void f() { S s = { 1, 2 }; }") == ["E39999 2:18"]
    assert said("struct S { private int a; }\nvoid f() { S s = { 1 }; }") == ["E30513 2:18"]
