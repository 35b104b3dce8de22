// x is above 3 in lanes 2, 3, 5, 7: from 10 up to 14; one down from 20, which gives 19.
// set input = 3 0 6 7 2 5 1 4
// set up.counter = 10
// set down.counter = 20
// expect up.counter = 14
// expect down.counter = 19
// expect result = 19 0 x7
StructuredBuffer<uint> input : register(t0);
RWStructuredBuffer<uint> result : register(u0);
RWStructuredBuffer<uint> up : register(u1);
RWStructuredBuffer<uint> down : register(u2);
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint x = input[lane];
    if (x > 3) {
        up.IncrementCounter();
    }
    if (lane == 0) {
        result[0] = down.DecrementCounter();
    }
}
