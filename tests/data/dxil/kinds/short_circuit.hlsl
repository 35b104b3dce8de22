// The right side is asked of those only for whom the left is true: all of them are below 4.
// dxc: -T cs_6_5 -HV 2021
// set input = 3 0 6 7 2 5 1 4
// expect result = 1 1 0 0 1 0 1 0
StructuredBuffer<uint> input : register(t0);
RWStructuredBuffer<uint> result : register(u0);
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint x = input[lane];
    if (x < 4 && WaveActiveAllTrue(x < 4)) {
        result[lane] = 1;
    }
}
