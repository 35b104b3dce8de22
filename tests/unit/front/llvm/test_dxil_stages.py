"""Pixel and vertex shaders that DXC compiled, resources chosen at run time, and what newer operations give.

What they leave follows by hand from the HLSL beside them. How the files in tests/data/dxil/stages were made: OPTIONS.
"""

import math
import struct
from pathlib import Path

import dxc
import pytest
from kit import oracles

import reknit
from reknit.ir import enums, op
from reknit.ir.module import Module
from reknit.sim.drawing import Drawing, Quad
from reknit.sim.images import Image
from reknit.source.diagnostic import InputError
from reknit.spirv.write import write_module

pytestmark = pytest.mark.once

DATA = Path(__file__).resolve().parents[3] / "data" / "dxil" / "stages"
_HALVES = ["-T", "cs_6_6", "-E", "main", "-enable-16bit-types"]
OPTIONS = {
    "pixel": ["-T", "ps_6_0", "-E", "main"], "vertex": ["-T", "vs_6_0", "-E", "main"],
    "arrays": ["-T", "cs_6_6", "-E", "main"], "library": ["-T", "lib_6_5"],
    "packed": _HALVES, "plain_constants": [*_HALVES, "-no-legacy-cbuf-layout"],
}  # fmt: skip


def structured(name: str) -> Module:
    module = reknit.load(DATA / f"{name}.dxil")
    reknit.compile(module, "restructure", verify_each=True)
    if oracles.find("spirv-val") is not None:
        accepted, message = oracles.spirv_val(write_module(module), "vulkan1.3")
        assert accepted, message
    return module


def bits(number: float) -> int:
    return int(struct.unpack("<I", struct.pack("<f", number))[0])


def compiled(hlsl: str, model: str, *options: str) -> bytes:
    return bytes(dxc.compile_hlsl(Path(oracles.need("dxc")[0]), hlsl, ["-T", model, "-E", "main", *options]))


def refused(name: str) -> InputError:
    with pytest.raises(InputError) as caught:
        reknit.load(DATA / f"{name}.dxil")
    return caught.value


def test_the_stored_files_are_what_the_compiler_makes() -> None:
    library = Path(oracles.need("dxc")[0])
    for name, options in OPTIONS.items():
        assert dxc.compile_hlsl(library, (DATA / f"{name}.hlsl").read_text(), options) == (
            DATA / f"{name}.dxil"
        ).read_bytes()


# --- pixels -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [4, 8, 32, 64])
def test_a_discarded_lane_helps_its_quad_and_is_no_part_of_the_wave(size: int) -> None:
    """Lane 1 discards. Its TEXCOORD0 is still what lane 0's fine difference is taken from; the sum of the kinds is that
    of lanes 0, 2 and 3, of which lane 0 is the first. FragCoord.w is 1/2, so SV_Position.w is 2."""
    quad = Quad(
        [0, 0],
        inputs={
            "1": [[1, 0], [3, 0], [5, 0], [9, 0]], "2": [[0, 10], [0, 20], [0, 40], [0, 70]], "3": [1, 2, 3, 5],
        },
        w=0.5,
    )  # fmt: skip
    drawing = Drawing([2, 2], quads=[quad], compare="always")
    result = reknit.run(structured("pixel"), subgroup_size=size, drawing=drawing)
    assert [str(fault) for fault in result.diagnostics] == []
    assert result.framebuffer is not None
    color, waves = result.framebuffer.attachments[:2]
    assert color.at(0, 0) == [2.0, 2.0, 30.0, 1.0]
    assert color.at(1, 0) is None
    assert [color.at(x, 1)[1] for x in range(2)] == [4.0, 4.0]  # type: ignore[index]
    assert [waves.at(x, y) for x, y in ((0, 0), (0, 1), (1, 1))] == [[9, 3, 0, 13], [9, 3, 1, 11], [9, 3, 4, 11]]
    assert [fragment.end for fragment in result.framebuffer.fragments].count("written") == 3
    assert result.framebuffer.depth(0, 1) == 0.75


def test_interpolation_and_places_of_inputs() -> None:
    text = reknit.text(structured("pixel"))
    assert "MaximallyReconvergesKHR" in text
    assert "OriginUpperLeft" in text
    assert "DepthReplacing" in text
    for name, place in (("TEXCOORD1", "NoPerspective"), ("TEXCOORD1", "Location 2"), ("KIND0", "Flat")):
        assert any(name in line and place in line for line in text.splitlines()), (name, place)


# --- vertices ---------------------------------------------------------------------------------------------------------


def test_what_a_vertex_gives() -> None:
    """TEXCOORD0 and TEXCOORD1 share a register; clip distances are one array of three; D3D's vertices are counted from
    the draw's first, Vulkan's from 0."""
    text = reknit.text(structured("vertex"))
    lines = text.splitlines()
    assert any("TEXCOORD1" in line and "Component 2" in line for line in lines)
    assert any("ClipDistance" in line and "3" in line for line in lines)
    assert text.count("ISub") == 2
    assert all(name in text for name in ("BaseVertex", "BaseInstance", "ShaderViewportIndexLayerEXT"))


# --- resources --------------------------------------------------------------------------------------------------------


def test_resources_chosen_at_run_time() -> None:
    module = structured("arrays")
    given: dict[str, object] = {
        "raw": [5, 0, 0xFFFFFFFF, 1], "result": [0] * 16, "counts": Image([2, 1], "r32ui", [9, 100]),
        "Rows": [1, 2, 3, 4, 50, 60, 70, 80],
    }  # fmt: skip
    given |= {f"many[{k}]": [0, 10 * k + 7] for k in range(4)}
    given |= {f"pictures[{k}]": Image([8, 3 + k], "r32f", [float(20 + k)] * (8 * (3 + k))) for k in range(2)}
    result = reknit.run(module, subgroup_size=4, buffers=given)  # type: ignore[arg-type]
    assert [str(fault) for fault in result.diagnostics] == []
    words = result.buffers["result"].words
    assert words[:4] == [7, 17, 27, 37]
    assert words[4:8] == [804] * 4
    assert words[8:12] == [20, 21, 20, 21]
    assert words[12:] == [55, 65, 75, 85]  # the second row of the tbuffer, and 5
    assert result.buffers["counts"].words == [9, 100 + 0 + 1 + 2 + 3]
    # 0x1ffffffff + 4 * 0x100000000 + 0 + 1 + 2 + 3: the carry goes into the upper word
    assert result.buffers["raw.u64"].words == [5, 0, 5, 1 + 4 + 1]


def test_what_an_uneven_index_chooses_is_non_uniform() -> None:
    """The buffer's element, and the texture from its pointer to the sampled image: both are chosen by
    NonUniformResourceIndex, the last operand of createHandleFromBinding; the other texture by a constant."""
    module = structured("arrays")
    marks = {
        note.operands[0]
        for note in module.decorations
        if note.op == op.Decorate and note.word(1) == enums.DecorationNonUniform
    }
    marked = [instr.op for function in module.functions for instr in function.instructions() if instr in marks]
    assert marked == [op.AccessChain, op.AccessChain, op.Load, op.SampledImage]
    capabilities = [each.word(0) for each in module.capabilities]
    assert enums.CapabilityStorageBufferArrayNonUniformIndexing in capabilities
    assert enums.CapabilitySampledImageArrayNonUniformIndexing in capabilities


def test_constants_at_distances() -> None:
    """float at 0, halves from 4 (1, 2, -3 and 0.5), a number of 64 bits at 16, four rows of a word each from 32."""
    halves = [0x3C00 | 0x4000 << 16, 0xC200 | 0x3800 << 16]
    limits = [bits(100.0), *halves, 0, 0x44332211, 0x88776655, 0, 0]
    limits += [word for number in (6, 7, 8, 9) for word in (number, 0, 0, 0)]
    module = structured("plain_constants")
    given = {"Limits": limits, "result": [0] * 12}
    words = reknit.run(module, subgroup_size=4, buffers=given).buffers["result"].words
    assert words[:4] == [6, 7, 8, 9]
    assert words[4:8] == [bits(number) for number in (1.0, 2.0, -3.0, 0.5)]
    wide = 0x8877665544332211
    assert words[8:] == [(wide >> 8 * k) + 100 & 0xFFFFFFFF for k in range(4)]


# --- operations -------------------------------------------------------------------------------------------------------


def test_packed_bytes_and_halves() -> None:
    words = reknit.run(structured("packed"), subgroup_size=4, buffers={"input": [0, 0], "result": [0] * 12})
    result = words.buffers["result"].words
    assert result[:4] == [1, 2, 3, 0x84 - 0x100 & 0xFFFFFFFF]
    assert result[4:8] == [1, 2, 3, 0x84]
    assert result[8] == 0x84030201
    assert result[9] == 0xFF07FF00  # -5, 300, 7, 255 as bytes
    assert result[10] == 0x80077F80  # -500, 300, 7, -128
    assert result[11] == bits(math.fsum([10.0, 1.5 * 4, 2 * 0.25]))


_FEEDBACK = """
FeedbackTexture2D<SAMPLER_FEEDBACK_MIN_MIP> map;
Texture2D<float> texels;
SamplerState state;
float main(float2 at : AT) : SV_Target {
    map.WriteSamplerFeedback(texels, state, at);
    map.WriteSamplerFeedbackBias(texels, state, at, 1);
    return 0;
}
"""


def test_operations_of_one_family_are_one_cause() -> None:
    data = compiled(_FEEDBACK, "ps_6_5")
    with pytest.raises(InputError) as caught:
        reknit.load(data, format="dxil")
    assert [found.code for found in caught.value.diagnostics] == ["RK0805"]
    assert "WriteSamplerFeedback (174), WriteSamplerFeedbackBias (175)" in caught.value.diagnostics[0].message


def test_stages_of_a_library_are_named() -> None:
    fault = refused("library")
    assert [found.code for found in fault.diagnostics] == ["RK0806"]
    assert "'Generate' (ray generation), 'Miss' (miss)" in fault.diagnostics[0].message


# --- minimum precision ------------------------------------------------------------------------------------------------

_SHORTS = """
StructuredBuffer<FROM> from : register(t0);
RWStructuredBuffer<TO> to : register(u0);
[numthreads(4, 1, 1)] void main(uint lane : SV_GroupIndex) { to[lane] = (TO)(from[lane] + (FROM)1); }
"""


@pytest.mark.parametrize("kind, stored", [("min16int", 0xFFFFFFFF), ("min16uint", 0xFFFF)])
def test_annotations_tell_the_sign_of_minimum_precision(kind: str, stored: int) -> None:
    """DXIL has i16 for both; memory has 32 bits of them. -2 + 1 is -1, 65534 + 1 is 65535."""
    module = reknit.load(compiled(_SHORTS, "cs_6_0", f"-DFROM={kind}", f"-DTO={kind}"), format="dxil")
    result = reknit.run(module, buffers={"from": [stored - 1] * 4, "to": [0] * 4})
    assert result.buffers["to"].words == [stored] * 4


def test_types_that_disagree_in_the_sign_tell_none() -> None:
    data = compiled(_SHORTS, "cs_6_0", "-DFROM=min16int", "-DTO=min16uint")
    with pytest.raises(InputError, match="minimum precision, of which DXIL does not say whether it has a sign"):
        reknit.load(data, format="dxil")


# --- ray queries ------------------------------------------------------------------------------------------------------

_METHODS = """
RayFlags RayTMin WorldRayOrigin WorldRayDirection CandidateProceduralPrimitiveNonOpaque CandidateType
CandidateTriangleRayT CandidateInstanceIndex CandidateInstanceID CandidateGeometryIndex CandidatePrimitiveIndex
CandidateObjectRayOrigin CandidateObjectRayDirection CandidateInstanceContributionToHitGroupIndex
CandidateTriangleBarycentrics CandidateTriangleFrontFace CandidateObjectToWorld3x4 CandidateWorldToObject3x4
CommittedStatus CommittedRayT CommittedInstanceIndex CommittedInstanceID CommittedGeometryIndex CommittedPrimitiveIndex
CommittedObjectRayOrigin CommittedObjectRayDirection CommittedInstanceContributionToHitGroupIndex
CommittedTriangleBarycentrics CommittedTriangleFrontFace CommittedObjectToWorld3x4 CommittedWorldToObject3x4
"""
_RAY = """
RaytracingAccelerationStructure scene : register(t0);
RWStructuredBuffer<float> left : register(u0);
float sum(float a) { return a; } float sum(float2 a) { return a.x + 2 * a.y; } float sum(float3 a) { return a.x - a.z; }
float sum(uint a) { return a; } float sum(bool a) { return a; } float sum(float3x4 a) { return a[1][3] + a[2][0]; }
[numthreads(1, 1, 1)] void main() {
    RayQuery<RAY_FLAG_CULL_OPAQUE> query;
    RayDesc ray = { float3(left[0], 2, 3), 4, float3(5, 6, 7), 8 };
    query.TraceRayInline(scene, RAY_FLAG_SKIP_TRIANGLES, 0xF0, ray);
    while (query.Proceed()) {
        query.CommitNonOpaqueTriangleHit();
        query.CommitProceduralPrimitiveHit(2.5);
        if (left[1] > 0) query.Abort();
    }
    CALLS
}
"""


def asked(module: Module) -> set[tuple[str, ...]]:
    """The instructions on ray queries, each with its intersection."""
    lines = [line.split("=")[-1].split() or [""] for line in reknit.text(module).splitlines()]
    return {(words[0], *(word for word in words if word in ("0u", "1u"))) for words in lines if "RayQuery" in words[0]}


def test_ray_queries_are_those_of_the_compiler() -> None:
    """DXC makes SPIR-V of the same HLSL: the same instructions, of the same intersections."""
    calls = "".join(f"left[{at + 2}] = sum(query.{name}()); " for at, name in enumerate(_METHODS.split()))
    hlsl = _RAY.replace("CALLS", calls)
    ours = reknit.load(compiled(hlsl, "cs_6_5"), format="dxil")
    theirs = reknit.load(compiled(hlsl, "cs_6_5", "-spirv", "-fspv-target-env=vulkan1.2"))
    assert len(asked(ours)) > 30 and asked(ours) == asked(theirs)
    reknit.compile(ours, "restructure", verify_each=True)
    accepted, message = oracles.spirv_val(write_module(ours), "vulkan1.3")
    assert accepted, message


def test_a_query_that_is_chosen_at_run_time_is_refused() -> None:
    hlsl = _RAY.replace("CALLS", "").replace("query;", "one, other; RayQuery<RAY_FLAG_CULL_OPAQUE> query = one;")
    hlsl = hlsl.replace("    RayDesc", "    if (left[3] > 1) query = other;\n    RayDesc")
    data = compiled(hlsl, "cs_6_5")
    with pytest.raises(InputError, match="a ray query that is chosen at run time"):
        reknit.load(data, format="dxil")
