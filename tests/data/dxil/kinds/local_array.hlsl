// A table of a lane's own, read and written at places that x chooses: 5 6 7 8 with x more at x & 3; that place and the next.
// set input = 3 0 6 7 2 5 1 4
// expect result = 16 11 21 20 17 18 14 15
StructuredBuffer<uint> input : register(t0);
RWStructuredBuffer<uint> result : register(u0);
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint x = input[lane];
    uint table[4] = {5, 6, 7, 8};
    table[x & 3] += x;
    result[lane] = table[(x + 1) & 3] + table[x & 3];
}
