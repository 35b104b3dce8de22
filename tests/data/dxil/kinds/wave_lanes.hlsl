// Which lane is the first, which is this, how many a wave has.
// set result = zeros:24
// expect 4: result = 1 0 0 0 1 0 0 0 0 1 2 3 0 1 2 3 4 x8
// expect 8: result = 1 0 0 0 0 0 0 0 0 1 2 3 4 5 6 7 8 x8
// expect 16: result = 1 0 0 0 0 0 0 0 0 1 2 3 4 5 6 7 16 x8
// expect 32: result = 1 0 0 0 0 0 0 0 0 1 2 3 4 5 6 7 32 x8
// expect 64: result = 1 0 0 0 0 0 0 0 0 1 2 3 4 5 6 7 64 x8
RWStructuredBuffer<uint> result : register(u0);
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    result[lane] = WaveIsFirstLane() ? 1 : 0;
    result[8 + lane] = WaveGetLaneIndex();
    result[16 + lane] = WaveGetLaneCount();
}
