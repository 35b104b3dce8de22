// One word a result; inputs are chosen so that the results are exact in binary.
StructuredBuffer<float> input : register(t0);
RWStructuredBuffer<float> result : register(u0);
[numthreads(1, 1, 1)]
void main() {
    float a = input[0], b = input[1], z = input[2];
    result[0] = a + b;
    result[1] = a - b;
    result[2] = a * b;
    result[3] = a / b;
    result[4] = fmod(a, b);
    result[5] = -a;
    result[6] = abs(z);
    result[7] = saturate(a);
    result[8] = saturate(z);
    result[9] = floor(z);
    result[10] = ceil(z);
    result[11] = trunc(z);
    result[12] = round(a);
    result[13] = frac(z);
    result[14] = sqrt(input[3]);
    result[15] = rsqrt(input[3]);
    result[16] = exp2(b);
    result[17] = log2(input[3]);
    result[18] = min(a, b);
    result[19] = max(a, b);
    result[20] = dot(float2(a, b), float2(b, z));
    result[21] = dot(float3(a, b, z), float3(b, z, 1));
    result[22] = dot(float4(a, b, z, 1), float4(b, z, 1, 8));
    result[23] = mad(a, b, z);
    result[24] = (float)(int)z;
    result[25] = (float)(uint)a;
    result[26] = a < b ? 1 : (a >= b ? 2 : 3);
    result[27] = isnan(input[4]) ? 1 : 0;
    result[28] = isinf(input[5]) ? 1 : 0;
    result[29] = isfinite(input[5]) ? 1 : 0;
    result[30] = f16tof32(asuint(input[6]));
    result[31] = cos(input[7]) + sin(input[7]) + tan(input[7]) + atan(input[7]) + asin(input[7]);
    result[32] = (float)asint(input[6]);
    result[33] = input[4] == a ? 1 : 0;
    result[34] = input[4] != a ? 1 : 0;
    result[35] = !(input[4] < a) ? 1 : 0;
}
