// Constants read at distances in bytes.
cbuffer Limits : register(b0) { float first; float16_t4 halves; uint64_t wide; uint last[4]; };
RWStructuredBuffer<uint> result : register(u0);
[numthreads(4, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
    result[id.x] = last[id.x];
    result[4 + id.x] = asuint((float)halves[id.x]);
    result[8 + id.x] = (uint)(wide >> (8 * id.x)) + (uint)first;
}
