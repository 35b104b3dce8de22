"""Methods of HLSL's structs that are defined outside of them, and constants without a value: DXC stores the same."""

from pathlib import Path

import dxc
import pytest
from kit import oracles

import reknit
from reknit.source.diagnostic import InputError

METHODS = """
struct A
{
    struct P { int v; A unpacked(int k); int unpacked(float k); };
    int x;
    void set(int n = 4);
    int get();
};
namespace N { struct S { int twice(in int a); }; int S::twice(in int a) { return a * 2; } }
A A::P::unpacked(int k) { A a; a.x = v * k; return a; }
int A::P::unpacked(float q) { return v + q; }
void A::set(int m) { x += m; }
int A::get() { return x * 2; }
RWStructuredBuffer<int> o : register(u1);
[numthreads(1, 1, 1)]
void main()
{
    A::P p;
    p.v = 5;
    o[0] = p.unpacked(3).x;
    o[1] = p.unpacked(2.5);
    A a;
    a.x = 1;
    a.set();
    o[2] = a.get();
    a.set(10);
    o[3] = a.get();
    N::S s;
    o[4] = s.twice(21);
}
"""
CONSTANTS = """
struct F { int doubled(int a) { return a * 2; } };
struct G { float3 v; int m[2]; };
static const F f;
static const G g;
static const int k;
RWStructuredBuffer<int> o : register(u1);
[numthreads(1, 1, 1)]
void main(uint t : SV_GroupIndex)
{
    o[0] = f.doubled(4);
    o[1] = k + 3;
    o[2] = g.v.y + g.m[t] + 1;
}
"""
# 5 * 3; 5 + 2.5; (1 + 4) * 2; (5 + 10) * 2; 21 * 2.
CASES = {"methods": (METHODS, [15, 7, 10, 30, 42]), "constants": (CONSTANTS, [8, 3, 1])}


def stored(module: reknit.Module, words: int) -> list[int]:
    return list(reknit.run(module, buffers={"o": [0] * words}).buffers["o"].words)


@pytest.mark.parametrize("name", CASES)
def test_what_is_stored(name: str) -> None:
    source, expected = CASES[name]
    assert stored(reknit.load(source.encode(), format="hlsl"), len(expected)) == expected


@pytest.mark.parametrize("name", CASES)
def test_dxc_stores_the_same(name: str, tmp_path: Path) -> None:
    source, expected = CASES[name]
    library = oracles.need("dxc")[0]
    path = tmp_path / "a.dxil"
    path.write_bytes(dxc.compile_hlsl(Path(library), source, ["-T", "cs_6_5", "-E", "main", "-HV", "2021"]))
    assert stored(reknit.load(path), len(expected)) == expected


@pytest.mark.parametrize(
    "definition", ["int A::other() { return 1; }", "int A::get(int n) { return n; }", "int B::get() { return 1; }"]
)
def test_what_is_defined_is_declared(definition: str) -> None:
    source = METHODS + definition
    with pytest.raises(InputError, match="declares no method '(get|other)' with these parameters"):
        reknit.load(source.encode(), format="hlsl")
