// Two groups of 4 x 2: 100 * group + 10 * y + x.
// groups: 2
// set result = zeros:16
// expect result = 0 1 2 3 10 11 12 13 100 101 102 103 110 111 112 113
RWStructuredBuffer<uint> result : register(u0);
[numthreads(4, 2, 1)]
void main(uint3 group : SV_GroupID, uint3 inside : SV_GroupThreadID, uint index : SV_GroupIndex) {
    result[8 * group.x + index] = 100 * group.x + 10 * inside.y + inside.x;
}
