// Lane 2 of each four: 6 and 1.
// set input = 3 0 6 7 2 5 1 4
// expect result = 6 x4 1 x4
StructuredBuffer<uint> input : register(t0);
RWStructuredBuffer<uint> result : register(u0);
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint x = input[lane];
    result[lane] = QuadReadLaneAt(x, 2);
}
