// 2 n + 1 until 20 or more, and the steps: 3 7 15 31; 0 1 3 7 15 31; 6 13 27; 7 15 31; 2 5 11 23; 5 11 23; 1 3 7 15 31;
// 4 9 19 39.
// set input = 3 0 6 7 2 5 1 4
// expect result = 3103 3105 2702 3102 2303 2302 3104 3903
StructuredBuffer<uint> input : register(t0);
RWStructuredBuffer<uint> result : register(u0);
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint x = input[lane];
    uint n = x;
    uint steps = 0;
    [loop]
    while (true) {
        n = 2 * n + 1;
        steps++;
        if (n >= 20) {
            break;
        }
    }
    result[lane] = 100 * n + steps;
}
