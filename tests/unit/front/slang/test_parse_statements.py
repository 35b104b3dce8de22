"""Statements: text -> tree, stated by hand."""

import pytest
from kit.text.slang_trees import statement


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("f(); ;; g();", "(call f) (call g)"),
        ("{ f(); { g(); } {} }", "{(call f) {(call g)} {}}"),
        ("if (a) f();", "(if a (call f))"),
        ("if (a) f(); else g();", "(if a (call f) else (call g))"),
        ("if (a) if (b) f(); else g();", "(if a (if b (call f) else (call g)))"),
        ("if (a) {} else if (b) {} else if (c) {} else {}", "(if a {} else (if b {} else (if c {} else {})))"),
        ("[branch] if (a) {} else [flatten] if (b) {}", "[branch](if a {} else [flatten](if b {}))"),
        ("if (let x = y as IFoo) f(x);", "(if (let var x = (as y IFoo)) (call f x))"),
        ("for (int i = 0; i < 4; i++) f();", "(for (var i int = 0) (< i 4) (post++ i) (call f))"),
        ("for (i = 0, j = 1; ; ) {}", "(for (, (= i 0) (= j 1)) - - {})"),
        ("for (;;) {}", "(for - - - {})"),
        ("[unroll(4)] for (;;) {}", "[unroll 4](for - - - {})"),
        ("[loop] while (a) f();", "[loop](while a (call f))"),
        ("do { f(); } while (a);", "(do {(call f)} a)"),
        ("[MaximallyReconverges] do f(); while (a);", "[MaximallyReconverges](do (call f) a)"),
        ("return;", "(return)"),
        ("return a + b;", "(return (+ a b))"),
        ("break; continue; discard;", "(break) (continue) (discard)"),
        ("outer: for (;;) { break outer; }", "(outer: (for - - - {(break outer)}))"),
        ("defer f();", "(defer (call f))"),
        ("defer { f(); }", "(defer {(call f)})"),
        ('static_assert(1 < 2, "no");', "(static_assert (< 1 2) 'no')"),
    ],
)
def test_statements(text: str, expected: str) -> None:
    assert statement(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("switch (x) {}", "(switch x)"),
        (
            "switch (x) { case 0: case 1: f(); break; default: g(); case 2: { h(); } }",
            "(switch x [0 1: (call f) (break)] [default: (call g)] [2: {(call h)}])",
        ),
        ("switch (x) { default: case A.b: }", "(switch x [default (. A b):])"),
        ("switch (x) { case -1: return; case (2): ; }", "(switch x [-1: (return)] [2:])"),
        ("switch (x) { f(); case 1: g(); }", "(switch x [1: (call g)])"),  # nothing leads to f
        ("[forcecase] switch (x) { case 0: int y = 1; f(y); }",
         "[forcecase](switch x [0: (var y int = 1) (call f y)])"),
    ],
)  # fmt: skip
def test_switches(text: str, expected: str) -> None:
    assert statement(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("int x;", "(var x int)"),
        ("int x = 1, y;", "(var x int = 1) (var y int)"),
        ("float3 v = float3(1, 2, 3);", "(var v float3 = (call float3 1 2 3))"),
        ("Foo<int> x;", "(var x (of Foo int))"),
        ("A.B x; A::B y;", "(var x (. A B)) (var y (:: A B))"),
        ("::A x;", "(var x ::A)"),
        ("int a[2][3] = {};", "(var a (index (index int 3) 2) = (list))"),
        ("int[2] a;", "(var a (index int 2))"),
        ("Foo* p = q;", "(var p (* Foo) = q)"),
        ("const int x = 1;", "(const var x int = 1)"),
        ("static const uint a[] = { 1, 2 };", "(static const var a (index uint) = (list 1 2))"),
        ("let x = 1; var y : int = 2; var z : float;",
         "(let var x = 1) (var var y int = 2) (var var z float)"),
        ("dyn IFoo x = y;", "(var x (dyn IFoo) = y)"),
        ("int? x = none;", "(var x (? int) = none)"),
        ("struct S { int a; }; S s;", "(struct S {(var a int)}) (var s S)"),
        ("struct { int a; } s;", "(struct $struct1 {(var a int)}) (var s $struct1)"),
        ("typedef int T; typealias U = T[2];", "(alias T int) (alias U (index T 2))"),
        ("enum E { A, B = 2 }", "(enum E {A B = 2})"),
        ("precise float x = 1;", "(precise var x float = 1)"),
    ],
)  # fmt: skip
def test_declarations_in_functions(text: str, expected: str) -> None:
    assert statement(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a.b = c;", "(= (. a b) c)"),
        ("a[1] = c;", "(= (index a 1) c)"),
        ("a < b;", "(< a b)"),
        ("f<int>(x);", "(call (of f int) x)"),
        ("a * b;", "(var b (* a))"),  # as in Slang: a product would do nothing
        ("A<B> c;", "(var c (of A B))"),
        ("a < b, c > d;", "(var d (of a b c))"),
    ],
)
def test_declarations_and_expressions_are_distinguished(text: str, expected: str) -> None:
    assert statement(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("throw MyError.bad;", "(throw (. MyError bad))"),
        ("x = try f(1) + 2;", "(= x (+ (try (call f 1)) 2))"),
        ("do { f(); } catch (e : MyError) { g(); }", "(do {(call f)} catch (var e MyError) {(call g)})"),
        ("do f(); catch (e : A) g(); catch h();", "(do (call f) catch (var e A) (call g) catch (call h))"),
    ],
)
def test_errors(text: str, expected: str) -> None:
    assert statement(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("__target_switch { case hlsl: f(); default: g(); }", "<`__target_switch`>"),
        ('__intrinsic_asm "x($0)", y; f();', "<`__intrinsic_asm`> (call f)"),
        ("__requireCapability(a, b); f();", "<`__requireCapability`> (call f)"),
        ("$for (i in Range(0, 4)) { f(i); } g();", "<compile-time loops (`$for`)> (call g)"),
    ],
)
def test_what_is_not_taken_further_is_named(text: str, expected: str) -> None:
    assert statement(text) == expected
