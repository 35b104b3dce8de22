"""How entry points meet the outside: bindings, locations, built-ins, interpolation and execution modes.

Expected by hand: locations are counted in order of declaration, a matrix has one for each row and an array one for each
element; system values are the built-ins that Slang's documentation ("SPIR-V-specific functionalities") names for them.
"""

import pytest

from reknit.front.slang.compile import compile_slang
from reknit.ir.module import Module

PARAMETERS = """
[[vk::binding(2, 1)]] cbuffer C { int c; }
[[vk::binding(3)]] RWStructuredBuffer<int> o;
[[vk::binding(5, 2)]] Texture2D t[4];
struct D { int x; };
ConstantBuffer<D> d;
SamplerState s;
[shader("compute")] [numthreads(2, 3, 4)]
void main() { o[0] = c + d.x + int(t[1].SampleLevel(s, float2(0), 0).x); }
"""
IDS = """
RWStructuredBuffer<float> o;
[shader("compute")] [numthreads(4, 1, 1)] [DerivativeGroupLinear]
void main(uint3 a : SV_GroupID, uint3 b : SV_GroupThreadID, uint c : SV_GroupIndex, uint3 d : SV_DispatchThreadID)
{ o[0] = a.x + b.y + c + ddx(float(d.z)); }
"""
PASSED = """
struct V
{
    float4 p : SV_Position;
    float2 uv : UV;
    nointerpolation int k : K;
    noperspective float3 n : N;
    centroid float c : C;
    sample float q[2] : Q;
    float2x3 m : M;
    float last : L;
};
"""
VERTEX = """
[shader("vertex")]
V main(uint v : SV_VertexID, uint i : SV_InstanceID, float3 a : A, float2x3 m : M, int4 b : B)
{
    V r;
    r.p = float4(a, m[0].x); r.uv = a.xy; r.k = b.x; r.n = a; r.c = v; r.q[0] = i; r.q[1] = 2; r.m = m; r.last = 1;
    return r;
}
"""
FRAGMENT = """
struct O { float4 a : SV_Target0; float b : SV_Target2; float d : SV_Depth; uint m : SV_Coverage; };
[shader("fragment")]
O main(V v, bool f : SV_IsFrontFace, uint pr : SV_PrimitiveID, uint sa : SV_SampleIndex)
{
    O o;
    o.a = v.p + v.uv.xyxy * v.k; o.b = v.n.x + v.c + v.q[1] + v.m[1].z + v.last; o.d = f ? 1 : 0; o.m = pr + sa;
    return o;
}
"""
OUTPUTS = """
struct W
{
    float4 p : SV_Position; float2 c : SV_ClipDistance; float l : SV_CullDistance; float s : SV_PointSize;
    uint layer : SV_RenderTargetArrayIndex; uint view : SV_ViewportArrayIndex;
};
[shader("vertex")] W main() { W r; r.p = 1; r.c = 2; r.l = 3; r.s = 4; r.layer = 1; r.view = 2; return r; }
"""
DEPTH = """
struct O { float4 a : SV_Target; float d : SV_DepthGreaterEqual; };
[shader("fragment")] O main() { O o; o.a = 1; o.d = 0.5; return o; }
"""
EARLY = '[shader("fragment")] [earlydepthstencil] float4 main() : SV_Target { return 1; }'
BETWEEN = ("uv Location 0", "k Location 1", "k Flat", "n Location 2", "n NoPerspective", "c Location 3", "c Centroid",
           "q Location 4", "q Sample", "m Location 6", "last Location 8")  # fmt: skip
ROWS = {
    "parameters": (PARAMETERS, ["LocalSize 2 3 4"], [
        "C DescriptorSet 1", "C Binding 2", "o DescriptorSet 0", "o Binding 3", "t DescriptorSet 2", "t Binding 5",
        "d DescriptorSet 0", "d Binding 0", "s DescriptorSet 0", "s Binding 1",
    ]),
    "ids": (IDS, ["LocalSize 4 1 1", "DerivativeGroupLinearKHR"], [
        "o DescriptorSet 0", "o Binding 0", "gl_WorkGroupID BuiltIn WorkgroupId",
        "gl_LocalInvocationID BuiltIn LocalInvocationId", "gl_LocalInvocationIndex BuiltIn LocalInvocationIndex",
        "gl_GlobalInvocationID BuiltIn GlobalInvocationId",
    ]),
    "vertex": (PASSED + VERTEX, [], [
        "v BuiltIn VertexIndex", "base BuiltIn BaseVertex", "i BuiltIn InstanceIndex",
        "base BuiltIn BaseInstance", "a Location 0", "m Location 1",
        "b Location 3", "result.p BuiltIn Position", *[f"result.{mark}" for mark in BETWEEN],
    ]),
    "fragment": (PASSED + FRAGMENT, ["OriginUpperLeft", "DepthReplacing"], [
        "v.p BuiltIn FragCoord", *[f"v.{mark}" for mark in BETWEEN],
        "f BuiltIn FrontFacing", "pr BuiltIn PrimitiveId", "pr Flat",
        "sa BuiltIn SampleId", "sa Flat", "result.a Location 0", "result.b Location 2",
        "result.d BuiltIn FragDepth", "result.m BuiltIn SampleMask",
    ]),
    "outputs": (OUTPUTS, [], [
        "result.p BuiltIn Position", "ClipDistance BuiltIn ClipDistance", "CullDistance BuiltIn CullDistance",
        "result.s BuiltIn PointSize", "result.layer BuiltIn Layer", "result.view BuiltIn ViewportIndex",
    ]),
    "depth": (DEPTH, ["OriginUpperLeft", "DepthReplacing", "DepthGreater"], [
        "result.a Location 0", "result.d BuiltIn FragDepth",
    ]),
    "early": (EARLY, ["OriginUpperLeft", "EarlyFragmentTests"], ["result Location 0"]),
}  # fmt: skip
LAYOUT = (" Offset ", " ArrayStride ", " Block", " NonWritable", " MatrixStride", " ColMajor", " RowMajor")


def met(module: Module) -> tuple[list[str], list[str]]:
    """Execution modes, and decorations of variables, as SPIR-V's assembly names them."""
    modes = [str(mode).partition("@main ")[2] for mode in module.execution_modes]
    marks = [str(mark).partition("%")[2] for mark in module.decorations]
    kept = [mark for mark in marks if mark and not any(word in f"{mark} " for word in LAYOUT)]
    return sorted(mode for mode in modes if mode != "MaximallyReconvergesKHR"), sorted(kept)


@pytest.mark.parametrize("name", ROWS)
def test_what_an_entry_point_has(name: str) -> None:
    source, modes, marks = ROWS[name]
    assert met(compile_slang(source, "t.slang")) == (sorted(modes), sorted(marks))
