// DXC 1.6 loses what runs into a default: the two values that meet there, 1000 and 1100, become 1100 for both, as its own
// disassembly shows. The source means 1000 for lanes 0 and 3 (x & 3 is 3); what is read is what the DXIL says.
// set input = 3 0 6 7 2 5 1 4
// expect result = 1100 11 1100 1100 1100 10 10 11
StructuredBuffer<uint> input : register(t0);
RWStructuredBuffer<uint> result : register(u0);
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint x = input[lane];
    uint r = 0;
    switch (x & 3) {
    case 0:
        r += 1;
    case 1:
        r += 10;
        break;
    case 2:
        r += 100;
    default:
        r += 1000;
        break;
    }
    result[lane] = r;
}
