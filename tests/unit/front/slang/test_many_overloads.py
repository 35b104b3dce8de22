"""A call among more overloads than are tried one by one chooses what it chooses among few."""

from pathlib import Path

import pytest

import reknit

COUNT = 70  # more than `overloads.MANY`


def stored(text: str, folder: Path) -> list[int]:
    (folder / "a.slang").write_text(text)
    return reknit.run(reknit.load(str(folder / "a.slang"))).buffers["o"].words


@pytest.mark.parametrize("count", [5, COUNT])
def test_the_one_of_the_argument_s_type(count: int, tmp_path: Path) -> None:
    """Each overload returns its number: by hand, the calls store the numbers of their structs;
    an int goes to the one that takes a float, since no struct is made of an int."""
    structs = "".join([f"struct S{n} {{ int a; }}\nint f(S{n} x) {{ return {n}; }}\n" for n in range(count)])
    text = (
        f"{structs}int f(float x) {{ return 1000; }}\n"
        "int f(S0 x, int y) { return 2000 + y; }\n"
        "RWStructuredBuffer<int> o;\n"
        '[shader("compute")] [numthreads(6, 1, 1)] void main(uint3 t : SV_DispatchThreadID) {\n'
        f"S0 a; S1 b; S{count - 1} c; a.a = 0; b.a = 0; c.a = 0;\n"
        "o[0] = f(a); o[1] = f(b); o[2] = f(c); o[3] = f(3); o[4] = f(a, 7); o[5] = f(2.5);\n}\n"
    )
    assert stored(text, tmp_path) == [0, 1, count - 1, 1000, 2007, 1000]


@pytest.mark.parametrize("count", [3, COUNT])
@pytest.mark.parametrize(
    ("more", "calls", "expected"),
    [
        ("int f() { return 9; }", ["f()", "f(a)", "f(c)"], [9, 0, 2]),
        ("int f<T>(T x) { return 500; }", ["f(a)", "f(b)", "f(3)", "f(d)"], [0, 1, 500, 500]),
        ("int f(S0 x, S1 y = S1(7)) { return y.a; }", ["f(a)", "f(a, b)", "f(a, S1(8))"], [0, 5, 8]),
        ("int f(inout S0 x, S1 y) { x.a = 4; return 600; }", ["f(a, b)", "a.a", "f(a)"], [600, 4, 0]),
        ("namespace N { int f(S0 x) { return 700; } int g(S0 x) { return f(x); } int h(S1 x) { return f(x); } }",
         ["N.g(a)", "N.h(b)", "N.f(a)", "f(a)"], [700, 1, 700, 0]),
        ("struct M { int f(S0 x) { return 800; } int g(S0 x) { return f(x); } int h(S1 x) { return f(x); } };",
         ["M().g(a)", "M().h(b)", "M().f(a)"], [800, 1, 800]),
        ("struct D : S1 { int z; }; D made() { D x; x.a = 3; x.z = 4; return x; }", ["f(made())", "f(b)"], [1, 1]),
        ("int f(D x) { return 900; }", ["f(d)", "f(b)"], [900, 1]),
    ],
)  # fmt: skip
def test_what_else_the_name_has(more: str, calls: list[str], expected: list[int], count: int, tmp_path: Path) -> None:
    """No arguments, generic parameters, defaults, places, inner scopes, inherited structs: as among three overloads."""
    structs = "".join([f"struct S{n} {{ int a; }}\nint f(S{n} x) {{ return {n}; }}\n" for n in range(count)])
    puts = " ".join(f"o[{at}] = {call};" for at, call in enumerate(calls))
    text = (
        f"{structs}{'' if 'struct D ' in more else 'struct D { int q; };'}\n{more}\n"
        "RWStructuredBuffer<int> o;\n"
        '[shader("compute")] [numthreads(1, 1, 1)] void main() {\n'
        f"S0 a = {{ 1 }}; S1 b = {{ 5 }}; S2 c = {{ 6 }}; D d;\n{puts}\n}}\n"
    )
    (tmp_path / "b.slang").write_text(text)
    ran = reknit.run(reknit.load(str(tmp_path / "b.slang")), buffers={"o": [0] * len(calls)})
    assert list(ran.buffers["o"].words) == expected
