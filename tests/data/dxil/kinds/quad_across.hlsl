// Neighbours in a quad of 0 1 / 2 3: across X 1 0 3 2, across Y 2 3 0 1, both 3 2 1 0.
// set input = 3 0 6 7 2 5 1 4
// set result = zeros:24
// expect result = 0 3 7 6 5 2 4 1 6 7 3 0 1 4 2 5 7 6 0 3 4 1 5 2
StructuredBuffer<uint> input : register(t0);
RWStructuredBuffer<uint> result : register(u0);
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint x = input[lane];
    result[lane] = QuadReadAcrossX(x);
    result[8 + lane] = QuadReadAcrossY(x);
    result[16 + lane] = QuadReadAcrossDiagonal(x);
}
