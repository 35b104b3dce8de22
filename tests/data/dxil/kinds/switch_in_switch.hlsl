// Below 4 are lanes 0, 1, 4, 6 (3 0 2 1): the inner switch gives 1 for 3, 2 for 2, 3 for others; they meet behind it.
// set input = 3 0 6 7 2 5 1 4
// expect 4: result = 21 23 5 5 22 5 23 5
// expect 8: result = 41 43 5 5 42 5 43 5
StructuredBuffer<uint> input : register(t0);
RWStructuredBuffer<uint> result : register(u0);
#define HERE WaveActiveCountBits(true)
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint x = input[lane];
    uint r = 0;
    switch (x >> 2) {
    case 0:
        switch (x & 3) {
        case 3:
            r = 1;
            break;
        case 2:
            r = 2;
            break;
        default:
            r = 3;
            break;
        }
        r += 10 * HERE;
        break;
    default:
        r = 5;
        break;
    }
    result[lane] = r;
}
