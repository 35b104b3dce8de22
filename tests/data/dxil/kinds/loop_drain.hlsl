// As long as anyone in the wave has work: the greatest x, 7 of eight and of the first four, 5 of the others.
// set input = 3 0 6 7 2 5 1 4
// expect 4: result = 7 x4 5 x4
// expect 8: result = 7 x8
StructuredBuffer<uint> input : register(t0);
RWStructuredBuffer<uint> result : register(u0);
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint x = input[lane];
    uint n = x;
    uint turns = 0;
    while (WaveActiveAnyTrue(n > 0)) {
        if (n > 0) {
            n--;
        }
        turns++;
    }
    result[lane] = turns;
}
