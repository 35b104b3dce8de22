// Halved until 0, at least once: 1 iteration for x below 2, 2 below 4, else 3; those who run: of eight 8 6 4, of four 4 3 2.
// set input = 3 0 6 7 2 5 1 4
// expect 4: result = 7 4 9 9 7 9 4 9
// expect 8: result = 14 8 18 18 14 18 8 18
StructuredBuffer<uint> input : register(t0);
RWStructuredBuffer<uint> result : register(u0);
#define HERE WaveActiveCountBits(true)
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint x = input[lane];
    uint n = x;
    uint total = 0;
    do {
        total += HERE;
        n >>= 1;
    } while (n > 0);
    result[lane] = total;
}
