// Two ways out with work. x of 3 0 2 1 leave by the first, in iteration x, each alone; 6 7 5 4 by the second, together.
// set input = 3 0 6 7 2 5 1 4
// expect 4: result = 101 101 202 202 101 202 101 202
// expect 8: result = 101 101 204 204 101 204 101 204
StructuredBuffer<uint> input : register(t0);
RWStructuredBuffer<uint> result : register(u0);
#define HERE WaveActiveCountBits(true)
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint x = input[lane];
    uint r = 0;
    [loop]
    for (uint i = 0;; i++) {
        if (i >= x) {
            r = 100 + HERE;
            break;
        }
        if (i == 3) {
            r = 200 + HERE;
            break;
        }
    }
    result[lane] = r;
}
