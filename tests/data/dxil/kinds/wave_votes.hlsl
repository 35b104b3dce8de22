// Below 6 (all but lanes 2, 3): any is 5, all are below 6, all have the same bit 2. Lanes 2, 3 (6 and 7): the same bit 2.
// set input = 3 0 6 7 2 5 1 4
// expect 4: result = 6 6 8 8 3 3 3 3
// expect 8: result = 3 3 8 8 3 3 3 3
StructuredBuffer<uint> input : register(t0);
RWStructuredBuffer<uint> result : register(u0);
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint x = input[lane];
    if (x < 6) {
        uint r = WaveActiveAnyTrue(x == 5) ? 1 : 0;
        r |= WaveActiveAllTrue(x < 6) ? 2 : 0;
        r |= WaveActiveAllEqual(x & 4) ? 4 : 0;
        result[lane] = r;
    } else {
        result[lane] = WaveActiveAllEqual(x & 4) ? 8 : 0;
    }
}
