// A ray query, which is refused.
RaytracingAccelerationStructure scene : register(t0);
RWStructuredBuffer<float> result : register(u0);
[numthreads(1, 1, 1)]
void main() {
    RayQuery<RAY_FLAG_NONE> query;
    RayDesc ray = { float3(0, 0, 0), 0, float3(0, 0, 1), 100 };
    query.TraceRayInline(scene, RAY_FLAG_NONE, 0xFF, ray);
    query.Proceed();
    result[0] = query.CommittedRayT();
}
