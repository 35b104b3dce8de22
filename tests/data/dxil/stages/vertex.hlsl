// Outputs that share a register, clip distances of two semantics, vertices counted from the draw's first.
struct Output {
    float4 at : SV_Position;
    float2 uv : TEXCOORD0;
    float2 other : TEXCOORD1;
    float2 near_side : SV_ClipDistance0;
    float far_side : SV_ClipDistance1;
    uint layer : SV_RenderTargetArrayIndex;
};
Output main(float3 position : POSITION, float2 uv : UV, uint vertex : SV_VertexID, uint instance : SV_InstanceID) {
    Output output;
    output.at = float4(position, 1);
    output.uv = uv;
    output.other = float2(vertex, 3);
    output.near_side = position.xy;
    output.far_side = position.z;
    output.layer = instance;
    return output;
}
