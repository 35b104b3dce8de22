"""What differs in HLSL from Slang: matrices by columns, a bool for each component, unsigned wins, `unsigned int`.

Each shader stores in `o`; DXC is asked, too: its DXIL must store the same. Layouts of structured buffers differ where
std430 aligns a vector, so matrices here are 2x2.
"""

from pathlib import Path

import dxc
import pytest
from kit import oracles

import reknit
from reknit.source.diagnostic import InputError
from reknit.spirv.write import write_module

MATRIX = """
struct M { %s float2x2 m; };
StructuredBuffer<M> a : register(t0);
RWStructuredBuffer<uint> o : register(u1);
[numthreads(1, 1, 1)]
void main()
{
    float2x2 m = a[0].m;
    o[0] = asuint(m[0][0]);
    o[1] = asuint(m[0][1]);
    o[2] = asuint(m[1][0]);
    o[3] = asuint(a[0].m[1].y);
}
"""
ALL_EQUAL = """
RWStructuredBuffer<uint> o : register(u1);
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex)
{
    bool3 equal = WaveActiveAllEqual(uint3(t, 5, t / 4));
    o[t] = equal.x * 100 + equal.y * 10 + equal.z;
    if (t == 0)
        o[4] = WaveActiveAllEqual(t / 4);
}
"""
UNSIGNED = """
RWStructuredBuffer<uint> o : register(u1);
[numthreads(1, 1, 1)]
void main(uint t : SV_GroupIndex)
{
    unsigned int minus = t - 1;
    const unsigned int seven = 7;
    o[0] = minus > seven;
    for (unsigned int i = 1; i < 3; i++)
        o[i] = i;
    o[3] = (unsigned int)(-1) >> 31;
}
"""
CONVERSIONS = """
RWStructuredBuffer<int> o : register(u1);
[numthreads(1, 1, 1)]
void main(uint t : SV_GroupIndex)
{
    int minus = -1 - (int)t;
    o[0] = minus > 0u;
    int64_t wide = minus;
    o[1] = wide < 0u;
    int x = -7 - (int)t;
    x /= 2u;
    o[2] = x;
    x = -7 - (int)t;
    x *= 2.5;
    o[3] = x;
}
"""
SCOPES = """
static uint g = 77;
RWStructuredBuffer<uint> o : register(u1);
[numthreads(1, 1, 1)]
void main(uint t : SV_GroupIndex)
{
    uint i = 9;
    {
        for (uint i = 0, j = 3; i < 5; i++)
            o[0] += i;
        o[1] = i + 10 * j;
    }
    o[2] = i;
    for (int i = -1; i < 2; i++)
    {
        for (uint i = 0; i < 2; i++)
            o[3] += 1;
        o[4] += i;
    }
    o[5] = i;
    for (uint g = 0; g < 4; g++) {}
    o[6] = g;
}
"""
COMPONENTS = """
groupshared uint2 s[2];
groupshared uint2x2 m;
RWStructuredBuffer<uint3> v : register(u0);
RWStructuredBuffer<uint> o : register(u1);
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex)
{
    uint was;
    InterlockedAdd(s[t / 2].y, t + 1);
    InterlockedOr(m[1][0], 1u << t);
    InterlockedMax(v[0].z, t * t, was);
    InterlockedAdd(v[0].xyz.zy.y, 2);
    GroupMemoryBarrierWithGroupSync();
    o[t] = t < 2 ? s[t & 1].y : m[1].x;
    if (t == 0) { o[4] = v[0].z; o[5] = v[0].y; }
}
"""
CUT = """
RWStructuredBuffer<int> o : register(u1);
[numthreads(1, 1, 1)]
void main(uint t : SV_GroupIndex)
{
    int4 v = int4(1, 2, 3, 4) + (int)t;
    int3x3 m = int3x3(v, v.zyx, 1, 2);
    int3 product = mul(m, v);
    int3 before = mul(v, m);
    int2x2 corner = m;
    int2 pair = v;
    int first = v.zw;
    int3 sum = v + product;
    o[0] = product.x; o[1] = product.y; o[2] = product.z;
    o[3] = before.x; o[4] = before.y; o[5] = before.z;
    o[6] = corner._m11; o[7] = pair.y; o[8] = first; o[9] = sum.z;
    int2 least = min(v.wzyx, product.xy);
    o[10] = least.x; o[11] = dot(v, before.xy);
}
"""
SPLIT = """
RWStructuredBuffer<uint> o : register(u1);
[numthreads(1, 1, 1)]
void main(uint t : SV_GroupIndex)
{
    double2 d = asdouble(uint2(7 + t, 9), uint2(0x3ff00000, 0x40000000));
    uint2 low, high;
    asuint(d, low, high);
    o[0] = low.x; o[1] = low.y; o[2] = high.x; o[3] = high.y;
    uint2x2 lows, highs;
    asuint(double2x2(d, d.yx), lows, highs);
    o[4] = lows._m10; o[5] = highs._m11;
}
"""
HIDDEN = """
struct a { uint n; };
StructuredBuffer<a> a : register(t0);
RWStructuredBuffer<uint> o : register(u1);
[numthreads(1, 1, 1)]
void main() { o[0] = a[2].n; }
"""
CHANGED = """
void give(out uint x) { x = 9; }
struct Inner { uint n; void add(uint x) { n += x; } uint get() { return n; } };
struct Base { uint b; };
struct S : Base
{
    uint k; uint2 v; Inner inner; float f;
    void set(uint x) { k = x; v.y += x; }
    void both(uint x) { set(x); b = 5; inner.add(2); }
    void fill() { give(k); this.v.x++; float rest = modf(2.5, f); }
    uint get(uint k) { k += 1; return k + inner.get(); }
};
static const S none = (S)0;
S made(uint t) { S s = (S)0; s.both(3 + t); return s; }
RWStructuredBuffer<uint> o : register(u1);
[numthreads(1, 1, 1)]
void main(uint t : SV_GroupIndex)
{
    S s = made(t);
    o[0] = s.k; o[1] = s.v.y; o[2] = s.b; o[3] = s.inner.n;
    s.fill();
    o[4] = s.k; o[5] = s.v.x; o[6] = s.get(10); o[7] = none.get(1) + made(t).get(0); o[8] = s.f;
}
"""
NAMED = """
struct P { uint v; };
struct P twice(const struct P p) { struct P q = { p.v * 2 }; return q; }
RWStructuredBuffer<uint> o : register(u1);
[numthreads(1, 1, 1)]
void main(uint t : SV_GroupIndex)
{
    struct P p = { 4 + t }, all[2];
    all[0] = p;
    all[1] = twice(p);
    struct Q { uint w; } q;
    q.w = 7;
    o[0] = all[0].v; o[1] = all[1].v; o[2] = q.w;
}
"""
# In memory 0 1 2 3: by columns the rows are (0 2) and (1 3), by rows (0 1) and (2 3).
BY_COLUMNS, BY_ROWS = [0, 2, 1, 3], [0, 1, 2, 3]
# t differs in the wave, 5 and t / 4 don't: 0 1 1, and 1 for the scalar.
# 0xffffffff > 7; 1 and 2 are counted; 0xffffffff >> 31 = 1.
# -1 as a uint is above 0, and as a uint64_t not below: HLSL's unsigned wins over a wider int. 0xfffffff9 / 2 =
# 0x7ffffffc and -7 * 2.5 = -17.5 -> -17: `x op= y` is computed in the type of x op y.
CASES = {
    "matrix": (MATRIX % "", BY_COLUMNS),
    "row-major": (MATRIX % "row_major", BY_ROWS),
    "packed by rows": ("#pragma pack_matrix(row_major)\n" + MATRIX % "", BY_ROWS),
    "packed by rows, but one": ("#pragma pack_matrix(row_major)\n" + MATRIX % "column_major", BY_COLUMNS),
    "all equal": (ALL_EQUAL, [11, 11, 11, 11, 1]),
    "unsigned int": (UNSIGNED, [1, 1, 2, 1]),
    # 0 + 1 + .. + 4; i is 5 behind the inner loop, and 9 outside of its block. Two inner rounds leave i = 2 in each of
    # three outer ones; then the outer i is 2. The last g hides the static one.
    "scopes of for": (SCOPES, [10, 35, 9, 6, 6, 2, 4]),
    # 1 + 2, 3 + 4; four bits; 3 * 3; four times 2.
    "components": (COMPONENTS, [3, 7, 15, 15, 9, 8]),
    # Rows (1 2 3) (4 3 2) (1 1 2); the vector is (1 2 3): 14 16 9, and from the left 12 11 13. 3 + 9. 4 < 14, and
    # 1 * 12 + 2 * 11.
    "cut": (CUT, [14, 16, 9, 12, 11, 13, 3, 2, 3, 12, 4, 34]),
    "split doubles": (SPLIT, [7, 9, 0x3FF00000, 0x40000000, 9, 0x3FF00000]),
    "a variable named as its type": (HIDDEN, [2]),
    # k = 3, v.y = 0 + 3, b = 5, n = 0 + 2; 9 and 0 + 1, 11 + 2, (2 + 0) + (1 + 2); the whole of 2.5.
    "methods that change their struct": (CHANGED, [3, 3, 5, 2, 9, 1, 13, 5, 2]),
    "struct before its name": (NAMED, [4, 8, 7]),
    "conversions": (CONVERSIONS, [1, 0, 0x7FFFFFFC, -17]),
}


def stored(module: reknit.Module, words: int, size: int) -> list[int]:
    buffers = {"o": [0] * words}
    if "%a = Variable" in reknit.text(module):
        buffers["a"] = [0, 1, 2, 3]
    result = reknit.run(module, subgroup_size=size, buffers=buffers)
    assert not result.failed(), [str(one) for one in result.diagnostics]
    return list(result.buffers["o"].words)


@pytest.mark.parametrize("name", CASES)
def test_what_is_stored(name: str, tmp_path: Path) -> None:
    source, expected = CASES[name]
    path = tmp_path / "a.hlsl"
    path.write_text(source)
    words = [value & 0xFFFFFFFF for value in expected]
    for size in (4, 32):
        assert stored(reknit.load(path), len(words), size) == words
    module = reknit.load(path)
    reknit.compile(module)
    assert stored(reknit.load(write_module(module)), len(words), 8) == words


@pytest.mark.parametrize("name", CASES)
def test_dxc_stores_the_same(name: str, tmp_path: Path) -> None:
    source, expected = CASES[name]
    library = oracles.need("dxc")[0]
    path = tmp_path / "a.dxil"
    path.write_bytes(dxc.compile_hlsl(Path(library), source, ["-T", "cs_6_5", "-E", "main"]))
    assert stored(reknit.load(path), len(expected), 4) == [value & 0xFFFFFFFF for value in expected]


def test_slang_keeps_its_own(tmp_path: Path) -> None:
    """In a .slang file the matrix lies by rows, and `unsigned` is no word."""
    path = tmp_path / "a.slang"
    path.write_text((MATRIX % "").replace("[numthreads", '[shader("compute")] [numthreads'))
    assert stored(reknit.load(path), 4, 4) == BY_ROWS
    path.write_text(UNSIGNED)
    with pytest.raises(InputError):
        reknit.load(path)


@pytest.mark.parametrize("name", ["a.fx", "a.slang", "a.HLSL"])
def test_the_format_says_the_language(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(MATRIX % "")
    assert stored(reknit.load(path, format="hlsl"), 4, 4) == BY_COLUMNS
    path.write_text(UNSIGNED)
    assert stored(reknit.load(path, format="hlsl"), 4, 4) == CASES["unsigned int"][1]
    (tmp_path / "a.hlsl").write_text((MATRIX % "").replace("[numthreads", '[shader("compute")] [numthreads'))
    assert stored(reknit.load(tmp_path / "a.hlsl", format="slang"), 4, 4) == BY_ROWS


def test_matrices_are_packed_in_one_way(tmp_path: Path) -> None:
    path = tmp_path / "a.hlsl"
    path.write_text((MATRIX % "") + "#pragma pack_matrix(row_major)\n")
    with pytest.raises(InputError, match="after the first declaration"):
        reknit.load(path)


LEAVING = """
RWStructuredBuffer<uint> o : register(u0);
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    uint count = 0;
    while (true)
    {
        if (WaveReadLaneFirst(id.x & 3) == (id.x & 3))
        {
            count = WaveActiveSum(1);
            break;
        }
    }
    o[id.x] = count;
}
"""


def test_lint_judges_what_dxc_declares(tmp_path: Path) -> None:
    """Invocations that leave in different iterations may be united at the sum: nothing that dxc writes forbids it."""
    path = tmp_path / "leave.hlsl"
    path.write_text(LEAVING)
    assert [one.code for one in reknit.lint(path)] == ["RK3003"]
    assert reknit.lint(path, target="maximal") == []


def test_a_sampler_has_its_older_name(tmp_path: Path) -> None:
    source = "sampler s;\nTexture2D<float4> t;\nRWStructuredBuffer<uint> o : register(u1);\n[numthreads(1, 1, 1)]\n"
    source += "void main() { o[0] = t.SampleLevel(s, float2(0, 0), 0).x > 0; }\n"
    (tmp_path / "a.hlsl").write_text(source)
    text = reknit.text(reknit.load(tmp_path / "a.hlsl"))
    (tmp_path / "b.hlsl").write_text(source.replace("sampler", "SamplerState"))
    assert text == reknit.text(reknit.load(tmp_path / "b.hlsl"))
    (tmp_path / "a.slang").write_text(source.replace("[num", '[shader("compute")] [num'))
    with pytest.raises(InputError, match="undefined identifier 'sampler'"):
        reknit.load(tmp_path / "a.slang")
    dxc.compile_hlsl(Path(oracles.need("dxc")[0]), source, ["-T", "cs_6_5", "-E", "main"])


POINT = """
struct Point { float4 at : SV_Position; [[vk::builtin("PointSize")]] float size : PSIZE; float2 uv : TEXCOORD0; };
float4 main(Point p) : SV_Target { return p.%s.xxxx; }
"""


def test_a_fragment_shader_may_have_a_point_size_that_it_does_not_read(tmp_path: Path) -> None:
    """Vulkan has no PointSize there (VUID-PointSize-PointSize-04314). DXC leaves out what isn't read."""
    path = tmp_path / "a.frag.hlsl"
    path.write_text(POINT % "uv")
    binary = write_module(reknit.load(path))
    assert oracles.validate(binary) == (True, "")
    assert "PointSize" not in reknit.text(reknit.load(binary))
    path.write_text(POINT % "size")
    with pytest.raises(InputError, match="a fragment shader takes no system value SV_POINTSIZE"):
        reknit.load(path)


def test_what_is_cut_is_warned_of() -> None:
    """As DXC: "implicit truncation of vector type"."""
    warned = reknit.load(CUT.encode(), format="hlsl").notes
    assert {message.code for message in warned} == {"E30081"} and len(warned) >= 5


HELPED = """
struct V { float4 at : SV_Position; float2 uv : TEXCOORD0; };
V moved(V v, float3 by) { v.at.xyz += by; return v; }
float4 main(V v) : SV_Target { return moved(v, 1).at; }
"""


def test_a_function_whose_parameter_has_no_semantic_is_no_entry_point(tmp_path: Path) -> None:
    """DXC: "Semantic must be defined for all parameters of an entry function"."""
    path = tmp_path / "a.hlsl"
    path.write_text(HELPED)
    assert [entry.word(0) for entry in reknit.load(path).entry_points] == [4]  # execution model Fragment


def test_a_change_in_a_method_needs_a_value_that_may_change(tmp_path: Path) -> None:
    path = tmp_path / "a.hlsl"
    path.write_text(CHANGED.replace("o[0] = s.k;", "o[0] = s.k; none.set(1);"))
    with pytest.raises(InputError, match="E30050.*mutating method 'set' cannot be called on an immutable value"):
        reknit.load(path)
    path.with_suffix(".slang").write_text(CHANGED.replace("[num", '[shader("compute")] [num'))
    with pytest.raises(InputError, match="E30011"):
        reknit.load(path.with_suffix(".slang"))


def test_the_position_into_a_vertex_shader_is_an_attribute(tmp_path: Path) -> None:
    """DXC gives `p` location 0, `c` 1 and `e` 2; slangc refuses it (E30702)."""
    source = "struct V { float4 p : SV_POSITION; float4 c : COLOR0; };\n"
    source += '[shader("vertex")] V main(V i, float2 e : EXTRA) { i.p.xy += e; return i; }\n'
    path = tmp_path / "a.hlsl"
    path.write_text(source)
    binary = write_module(reknit.load(path))
    assert oracles.validate(binary) == (True, "")
    decorations = [line for line in oracles.disassemble(binary).splitlines() if "OpDecorate" in line]
    assert [sum(f"Location {number}" in line for line in decorations) for number in range(4)] == [2, 1, 1, 0]
    assert sum("BuiltIn Position" in line for line in decorations) == 1
    path.with_suffix(".slang").write_text(source)
    with pytest.raises(InputError, match="a vertex shader takes no system value SV_POSITION"):
        reknit.load(path.with_suffix(".slang"))


def test_main_is_of_the_stage_that_the_name_says_where_nothing_else_does(tmp_path: Path) -> None:
    """A pixel shader that only discards gives nothing."""
    path = tmp_path / "CutoutPS.hlsl"
    path.write_text("struct V { float4 at : SV_Position; };\nvoid main(V v) { if (v.at.x < 4) discard; }\n")
    assert [entry.word(0) for entry in reknit.load(path).entry_points] == [4]  # execution model Fragment
    path.rename(tmp_path / "Cutout.hlsl")
    with pytest.raises(InputError, match="E38000"):
        reknit.load(tmp_path / "Cutout.hlsl")
