// A library whose entry points are of stages that are not read.
RWStructuredBuffer<uint> result : register(u0);
struct Payload { uint value; };
[shader("raygeneration")] void Generate() { result[0] = 1; }
[shader("miss")] void Miss(inout Payload payload) { payload.value = 2; }
