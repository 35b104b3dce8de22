// A loop of x iterations: in iteration k those run whose x is above k, of eight 7 6 5 4 3 2 1; the sum of the first x.
// Of 3 0 6 7: 3 3 3 2 2 2 1. Of 2 5 1 4: 4 3 2 2 1.
// set input = 3 0 6 7 2 5 1 4
// expect 4: result = 9 0 15 16 7 12 4 11
// expect 8: result = 18 0 27 28 13 25 7 22
StructuredBuffer<uint> input : register(t0);
RWStructuredBuffer<uint> result : register(u0);
#define HERE WaveActiveCountBits(true)
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint x = input[lane];
    uint n = x;
    uint total = 0;
    while (n > 0) {
        total += HERE;
        n--;
    }
    result[lane] = total;
}
