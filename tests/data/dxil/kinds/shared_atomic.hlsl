// Sum 28 and greatest 7 over all lanes in shared memory; the lane with 5 puts 9 where 0 is: 10000 * 9 + 100 * 28 + 7.
// set input = 3 0 6 7 2 5 1 4
// set result = zeros:8 77
// expect result = 92807 x8 0
StructuredBuffer<uint> input : register(t0);
RWStructuredBuffer<uint> result : register(u0);
groupshared uint total, most, once;
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint x = input[lane];
    if (lane == 0) {
        total = 0;
        most = 0;
        once = 0;
    }
    GroupMemoryBarrierWithGroupSync();
    InterlockedAdd(total, x);
    InterlockedMax(most, x);
    if (x == 5) {
        uint before;
        InterlockedCompareExchange(once, 0, 9, before);
        result[8] = before;
    }
    GroupMemoryBarrierWithGroupSync();
    result[lane] = 10000 * once + 100 * total + most;
}
