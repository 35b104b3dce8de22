// x & 3 is 3 0 2 3 2 1 1 0; 0 runs on into 1, and 2 into 3, with the count of those who came from there.
// set input = 3 0 6 7 2 5 1 4
// expect 4: result = 1000 11 1100 1000 1100 10 10 11
// expect 8: result = 1000 12 1200 1000 1200 10 10 12
StructuredBuffer<uint> input : register(t0);
RWStructuredBuffer<uint> result : register(u0);
#define HERE WaveActiveCountBits(true)
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint x = input[lane];
    uint r = 0;
    switch (x & 3) {
    case 0:
        r += HERE;
    case 1:
        r += 10;
        break;
    case 2:
        r += 100 * HERE;
    case 3:
        r += 1000;
        break;
    }
    result[lane] = r;
}
