// Sums of x and products of x + 1 (4 1 7 8 3 6 2 5) over lower lanes.
// set input = 3 0 6 7 2 5 1 4
// set result = zeros:16
// expect 4: result = 0 3 3 9 0 2 7 8 1 4 4 28 1 3 18 36
// expect 8: result = 0 3 3 9 16 18 23 24 1 4 4 28 224 672 4032 8064
StructuredBuffer<uint> input : register(t0);
RWStructuredBuffer<uint> result : register(u0);
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint x = input[lane];
    result[lane] = WavePrefixSum(x);
    result[8 + lane] = WavePrefixProduct(x + 1);
}
