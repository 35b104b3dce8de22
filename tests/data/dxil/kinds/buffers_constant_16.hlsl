// 16-bit members of a constant buffer lie closer: a at byte 0, b at 2, c at 4 and 6, d at 8, and e in the next row.
// Words: b = 7 over a = 1.5h (0x3e00); c = 0x0002, -3; d = 0x12345; e = 9.
// dxc: -T cs_6_2 -enable-16bit-types
// set Close = 0x00073e00 0xfffd0002 0x12345 0 9 0 0 0
// set result = zeros:8
// expect result = 6 7 2 -3 0x12345 9 0 0
RWStructuredBuffer<uint> result : register(u0);
cbuffer Close : register(b1) {
    half a;
    uint16_t b;
    int16_t2 c;
    uint d;
    uint16_t4 e;
};
[numthreads(1, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    result[0] = (uint)(a * (half)4.0);
    result[1] = b;
    result[2] = (uint)(int)c.x;
    result[3] = (uint)(int)c.y;
    result[4] = d;
    result[5] = e.x;
}
