// Ballots before, in and behind an inner if. Below 6: all but lanes 2, 3 (243 of eight); odd of those 0, 5, 6 (97).
// Row 0: first ballot + 1000 * inner one; row 1: the ballot behind the inner if, which is the first again.
// set input = 3 0 6 7 2 5 1 4
// set result = zeros:16
// expect 4: result = 1003 3 0 0 15 6015 6015 15 3 3 0 0 15 15 15 15
// expect 8: result = 97243 243 0 0 243 97243 97243 243 243 243 0 0 243 243 243 243
StructuredBuffer<uint> input : register(t0);
RWStructuredBuffer<uint> result : register(u0);
#define HERE WaveActiveBallot(true).x
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint x = input[lane];
    if (x < 6) {
        uint a = HERE;
        uint b = 0;
        if (x & 1) {
            b = HERE;
        }
        result[lane] = a + 1000 * b;
        result[8 + lane] = HERE;
    }
}
