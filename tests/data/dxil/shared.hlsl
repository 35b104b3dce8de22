// Shared memory of words and floats, barriers, shared atomics, a table and a local array.
StructuredBuffer<uint> input : register(t0);
RWStructuredBuffer<uint> result : register(u0);
groupshared uint words[8];
groupshared float floats[8];
groupshared uint total;
static const uint table[5] = { 11, 22, 33, 44, 55 };
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    if (lane == 0)
        total = 100;
    words[lane] = input[lane];
    floats[lane] = 0.5 * lane;
    GroupMemoryBarrierWithGroupSync();
    uint old;
    InterlockedAdd(total, words[7 - lane], old);
    float f = floats[(lane + 1) & 7];
    GroupMemoryBarrierWithGroupSync();
    uint local_words[4];
    for (uint i = 0; i < 4; i++)
        local_words[i] = i * i + lane;
    result[lane] = total + (uint)(f * 2);
    result[8 + lane] = table[input[lane] % 5];
    result[16 + lane] = local_words[input[lane] & 3];
    AllMemoryBarrier();
}
