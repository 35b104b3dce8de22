// One row of 8 words for each wave operation; run with waves of 8 lanes, x = input[lane].
StructuredBuffer<uint> input : register(t0);
RWStructuredBuffer<uint> result : register(u0);
#define ROW(n, value) result[8 * (n) + lane] = (value)
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint x = input[lane];
    int s = (int)x - 4;
    ROW(0, WaveIsFirstLane() ? 1 : 0);
    ROW(1, WaveGetLaneIndex());
    ROW(2, WaveGetLaneCount());
    ROW(3, WaveActiveAnyTrue(x == 7) ? 1 : 0);
    ROW(4, WaveActiveAllTrue(x < 8) ? 1 : 0);
    ROW(5, WaveActiveAllEqual(x & 8) ? 1 : 0);
    ROW(6, WaveActiveBallot(x & 1).x);
    ROW(7, WaveReadLaneAt(x, 3));
    ROW(8, WaveReadLaneAt(x, lane ^ 1));
    ROW(9, WaveReadLaneFirst(x));
    ROW(10, WaveActiveSum(x));
    ROW(11, WaveActiveProduct(x + 1));
    ROW(12, WaveActiveMin(x));
    ROW(13, (uint)WaveActiveMax(s));
    ROW(14, (uint)WaveActiveMin(s));
    ROW(15, WaveActiveBitAnd(x | 8));
    ROW(16, WaveActiveBitOr(x));
    ROW(17, WaveActiveBitXor(x));
    ROW(18, WavePrefixSum(x));
    ROW(19, WavePrefixProduct(x + 1));
    ROW(20, QuadReadLaneAt(x, 2));
    ROW(21, QuadReadAcrossX(x));
    ROW(22, QuadReadAcrossY(x));
    ROW(23, QuadReadAcrossDiagonal(x));
    ROW(24, WaveActiveCountBits(x > 2));
    ROW(25, WavePrefixCountBits(x > 2));
    uint4 same = WaveMatch(x & 1);
    ROW(26, same.x);
    ROW(27, WaveMultiPrefixSum(x, same));
    ROW(28, WaveMultiPrefixCountBits(x > 2, same));
    ROW(29, WaveMultiPrefixBitOr(x, same));
    ROW(30, asuint(WaveActiveSum((float)x)));
    if (x & 2) {
        ROW(31, WaveActiveCountBits(true));
    }
}
