// Resources chosen at run time, sizes, texel atomics, and atomics of 64 bits on what others access as words.
StructuredBuffer<uint> many[4] : register(t2);
Texture2D<float> pictures[2] : register(t10);
SamplerState state : register(s0);
RWTexture2D<uint> counts : register(u0);
RWByteAddressBuffer raw : register(u1);
RWStructuredBuffer<uint> result : register(u2);
tbuffer Rows : register(t20) { float4 first; uint4 second; };
[numthreads(4, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
    uint lane = id.x;
    uint found = many[NonUniformResourceIndex(lane)][1];
    uint width, height;
    pictures[1].GetDimensions(width, height);
    float texel = pictures[NonUniformResourceIndex(lane & 1)].SampleLevel(state, float2(0.5, 0.5), 0);
    uint before;
    InterlockedAdd(counts[uint2(1, 0)], lane, before);
    raw.InterlockedAdd64(8, 0x100000000ull + lane);
    result[lane] = found;
    result[4 + lane] = width * 100 + height;
    result[8 + lane] = (uint)texel;
    result[12 + lane] = raw.Load(0) + second[lane];
}
