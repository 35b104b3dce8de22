// No branch: 10 more below 4, else twice.
// set input = 3 0 6 7 2 5 1 4
// expect result = 13 10 12 14 12 10 11 8
StructuredBuffer<uint> input : register(t0);
RWStructuredBuffer<uint> result : register(u0);
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint x = input[lane];
    result[lane] = x < 4 ? x + 10 : x * 2;
}
