// Branches and loops with attributes. Below 4 (lanes 0, 1, 4, 6) the count of those; 2 for each of x turns; 100 if odd;
// 0 + 1 + 2 + 3 = 6.
// set input = 3 0 6 7 2 5 1 4
// expect 4: result = 114 8 18 120 12 116 110 14
// expect 8: result = 116 10 18 120 14 116 112 14
StructuredBuffer<uint> input : register(t0);
RWStructuredBuffer<uint> result : register(u0);
#define HERE WaveActiveCountBits(true)
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint x = input[lane];
    uint r = 0;
    [branch]
    if (x < 4) {
        r = HERE;
    }
    [loop]
    for (uint i = 0; i < x; i++) {
        r += 2;
    }
    [flatten]
    if (x & 1) {
        r += 100;
    }
    [unroll]
    for (uint k = 0; k < 4; k++) {
        r += k;
    }
    result[lane] = r;
}
