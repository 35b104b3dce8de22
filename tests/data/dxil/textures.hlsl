// Single texels of sampled and storage textures.
Texture2D<float4> image : register(t0);
Texture1D<int> line_of : register(t1);
Texture2DArray<uint2> layers : register(t2);
RWTexture2D<float4> canvas : register(u0);
RWTexture3D<int> cube : register(u1);
[numthreads(8, 8, 1)]
void main(uint3 id : SV_DispatchThreadID) {
    float4 color = image.Load(int3(id.xy, 0), int2(1, 0));
    cube[id] = line_of.Load(int2(id.x, 0)) + cube[id] + (int)layers.Load(int4(id, 1)).y;
    canvas[id.xy] = color * 2;
}
