// Three turns of a switch over k = (x + turn) & 3; 0 goes on with the next turn, the others are counted behind it.
// Of eight: two in each case, six behind it. 3: 100 6000, next, 2 6000. 0: next, 2 6000, 20 6000. 2: 20 6000, 100 6000,
// next. 1: 2 6000, 20 6000, 100 6000. Of 3 0 2 3: behind it 3, 2, 3; of 2 1 1 0: 3, 4, 3.
// set input = 3 0 6 7 2 5 1 4 3
// expect 4: result = 6102 5011 5110 6102 7110 10122 10122 7011
// expect 8: result = 12102 12022 12120 12102 12120 18122 18122 12022
StructuredBuffer<uint> input : register(t0);
RWStructuredBuffer<uint> result : register(u0);
#define HERE WaveActiveCountBits(true)
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint x = input[lane];
    uint r = 0;
    for (uint i = 0; i < input[8]; i++) {
        switch ((x + i) & 3) {
        case 0:
            continue;
        case 1:
            r += HERE;
            break;
        case 2:
            r += 10 * HERE;
            break;
        default:
            r += 100;
            break;
        }
        r += 1000 * HERE;
    }
    result[lane] = r;
}
