// Twelve words are four elements of three words.
// set items = 1 2 3 4 5 6 7 8 9 10 11 12
// expect result = 412 x8
RWStructuredBuffer<uint> result : register(u0);
StructuredBuffer<uint3> items : register(t1);
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint count, stride;
    items.GetDimensions(count, stride);
    result[lane] = 100 * count + stride;
}
