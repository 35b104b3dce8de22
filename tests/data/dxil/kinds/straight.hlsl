// No control flow: three times the index, and one.
// expect result = 1 4 7 10 13 16 19 22
RWStructuredBuffer<uint> result : register(u0);
[numthreads(8, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
    result[id.x] = id.x * 3 + 1;
}
