// Sum, product of x + 1, least and greatest of x - 4, least and greatest of x, sum of floats: of all eight; of 3 0 6 7 and
// of 2 5 1 4.
// set input = 3 0 6 7 2 5 1 4
// set result = zeros:56
// expect 4: result = 16 x4 12 x4 224 x4 180 x4 -4 x4 -3 x4 3 x4 1 x4 0 x4 1 x4 7 x4 5 x4 16.0 x4 12.0 x4
// expect 8: result = 28 x8 40320 x8 -4 x8 3 x8 0 x8 7 x8 28.0 x8
StructuredBuffer<uint> input : register(t0);
RWStructuredBuffer<uint> result : register(u0);
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint x = input[lane];
    int s = (int)x - 4;
    result[lane] = WaveActiveSum(x);
    result[8 + lane] = WaveActiveProduct(x + 1);
    result[16 + lane] = (uint)WaveActiveMin(s);
    result[24 + lane] = (uint)WaveActiveMax(s);
    result[32 + lane] = WaveActiveMin(x);
    result[40 + lane] = WaveActiveMax(x);
    result[48 + lane] = asuint(WaveActiveSum((float)x));
}
