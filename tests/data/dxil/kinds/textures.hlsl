// A texel loaded, its double stored, and one of a 2D array: read and validated; not run, the simulator has no images.
// not run: the simulator has no images
// set input = 3 0 6 7 2 5 1 4
StructuredBuffer<uint> input : register(t0);
RWStructuredBuffer<uint> result : register(u0);
Texture2D<uint4> from : register(t1);
RWTexture2D<uint4> to : register(u1);
RWTexture2DArray<float> layers : register(u2);
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint x = input[lane];
    uint4 t = from[uint2(lane, 1)];
    to[uint2(lane, 0)] = 2 * t;
    layers[uint3(lane, 0, 1)] = layers[uint3(lane, 1, 0)];
    result[lane] = t.x + x;
}
