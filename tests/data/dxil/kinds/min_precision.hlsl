// Minimum precision: 32 bits in memory. Floats x + 4.5; rows of the constant buffer hold 32-bit scalars, 2.5 * x + 7; what a
// typed buffer of min16int holds comes back with its sign: x - 3; min16uint wraps nowhere here: x * 300.
// dxc: -T cs_6_0
// set input = 3 0 6 7 2 5 1 4
// set floats = 0.5 1.5 2.5 3.5 4.5 5.5 6.5 7.5
// set Small = 2.5 7 0 0
// set whole = zeros:16
// set result = zeros:16
// expect floats = 4.5 5.5 6.5 7.5 8.5 9.5 10.5 11.5
// expect result = 14 7 22 24 12 19 9 17 900 0 1800 2100 600 1500 300 1200
// expect whole = 0 -3 3 4 -1 2 -2 1 -100 -103 -97 -96 -101 -98 -102 -99
StructuredBuffer<uint> input : register(t0);
RWStructuredBuffer<min16float> floats : register(u1);
RWStructuredBuffer<uint> result : register(u2);
RWBuffer<min16int> whole : register(u3);
cbuffer Small : register(b4) {
    min16float scale;
    min16uint bias;
};
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint x = input[lane];
    floats[lane] += min16float(4.0);
    result[lane] = (uint)((min16float)x * scale) + bias;
    min16uint wide = (min16uint)x * 300;
    result[8 + lane] = wide;
    whole[lane] = (min16int)x - 3;
    min16int kept = whole[lane];
    whole[8 + lane] = kept - 100;
}
