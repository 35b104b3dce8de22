// 1.5 x + 0.25; (2 x + 2) / (x + 1); whether x > 2.5.
// set input = 3 0 6 7 2 5 1 4
// set result = zeros:24
// expect result = 4.75 0.25 9.25 10.75 3.25 7.75 1.75 6.25 2.0 x8 1 0 1 1 0 1 0 1
StructuredBuffer<uint> input : register(t0);
RWStructuredBuffer<uint> result : register(u0);
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint x = input[lane];
    float f = (float)x;
    result[lane] = asuint(f * 1.5f + 0.25f);
    result[8 + lane] = asuint((f * 2.0f + 2.0f) / (f + 1.0f));
    result[16 + lane] = f > 2.5f ? 1 : 0;
}
