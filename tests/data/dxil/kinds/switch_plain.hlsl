// x & 3 is 3 0 2 3 2 1 1 0: two lanes of eight in each case; 10 (label + 1) * those in it.
// set input = 3 0 6 7 2 5 1 4
// expect 4: result = 80 10 30 80 30 40 40 10
// expect 8: result = 80 20 60 80 60 40 40 20
StructuredBuffer<uint> input : register(t0);
RWStructuredBuffer<uint> result : register(u0);
#define HERE WaveActiveCountBits(true)
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint x = input[lane];
    uint r;
    switch (x & 3) {
    case 0:
        r = 10 * HERE;
        break;
    case 1:
        r = 20 * HERE;
        break;
    case 2:
        r = 30 * HERE;
        break;
    default:
        r = 40 * HERE;
        break;
    }
    result[lane] = r;
}
