// A return out of a loop, which DXIL puts behind the loop as its edges have it: open, and told. In the loop it means:
// x / 2 is 1 0 3 3 1 2 0 2; lanes 2, 3 come to the end of the loop, 2 of them.
// open: RK2501
// set input = 3 0 6 7 2 5 1 4
// expect 4: result = 1 2 102 102 1 10 4 10
// expect 8: result = 17 66 102 102 17 160 66 160
StructuredBuffer<uint> input : register(t0);
RWStructuredBuffer<uint> result : register(u0);
#define HERE WaveActiveBallot(true).x
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint x = input[lane];
    [loop]
    for (uint i = 0; i < 3; i++) {
        if (i == x >> 1) {
            result[lane] = HERE;
            return;
        }
    }
    result[lane] = 100 + WaveActiveCountBits(true);
}
