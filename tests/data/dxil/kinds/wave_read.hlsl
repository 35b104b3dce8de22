// The first odd lane (1, or 5 in the second four) gives x + 1 = 1, or 6; lane 2 gives 6, lane 6 gives 1; neighbours swap.
// set input = 3 0 6 7 2 5 1 4
// set result = zeros:24
// expect 4: result = 0 1 0 1 0 6 0 6 6 x4 1 x4 0 3 7 6 5 2 4 1
// expect 8: result = 0 1 0 1 0 1 0 1 6 x8 0 3 7 6 5 2 4 1
StructuredBuffer<uint> input : register(t0);
RWStructuredBuffer<uint> result : register(u0);
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint x = input[lane];
    if (lane & 1) {
        result[lane] = WaveReadLaneFirst(x + 1);
    }
    result[8 + lane] = WaveReadLaneAt(x, 2);
    result[16 + lane] = WaveReadLaneAt(x, WaveGetLaneIndex() ^ 1);
}
