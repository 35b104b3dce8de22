// Model 6.6: a buffer from the heap's place 3.
// dxc: -T cs_6_6
// set input = 3 0 6 7 2 5 1 4
// set heap3 = zeros:8
// expect heap3 = 4 1 7 8 3 6 2 5
StructuredBuffer<uint> input : register(t0);
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint x = input[lane];
    RWStructuredBuffer<uint> found = ResourceDescriptorHeap[3];
    found[lane] = x + 1;
}
