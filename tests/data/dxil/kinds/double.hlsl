// (x / 2)^2 + 1.25, four times: x * x + 5.
// set input = 3 0 6 7 2 5 1 4
// expect result = 14 5 41 54 9 30 6 21
StructuredBuffer<uint> input : register(t0);
RWStructuredBuffer<uint> result : register(u0);
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint x = input[lane];
    double d = (double)x * 0.5;
    d = d * d + 1.25;
    result[lane] = (uint)(d * 4.0);
}
