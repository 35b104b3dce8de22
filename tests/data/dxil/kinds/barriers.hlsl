// Memory barriers of each kind, without and with waiting; what lane 0 wrote before is there for all behind.
// set input = 3 0 6 7 2 5 1 4
// set result = zeros:9
// expect result = 8 5 11 12 7 10 6 9 5
StructuredBuffer<uint> input : register(t0);
RWStructuredBuffer<uint> result : register(u0);
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint x = input[lane];
    if (lane == 0) {
        result[8] = 5;
    }
    DeviceMemoryBarrier();
    GroupMemoryBarrier();
    AllMemoryBarrier();
    DeviceMemoryBarrierWithGroupSync();
    AllMemoryBarrierWithGroupSync();
    result[lane] = result[8] + x;
}
