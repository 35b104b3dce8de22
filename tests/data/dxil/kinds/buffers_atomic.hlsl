// Sum, greatest, least, or, xor, and of x | 0xf0, over all; the lane with 5 finds 0 and puts 42; what the first add finds
// is what lower ones added, which nobody tells: it is not stored.
// set input = 3 0 6 7 2 5 1 4
// set raw = 0 0 100 0 0 255 0 6
// expect raw = 28 7 0 7 0 0xf0 42 43
// expect result = 0 0 0 0 0 7 0 0
StructuredBuffer<uint> input : register(t0);
RWStructuredBuffer<uint> result : register(u0);
RWByteAddressBuffer raw : register(u1);
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint x = input[lane];
    raw.InterlockedAdd(0, x);
    raw.InterlockedMax(4, x);
    raw.InterlockedMin(8, x);
    raw.InterlockedOr(12, x);
    raw.InterlockedXor(16, x);
    raw.InterlockedAnd(20, x | 0xf0);
    if (x == 5) {
        uint before;
        raw.InterlockedCompareExchange(24, 0, 42, before);
        result[lane] = before + 1;
        raw.InterlockedExchange(28, 43, before);
        result[lane] += before;
    }
}
