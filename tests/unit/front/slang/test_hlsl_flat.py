"""HLSL's conversions number by number: DXC's DXIL stores the same."""

from pathlib import Path

import dxc
import pytest
from kit import oracles

import reknit
from reknit.source.diagnostic import InputError

STRUCTS = """
struct A { float2 p; int k; };
struct B { float2 q; int m; };
struct C { float2 q; float m; };
struct D { float q; float r; int k; };
struct E { float2 p; };
struct F { B b; };
struct G { float a[2]; int k; };
struct M { float2x3 m; bool b; };
RWStructuredBuffer<int> o : register(u1);
"""
START = "A a; a.p = float2(1, 2); a.k = 3;"
# 2 + 3; 2; 1 and 6; 5 + 5, 7, 0 + 5 twice.
CASTS = """
    C c = (C)a;
    o[0] = c.q.y + c.m;
    E e = (E)a;
    o[1] = e.p.y;
    float f = (float)a;
    float v[2] = { 6, 7 };
    int g = (int)v;
    o[2] = f * 10 + g;
    A all = (A)5;
    o[3] = all.p.y + all.k;
    float w[2] = (float[2])7;
    o[4] = w[1];
    float x = t + 5;
    A b = (A)x;
    o[5] = b.p.y + b.k;
"""
# The third of 1 2 3 4; row 1 of them; 6; 4 * 10 + 3 (row by row) and a bool of 7; 4, 1 and 2; 6.
ARRAYS = """
    float b[4] = { 1, 2, 3, 4 };
    o[0] = float4(b).z;
    o[1] = ((float2x2)b)[1][0];
    o[2] = ((int3)(int[3])float3(5, 6, 7)).y;
    float s[7] = { 1, 2, 3, 4, 5, 6, 7 };
    M m = (M)s;
    o[3] = m.m[1][0] * 10 + m.m[0][2];
    int q[7] = (int[7])m;
    o[4] = q[3] * 100 + q[6] * 10 + q[1];
    float3x2 w = (float3x2)q;
    o[5] = w[2][1];
"""
ALIKE = """
    B b = a;
    D d = a;
    F f = a;
    G g = a;
    o[0] = b.q.y + b.m;
    o[1] = d.r + f.b.m;
    o[2] = g.a[1];
"""
CASES = {
    "casts": (CASTS, [5, 2, 16, 10, 7, 10], "2021"),
    "arrays": (ARRAYS, [3, 3, 6, 43, 412, 6], "2021"),
    "alike": (ALIKE, [5, 5, 2], "2018"),
}


def shader(body: str) -> str:
    return f"{STRUCTS}[numthreads(1, 1, 1)]\nvoid main(uint t : SV_GroupIndex)\n{{\n    {START}\n{body}}}\n"


def stored(module: reknit.Module, words: int) -> list[int]:
    return list(reknit.run(module, buffers={"o": [0] * words}).buffers["o"].words)


@pytest.mark.parametrize("name", CASES)
def test_what_is_stored(name: str) -> None:
    body, expected, _ = CASES[name]
    assert stored(reknit.load(shader(body).encode(), format="hlsl"), len(expected)) == expected


@pytest.mark.parametrize("name", CASES)
def test_dxc_stores_the_same(name: str, tmp_path: Path) -> None:
    body, expected, version = CASES[name]
    library = oracles.need("dxc")[0]
    path = tmp_path / "a.dxil"
    path.write_bytes(dxc.compile_hlsl(Path(library), shader(body), ["-T", "cs_6_5", "-E", "main", "-HV", version]))
    assert stored(reknit.load(path), len(expected)) == expected


FEW = ["C c = a;", "E e = a;", "A l = (A)(E)a;", "float3 v = a;", "float w[4] = (float[4])a;"]


@pytest.mark.parametrize("body", FEW)
def test_too_few_numbers_and_others_are_refused(body: str) -> None:
    """DXC: "cannot convert from", "cannot initialize a variable of type"."""
    with pytest.raises(InputError, match="E30019"):
        reknit.load(shader(body).encode(), format="hlsl")


def test_an_included_path_may_have_backslashes(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "c.h").write_text("#define N 5\n")
    path = tmp_path / "a.hlsl"
    path.write_text('#include "b\\c.h"\n' + shader("o[0] = N;"))
    assert stored(reknit.load(path), 1) == [5]
