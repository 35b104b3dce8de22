// Two arms and what they meet in. x is odd in lanes 0, 3, 5, 6: two of each four, four of eight.
// Odd: 10 * count + x + everyone; even: 100 * count + everyone.
// set input = 3 0 6 7 2 5 1 4
// expect 4: result = 27 204 204 31 204 29 25 204
// expect 8: result = 51 408 408 55 408 53 49 408
StructuredBuffer<uint> input : register(t0);
RWStructuredBuffer<uint> result : register(u0);
#define HERE WaveActiveCountBits(true)
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint x = input[lane];
    uint v;
    if (x & 1) {
        v = 10 * HERE + x;
    } else {
        v = 100 * HERE;
    }
    result[lane] = v + HERE;
}
