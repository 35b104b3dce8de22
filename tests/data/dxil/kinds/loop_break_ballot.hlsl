// The ballot of those who leave in one iteration. x / 2 is 1 0 3 3 1 2 0 2: lanes 1 6, 0 4, 5 7, 2 3 leave together.
// set input = 3 0 6 7 2 5 1 4
// expect 4: result = 1 2 12 12 1 10 4 10
// expect 8: result = 17 66 12 12 17 160 66 160
StructuredBuffer<uint> input : register(t0);
RWStructuredBuffer<uint> result : register(u0);
#define HERE WaveActiveBallot(true).x
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint x = input[lane];
    uint i = 0;
    [loop]
    while (true) {
        if (i == x >> 1) {
            result[lane] = HERE;
            break;
        }
        i++;
    }
}
