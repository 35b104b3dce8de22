// Model 6.0: loads of members. 10 n + (n + 0.5 without its fraction).
// dxc: -T cs_6_0
// set pairs = 0 0.5 10 1.5 20 2.5 30 3.5 40 4.5 50 5.5 60 6.5 70 7.5
// expect result = 0 11 22 33 44 55 66 77
RWStructuredBuffer<uint> result : register(u0);
struct Pair {
    uint a;
    float b;
};
StructuredBuffer<Pair> pairs : register(t1);
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    result[lane] = pairs[lane].a + (uint)pairs[lane].b;
}
