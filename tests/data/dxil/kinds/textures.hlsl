// A texel loaded, its double stored, and one of a 2D array moved from row 1 of layer 0 to row 0 of layer 1: texels 8 to 15
// of 8 x 2 x 2 to 16 to 23. `from` has 1 to 8 above 10, 20 .. 80, each (x, 0, 0, 1) as it has only red: result is the input
// and 10 (lane + 1), and `to` is (20 (lane + 1), 0, 0, 2).
// set input = 3 0 6 7 2 5 1 4
// image from = 8x2:r32ui:1,2,3,4,5,6,7,8,10,20,30,40,50,60,70,80
// image layers = 8x2x2:r32f:0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
// expect result = 13 20 36 47 52 65 71 84
// expect to = 20 0 0 2 40 0 0 2 60 0 0 2 80 0 0 2 100 0 0 2 120 0 0 2 140 0 0 2 160 0 0 2
// expect layers = 0.0 1.0 2.0 3.0 4.0 5.0 6.0 7.0 8.0 9.0 10.0 11.0 12.0 13.0 14.0 15.0 8.0 9.0 10.0 11.0 12.0 13.0 14.0 15.0 24.0 25.0 26.0 27.0 28.0 29.0 30.0 31.0
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
