"""Instructions that the normal form knows nothing of but their operands: tracing rays, ray queries, mesh tasks,
vertices of geometry shaders. Equal where operands, order and circumstances are; anything else is a difference."""

import pytest
from kit.proving import finding

from reknit.ir.module import Module
from reknit.spirv.asm import assemble
from reknit.spirv.read import read_module

RAY = """OpCapability RayTracingKHR
OpExtension "SPV_KHR_ray_tracing"
OpMemoryModel Logical GLSL450
OpEntryPoint RayGenerationKHR %main "main" %tlas %pay %out %id
OpDecorate %tlas DescriptorSet 0
OpDecorate %tlas Binding 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 1
OpDecorate %id BuiltIn LaunchIdKHR
OpDecorate %s Block
OpMemberDecorate %s 0 Offset 0
OpMemberDecorate %s 1 Offset 4
%void = OpTypeVoid
%fn = OpTypeFunction %void
%u = OpTypeInt 32 0
%f = OpTypeFloat 32
%v3 = OpTypeVector %f 3
%v3u = OpTypeVector %u 3
%u0 = OpConstant %u 0
%u1 = OpConstant %u 1
%u2 = OpConstant %u 2
%f0 = OpConstant %f 0
%f1 = OpConstant %f 1
%zero = OpConstantComposite %v3 %f0 %f0 %f0
%away = OpConstantComposite %v3 %f0 %f0 %f1
%as = OpTypeAccelerationStructureKHR
%pas = OpTypePointer UniformConstant %as
%tlas = OpVariable %pas UniformConstant
%ppay = OpTypePointer RayPayloadKHR %u
%pay = OpVariable %ppay RayPayloadKHR
%pin = OpTypePointer Input %v3u
%id = OpVariable %pin Input
%s = OpTypeStruct %u %u
%ps = OpTypePointer StorageBuffer %s
%pu = OpTypePointer StorageBuffer %u
%out = OpVariable %ps StorageBuffer
%main = OpFunction %void None %fn
%e = OpLabel
%o0 = OpAccessChain %pu %out %u0
%o1 = OpAccessChain %pu %out %u1
%a = OpLoad %as %tlas
{}
OpReturn
OpFunctionEnd
"""
TRACE = "OpTraceRayKHR %a %u0 %u1 %u0 %u0 %u0 {} %f0 %away %f1 %pay\n"
PLAIN = TRACE.replace("{}", "%zero")
LOADED = "%x = OpLoad %u %pay\nOpStore %o0 %x\n"
EQUAL_RAYS = {
    "one ray": (PLAIN + LOADED, PLAIN + LOADED),
    "an operand that is computed": (
        PLAIN + LOADED, "%k = OpCompositeConstruct %v3 %f0 %f0 %f0\n" + TRACE.replace("{}", "%k") + LOADED,
    ),
    "a value between that nothing needs": (PLAIN + LOADED, PLAIN + "%y = OpIAdd %u %u1 %u2\n" + LOADED),
}  # fmt: skip
DIFFERENT_RAYS = {
    "another origin": (PLAIN + LOADED, TRACE.replace("{}", "%away") + LOADED),
    "twice": (PLAIN + LOADED, PLAIN + PLAIN + LOADED),
    "not at all": (PLAIN + LOADED, LOADED),
    "the payload is read before": (PLAIN + LOADED, LOADED + PLAIN),
    "the payload is another": ("OpStore %pay %u1\n" + PLAIN + LOADED, "OpStore %pay %u2\n" + PLAIN + LOADED),
    "a buffer that a shader it runs may write is read before": (
        "%x = OpLoad %u %o1\n" + PLAIN + "OpStore %o0 %x\n", PLAIN + "%x = OpLoad %u %o1\nOpStore %o0 %x\n",
    ),
    "a store after it is before it": (PLAIN + "OpStore %o0 %u1\n", "OpStore %o0 %u1\n" + PLAIN),
}  # fmt: skip


def module(frame: str, body: str) -> Module:
    return read_module(assemble(frame.replace("{}", body)))


def is_proved(frame: str, bodies: tuple[str, str]) -> bool:
    return finding(module(frame, bodies[0]), module(frame, bodies[1])).proved


@pytest.mark.parametrize("name", EQUAL_RAYS)
def test_rays_that_are_the_same(name: str) -> None:
    assert is_proved(RAY, EQUAL_RAYS[name])


@pytest.mark.parametrize("name", DIFFERENT_RAYS)
def test_rays_that_differ(name: str) -> None:
    assert not is_proved(RAY, DIFFERENT_RAYS[name])


QUERY = (
    RAY.replace("OpCapability RayTracingKHR", "OpCapability Shader\nOpCapability RayQueryKHR")
    .replace("SPV_KHR_ray_tracing", "SPV_KHR_ray_query")
    .replace('RayGenerationKHR %main "main" %tlas %pay %out %id', 'GLCompute %main "main" %id')
    .replace("BuiltIn LaunchIdKHR", "BuiltIn GlobalInvocationId")
    .replace("OpDecorate %tlas DescriptorSet", "OpName %main \"main\"\nOpDecorate %tlas DescriptorSet")
    .replace("%ppay = OpTypePointer RayPayloadKHR %u\n%pay = OpVariable %ppay RayPayloadKHR\n",
             "%bool = OpTypeBool\n%rq = OpTypeRayQueryKHR\n%prq = OpTypePointer Function %rq\n")
    .replace("%e = OpLabel\n", "%e = OpLabel\n%q = OpVariable %prq Function\n%r = OpVariable %prq Function\n")
)  # fmt: skip
BEGUN = "OpRayQueryInitializeKHR %q %a %u0 %u1 %zero %f0 {} %f1\n"
BEGIN = BEGUN.replace("{}", "%away")
GO = "%go = OpRayQueryProceedKHR %bool %q\n"
ASK = "%t = OpRayQueryGetIntersectionTypeKHR %u %q %u1\nOpStore %o0 %t\n"
EQUAL_QUERIES = {
    "one query": (BEGIN + GO + ASK, BEGIN + GO + ASK),
    "in another variable": (BEGIN + GO + ASK, (BEGIN + GO + ASK).replace("%q", "%r")),
    "a load of a buffer that is moved over it": (
        "%x = OpLoad %u %o1\n" + BEGIN + GO + ASK + "OpStore %o1 %x\n",
        BEGIN + GO + ASK.replace("OpStore", "%x = OpLoad %u %o1\nOpStore") + "OpStore %o1 %x\n",
    ),
}  # fmt: skip
DIFFERENT_QUERIES = {
    "another direction": (BEGIN + GO + ASK, BEGUN.replace("{}", "%zero") + GO + ASK),
    "asked before it proceeds": (BEGIN + GO + ASK, BEGIN + ASK + GO),
    "it proceeds once more": (BEGIN + GO + ASK, BEGIN + GO + GO.replace("%go", "%on") + ASK),
    "the committed and the candidate": (BEGIN + GO + ASK, BEGIN + GO + ASK.replace("%q %u1", "%q %u0")),
}


@pytest.mark.parametrize("name", EQUAL_QUERIES)
def test_queries_that_are_the_same(name: str) -> None:
    assert is_proved(QUERY, EQUAL_QUERIES[name])


@pytest.mark.parametrize("name", DIFFERENT_QUERIES)
def test_queries_that_differ(name: str) -> None:
    assert not is_proved(QUERY, DIFFERENT_QUERIES[name])


VERTICES = """OpCapability Geometry
OpMemoryModel Logical GLSL450
OpEntryPoint Geometry %main "main" %out
OpExecutionMode %main Triangles
OpExecutionMode %main OutputTriangleStrip
OpExecutionMode %main OutputVertices 3
OpDecorate %out Location 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%f = OpTypeFloat 32
%f0 = OpConstant %f 0
%f1 = OpConstant %f 1
%p = OpTypePointer Output %f
%out = OpVariable %p Output
%main = OpFunction %void None %fn
%e = OpLabel
{}
OpReturn
OpFunctionEnd
"""
FIRST, SECOND = "OpStore %out %f0\nOpEmitVertex\n", "OpStore %out %f1\nOpEmitVertex\n"


def test_vertices_are_emitted_in_their_order() -> None:
    """Two vertices are not the same two the other way round, nor one, nor two of which the first is stored too late."""
    both = FIRST + SECOND
    assert is_proved(VERTICES, (both, both))
    for other in (SECOND + FIRST, FIRST, "OpEmitVertex\nOpStore %out %f0\n" + SECOND, both + "OpEndPrimitive\n"):
        assert not is_proved(VERTICES, (both, other))


TASKS = """OpCapability MeshShadingEXT
OpExtension "SPV_EXT_mesh_shader"
OpMemoryModel Logical GLSL450
OpEntryPoint TaskEXT %main "main" %pay
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%u = OpTypeInt 32 0
%u1 = OpConstant %u 1
%u2 = OpConstant %u 2
%p = OpTypePointer TaskPayloadWorkgroupEXT %u
%pay = OpVariable %p TaskPayloadWorkgroupEXT
%main = OpFunction %void None %fn
%e = OpLabel
OpStore %pay {}
OpFunctionEnd
"""


def test_mesh_tasks_end_a_shader() -> None:
    """As many workgroups with the same payload are the same."""
    some, more, other = (f"{payload}\nOpEmitMeshTasksEXT {count} %u1 %u1 %pay" for payload, count in (
        ("%u1", "%u1"), ("%u1", "%u2"), ("%u2", "%u1")))  # fmt: skip
    assert is_proved(TASKS, (some, some))
    assert not is_proved(TASKS, (some, more)) and not is_proved(TASKS, (some, other))
