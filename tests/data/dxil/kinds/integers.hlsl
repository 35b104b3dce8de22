// 7 x + 100 divided by 3, its rest by 5, 16 x ^ 42, and 1 for x - 4 < -1, 2 for x > 5.
// set input = 3 0 6 7 2 5 1 4
// set result = zeros:32
// expect result = 40 33 47 49 38 45 35 42 1 0 2 4 4 0 2 3 26 42 74 90 10 122 58 106 0 1 2 2 1 0 1 0
StructuredBuffer<uint> input : register(t0);
RWStructuredBuffer<uint> result : register(u0);
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint x = input[lane];
    uint n = x * 7 + 100;
    result[lane] = n / 3;
    result[8 + lane] = n % 5;
    result[16 + lane] = (x << 4) ^ 42;
    result[24 + lane] = ((int)x - 4 < -1 ? 1 : 0) | (x > 5 ? 2 : 0);
}
