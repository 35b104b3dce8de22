// A function with returns in an if and in a loop. Below 3 (lanes 1, 4, 6): their count. Else 100 + the first i with
// i * i > x: 2 for 3, 3 for 4 to 7.
// set input = 3 0 6 7 2 5 1 4
// expect 4: result = 102 1 103 103 2 103 2 103
// expect 8: result = 102 3 103 103 3 103 3 103
StructuredBuffer<uint> input : register(t0);
RWStructuredBuffer<uint> result : register(u0);
uint f(uint x) {
    if (x < 3) {
        return WaveActiveCountBits(true);
    }
    [loop]
    for (uint i = 0; i < x; i++) {
        if (i * i > x) {
            return 100 + i;
        }
    }
    return 7;
}
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint x = input[lane];
    result[lane] = f(x);
}
