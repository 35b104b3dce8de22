// Model 6.6: the second of an array of buffers, in space 1.
// dxc: -T cs_6_6
// set input = 3 0 6 7 2 5 1 4
// set many[1] = zeros:8
// expect many[1] = 6 0 12 14 4 10 2 8
StructuredBuffer<uint> input : register(t0);
RWStructuredBuffer<uint> many[3] : register(u4, space1);
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint x = input[lane];
    many[1][lane] = 2 * x;
}
