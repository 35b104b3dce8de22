// A loop of as many iterations for all, 3: the sum over i of (sum of x) + lanes * i, that is 3 * sum + 3 * lanes.
// Sums: 16 and 12 of four, 28 of eight.
// set input = 3 0 6 7 2 5 1 4 3
// expect 4: result = 60 x4 48 x4
// expect 8: result = 108 x8
StructuredBuffer<uint> input : register(t0);
RWStructuredBuffer<uint> result : register(u0);
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint x = input[lane];
    uint total = 0;
    for (uint i = 0; i < input[8]; i++) {
        total += WaveActiveSum(x + i);
    }
    result[lane] = total;
}
