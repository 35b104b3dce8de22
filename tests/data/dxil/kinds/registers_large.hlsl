// Registers and spaces beyond 2^31: they are unsigned numbers. 2 x + 1.
// dxc: -T cs_6_0
// lavapipe: it has 8 descriptor sets
// set input = 3 0 6 7 2 5 1 4
// expect result = 7 1 13 15 5 11 3 9
StructuredBuffer<uint> input : register(t4294967294);
RWStructuredBuffer<uint> result : register(u1, space4294967279);
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    result[lane] = 2 * input[lane] + 1;
}
