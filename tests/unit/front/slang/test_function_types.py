"""`functype(A) -> R`: what converts to one, and what a call learns from it.

    int once(functype(int) -> int f, int x) { return f(x); }
"""

import pytest
from kit.text.slang_checks import said

import reknit
from reknit.front.slang.compile import Settings, compile_slang

HEAD = "int once(functype(int) -> int f, int x) { return f(x); }"


def stored(source: str, value: str) -> int:
    """What a compute shader stores of `value`, an int."""
    shader = f'RWStructuredBuffer<int> o; [shader("compute")] [numthreads(1, 1, 1)] void main() {{ o[0] = {value}; }}'
    module = compile_slang(source + shader, "a.slang", Settings())
    return list(reknit.run(module, buffers={"o": [0]}).buffers["o"].words)[0]


def test_of_overloads_the_one_that_fits() -> None:
    """7 + 1: the overload for ints, as slangc chooses for what is generic alone."""
    assert stored(f"{HEAD} int f(float x) {{ return 0; }} int f(int x) {{ return x + 1; }}", "once(f, 7)") == 8


def test_a_function_of_the_language() -> None:
    assert stored(HEAD, "once(abs, -9)") == 9


def test_the_result_of_a_lambda_is_converted() -> None:
    """9 / 2 is 4.5, and 4 as an int."""
    assert stored(HEAD, "once((int x) => x / 2.0, 9)") == 4


@pytest.mark.parametrize(
    ("argument", "code"),
    [
        ("g", "E30019"),  # takes a float2
        ("h", "E30019"),  # gives a float
        ("two", "E30019"),  # takes two
        ("(int a) => a + c", "E30019"),  # holds a copy of c, which a function has no place for: slangc 2026.14
        ("3", "E30019"),
    ],
)
def test_what_does_not_convert(argument: str, code: str) -> None:
    functions = "int g(float2 v) { return 0; } float h(int x) { return 0; } int two(int a, int b) { return a; }"
    source = f"{HEAD} {functions} int f(int c) {{ return once({argument}, 1); }}"
    assert [each.split()[0] for each in said(source)] == [code]
