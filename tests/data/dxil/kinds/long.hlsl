// (x << 33 | x) * 3: low word 3 x, high word 6 x; (x - 4) / 2 downwards.
// set input = 3 0 6 7 2 5 1 4
// set result = zeros:24
// expect result = 9 0 18 21 6 15 3 12 18 0 36 42 12 30 6 24 -1 -2 1 1 -1 0 -2 0
StructuredBuffer<uint> input : register(t0);
RWStructuredBuffer<uint> result : register(u0);
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint x = input[lane];
    uint64_t a = ((uint64_t)x << 33 | x) * 3;
    result[lane] = (uint)a;
    result[8 + lane] = (uint)(a >> 32);
    int64_t b = ((int64_t)x - 4) >> 1;
    result[16 + lane] = (uint)b;
}
