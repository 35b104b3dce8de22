"""Expressions: types, conversions and constants, stated by hand after HLSL's and Slang's rules."""

import re

import pytest
from kit.text.slang_checks import checked, function, returned, said, shown, statements, value

from reknit.front.slang import hir


@pytest.mark.parametrize(
    ("text", "params", "expected"),
    [
        ("1 + 2", "", "(+ 1:int 2:int):int"),
        ("-1", "", "-1:int"),
        ("a + 1", "uint a", "(+ a 1:uint):uint"),
        ("a + b", "int a, uint b", "(+ (convert a):uint b):uint"),
        ("a + b", "uint a, int64_t b", "(+ (convert a):int64_t b):int64_t"),
        ("a * 2", "float a", "(* a 2.0:float):float"),
        ("(a * b)", "half a, float b", "(* (convert a):float b):float"),
        ("a + b", "int8_t a, int8_t b", "(+ a b):int8_t"),
        ("a + b", "bool a, bool b", "(+ (convert a):int (convert b):int):int"),
        ("v * 2", "float3 v", "(* v (splat 2.0:float):vector<float,3>):vector<float,3>"),
        ("v < w", "int2 v, int2 w", "(< v w):vector<bool,2>"),
        ("a << b", "uint a, int b", "(<< a (convert b):uint):uint"),
        ("a & b", "bool a, bool b", "(& a b):bool"),
        ("a && b", "int a, bool b", "(&& (convert a):bool b):bool"),
        ("!a", "int a", "(! (convert a):bool):bool"),
        ("a ? 1 : b", "bool a, float b", "(? a 1.0:float b):float"),
        ("0xFFFFFFFF", "", "4294967295:uint"),
        ("3000000000", "", "3000000000:int64_t"),
        ("1.5h", "", "1.5:half"),
        ("a += 1u", "inout int a", "(+= a 1:int)"),
        ("a++", "inout uint a", "(+= a 1:uint)"),
    ],
)
def test_operators(text: str, params: str, expected: str) -> None:
    assert value(text, params=params) == expected


@pytest.mark.parametrize(
    ("text", "params", "expected"),
    [
        ("v.zx", "float3 v", "v.zx"),
        ("a.xx", "float a", "a.xx"),
        ("m[1]", "float2x3 m", "m[1:int]"),
        ("t._1", "Tuple<int, float> t", "t[1:int]"),
        ("o.value", "Optional<int> o", "(getvalue o):int"),
        ("o == none", "Optional<int> o", "(! (hasvalue o):bool):bool"),
        ("a[b]", "int a[4], uint b", "a[b]"),
        ("(int)f", "float f", "(convert f):int"),
        ("float2(1, f)", "float f", "(construct 1.0:float f):vector<float,2>"),
        ("float4(v, 0, 1)", "float2 v", "(construct v 0.0:float 1.0:float):vector<float,4>"),
        ("float3(f)", "float f", "(splat f):vector<float,3>"),
        ("float2(v)", "float4 v", "(convert v):vector<float,2>"),
        ("(E)a", "int a", "(convert a):E"),
        ("e + 1", "E e", "(+ (convert e):int 1:int):int"),
        ("E.B", "", "5:E"),
        ("E::A", "", "0:E"),
    ],
)
def test_parts_and_casts(text: str, params: str, expected: str) -> None:
    assert value(text, "enum E { A, B = 5 }", params) == expected


def test_buffers() -> None:
    before = "struct P { float2 at; }\nRWStructuredBuffer<P> out; ConstantBuffer<P> c; cbuffer D { int n; }"
    assert value("out[1].at.x = c.at.y + n", before) == (
        "(= out[1:uint].at.x (+ (deref c):P.at.y (convert (deref D):D.n):float):float))"
    ).replace("float))", "float)")


def test_a_struct_is_made_of_its_fields() -> None:
    before = "struct A { int x; float2 y; int z[2]; };"
    flat = "(construct 1:int (construct 2.0:float 3.0:float):vector<float,2> (construct 4:int 0:int):int[2]):A"
    program = checked(
        f"{before} A f() {{ A a = {{ 1, 2, 3, 4 }}; return a; }} A g() {{ return {{ 1, {{ 2, 3 }}, {{ 4 }} }}; }}"
    )
    let = statements(program, "f")[0]
    assert isinstance(let, hir.Let)
    assert shown(let.value).replace("(zero):int", "0:int") == flat
    last = statements(program, "g")[0]
    assert isinstance(last, hir.Return) and last.value is not None
    assert shown(last.value).replace("(zero):int", "0:int") == flat


def test_fields_with_defaults_are_made_by_a_function() -> None:
    program = checked("struct A { int x = 3; float y; }; A f() { A a; return a; } A g() { return A(); }")
    made = function(program, "A.$default")
    assert made.result.key == function(program, "f").result.key
    let = statements(program, "f")[0]
    assert isinstance(let, hir.Let) and isinstance(let.value, hir.Call) and let.value.function is made


def test_an_initializer_is_a_function_that_makes_one() -> None:
    program = checked("struct A { int x; __init(int v) { x = v; } }; A f() { return A(1); } A g() { return { 2 }; }")
    made = function(program, "A.__init")
    assert made.this is None and made.body is not None
    first, _, last = made.body.statements
    assert isinstance(first, hir.Let) and isinstance(first.value, hir.Undefined) and first.variable.name == "this"
    assert isinstance(last, hir.Return) and isinstance(last.value, hir.Place) and last.value.variable is first.variable
    for name in ("f", "g"):
        call = statements(program, name)[0]
        assert isinstance(call, hir.Return) and isinstance(call.value, hir.Call) and call.value.function is made


def test_constants_are_known() -> None:
    program = checked(
        "static const int N = 4; static const int M = N * 2 + 1;\n"
        "int f(int a[M]) { const int k = M - 8; int b[k]; return a[0]; }"
    )
    assert function(program, "f").params[0].type.key == "int[9]"
    let = statements(program, "f")[1]
    assert isinstance(let, hir.Let) and let.variable.type.key == "int[1]"


def test_literals_in_range_convert_silently_and_floats_do_not() -> None:
    assert said("uint8_t f() { return 255; }") == []
    assert said("uint f(float x) { return x; }") == ["W E30081 1:26"]
    assert said("void f(inout int a) { a += 1.5; }") == ["W E30081 1:28"]


def test_what_is_wrong_is_said_once() -> None:
    assert said("int f() { return g(x) + x.y * (1 + x); }") == [
        "E30015 1:18",
        "E30015 1:20",
        "E30015 1:25",
        "E30015 1:36",
    ]


def test_a_long_chain_is_no_deep_recursion() -> None:
    terms = " + ".join(["a"] * 5000)
    assert returned(f"int f(int a) {{ return {terms}; }}"[:200].rsplit(" + ", 1)[0] + "; }").startswith("(+ (+ ")
    assert said(f"int f(int a) {{ return {terms}; }}") == []


def test_elements_of_a_tuple_are_assigned_together() -> None:
    """All of the new values are evaluated before any is stored: a swap is a swap."""
    assert value("t._1_0 = makeTuple(t._0, t._1)", params="inout Tuple<int, int> t") == (
        "(= t (construct t[1:int] t[0:int]):Tuple<int, int>)"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("e += 1", "E30047 2:34"),  # a number from the enum is not the variable
        ("n |= e", "E30047 2:34"),
        ("e += e", "E39999 2:36"),
        ("e <<= 1", "E39999 2:36"),
        ("e += 1.5", "E39999 2:36"),
    ],
)
def test_assignments_that_enums_have_no_operator_for(text: str, expected: str) -> None:
    """Codes and places are slangc's."""
    assert said(f"enum E {{ A, B }}\nvoid f(inout E e, inout int n) {{ {text}; }}") == [expected]


def test_nested_tuples_are_compared_by_few_functions() -> None:
    """A function for the `<` of each level, and one for the `==` of each level below it: no 2^20."""
    type, tuple = "int", "1"
    for _ in range(20):
        type, tuple = f"Tuple<{type}, int>", f"makeTuple({tuple}, 1)"
    program = checked(f"bool f() {{ {type} a = {tuple}; {type} b = {tuple}; return a < b; }}")
    assert len([one for one in program.functions if one.name.startswith("$tuple")]) == 20 + 19 * 20 // 2


def test_a_ref_of_the_programs_own_is_no_reference() -> None:
    text = "struct Ref<T> { T v; }\nRef<int> f(int x) { Ref<int> r = { x }; return r; }"
    assert not function(checked(text), "f").reference
    assert function(checked("static int a;\nRef<int> f() { return a; }"), "f").reference


@pytest.mark.parametrize("word", ["as", "is"])
def test_a_variable_may_be_called_as_an_operator(word: str) -> None:
    """slangc takes each; with a name after it the word is the operator, of which the variable may be the operand."""
    source = """
        interface I { }
        struct A : I { };
        struct T { int a; };
        int f(int x) {
            int NAME = x, NAMED[2] = { 1, 2 };
            for (int NAME = 0; NAME < 3; NAME++) x += (int)NAME;
            { T NAME; NAME.a = 3; x += NAME.a; }
            { int NAME[2] = { 1, 2 }; x += NAME[1]; }
            { I NAME = A(); if (NAME is A && (NAME as A).hasValue) x += 1; }
            return NAME + (int) NAME;
        }
    """
    checked(source.replace("NAME", word))


NOT_DERIVED = """
    RWStructuredBuffer<float> o;
    float g(float x) { return x + 1; }
    ATTRIBUTE float f(float x) { let h = (float y) => y * CALL; return h(x) + no_diff (float)g(x) + no_diff(o[1]); }
    void main() { o[0] = f(2); no_diff o[1] = 1; no_diff g(1); }
"""


def test_no_diff_is_before_calls_in_differentiable_functions() -> None:
    """As in slangc; before a statement it is a modifier, wherever that is."""
    source = NOT_DERIVED.replace("CALL", "no_diff g(y)")
    for name in ("Differentiable", "ForwardDifferentiable", "BackwardDifferentiable", "TreatAsDifferentiable"):
        checked(source.replace("ATTRIBUTE", f"[{name}]"))
    plain = source.replace("ATTRIBUTE", "")
    columns = [found.start() + 1 for found in re.finditer("no_diff", plain.splitlines()[3])]
    assert len(columns) == 3 and said(plain) == [f"E38033 4:{column}" for column in columns]
    for wrong in ("y", "(y + g(y))", "g(y).x", "3"):
        text = NOT_DERIVED.replace("CALL", f"no_diff {wrong}").replace("ATTRIBUTE", "[Differentiable]")
        assert said(text) == [f"E38031 4:{text.splitlines()[3].index('no_diff') + 1}"]


NUMBERS = [
    "bool", "int8_t", "int16_t", "int", "int64_t", "uint8_t", "uint16_t", "uint", "uint64_t", "half", "float", "double",
]  # fmt: skip
WARNED = [
    ".........www", "w........?..", "ww...w...?..", "www..ww..?..", "wwww.www.?..", "w........?..", "ww...w...?..",
    "www..ww..?..", "wwww.www.?..", "wwwwwwwww...", "wwwwwwwwww..", "wwwwwwwwwww.",
]  # fmt: skip


@pytest.mark.parametrize("source", NUMBERS)
def test_which_conversions_are_not_recommended(source: str) -> None:
    """As slangc 2026 says it, from each type (a row) to each; of integers as halves it warns by what they are."""
    row = WARNED[NUMBERS.index(source)]
    lines = [f"{target} f{at}({source} x) {{ return x; }}" for at, target in enumerate(NUMBERS) if row[at] != "?"]
    signs = row.replace("?", "")
    column = {at: line.index("x;") + 1 for at, line in enumerate(lines)}
    expected = [f"W E30081 {at + 1}:{column[at]}" for at, sign in enumerate(signs) if sign == "w"]
    assert said("\n".join(lines)) == expected
    vectors = [
        f"vector<{target}, 2> f{at}(vector<{source}, 2> x) {{ return x; }}"
        for at, target in enumerate(NUMBERS)
        if row[at] != "?"
    ]
    assert [each.rpartition(":")[0] for each in said("\n".join(vectors))] == [
        f"W E30081 {at + 1}" for at, sign in enumerate(signs) if sign == "w"
    ]
