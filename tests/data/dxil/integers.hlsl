// One word an operation; a and b come from the buffer, so that nothing is folded.
StructuredBuffer<uint> input : register(t0);
RWStructuredBuffer<uint> result : register(u0);
[numthreads(1, 1, 1)]
void main() {
    uint a = input[0], b = input[1], c = input[2];
    int i = asint(input[3]);
    uint n = 0;
    result[n++] = a + b;
    result[n++] = a - b;
    result[n++] = a * b;
    result[n++] = a / b;
    result[n++] = a % b;
    result[n++] = (uint)(i / (int)b);
    result[n++] = (uint)(i % (int)b);
    result[n++] = a << b;
    result[n++] = asuint(i) >> b;
    result[n++] = (uint)(i >> b);
    result[n++] = (a & c) | (b ^ c);
    result[n++] = min(a, b) + 100 * max(a, b);
    result[n++] = (uint)min(i, (int)a) + (uint)max(i, (int)a);
    result[n++] = reversebits(a);
    result[n++] = countbits(c);
    result[n++] = firstbitlow(c);
    result[n++] = firstbithigh(c);
    result[n++] = firstbithigh(i);
    result[n++] = firstbithigh(a - a * 1 + input[4]);
    result[n++] = mad(a, b, c);
    result[n++] = (a > b ? 1 : 0) + (a >= b ? 2 : 0) + (i < (int)b ? 4 : 0) + (i <= (int)b ? 8 : 0) + (i > -100 ? 16 : 0);
    result[n++] = abs(i);
    result[n++] = (c >> 4) & 0xff;
    result[n++] = f32tof16((float)b);
    result[n++] = (a == b) ^ (b < c) ? 5 : 6;
}
