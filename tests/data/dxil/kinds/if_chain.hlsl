// Else if, four ways: below 2 lanes 1, 6; below 4 lanes 0, 4; below 6 lanes 5, 7; the others 2, 3.
// The way in thousands, and the ballot of those who take it (of eight: 66, 17, 160, 12).
// set input = 3 0 6 7 2 5 1 4
// expect 4: result = 2001 1002 4012 4012 2001 3010 1004 3010
// expect 8: result = 2017 1066 4012 4012 2017 3160 1066 3160
StructuredBuffer<uint> input : register(t0);
RWStructuredBuffer<uint> result : register(u0);
#define HERE WaveActiveBallot(true).x
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint x = input[lane];
    uint r;
    if (x < 2) {
        r = 1000 + HERE;
    } else if (x < 4) {
        r = 2000 + HERE;
    } else if (x < 6) {
        r = 3000 + HERE;
    } else {
        r = 4000 + HERE;
    }
    result[lane] = r;
}
