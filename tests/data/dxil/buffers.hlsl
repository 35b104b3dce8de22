// Raw, structured and typed buffers, a constant buffer, counters and atomics.
struct Pair { uint first; float2 second; };
StructuredBuffer<Pair> pairs : register(t0);
ByteAddressBuffer bytes : register(t1);
Buffer<uint4> quads : register(t2);
cbuffer Limits : register(b0) { uint limit; float scale; uint4 row; };
RWStructuredBuffer<uint> result : register(u0);
RWByteAddressBuffer raw : register(u1, space2);
RWBuffer<uint> typed : register(u2);
RWStructuredBuffer<uint> counted : register(u3);
[numthreads(4, 1, 1)]
void main(uint3 id : SV_DispatchThreadID, uint3 group : SV_GroupID, uint3 local : SV_GroupThreadID) {
    uint lane = id.x;
    result[lane] = pairs[lane].first + (uint)pairs[lane].second.y;
    result[4 + lane] = bytes.Load(4 * lane) + bytes.Load2(4 * lane).y;
    result[8 + lane] = quads[lane].z;
    result[12 + lane] = limit + (uint)(scale * 2) + row.w;
    uint old;
    raw.InterlockedAdd(0, lane + 1, old);
    raw.InterlockedOr(4, 1u << lane, old);
    raw.InterlockedMax(8, lane, old);
    raw.InterlockedMin(12, lane, old);
    raw.InterlockedXor(16, lane, old);
    raw.InterlockedAnd(20, lane, old);
    raw.InterlockedCompareExchange(24 + 4 * lane, lane, 7, old);
    raw.Store2(40 + 8 * lane, uint2(lane, old));
    typed[lane] = 3 * lane + group.x + local.y;
    InterlockedAdd(typed[lane], 1);
    counted[counted.IncrementCounter()] = 5;
    uint count, stride;
    pairs.GetDimensions(count, stride);
    result[16 + lane] = 100 * count + stride;
    if (lane == 3)
        raw.InterlockedExchange(28, 99, old);
}
