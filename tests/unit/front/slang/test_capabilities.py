"""What a module asks for beside Shader: the capability that the SPIR-V specification lists at each thing it uses, and
the extension that has the capability.

Source: SPIR-V 1.6, "Capability", "Dim", "Image Format" and each instruction's "Capability"; the extensions' texts.
"""

import pytest

from reknit.front.slang.compile import compile_slang
from reknit.ir import enums

COMPUTE = """RWStructuredBuffer<float> o;
{}
[shader("compute")] [numthreads(4, 4, 1)]
void main(uint3 t : SV_DispatchThreadID) {{ {} }}
"""
FRAGMENT = """SamplerState s;
{}
[shader("fragment")]
float4 main(float2 p : P, nointerpolation int i : I) : SV_Target {{ {} }}
"""
ALWAYS = "SPV_KHR_maximal_reconvergence"
FREE = "StorageImageReadWithoutFormat StorageImageWriteWithoutFormat"
OF_COMPUTE = [
    ("RWTexture1D<float> a;", "o[0] = a[1];", f"Image1D {FREE}", ""),
    ("Texture1D<float> a;", "o[0] = a[1];", "Sampled1D", ""),
    ("Texture1DArray<float> a;", "o[0] = a[uint2(1, 0)];", "Sampled1D", ""),
    ("RWTexture2DArray<float> a;", "o[0] = a[uint3(0)];", FREE, ""),
    ("Buffer<float> a;", "o[0] = a[1];", "SampledBuffer", ""),
    ("RWBuffer<float> a;", "a[1] = 1;", f"ImageBuffer {FREE}", ""),
    ("Texture2DMSArray<float> a;", "o[0] = a.Load(int3(0), 1);", "", ""),
    ("RWTexture2DMS<float> a;", "o[0] = a.Load(int2(0), 1);", f"StorageImageMultisample {FREE}", ""),
    ("Texture2D<float> a;", "uint w, h; a.GetDimensions(w, h); o[0] = w;", "ImageQuery", ""),
    ("RWTexture2D<int64_t> a;", "o[0] = a[uint2(0)];", "StorageImageExtendedFormats Int64ImageEXT Int64",
     "SPV_EXT_shader_image_int64"),
    ('[format("r16f")] RWTexture2D<float> a;', "a[uint2(0)] = 1;", "StorageImageExtendedFormats", ""),
    ('[format("rg32f")] RWTexture2D<float2> a;', "a[uint2(0)] = 1;", "StorageImageExtendedFormats", ""),
    ('[format("rgba8")] RWTexture2D<float4> a;', "a[uint2(0)] = 1;", "", ""),
    ('[format("r32f")] RWTexture2D<float> a;', "a[uint2(0)] = 1;", "", ""),
    ("", "o[0] = WaveIsFirstLane() ? 1 : 0;", "GroupNonUniform", ""),
    ("", "o[0] = WaveActiveAllTrue(t.x > 1) ? 1 : 0;", "GroupNonUniformVote", ""),
    ("", "o[0] = WaveActiveBallot(t.x > 1).x;", "GroupNonUniformBallot", ""),
    ("", "o[0] = WaveReadLaneFirst(t.x);", "GroupNonUniformBallot", ""),
    ("", "o[0] = WaveActiveCountBits(t.x > 1);", "GroupNonUniformBallot", ""),
    ("", "o[0] = WaveActiveSum(t.x) + WavePrefixSum(t.y);", "GroupNonUniformArithmetic", ""),
    ("", "o[0] = WaveReadLaneAt(t.x, t.y);", "GroupNonUniformShuffle", ""),
    ("", "o[0] = QuadReadAcrossX(t.x);", "GroupNonUniformQuad", ""),
    ("", "o[0] = QuadAny(t.x > 1) ? 1 : 0;", "QuadControlKHR", "SPV_KHR_quad_control"),
    ("", "o[0] = WaveGetLaneIndex() + WaveGetLaneCount();", "GroupNonUniform", ""),
    ("", "o[0] = WaveMatch(t.x).x;", "GroupNonUniformPartitionedNV", "SPV_NV_shader_subgroup_partitioned"),
    ("half h() { return 1; }", "o[0] = h() * half(t.x);", "Float16", ""),
    ("", "double d = t.x; o[0] = float(d);", "Float64", ""),
    ("", "int64_t d = t.x; o[0] = d;", "Int64", ""),
    ("", "int16_t d = int16_t(t.x); o[0] = d;", "Int16", ""),
    ("", "uint8_t d = uint8_t(t.x); o[0] = d;", "Int8", ""),
    ("RWStructuredBuffer<half> h;", "h[0] = h[1];", "StorageBuffer16BitAccess Float16", ""),
    ("RWStructuredBuffer<uint8_t> h;", "h[0] = h[1];", "StorageBuffer8BitAccess Int8", ""),
    ("ConstantBuffer<int16_t> h;", "o[0] = h;", "UniformAndStorageBuffer16BitAccess Int16", ""),
    ("RWStructuredBuffer<int64_t> a;", "InterlockedAdd(a[0], 1ll);", "Int64 Int64Atomics", ""),
    ("RWByteAddressBuffer a;", "float r; a.InterlockedAddF32(0, 1.0, r);", "AtomicFloat32AddEXT",
     "SPV_EXT_shader_atomic_float_add"),
    ("", "o[0] = getRealtimeClockLow();", "ShaderClockKHR", "SPV_KHR_shader_clock"),
    ("StructuredBuffer<float> a[];", "o[0] = a[1][0];", "RuntimeDescriptorArray", "SPV_EXT_descriptor_indexing"),
    ("struct P { int *a; }; StructuredBuffer<P> a;", "*a[0].a = 1;", "Int64 PhysicalStorageBufferAddresses",
     "SPV_KHR_physical_storage_buffer"),
    ("", 'printf("a");', "", "SPV_KHR_non_semantic_info"),
]  # fmt: skip
OF_FRAGMENTS = [
    ("Texture2D a;", "return a.Sample(s, p);", "", ""),
    ("TextureCube a;", "return a.Sample(s, float3(p, 1));", "", ""),
    ("TextureCubeArray a;", "return a.Sample(s, float4(p, 1, 1));", "SampledCubeArray", ""),
    ("Texture1D a;", "return a.Sample(s, p.x);", "Sampled1D", ""),
    ("Texture2D a;", "return a.GatherRed(s, p, int2(1, 2));", "", ""),  # ConstOffset
    ("Texture2D a;", "return a.GatherRed(s, p, int2(1, i));", "ImageGatherExtended", ""),  # Offset
    ("Texture2D a;", "return a.GatherGreen(s, p, int2(0), int2(1), int2(2), int2(3));", "ImageGatherExtended", ""),
    ("Texture2D a;", "return a.CalculateLevelOfDetail(s, p);", "ImageQuery", ""),
    ("Texture2D a;", "return a.CalculateLevelOfDetailUnclamped(s, p);", "ImageQuery", ""),
    ("Texture2D a;", "return a.Sample(s, p, int2(0), 0.5);", "MinLod", ""),
    ("", "return ddx(p).xyxy + fwidth(p).xyxy;", "", ""),
    ("", "return ddx_coarse(p).xyxy;", "DerivativeControl", ""),
    ("", "return ddy_fine(p).xyxy;", "DerivativeControl", ""),
    ("SubpassInput<float4> a;", "return a.SubpassLoad();", "InputAttachment", ""),
    ("SubpassInputMS<float4> a;", "return a.SubpassLoad(1);", "InputAttachment", ""),
    ("", "return IsHelperLane() ? 1 : 0;", "DemoteToHelperInvocation", "SPV_EXT_demote_to_helper_invocation"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("around", "globals", "used", "capabilities", "extensions"),
    [(COMPUTE, *row) for row in OF_COMPUTE] + [(FRAGMENT, *row) for row in OF_FRAGMENTS],
)
def test_what_a_module_asks_for(around: str, globals: str, used: str, capabilities: str, extensions: str) -> None:
    module = compile_slang(around.format(globals, used), "t.slang")
    wanted = [int(getattr(enums, f"Capability{name}")) for name in ["Shader", *capabilities.split()]]
    assert sorted(mark.word(0) for mark in module.capabilities) == sorted(wanted)
    assert sorted(mark.text(0) for mark in module.extensions) == sorted([ALWAYS, *extensions.split()])
