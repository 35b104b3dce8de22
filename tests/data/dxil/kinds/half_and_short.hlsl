// Halves, and 16-bit integers that wrap: 4 (x / 2 + 1 / 4); 9000 x modulo 65536, unsigned and signed;
// 16-bit loads.
// dxc: -T cs_6_5 -enable-16bit-types
// set input = 3 0 6 7 2 5 1 4
// set shorts = 0xffff0001 0x80007fff 0xfffe0002 0xfed4012c
// set result = zeros:32
// expect result = 7 1 13 15 5 11 3 9 27000 0 54000 63000 18000 45000 9000 36000 27000 0 -11536 -2536 18000 -20536 9000 -29536 1 -1 32767 -32768 2 -2 300 -300
StructuredBuffer<uint> input : register(t0);
RWStructuredBuffer<uint> result : register(u0);
StructuredBuffer<int16_t> shorts : register(t1);
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint x = input[lane];
    half h = (half)x * (half)0.5 + (half)0.25;
    result[lane] = (uint)(h * (half)4.0);
    uint16_t u = (uint16_t)(x * 9000);
    result[8 + lane] = u;
    result[16 + lane] = (uint)(int)(int16_t)u;
    result[24 + lane] = (uint)(int)shorts[lane];
}
