// An if without else. x is below 4 in lanes 0, 1 (3 and 0) and 4, 6 (2 and 1).
// set input = 3 0 6 7 2 5 1 4
// expect 4: result = 3 3 0 0 3 0 3 0
// expect 8: result = 6 6 0 0 6 0 6 0
StructuredBuffer<uint> input : register(t0);
RWStructuredBuffer<uint> result : register(u0);
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint x = input[lane];
    if (x < 4) {
        result[lane] = WaveActiveSum(x);
    }
}
