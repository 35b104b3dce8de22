"""Large, deep and broken sources: never a crash, never a hang, time in proportion to the length."""

import random
import sys
from collections.abc import Callable

import pytest
from kit.oracles.work import Work, is_seen
from kit.text.slang_trees import said

from reknit.front.slang.parse.file import NESTING, parse_file

SAMPLE = """
#define SQUARE(x) ((x) * (x))
#if defined(SQUARE) && 1
import common;
#endif
interface IShape : IBase { associatedtype P : IPoint; float area(); int sides() { return 3; } }
struct Box<T : IShape, let N : int> : IShape where T : IBase {
    T value; float2 size[N] = { 1, 2 };
    [mutating] void grow(inout float by = 1.5f) { this.size[0].x += by; }
    property int count { get { return N; } set { value = newValue; } }
    __subscript(int i) -> float { get { return size[i].x; } }
    __init(T v) { value = v; }
}
extension<T : IShape> Box<T, 2> : IBase { static int two() { return 2; } }
enum Kind : uint { A, B = 1 << 2, C }
cbuffer Params : register(b0, space1) { float4x4 m : packoffset(c0); uint n; }
[[vk::binding(0, 1)]] RWStructuredBuffer<Box<Tri, 3>> output : register(u0);
groupshared uint shared_data[64];
func pick<T>(a : T, b : inout T) -> T { return SQUARE(a) > b ? a : b; }
[shader("compute")] [numthreads(8, 1, 1)]
void main(uint3 id : SV_DispatchThreadID, uniform int k)
{
    let x = (float)id.x + -1.0; var y : int = 0x1F;
    outer: for (int i = 0, j = 1; i < 4 && j > (k); i++) {
        [branch] if (i == 2) continue; else if (x < 0.5) { break outer; }
        switch (i) { case 0: case 1: y <<= 1; break; default: { y = f<int>(y); } }
    }
    while (y-- > 0) { do { y = output[y].value as IShape ? 1 : 2; } while (false); }
    if (let s = make() as IShape) { defer done(); output[id.x] = { s, {1, 2}, "text", 'c' }; }
    else return;
    f((int a) => a + 1, A::B<C>.D(1), 1.xx);
}
"""


def quietly(text: str) -> list[str]:
    return said(parse_file("t.slang", text)[1])


def test_the_sample_is_sound() -> None:
    assert quietly(SAMPLE) == []


def deep(count: int) -> dict[str, str]:
    """Sources with `count` levels, more or less."""
    return {
        "brackets": f"int x = {'(' * count}1{')' * count};",
        "calls": f"int x = {'f(' * count}1{')' * count};",
        "indices": f"int x = {'a[' * count}1{']' * count};",
        "lists": f"int x = {'{' * count}1{'}' * count};",
        "unary": f"int x = {'- ' * count}1;",
        "casts": f"int x = {'(int)' * count}1;",
        "choices": f"int x = {'a ? b : ' * count}1;",
        "assignments": f"void f() {{ {'a = ' * count}1; }}",
        "members": f"int x = a{'.b' * count};",
        "tests": f"int x = a{' as B' * count};",
        "lambdas": f"int x = {'(int a) => ' * count}1;",
        "blocks": f"void f() {{ {'{' * count}{'}' * count} }}",
        "ifs": f"void f() {{ {'if (a) ' * count}b(); }}",
        "else blocks": f"void f() {{ {'if (a) b(); else { ' * count}{'}' * count} }}",
        "loops": f"void f() {{ {'while (a) for (;;) do ' * count}b();{' while (1);' * count} }}",
        "switches": f"void f() {{ {'switch (a) { case 1: ' * count}{'}' * count} }}",
        "labels": f"void f() {{ {'a: ' * count}b(); }}",
        "defers": f"void f() {{ {'defer ' * count}b(); }}",
        "generics": f"{'A<' * count}B{'>' * count} x;",
        "generic calls": f"int x = {'a<' * count}1{'>' * count}();",
        "pointers": f"int{'*' * count} x;",
        "arrays": f"int x{'[2]' * count};",
        "array types": f"int{'[2]' * count} x;",
        "declarators": f"int {'(' * count}x{')' * count};",
        "structs": f"{'struct S { ' * count}{'}' * count}",
        "inline structs": f"{'struct { ' * count}int x; {'} s; ' * count}",
        "namespaces": f"namespace a{'.b' * count} {{ }}",
        "nested namespaces": f"{'namespace a { ' * count}{'}' * count}",
        "modifiers of types": f"typealias A = {'const ' * count} int;",
        "function types": f"typealias A = {'functype () -> ' * count} int;",
        "generic declarations": f"{'__generic<T> ' * count} int x;",
        "try": f"int x = {'try ' * count}f();",
    }


@pytest.mark.parametrize("kind", list(deep(1)))
@pytest.mark.parametrize("count", [20, 5000])
def test_deep_sources(kind: str, count: int) -> None:
    """Twenty levels are read; thousands are a message, whatever Python's own limit is."""
    codes = {line.split()[1] for line in quietly(deep(count)[kind])}
    if count == 20:
        assert codes == set()
    else:
        assert codes <= {"error[RK0901]:", "error[E20001]:"} and codes


def test_the_limit_leaves_room_on_pythons_stack() -> None:
    """Everything as deep as it may be, called from a stack that is already 150 deep, with Python's usual limit."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(1000)
    try:
        for text in deep(NESTING - 4).values():
            from_below(150, text)
    finally:
        sys.setrecursionlimit(before)


def from_below(levels: int, text: str) -> None:
    if levels == 0:
        quietly(text)
    else:
        from_below(levels - 1, text)


LONG: dict[str, Callable[[int], str]] = {
    "operators": lambda n: f"int x = {' + '.join(['a'] * n)};",
    "comparisons": lambda n: f"void f() {{ x = {' < '.join(['a'] * n)}; }}",
    "commas": lambda n: f"void f() {{ {', '.join(['a'] * n)}; }}",
    "else if": lambda n: f"void f() {{ {'else '.join(['if (a) b(); '] * n)} }}",
    "statements": lambda n: f"void f() {{ {'a.b[1] = c<d>(e); ' * n} }}",
    "declarations": lambda n: "int f(int a) { return a; }\n" * n,
    "angles": lambda n: f"void f() {{ {'a < b, ' * n} c; }}",
    "open angles": lambda n: f"void f() {{ {'a < ' * n} }}",
    "open brackets": lambda n: "(" * n,
    "open braces": lambda n: "{" * n,
    "closing braces": lambda n: "}" * n,
    "errors": lambda n: "int = ;\n" * n,
    "a broken block": lambda n: f"void f() {{ {'a b c; ' * n} }}",
    "semicolons": lambda n: ";" * n,
    "cases": lambda n: f"void f() {{ switch (a) {{ {'case 1: ' * n} }} }}",
    "uses of macros": lambda n: "#define A(x) (x + 1)\nint x = " + "A(1) + " * n + "1;",
    "conditionals": lambda n: "#if 0\nx\n#else\nint a;\n#endif\n" * n,
}
ONE_TOKEN: dict[str, Callable[[int], str]] = {
    "a comment": lambda n: "/*" + "* /" * n,
    "a string": lambda n: '"' + "a\\" * n,
}


@pytest.mark.parametrize("kind", list(LONG))
def test_work_goes_with_length(kind: str) -> None:
    """Four times the length is four times the work; what grows with the square would be sixteen times. Of compiled
    modules less is counted."""
    work = [Work(), Work()]
    for each, count in zip(work, (1000, 4000), strict=True):
        text = LONG[kind](count)
        with each:
            quietly(text)
    assert work[1].calls < 4.5 * work[0].calls
    if is_seen(parse_file):
        assert work[1].calls > 3 * work[0].calls


@pytest.mark.parametrize("kind", list(ONE_TOKEN))
def test_a_long_token(kind: str) -> None:
    """One match of a regular expression, whose work is no call: half a million characters take 0.05 s, and would take
    minutes if it began anew at each. It has no end, and is as wrong as a short one."""
    assert len(quietly(ONE_TOKEN[kind](200_000))) == len(quietly(ONE_TOKEN[kind](3))) > 0


def mutated(seed: int) -> str:
    """The sample with some tokens or bytes changed."""
    rng = random.Random(seed)
    signs = "(){}[]<>;,.:=+-*/&|!?#\"'\\ \n0a@$~`é\0\t"
    words = SAMPLE.split(" ")
    if seed % 2:
        for _ in range(rng.randint(1, 6)):
            i, j = rng.randrange(len(words)), rng.randrange(len(words))
            action = rng.randrange(4)
            if action == 0:
                words[i] = words[j]
            elif action == 1:
                words[i], words[j] = words[j], words[i]
            elif action == 2:
                words.insert(i, words[j])
            else:
                del words[i]
        return " ".join(words)
    text = list(SAMPLE)
    for _ in range(rng.randint(1, 12)):
        i = rng.randrange(len(text))
        action = rng.randrange(4)
        if action == 0:
            text[i] = rng.choice(signs)
        elif action == 1:
            text.insert(i, rng.choice(signs))
        elif action == 2:
            del text[i]
        else:
            del text[i : i + rng.randrange(200)]
            text = text or [" "]
    return "".join(text)


def test_broken_sources_never_crash(full: bool) -> None:
    """What comes out is a tree and diagnostics that can be shown, by little work, and the same each time."""
    told = 0
    for seed in range(5000 if full else 400):
        text = mutated(seed)
        with Work() as work:
            first = quietly(text)
        assert work.calls < 40 * len(text) + 1000, seed
        assert len(first) <= 300
        told += bool(first)
        if seed % 20 == 0:
            assert quietly(text) == first, seed
    assert told > 200
