"""What DXC makes of accesses to textures with a status, and the sparse instructions that they become.

Source: SPIR-V 1.6, 3.52.10. Without a status they are the plain ones. A buffer's loads have no such instruction, so
that asking is refused."""

from pathlib import Path

import dxc
import pytest
from kit import oracles

import reknit
from reknit.ir import op
from reknit.ir.module import Module
from reknit.ir.walk import instructions
from reknit.source.diagnostic import InputError
from reknit.spirv.write import write_module

pytestmark = pytest.mark.once

HEAD = """
Texture2D<float4> t;
Texture2DArray<float> layers;
Texture2DMS<float4> many;
RWTexture2D<uint> rw;
Buffer<uint> list;
ByteAddressBuffer raw;
SamplerState s;
SamplerComparisonState c;
float4 main(float2 uv : UV) : SV_Target
{
    uint status = 0;
    float4 v = float4(BODY);
    return CheckAccessFullyMapped(status) ? v : float4(1, 1, 1, 1);
}
"""
BODIES = {
    "t.Sample(s, uv, int2(1, 0), 0.5, status)": op.ImageSparseSampleImplicitLod,
    "t.SampleLevel(s, uv, 1, int2(0, 0), status)": op.ImageSparseSampleExplicitLod,
    "layers.SampleCmp(c, float3(uv, 0), 0.5, int2(0, 0), 0.0, status).xxxx": op.ImageSparseSampleDrefImplicitLod,
    "t.Gather(s, uv, int2(0, 0), status)": op.ImageSparseGather,
    "t.Load(int3(0, 0, 0), int2(0, 0), status)": op.ImageSparseFetch,
    "many.Load(int2(0, 0), 1, int2(0, 0), status)": op.ImageSparseFetch,
    "rw.Load(int2(0, 0), status).xxxx": op.ImageSparseRead,
}


def loaded(body: str) -> Module:
    library = Path(oracles.need("dxc")[0])
    return reknit.load(dxc.compile_hlsl(library, HEAD.replace("BODY", body), ["-T", "ps_6_0", "-E", "main"]))


@pytest.mark.parametrize("body", BODIES)
def test_a_status_makes_the_access_a_sparse_one(body: str) -> None:
    module = loaded(body)
    found = [each.op for function in module.functions for each in instructions(function)]
    assert BODIES[body] in found and op.ImageSparseTexelsResident in found
    reknit.compile(module, "restructure")
    accepted, message = oracles.spirv_val(write_module(module), "vulkan1.3")
    assert accepted, message


@pytest.mark.parametrize("body", ["list.Load(3, status).xxxx", "raw.Load(4, status).xxxx"])
def test_buffers_have_no_status(body: str) -> None:
    with pytest.raises(InputError, match="asks whether what it loads from a buffer is mapped"):
        loaded(body)
