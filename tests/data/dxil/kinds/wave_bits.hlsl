// Bits of x | 8 that all have, bits that some have, parity of each: 3 ^ 0 ^ 6 ^ 7 = 2 = 2 ^ 5 ^ 1 ^ 4.
// set input = 3 0 6 7 2 5 1 4
// set result = zeros:24
// expect 4: result = 8 x8 7 x8 2 x8
// expect 8: result = 8 x8 7 x8 0 x8
StructuredBuffer<uint> input : register(t0);
RWStructuredBuffer<uint> result : register(u0);
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint x = input[lane];
    result[lane] = WaveActiveBitAnd(x | 8);
    result[8 + lane] = WaveActiveBitOr(x);
    result[16 + lane] = WaveActiveBitXor(x);
}
