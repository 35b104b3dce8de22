// x of the lane from the other end.
// set input = 3 0 6 7 2 5 1 4
// expect result = 4 1 5 2 7 6 0 3
StructuredBuffer<uint> input : register(t0);
RWStructuredBuffer<uint> result : register(u0);
groupshared uint pool[8];
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint x = input[lane];
    pool[lane] = x;
    GroupMemoryBarrierWithGroupSync();
    result[lane] = pool[7 - lane];
}
