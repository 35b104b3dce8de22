"""What DXC defines, passes over and warns of in HLSL, and methods that change copies, as DXC 1.6 has it."""

from pathlib import Path

import dxc
import pytest
from kit import oracles

import reknit
from reknit.front.slang.compile import Settings
from reknit.sim.images import Image
from reknit.source.diagnostic import InputError
from reknit.spirv.write import write_module

MACROS = (
    "__SHADER_TARGET_MAJOR", "__SHADER_TARGET_STAGE", "__SHADER_STAGE_VERTEX", "__SHADER_STAGE_PIXEL",
    "__SHADER_STAGE_GEOMETRY", "__SHADER_STAGE_HULL", "__SHADER_STAGE_DOMAIN", "__SHADER_STAGE_COMPUTE",
    "__SHADER_STAGE_LIBRARY", "__SHADER_STAGE_AMPLIFICATION", "__SHADER_STAGE_MESH", "__HLSL_VERSION",
    "__hlsl_dx_compiler", "__DXC_VERSION_MAJOR",
)  # fmt: skip
VALUES = [6, 5, 1, 0, 2, 3, 4, 5, 6, 14, 13, 2021, 1, 1]
"""What DXC stores with -T cs_6_5 -HV 2021."""


def shader(body: str, before: str = "") -> str:
    start = f"{before}\nRWStructuredBuffer<uint> o : register(u0);\n[numthreads(1, 1, 1)]\n"
    return f"{start}void main(uint t : SV_GroupIndex)\n{{\n{body}\n}}\n"


DEFINED = shader("\n".join(f"o[{index}] = {name};" for index, name in enumerate(MACROS)))


def stored(module: reknit.Module, words: int) -> list[int]:
    return list(reknit.run(module, buffers={"o": [0] * words}).buffers["o"].words)


def by_dxc(source: str, path: Path) -> reknit.Module:
    library = oracles.need("dxc")[0]
    path.write_bytes(dxc.compile_hlsl(Path(library), source, ["-T", "cs_6_5", "-E", "main", "-HV", "2021"]))
    return reknit.load(path)


def test_macros_are_those_of_dxc() -> None:
    module = reknit.load(DEFINED.encode(), format="hlsl", settings=Settings(stage="compute"))
    assert stored(module, len(VALUES)) == VALUES


def test_dxc_defines_them(tmp_path: Path) -> None:
    assert stored(by_dxc(DEFINED, tmp_path / "a.dxil"), len(VALUES)) == VALUES


def test_the_stage_is_known_by_the_name_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "blurCS.hlsl"
    path.write_text(shader("#ifdef __SHADER_TARGET_STAGE\no[0] = __SHADER_TARGET_STAGE;\n#endif"))
    assert stored(reknit.load(path), 1) == [5]
    with pytest.raises(InputError, match="RK0911.*the stage is not known before the source is read"):
        reknit.load(path.rename(tmp_path / "blur.hlsl"))


def test_slang_has_none_of_them(tmp_path: Path) -> None:
    path = tmp_path / "a.slang"
    names = ("__hlsl_dx_compiler", "__spirv__", "__SHADER_TARGET_MAJOR", "__SHADER_TARGET_STAGE")
    body = "".join(f"\n#ifdef {name}\no[0] = nowhere;\n#endif" for name in names)
    path.write_text(shader(body).replace("[numthreads", '[shader("compute")] [numthreads'))
    assert reknit.load(path).notes == []


PRAGMAS = "".join(
    f"#pragma {rest}\n"
    for rest in ("region x", "target 4.5", "kernel main", "dxc diagnostic push", 'message("hi")', "pack(4)", "", "3")
)


def test_a_pragma_that_means_nothing_is_passed_over() -> None:
    """DXC says nothing of them but the message; slangc warns of each."""
    assert reknit.load(shader("", PRAGMAS).encode(), format="hlsl").notes == []


LOSING = """
    double d = t;
    float f = d;
    float3 v = f;
    float2 cut = v;
    uint64_t wide = t;
    uint u = wide;
    o[0] = f + cut.x + u;
"""
KEEPING = """
    float f = t;
    bool b = t;
    uint u = f;
    int i = f;
    uint64_t wide = t;
    b = wide;
    uint3 n = float3(f, f, f);
    o[f] = b + u + i + n.x;
    half h = f;
    o[0] *= 1.5;
"""


def test_conversions_to_a_smaller_number_are_warned_of() -> None:
    """DXC: "conversion from larger type", "implicit truncation of vector type", in these lines alone."""
    notes = reknit.load(shader(LOSING).encode(), format="hlsl").notes
    lines = [message.place.line for message in notes if message.place is not None]
    assert {message.code for message in notes} == {"E30081"} and lines == [8, 10, 12]
    assert reknit.load(shader(KEEPING).encode(), format="hlsl").notes == []


ENUMS = """
    uint3 s = uint3(1, 2, 3);
    s.z *= B;
    s.x += A;
    uint const k = 2;
    float const f = 1.5;
    o[0] = s.z; o[1] = s.x; o[2] = k + f;
"""


def test_an_enum_counts_as_a_number_and_const_may_follow_its_type(tmp_path: Path) -> None:
    """3 * 4; 1 + 3; 2 + 1.5."""
    source = shader(ENUMS, "enum E { A = 3, B };")
    assert stored(reknit.load(source.encode(), format="hlsl"), 3) == [12, 4, 3]
    assert stored(by_dxc(source, tmp_path / "a.dxil"), 3) == [12, 4, 3]


UNUSED = """
class Counter { int n; int next() { return n + 1; } };
struct Hit { float3 origin; bool front; };
Hit hit() { Hit h; h.origin = WorldRayOrigin(); h.front = HitKind() == HIT_KIND_TRIANGLE_FRONT_FACE; return h; }
template<typename Q> Q TraceRay(RayDesc ray) { Q q; return q; }
Hit traced(RaytracingAccelerationStructure s, RayDesc r, inout Hit h) { TraceRay(s, 0, 255, 0, 0, 0, r, h); return h; }
"""


def test_a_class_is_a_struct_and_what_other_stages_have_may_stand_beside(tmp_path: Path) -> None:
    """What no entry point reaches is no obstacle; 4 + 1."""
    source = shader("Counter c; c.n = 4; o[0] = c.next();", UNUSED)
    assert stored(reknit.load(source.encode(), format="hlsl"), 1) == [5]
    with pytest.raises(InputError, match="RK0910.*ray tracing .`WorldRayOrigin`"):
        reknit.load(source.replace("o[0] =", "o[0] = hit().origin.x +").encode(), format="hlsl")


SWITCHED = """
#define OTHER !true
Texture2D<float> A;
Texture2D<float> B;
RWStructuredBuffer<uint> o;
[numthreads(1, 1, 1)]
void main()
{
    Texture2D<float> t = A;
    if (OTHER)
        t = B;
    o[0] = t.Load(0);
}
"""


def test_what_a_literal_leaves_out_gives_a_variable_no_other_resource() -> None:
    binary = write_module(reknit.load(SWITCHED.encode(), format="hlsl"))
    assert oracles.validate(binary) == (True, "")
    assert "Load %B" not in reknit.text(reknit.load(binary))


SAMPLED = """
Texture2D<float4> T;
SamplerState S;
RWStructuredBuffer<float> o;
[numthreads(1, 1, 1)]
void main()
{
    o[0] = T.SampleLevel(S, 0.5, 0, 2 * int2(-1, 1)).x;
    o[1] = T.Load(int3(0, 0, 0), -int2(1, 2) + 1).x;
    o[2] = T.SampleLevel(S, 0.5, 0, int2(uint2(1, 2) * 3u)).x;
}
"""


def test_offsets_are_computed() -> None:
    """2 * (-1, 1); (-1, -2) + 1; (1, 2) * 3."""
    binary = write_module(reknit.load(SAMPLED.encode(), format="hlsl"))
    assert oracles.validate(binary) == (True, "")
    text = reknit.text(reknit.load(binary))
    assert all(offset in text for offset in ("-2, 2", "0, -1", "3, 6"))


COPIED = """
struct S { int n; int add(int x) { n += x; return n; } };
struct H { S s; S get() { return s; } S both(int x) { s.add(x); return s; } };
S made() { S s; s.n = 50; return s; }
"""
COPIES = """
    H h;
    h.s.n = 7;
    o[0] = made().add(3);
    o[1] = h.get().add(4);
    o[2] = h.s.n;
    o[3] = h.both(1).add(10);
    o[4] = h.s.n;
"""


def test_a_method_changes_a_copy_of_a_result(tmp_path: Path) -> None:
    """50 + 3; 7 + 4, where h keeps 7; (7 + 1) + 10, where h keeps 8."""
    source = shader(COPIES, COPIED)
    module = reknit.load(source.encode(), format="hlsl")
    assert stored(module, 5) == [53, 11, 7, 18, 8] and module.notes == []
    assert stored(by_dxc(source, tmp_path / "a.dxil"), 5) == [53, 11, 7, 18, 8]


FETCHED = """
Texture2D<float> T;
Texture2DArray<float> A;
RWStructuredBuffer<uint> o;
float at(int2 place, int2 offset) { return T.Load(int3(place, 0), offset); }
[numthreads(4, 1, 1)]
void main(int t : SV_GroupIndex)
{
    o[t] = at(int2(1, 1), int2(t - 1, 1 - t / 2));
    o[4 + t] = A.Load(int4(0, 0, 1, 0), int2(t, t % 2));
}
"""


def test_an_offset_that_is_not_known_is_added_to_the_place() -> None:
    """Texel (x, y) is 4 y + x, of layer 1 16 more: (0, 2) (1, 2) (2, 1) (3, 1), and (0, 0) (1, 1) (2, 0) (3, 1)."""
    binary = write_module(reknit.load(FETCHED.encode(), format="hlsl"))
    assert oracles.validate(binary) == (True, "")
    images = {"T": Image([4, 4], "r32f", range(16)), "A": Image([4, 4, 2], "r32f", range(32))}
    result = reknit.run(reknit.load(binary), buffers={"o": [0] * 8, **images})
    assert not result.failed(), [str(one) for one in result.diagnostics]
    assert list(result.buffers["o"].words) == [8, 9, 6, 7, 16, 21, 18, 23]


SIZES = """
    int minus = -5;
    o[0] = minus < sizeof(float);
    o[1] = minus / sizeof(float) > 10;
    o[2] = sizeof(bool3) + sizeof(sizeof(float));
    o[3] = sizeof(double3);
"""


def test_a_size_is_a_uint_and_a_bool_has_four_bytes(tmp_path: Path) -> None:
    """4294967291 < 4 is false, a quarter of it is above 10; 12 + 4; 24."""
    assert stored(reknit.load(shader(SIZES).encode(), format="hlsl"), 4) == [0, 1, 16, 24]
    assert stored(by_dxc(shader(SIZES), tmp_path / "a.dxil"), 4) == [0, 1, 16, 24]
