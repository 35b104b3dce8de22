// Two loops left at once, by a flag: with x / 2 = 1 0 3 3 1 2 0 2, lanes 1 6, 0 4, 5 7, 2 3 leave the inner one together.
// Behind both loops all are back together (row 1).
// set input = 3 0 6 7 2 5 1 4
// set result = zeros:16
// expect 4: result = 1 2 12 12 1 10 4 10 4 x8
// expect 8: result = 17 66 12 12 17 160 66 160 8 x8
StructuredBuffer<uint> input : register(t0);
RWStructuredBuffer<uint> result : register(u0);
#define HERE WaveActiveBallot(true).x
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint x = input[lane];
    uint found = 0;
    [loop]
    for (uint i = 0; i < 4; i++) {
        bool done = false;
        [loop]
        for (uint j = 0; j < 4; j++) {
            if (i * 4 + j == 3 * (x >> 1)) {
                found = HERE;
                done = true;
                break;
            }
        }
        if (done) {
            break;
        }
    }
    result[lane] = found;
    result[8 + lane] = WaveActiveCountBits(true);
}
