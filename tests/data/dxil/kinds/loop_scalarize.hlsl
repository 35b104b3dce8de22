// One value at a time: the lanes that have the first lane's x / 2 (1 0 3 3 1 2 0 2) run together and leave.
// Turns of eight: lanes 0 4, 1 6, 2 3, 5 7; of the last four: 4, 5 7, 6.
// set input = 3 0 6 7 2 5 1 4
// expect 4: result = 1 1002 2012 2012 1 1010 2004 1010
// expect 8: result = 17 1066 2012 2012 17 3160 1066 3160
StructuredBuffer<uint> input : register(t0);
RWStructuredBuffer<uint> result : register(u0);
#define HERE WaveActiveBallot(true).x
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint x = input[lane];
    uint turn = 0;
    [loop]
    while (true) {
        uint first = WaveReadLaneFirst(x >> 1);
        if (first == x >> 1) {
            result[lane] = 1000 * turn + HERE;
            break;
        }
        turn++;
    }
}
