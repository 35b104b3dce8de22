// All four words; odd x are in lanes 0, 3, 5, 6: 1 + 8 + 32 + 64 of eight, 9 and 6 of four.
// set input = 3 0 6 7 2 5 1 4
// expect 4: result = 9 x4 6 x4
// expect 8: result = 105 x8
StructuredBuffer<uint> input : register(t0);
RWStructuredBuffer<uint> result : register(u0);
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint x = input[lane];
    uint4 who = WaveActiveBallot(x & 1);
    result[lane] = who.x + 1000 * (who.y | who.z | who.w);
}
