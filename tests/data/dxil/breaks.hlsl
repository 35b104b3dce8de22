// A ballot in a block that breaks: the lanes that leave in the same iteration count together, so the block is in the loop.
StructuredBuffer<uint> input : register(t0);
RWStructuredBuffer<uint> result : register(u0);
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint leave = input[lane];
    uint i = 0;
    while (true) {
        if (i == leave) {
            result[lane] = WaveActiveBallot(true).x;
            break;
        }
        i++;
    }
    result[8 + lane] = WaveActiveBallot(true).x;
}
