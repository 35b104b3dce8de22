// Loops in loops, switches with fallthrough-like sharing, early returns, do-while, breaks of several levels.
StructuredBuffer<uint> input : register(t0);
RWStructuredBuffer<uint> result : register(u0);
uint collatz(uint n) {
    uint steps = 0;
    while (n != 1) {
        n = (n & 1) ? 3 * n + 1 : n / 2;
        steps++;
    }
    return steps;
}
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint x = input[lane];
    result[lane] = collatz(x + 1);
    uint found = 0;
    for (uint i = 0; i < 5; i++) {
        if (i == x) continue;
        for (uint j = 0; j < 5; j++) {
            if (j > i) break;
            found += i * j;
        }
        if (found > 20) break;
    }
    result[8 + lane] = found;
    uint kind = 0;
    [branch] switch (x) {
        case 0: kind = 10; break;
        case 1:
        case 2: kind = 20 + x; break;
        case 3: if (lane & 1) { kind = 31; break; } kind = 30; break;
        default: kind = 90;
    }
    result[16 + lane] = kind;
    uint n = x;
    do { n = n * 2 + 1; } while (n < 20);
    result[24 + lane] = n;
    if (x == 5) return;
    result[32 + lane] = x;
}
