// Shader model 6.6: handles from bindings with annotations, and from the heap.
StructuredBuffer<uint> input : register(t3, space1);
RWBuffer<uint2> typed : register(u1);
RWByteAddressBuffer many[4] : register(u4);
[numthreads(4, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    RWStructuredBuffer<uint> heap = ResourceDescriptorHeap[7];
    heap[lane] = input[lane] * 2;
    typed[lane] = uint2(lane, input[lane]);
    many[2].Store(4 * lane, lane + 40);
}
