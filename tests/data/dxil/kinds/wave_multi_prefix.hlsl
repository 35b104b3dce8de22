// Among lanes of the same parity: sums over lower lanes (odd 3 7 5 1, even 0 6 2 4), how many are above 2, and which bits
// some have.
// lavapipe: no subgroup partitions
// set input = 3 0 6 7 2 5 1 4
// set result = zeros:24
// expect 4: result = 0 0 0 3 0 0 5 2 0 0 0 1 0 0 1 0 0 0 0 3 0 0 5 2
// expect 8: result = 0 0 0 3 6 10 15 8 0 0 0 1 1 2 3 1 0 0 0 3 6 7 7 6
StructuredBuffer<uint> input : register(t0);
RWStructuredBuffer<uint> result : register(u0);
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint x = input[lane];
    uint4 mine = WaveMatch(x & 1);
    result[lane] = WaveMultiPrefixSum(x, mine);
    result[8 + lane] = WaveMultiPrefixCountBits(x > 2, mine);
    result[16 + lane] = WaveMultiPrefixBitOr(x, mine);
}
