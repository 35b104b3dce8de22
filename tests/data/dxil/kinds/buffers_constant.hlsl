// Rows of 16 bytes: a in row 0, f in row 1, the elements of k in rows 2 and 3. 2 + 2 (of 2.5) + 100 or 200.
// set Params = 1 2 3 4 2.5 0 0 0 100 0 0 0 200 0 0 0
// expect result = 104 204 104 204 104 204 104 204
RWStructuredBuffer<uint> result : register(u0);
cbuffer Params : register(b1) {
    uint4 a;
    float f;
    uint k[2];
};
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    result[lane] = a.y + (uint)f + k[lane & 1];
}
