// Odd x go on at once in iterations 0 and 2, even ones in 1 and 3: half of the lanes run the rest, iteration + 1 times
// their count: even (1 + 3) * half, odd (2 + 4) * half.
// set input = 3 0 6 7 2 5 1 4 4
// expect 4: result = 12 8 8 12 8 12 12 8
// expect 8: result = 24 16 16 24 16 24 24 16
StructuredBuffer<uint> input : register(t0);
RWStructuredBuffer<uint> result : register(u0);
#define HERE WaveActiveCountBits(true)
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint x = input[lane];
    uint total = 0;
    for (uint i = 0; i < input[8]; i++) {
        if ((x ^ i) & 1) {
            continue;
        }
        total += HERE * (i + 1);
    }
    result[lane] = total;
}
