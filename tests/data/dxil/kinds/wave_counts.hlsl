// x is above 2 in lanes 0, 2, 3, 5, 7: how many, and how many below this lane.
// set input = 3 0 6 7 2 5 1 4
// set result = zeros:16
// expect 4: result = 3 x4 2 x4 0 1 1 2 0 0 1 1
// expect 8: result = 5 x8 0 1 1 2 3 3 4 4
StructuredBuffer<uint> input : register(t0);
RWStructuredBuffer<uint> result : register(u0);
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint x = input[lane];
    result[lane] = WaveActiveCountBits(x > 2);
    result[8 + lane] = WavePrefixCountBits(x > 2);
}
