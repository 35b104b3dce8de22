"""Ray queries become the instructions of SPV_KHR_ray_query, judged by spirv-val; the simulator refuses them by name."""

import pytest
from kit import oracles

import reknit
from reknit.front.slang.compile import Settings, compile_slang
from reknit.passes.manager import run_passes
from reknit.source.diagnostic import InputError
from reknit.spirv.write import write_module

HEAD = "RaytracingAccelerationStructure scene;\nRWStructuredBuffer<float> o;\n"
MAIN = '[shader("compute")] [numthreads(4, 1, 1)]\nvoid main(uint3 id : SV_DispatchThreadID)\n'
QUERY = f"""{HEAD}{MAIN}{{
    RayQuery<RAY_FLAG_CULL_OPAQUE> q;
    q.TraceRayInline(scene, RAY_FLAG_SKIP_TRIANGLES, 0xff, {{float3(0), 0, float3(1, 0, 0), 1}});
    USED
}}
"""
METHODS = {
    "o[0] = q.Proceed() ? 1 : 0;": "Proceed",
    "q.Abort();": "Terminate",
    "q.CommitNonOpaqueTriangleHit();": "ConfirmIntersection",
    "q.CommitProceduralPrimitiveHit(2.5);": "GenerateIntersection 2.5",
    "o[0] = q.RayFlags();": "GetRayFlags",
    "o[0] = q.RayTMin();": "GetRayTMin",
    "o[0] = q.WorldRayOrigin().x;": "GetWorldRayOrigin",
    "o[0] = q.WorldRayDirection().x;": "GetWorldRayDirection",
    "o[0] = q.CandidateProceduralPrimitiveNonOpaque() ? 1 : 0;": "GetIntersectionCandidateAABBOpaque",
    "o[0] = q.CandidateType();": "GetIntersectionType 0",
    "o[0] = q.CommittedStatus();": "GetIntersectionType 1",
    "o[0] = q.CandidateTriangleRayT();": "GetIntersectionT 0",
    "o[0] = q.CommittedRayT();": "GetIntersectionT 1",
    "o[0] = q.CandidateInstanceID();": "GetIntersectionInstanceCustomIndex 0",
    "o[0] = q.CommittedInstanceIndex();": "GetIntersectionInstanceId 1",
    "o[0] = q.CommittedInstanceContributionToHitGroupIndex();":
        "GetIntersectionInstanceShaderBindingTableRecordOffset 1",
    "o[0] = q.CommittedTriangleBarycentrics().y;": "GetIntersectionBarycentrics 1",
    "o[0] = q.CandidateObjectToWorld4x3()[3].x;": "GetIntersectionObjectToWorld 0",
    "o[0] = q.CommittedWorldToObject3x4()[0].w;": "GetIntersectionWorldToObject 1",
}  # fmt: skip
"""By the names that the DirectX Raytracing specification and SPV_KHR_ray_query have for them."""


def queries(source: str, *passes: str) -> list[str]:
    """The instructions on queries, after `passes`, with their numbers; what is written is valid."""
    module = compile_slang(source, "a.slang", Settings())
    run_passes(module, list(passes))
    words = write_module(module)
    assert oracles.validate(words) == (True, "")
    found: list[str] = []
    values: dict[str, str] = {}
    for line in oracles.disassemble(words).split("\n"):
        if not line.strip():
            continue
        name, _, rest = line.strip().rpartition(" = ")
        code, *operands = rest.split()
        if code == "OpConstant":
            values[name.strip()] = operands[1]
        elif code.startswith("OpRayQuery"):
            given = [values[operand] for operand in operands if operand in values]
            found.append(" ".join([code[len("OpRayQuery") :].removesuffix("KHR"), *given]))
    return found


@pytest.mark.parametrize("passes", [[], ["reconverge"], ["reconverge", "promote-variables"]])
def test_every_method_is_its_instruction(passes: list[str]) -> None:
    source = QUERY.replace("USED", "\n".join(METHODS))
    assert queries(source, *passes) == ["Initialize", *METHODS.values()]


def test_queries_in_structs_and_as_parameters_are_one_variable_each() -> None:
    tracer = """struct Tracer
{
    RayQuery<RAY_FLAG_NONE> q;
    [mutating] bool run(RayDesc ray) { q.TraceRayInline(scene, 0, 1, ray); return q.Proceed(); }
}
void go_on(inout RayQuery<RAY_FLAG_NONE> q) { q.Abort(); }
"""
    used = "{ RayDesc ray = { float3(0), 0, float3(1), 1 }; Tracer t; o[0] = t.run(ray) ? 1 : 0; go_on(t.q); }"
    assert queries(HEAD + tracer + MAIN + used) == ["Initialize", "Proceed", "Terminate"]
    module = compile_slang(HEAD + tracer + MAIN + used, "a.slang", Settings())
    with pytest.raises(InputError, match="can't run OpVariable .* OpTypeRayQueryKHR"):
        reknit.run(module, buffers={"o": [0]})


@pytest.mark.parametrize("used", ["RayQuery<RAY_FLAG_CULL_OPAQUE> r; r = q;", "RayQuery<RAY_FLAG_CULL_OPAQUE> r = q;"])
def test_a_query_is_not_assigned(used: str) -> None:
    with pytest.raises(InputError, match="can't be assigned or copied"):
        compile_slang(QUERY.replace("USED", used), "a.slang", Settings())


def test_ray_tracing_stages_stay_refused() -> None:
    with pytest.raises(InputError, match="not supported: ray tracing .`TraceRay`"):
        compile_slang(HEAD + MAIN + "{ int p = 0; TraceRay(scene, 0, 1, 0, 0, 0, 0, p); }", "a.slang", Settings())


def test_a_query_that_a_function_returns_is_the_one_that_it_made() -> None:
    made = "RayQuery<0> make() { RayQuery<0> q; q.TraceRayInline(scene, 0, 1, {}); return q; }\n"
    source = HEAD + made + MAIN + "{ RayQuery<0> r = make(); r.Proceed(); }"
    module = compile_slang(source, "a.slang", Settings())
    assert oracles.validate(write_module(module)) == (True, "")
