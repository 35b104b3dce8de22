// Lanes with the same parity: 0 3 5 6 odd (105), 1 2 4 7 even (150).
// lavapipe: no subgroup partitions
// set input = 3 0 6 7 2 5 1 4
// expect 4: result = 9 6 6 9 9 6 6 9
// expect 8: result = 105 150 150 105 150 105 105 150
StructuredBuffer<uint> input : register(t0);
RWStructuredBuffer<uint> result : register(u0);
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint x = input[lane];
    result[lane] = WaveMatch(x & 1).x;
}
