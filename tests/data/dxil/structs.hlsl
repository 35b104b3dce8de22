// Structs in buffers and shared memory, a matrix and an array of a constant buffer, an array of buffers, packed dots.
struct Item { float3 place; uint count; };
RWStructuredBuffer<Item> result : register(u0);
StructuredBuffer<Item> input : register(t0);
cbuffer Matrices : register(b0) { float4x4 m; uint k[4]; };
groupshared Item cache[4];
RWByteAddressBuffer many[2] : register(u5);
[numthreads(4, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    cache[lane] = input[lane];
    GroupMemoryBarrierWithGroupSync();
    Item item = cache[lane ^ 1];
    item.place = mul(m, float4(item.place, 1)).xyz;
    item.count += k[lane] + many[1].Load(4 * lane);
    [loop] while (item.count < 100) item.count += item.count + 1;
    result[lane] = item;
    many[0].Store(4 * lane, msad4(0x01000305, uint2(0x02040608 + lane, 0), uint4(0, 0, 0, 0)).x);
    many[0].Store(16 + 4 * lane, dot4add_u8packed(0x01020304, 0x05060700 + lane, 1000u));
}
