// Typed buffers of two components and of one: (2 n + 1) + (2 n + 2).
// set pairs = 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16
// set sums = zeros:8
// expect sums = 3 7 11 15 19 23 27 31
Buffer<uint2> pairs : register(t1);
RWBuffer<uint> sums : register(u1);
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint2 two = pairs[lane];
    sums[lane] = two.x + two.y;
}
