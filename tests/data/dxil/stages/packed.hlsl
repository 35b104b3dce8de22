// Four bytes in a word, and the scalar product of halves.
RWStructuredBuffer<uint> result : register(u0);
StructuredBuffer<uint> input : register(t0);
[numthreads(1, 1, 1)]
void main() {
    uint zero = input[1];
    uint8_t4_packed low = pack_u8(uint4(0x101, 2, 3, 0x84) + zero);
    int8_t4_packed same = pack_s8(int4(0x101, 2, 3, 0x84) + int(zero));
    int4 parts = unpack_s8s32(same);
    uint4 bytes = unpack_u8u32(low);
    result[0] = parts.x;
    result[1] = parts.y;
    result[2] = parts.z;
    result[3] = parts.w;
    result[4] = bytes.x;
    result[5] = bytes.y;
    result[6] = bytes.z;
    result[7] = bytes.w;
    uint packed = pack_u8(uint4(0x101, 2, 3, 0x84) + zero);
    uint clamped = pack_clamp_u8(int4(-5, 300, 7, 255) + int(zero));
    uint signs = pack_clamp_s8(int4(-500, 300, 7, -128) + int(zero));
    result[8] = packed;
    result[9] = clamped;
    result[10] = signs;
    result[11] = asuint(dot2add(half2(1.5, 2) + half(zero), half2(4, 0.25) - half(zero), 10.0 + zero));
}
