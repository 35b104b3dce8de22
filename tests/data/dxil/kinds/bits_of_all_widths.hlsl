// Bits of 16 and 64: v is the low half of x, w is x << 20. How many in v; the lowest of v; the highest and the lowest of w, counted
// from the low end, -1 if there is none; v turned around. 0x5678 is 0101 0110 0111 1000: 8 bits, the lowest is 3; turned 0x1e6a.
// dxc: -T cs_6_2 -enable-16bit-types
// set input = 0x00000001 0x00008000 0x80000000 0xffffffff 0 6 0x00010000 0x12345678
// set result = zeros:40
// expect result = 1 1 0 16 0 2 0 8 0 15 -1 0 -1 1 -1 3 20 35 51 51 -1 22 36 48 20 35 51 20 -1 21 36 23 0x8000 1 0 0xffff 0 0x6000 0 0x1e6a
StructuredBuffer<uint> input : register(t0);
RWStructuredBuffer<uint> result : register(u0);
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint x = input[lane];
    uint16_t v = (uint16_t)x;
    uint64_t w = (uint64_t)x << 20;
    result[lane] = countbits(v);
    result[8 + lane] = firstbitlow(v);
    result[16 + lane] = firstbithigh(w);
    result[24 + lane] = firstbitlow(w);
    result[32 + lane] = reversebits(v);
}
