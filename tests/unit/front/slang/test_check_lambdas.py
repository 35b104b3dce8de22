"""Lambdas: structs with what they take along, called by `operator()`.

    let f = (int x) => x + c;     struct { int c; int operator()(int x) { return x + this.c; } } : IFunc<int, int>
"""

import pytest
from kit.text.slang_checks import checked, function, said, shown

from reknit.front.slang import hir

HEAD = "int twice(IFunc<int, int> f, int x) { return f(f(x)); }"


def test_what_is_taken_along_is_a_field_in_order_of_mention() -> None:
    program = checked("int f(int a, int b) { let g = (int x) => b + x + a + b; return g(1); }")
    (made,) = [one for one in program.structs if one.name.startswith("_slang_Lambda")]
    assert [field.name for field in made.fields] == ["b", "a"]
    body = function(program, "f").body
    assert body is not None
    let = body.statements[0]
    assert isinstance(let, hir.Let)
    assert isinstance(let.value, hir.Construct)
    assert [shown(part) for part in let.value.parts] == ["b", "a"]


def test_globals_and_constants_stay_what_they_are() -> None:
    program = checked(
        "static int g; static const int K = 2; int f() { const int k = 3; let l = () => g + K + k; return l(); }"
    )
    (made,) = [one for one in program.structs if one.name.startswith("_slang_Lambda")]
    assert made.fields == []


def test_a_lambda_in_a_lambda_takes_it_through_both() -> None:
    program = checked("int f(int a) { let g = () => { let h = () => a; return h(); }; return g(); }")
    fields = [[field.name for field in one.fields] for one in program.structs]
    assert fields == [["a"], ["a"]]


def test_the_conformance_is_to_ifunc_and_what_that_inherits() -> None:
    program = checked(f"{HEAD} int f(float a) {{ let g = (float x, int y) => x * a; return 0; }}")
    (made,) = [one for one in program.structs if one.name.startswith("_slang_Lambda")]
    assert [str(one.interface) for one in made.conformances] == [
        "IFunc<float, float, int>",
        "IMutatingFunc<float, float, int>",
    ]


@pytest.mark.parametrize(
    ("body", "expected"),  # codes and places are slangc's
    [
        # a copy that doesn't change
        ("int c = 0; let g = () => { c = 1; };", ["E30011 2:41"]),
        ("let g = (int a) => { if (a > 0) return 1; return; };", ["E30111 2:54"]),
        ("let g = (int a) => { if (a > 0) return 1; return 2.0; };", ["E30111 2:54"]),
        # the argument's types and the result's are told from the lambda alone
        ("int x = twice((int a) => 1.5, 1);", ["E30019 2:34"]),
        ("int x = twice((float a) => 1, 1);", ["E30019 2:36"]),
        ("int x = twice((int a, int b) => 1, 1);", ["E30019 2:41"]),
        ("let g = (int a) => a; int x = g(1, 2);", ["E39999 2:43"]),
        # parameters have types, and out ones can't be those of an IFunc
        ("let g = (x) => 1;", ["E30015 2:21"]),
        ("let g = (inout int a) => { a = 1; };", ["E38105 2:34"]),
        ("int c = 1; int x = c(1);", ["E30016 2:32"]),
    ],
)
def test_what_is_said(body: str, expected: list[str]) -> None:
    assert said(f"{HEAD}\nvoid f() {{ {body} }}") == expected


def test_a_struct_without_the_operator_is_no_function() -> None:
    assert said("struct S : IFunc<int, int> { int x; }") == ["E38100 1:12"]


def test_return_of_a_lambda_is_not_the_functions() -> None:
    checked("float f() { let g = () => { return 1; }; return 2.5; }")
