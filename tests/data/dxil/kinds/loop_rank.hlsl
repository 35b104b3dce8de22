// In iteration k a lane counts the lower lanes that are still there: over all, the sum of min(x, theirs) over lower lanes.
// set input = 3 0 6 7 2 5 1 4
// expect 4: result = 0 0 3 9 0 2 2 7
// expect 8: result = 0 0 3 9 6 15 5 18
StructuredBuffer<uint> input : register(t0);
RWStructuredBuffer<uint> result : register(u0);
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint x = input[lane];
    uint n = x;
    uint total = 0;
    while (n > 0) {
        total += WavePrefixCountBits(true);
        n--;
    }
    result[lane] = total;
}
