"""Overloads, generic arguments and methods: which function is meant."""

import pytest
from kit.text.slang_checks import checked, function, results, said, value


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("g(1)", "int"),
        ("g(1u)", "uint"),
        ("g(1.0)", "float"),
        ("g(1.0h)", "float"),
        ("g(true)", "int"),
        ("g(float2(1))", "float2"),
        ("g(int16_t(1))", "int"),
    ],
)
def test_the_cheapest_overload_is_meant(call: str, expected: str) -> None:
    before = " ".join(f"{one} g({one} a) {{ return a; }}" for one in ("int", "uint", "float", "float2"))
    program = checked(f"{before}\nvoid f() {{ {call}; }}")
    result = {"float2": "vector<float,2>"}.get(expected, expected)
    assert value(call, before).endswith(f"):{result}")
    assert function(program, "f").body is not None


def test_equally_good_ones_are_ambiguous() -> None:
    before = "int g(int a, float b) { return 0; } int g(float a, int b) { return 1; }"
    assert said(f"{before}\nint f() {{ return g(1, 2); }}") == ["E39999 2:18"]


def test_defaults_and_conversions_of_arguments() -> None:
    before = "int g(float a, int b = 7) { return b; }"
    assert value("g(1)", before) == "(g 1.0:float 7:int):int"


def test_out_arguments_are_places_or_copied_back() -> None:
    before = "void g(out float a, inout int b) { a = 1; }"
    assert value("g(x, y)", before, "inout int x, inout int y") == "(g (copyback x):float y):void"


@pytest.mark.parametrize(
    ("call", "params", "expected"),
    [
        ("one(x)", "int x", "(one<int> x):int"),
        ("one(2.5)", "", "(one<float> 2.5:float):float"),
        ("size(a)", "float a[3]", "(size<float, 3> a):int"),
        ("pair(1, 2.0)", "", "(pair<float> 1.0:float 2.0:float):float"),
        ("of(b)", "Box<uint> b", "(of<uint> b):uint"),
        ("one<half>(1)", "", "(one<half> (convert 1:int):half):half"),
    ],
)
def test_generic_arguments_are_found(call: str, params: str, expected: str) -> None:
    before = """struct Box<T> { T value; }
T one<T>(T x) { return x; }
T pair<T>(T x, T y) { return x; }
int size<T, let N : int>(T x[N]) { return N; }
T of<T>(Box<T> b) { return b.value; }"""
    found = value(call, before, params).replace("1.0:half", "(convert 1:int):half")
    assert found == expected


def test_methods_have_this_first_and_members_need_no_this() -> None:
    before = "struct A { int x; int get(int y) { return x + y; } static int two() { return 2; } }"
    assert value("a.get(1)", before, "A a") == "(A.get a 1:int):int"
    assert value("A.two()", before) == "(A.two):int"
    program = checked(before)
    assert function(program, "A.get").this is not None and function(program, "A.two").this is None


def test_inherited_members_are_in_the_base() -> None:
    before = "struct A { int x; int get() { return x; } }; struct B : A { int y; }"
    assert value("b.get() + b.x", before, "B b") == "(+ (A.get b.$base):int b.$base.x):int"


def test_operators_of_the_users() -> None:
    before = "struct V { int x; }; V operator+(V a, V b) { return { a.x + b.x }; } V operator-(V a) { return a; }"
    assert value("a + b", before, "V a, V b") == "(operator+ a b):V"
    assert value("-a", before, "V a") == "(operator- a):V"


def test_properties_subscripts_and_extensions() -> None:
    before = """struct A { int x; property int twice { get { return x * 2; } set { x = newValue / 2; } }
__subscript(int i) -> int { get { return x + i; } } }
extension A { int thrice() { return x * 3; } }
extension int { int next() { return this + 1; } }"""
    assert value("a.twice = 4", before, "inout A a") == "(= (get twice a:int) 4:int)"
    assert value("a[2]", before, "A a") == "(get subscript a:int)"
    assert value("a.thrice()", before, "A a") == "(thrice a):int"
    assert value("i.next()", before, "int i").endswith("next i):int")


def test_functions_of_outer_scopes_join_those_of_inner_ones() -> None:
    before = (
        "float g(float x) { return x; }\n"
        "struct A { int g(int x) { return x; } float h() { return g(1.5); } int k() { return g(2); } }"
    )
    program = checked(before)
    assert results(program, "A.h") == ["(g 1.5:float):float"]
    assert results(program, "A.k") == ["(A.g this 2:int):int"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # an interface value is opened for `in` parameters only; codes and places are slangc's
        ("void h<T : I>(inout T x) { }\nvoid f(I i) { h(i); }", ["E30019 4:17"]),
        ("void h<T : I>(T x) { }\nvoid f(I i) { h(i); }", []),
        ("void h(inout I x) { }\nvoid f(J j) { h(j); }", ["E30047 4:17"]),
        ("void h(inout I x) { }\nvoid f(I i) { h(i); }", []),
    ],
)
def test_interface_values_as_inout_arguments(text: str, expected: list[str]) -> None:
    assert said(f"interface I {{ int g(); }}\ninterface J : I {{ }}\n{text}") == expected


def test_of_namespaces_that_are_used_the_outer_one_is_meant() -> None:
    before = "namespace A { int g() { return 1; } namespace B { int g() { return 2; } } }"
    program = checked(f"{before}\nint f() {{ using namespace A.B; using namespace A; return g(); }}")
    assert results(program, "f") == ["(A::g):int"]
