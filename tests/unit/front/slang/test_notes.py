"""The notes of messages: which declaration they point at, and what they say of it."""

import pytest
from kit.text.slang_checks import run

CASES = [
    ("int f(int a, float b) { return 1; }\nint f(float a, int b) { return 2; }\nvoid g() { f(1, 2); }",
     ["1:5 candidate: f(int, float) -> int", "2:5 candidate: f(float, int) -> int"]),
    ("int f(int2 a) { return 1; }\nint f(int3 a) { return 2; }\nvoid g(int4x4 m) { f(m); }",
     ["1:5 candidate: f(vector<int,2>) -> int", "2:5 candidate: f(vector<int,3>) -> int"]),
    ("int f(int a, int b) { return 1; }\nvoid g() { f(1); f(1, 2, 3); }", ["1:5 in a call of 'f'"] * 2),
    ("T f<T : I>(T a) { return a; }\ninterface I { }\nvoid g() { f(1); }", ["1:3 in a call of 'f'"]),
    ("int counter;\nvoid f() { int d = countre; }", ["1:5 did you mean 'counter'?"]),
    ("int counter;\nvoid f() { int counted; int d = countre + other; }", ["1:5 did you mean 'counter'?"]),
    ("interface I { int f(); int g(int a); }\nstruct S : I { int g() { return 1; } }",
     ["1:19 'f' is required here", "1:28 the requirement is here"]),
    ("interface I { static const int N; };\nstruct S : I { static const float N = 1; };",
     ["1:32 the requirement is here"]),
    ("int a;\nfloat a;\nvoid f() { int b;\nfloat b; }", ["1:5 it is declared here", "3:16 it is declared here"]),
    ("struct S { int a; };\nstruct S { int b; };", ["1:8 it is declared here"]),
    ("struct S { __init(int a) { } __init(int a, int b) { } };\nvoid f() { S(1, 2, 3); }",
     ["1:12 too many arguments to call (got 3, expected 1)", "1:30 too many arguments to call (got 3, expected 2)"]),
    ("enum E { A }\nvoid f(E e) { switch (e) { case E.A: break;\ncase E.A: break; } }",
     ["2:28 the same value is here"]),
    ("struct S { private int a; };\nvoid f(S s) { s.a; }", []),
]  # fmt: skip


@pytest.mark.parametrize(("source", "notes"), CASES)
def test_what_the_notes_say(source: str, notes: list[str]) -> None:
    _, reports = run(source)
    found = [(note.place, note.message) for one in reports.diagnostics for note in one.notes]
    shown = [f"{place.line}:{place.column} {message}" for place, message in found if place is not None]
    assert sorted(shown) == sorted(notes)
