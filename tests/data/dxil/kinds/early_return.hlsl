// Above 5 (lanes 2, 3) at once; below 2 (1, 6) with their count; then 0, 4, 5, 7.
// set input = 3 0 6 7 2 5 1 4
// expect 4: result = 21 11 1 1 23 23 11 23
// expect 8: result = 24 12 1 1 24 24 12 24
StructuredBuffer<uint> input : register(t0);
RWStructuredBuffer<uint> result : register(u0);
#define HERE WaveActiveCountBits(true)
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint x = input[lane];
    if (x > 5) {
        result[lane] = 1;
        return;
    }
    if (x < 2) {
        result[lane] = 10 + HERE;
        return;
    }
    result[lane] = 20 + HERE;
}
