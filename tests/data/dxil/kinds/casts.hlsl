// 1.5 (x - 4) towards zero; x as a float's bits; (x - 4) / 2 downwards; the low byte of 100 x.
// set input = 3 0 6 7 2 5 1 4
// set result = zeros:32
// expect result = -1 -6 3 4 -3 1 -4 0 3.0 0.0 6.0 7.0 2.0 5.0 1.0 4.0 -1 -2 1 1 -1 0 -2 0 44 0 88 188 200 244 100 144
StructuredBuffer<uint> input : register(t0);
RWStructuredBuffer<uint> result : register(u0);
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint x = input[lane];
    result[lane] = (uint)(int)((float)((int)x - 4) * 1.5f);
    result[8 + lane] = asuint((float)x);
    result[16 + lane] = (uint)(((int)x - 4) >> 1);
    result[24 + lane] = (x * 100) & 0xff;
}
