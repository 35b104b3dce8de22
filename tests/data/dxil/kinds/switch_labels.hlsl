// Several labels of one case: 0, 1, 2 are lanes 1, 4, 6; 5 is lane 5; the others 0, 2, 3, 7.
// set input = 3 0 6 7 2 5 1 4
// expect 4: result = 303 101 303 303 102 201 102 301
// expect 8: result = 304 103 304 304 103 201 103 304
StructuredBuffer<uint> input : register(t0);
RWStructuredBuffer<uint> result : register(u0);
#define HERE WaveActiveCountBits(true)
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint x = input[lane];
    uint r;
    switch (x) {
    case 0:
    case 1:
    case 2:
        r = 100 + HERE;
        break;
    case 5:
        r = 200 + HERE;
        break;
    default:
        r = 300 + HERE;
        break;
    }
    result[lane] = r;
}
