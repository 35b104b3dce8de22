// 16 and 64 bit numbers (-enable-16bit-types).
StructuredBuffer<uint> input : register(t0);
RWStructuredBuffer<uint> result : register(u0);
RWStructuredBuffer<uint16_t> halves : register(u1);
RWStructuredBuffer<uint64_t> wide : register(u2);
RWStructuredBuffer<double> doubles : register(u3);
RWByteAddressBuffer raw : register(u4);
[numthreads(2, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint x = input[lane];
    uint64_t big = (uint64_t)x * 0x100000000ull + x;
    wide[lane] = big * 3;
    result[lane] = (uint)(big >> 31);
    uint16_t small = (uint16_t)(x * 30000);
    halves[lane] = small + (uint16_t)1;
    result[2 + lane] = (uint)(int)(int16_t)small;
    half h = (half)x * (half)1.5;
    result[4 + lane] = (uint)asuint16(h);
    double d = (double)x / 4.0;
    doubles[lane] = d;
    result[6 + lane] = (uint)(d * 2.0);
    raw.Store<half>(2 * lane, h);
}
