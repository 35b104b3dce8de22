"""What is said of small sources, and where: codes and columns as slangc (2026.14.1) gives them."""

import pytest
from kit.text.slang_checks import said

ROWS = [
    ("int f(int a) { return a is float ? 1 : 2; }", "E30304 1:25"),
    ("void f() { int x = 1.5 % 2; }", "W E30081 1:24"),
    ("T f<T : __BuiltinIntegerType>(T a, float b) { return a << b; }", "E39999 1:56"),
    ("enum E : float { A }", "E32000 1:10"),
    ("void f(int a) { switch (a) { case 1: break; case 1: break; } }", "E30605 1:45"),
    ("void f() { break; }", "E30003 1:12"),
    ("void f() { continue; }", "E30004 1:12"),
    ("void f() { return 1; }", "E30019 1:19"),
    ("int f() { return; }", "E30006 1:11"),
    ("void f() { int x; int x; }", "E30200 1:23"),
    ("int f(int a) { return a.x.y.q; }", "E30027 1:27"),
    ("float2 f(float2 v) { return v.xz; }", "E30027 1:31"),
    ("void f(float4 v) { v.xx = 1; }", "E30011 1:25"),
    ("void f() { 1 = 2; }", "E30011 1:14"),
    ("void f(const int a) { a = 1; }", "E30011 1:25"),
    ("void g(inout int a) { } void f() { g(1); }", "E30047 1:38"),
    ("int f() { return g(); }", "E30015 1:18"),
    ("typedef int A; typedef float A;", "E30200 1:30"),
    ("interface I { int get(); } struct S : I { }", "E38100 1:39"),
    ("interface I { property int p { get; } } struct S : I { }", "E38100 1:52"),
    ("interface I { associatedtype T; } struct S : I { }", "E38100 1:46"),
    ("T f<T>(T a) { return a + a; }", "E39999 1:24"),
    ("T f<T>(T a) { return a.x; }", "E30027 1:24"),
    ("int f<let N : int>() { return N; } int g() { return f(); }", "E30439 1:54"),
    ("void f() { let a; }", "E30620 1:16"),
    ("void f() { var a = 1; a = 1.5; }", "W E30081 1:27"),
    ('[numthreads(0, 1, 1)] [shader("compute")] void f() { }', "E31102 1:2"),
]
SOUND = [
    "void f() { bool b = int is int; }",
    "struct S { __subscript(int i) -> int { get { return 1; } } __subscript(float i) -> int { get { return 2; } } }",
    "void f() { int a[0]; }",
    "void f(int a) { int a = 1; }",
    "interface I { int get(); } struct S : I { float get() { return 1; } }",
    "void f() { for (int i = 0; i < 2; i++) { int i = 1; } }",
    "int f() throws int { throw 1; }",
]


@pytest.mark.parametrize(("source", "message"), ROWS)
def test_the_message_and_its_column(source: str, message: str) -> None:
    assert said(source) == [message]


@pytest.mark.parametrize("source", SOUND)
def test_nothing_is_said(source: str) -> None:
    assert said(source) == []
