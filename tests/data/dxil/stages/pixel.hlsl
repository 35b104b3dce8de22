// System values, packed inputs, discard, differences, and waves of which helper lanes are no part.
struct Input {
    float4 at : SV_Position;
    float2 uv : TEXCOORD0;
    noperspective float2 other : TEXCOORD1;
    nointerpolation uint kind : KIND;
    bool front : SV_IsFrontFace;
};
struct Output {
    float4 color : SV_Target0;
    uint4 waves : SV_Target1;
    float depth : SV_Depth;
};
Output main(Input input) {
    if (input.kind == 2)
        discard;
    Output output;
    output.color = float4(input.at.w, ddx_fine(input.uv.x), ddy_coarse(input.other.y), input.front ? 1 : 0);
    uint first = WaveReadLaneFirst(input.kind);
    bool same = WaveActiveAllEqual(input.kind & 1);
    output.waves = uint4(WaveActiveSum(input.kind), WaveActiveCountBits(true), WavePrefixSum(input.kind),
                         first * 10 + WaveIsFirstLane() * 2 + same);
    output.depth = 0.25 * input.kind;
    return output;
}
