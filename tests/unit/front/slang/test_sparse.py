"""Accesses to textures with a status: the overloads of Microsoft's HLSL reference ("Texture Object"), and the sparse
instructions of SPIR-V 1.6 that they are."""

import pytest
from kit import oracles

import reknit
from reknit.front.slang.compile import compile_slang
from reknit.ir import op
from reknit.ir.walk import instructions
from reknit.spirv.write import write_module

HEAD = """
Texture2D<float4> t;
Texture2DArray<float> layers;
Texture2DMS<float4> many;
Buffer<uint> list;
RWTexture2D<uint> rw;
SamplerState s;
SamplerComparisonState c;
struct In { float2 uv : UV; };
[shader("fragment")]
float4 main(In i) : SV_Target
{
    STATUS status = 0;
    float4 v = float4(BODY);
    return CheckAccessFullyMapped(status) ? v : float4(1);
}
"""
BODIES = {
    "t.Sample(s, i.uv, int2(1, 0), 0.5, status)": op.ImageSparseSampleImplicitLod,
    "t.SampleBias(s, i.uv, 0.5, int2(0), 0.0, status)": op.ImageSparseSampleImplicitLod,
    "t.SampleLevel(s, i.uv, 1, int2(0), status)": op.ImageSparseSampleExplicitLod,
    "t.SampleGrad(s, i.uv, i.uv, i.uv, int2(0), 0.0, status)": op.ImageSparseSampleExplicitLod,
    "layers.SampleCmp(c, float3(i.uv, 0), 0.5, int2(0), 0.0, status)": op.ImageSparseSampleDrefImplicitLod,
    "layers.SampleCmpLevelZero(c, float3(i.uv, 0), 0.5, int2(0), status)": op.ImageSparseSampleDrefExplicitLod,
    "layers.GatherCmp(c, float3(i.uv, 0), 0.5, int2(0), status)": op.ImageSparseDrefGather,
    "t.Load(int3(0), int2(0), status)": op.ImageSparseFetch,
    "many.Load(int2(0), 1, int2(0), status)": op.ImageSparseFetch,
    "list.Load(3, status)": op.ImageSparseFetch,
    "rw.Load(int2(0), status)": op.ImageSparseRead,
}


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("status", ["uint", "int"])
def test_a_status_makes_the_access_a_sparse_one(body: str, status: str) -> None:
    module = compile_slang(HEAD.replace("BODY", body).replace("STATUS", status), "a.slang")
    found = [each.op for function in module.functions for each in instructions(function)]
    assert BODIES[body] in found and op.ImageSparseTexelsResident in found
    reknit.compile(module, "reconverge")
    accepted, message = oracles.spirv_val(write_module(module), "vulkan1.3")
    assert accepted, message
