// Even x (0 6 2 4 in lanes 1, 2, 4, 7) run x times: of eight 3 3 2 2 1 1 of them; of 2 4: 2 2 1 1. The others count
// themselves.
// set input = 3 0 6 7 2 5 1 4
// expect 4: result = 102 0 6 102 4 102 102 6
// expect 8: result = 104 0 12 104 6 104 104 10
StructuredBuffer<uint> input : register(t0);
RWStructuredBuffer<uint> result : register(u0);
#define HERE WaveActiveCountBits(true)
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint x = input[lane];
    uint r = 0;
    switch (x & 1) {
    case 0:
        for (uint i = 0; i < x; i++) {
            r += HERE;
        }
        break;
    default:
        r = 100 + HERE;
        break;
    }
    result[lane] = r;
}
