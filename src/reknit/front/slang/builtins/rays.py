"""Ray queries: what is asked of a RayQuery, which is a variable of the function that declares it.

    q.Proceed()                RayQueryProceedKHR %q
    q.CommittedRayT()          RayQueryGetIntersectionTKHR %q 1        Candidate...: of intersection 0
    q.CandidateObjectToWorld3x4()   RayQueryGetIntersectionObjectToWorldKHR: by columns, which are rows of 4x3 here

What is written in the language, RayDesc and the flags among it, is in `core`. Source: SPV_KHR_ray_query; Microsoft's
DirectX Raytracing specification, "RayQuery"; Slang's core module, which has the names of both.
"""

from typing import Final

from reknit.front.slang.builtins.builtin import Signature
from reknit.front.slang.builtins.emitter import Emitter
from reknit.front.slang.builtins.kinds import ACCELERATION
from reknit.front.slang.builtins.matrices import transposed
from reknit.front.slang.builtins.shapes import ir_numeric
from reknit.front.slang.hir import Intrinsic
from reknit.front.slang.types import (
    BOOL,
    FLOAT,
    INT,
    UINT,
    VOID,
    ConstType,
    MatrixType,
    ResourceType,
    ScalarType,
    Type,
    VectorType,
)
from reknit.ir import enums, op
from reknit.ir.instr import Instr, Operand
from reknit.ir.value import Value

QUERY: Final = "RayQuery"
INITIALIZE: Final = "__initialize"
NAMES: Final[tuple[str, ...]] = (
    "Candidate", "Committed", "Proceed", "Abort", "CommitNonOpaqueTriangleHit", "CommitProceduralPrimitiveHit",
    "RayFlags", "RayTMin", "WorldRay", INITIALIZE, "__isCandidateOpaque",
)  # fmt: skip
_FLOAT2: Final = VectorType(FLOAT, ConstType(2))
_FLOAT3: Final = VectorType(FLOAT, ConstType(3))
_ROWS: Final = MatrixType(FLOAT, ConstType(4), ConstType(3))
_TURNED: Final = MatrixType(FLOAT, ConstType(3), ConstType(4))

_OF_QUERY: Final[dict[str, tuple[int, Type, list[Type]]]] = {
    INITIALIZE: (
        op.RayQueryInitializeKHR, VOID, [ResourceType(ACCELERATION, None), UINT, UINT, _FLOAT3, FLOAT, _FLOAT3, FLOAT],
    ),
    "Proceed": (op.RayQueryProceedKHR, BOOL, []),
    "Abort": (op.RayQueryTerminateKHR, VOID, []),
    "CommitNonOpaqueTriangleHit": (op.RayQueryConfirmIntersectionKHR, VOID, []),
    "CommitProceduralPrimitiveHit": (op.RayQueryGenerateIntersectionKHR, VOID, [FLOAT]),
    "RayFlags": (op.RayQueryGetRayFlagsKHR, UINT, []),
    "RayTMin": (op.RayQueryGetRayTMinKHR, FLOAT, []),
    "WorldRayOrigin": (op.RayQueryGetWorldRayOriginKHR, _FLOAT3, []),
    "WorldRayDirection": (op.RayQueryGetWorldRayDirectionKHR, _FLOAT3, []),
    "__isCandidateOpaque": (op.RayQueryGetIntersectionCandidateAABBOpaqueKHR, BOOL, []),
}  # fmt: skip
"""Instruction, result, parameters."""
_RECORD: Final = op.RayQueryGetIntersectionInstanceShaderBindingTableRecordOffsetKHR
_OF_INTERSECTION: Final[dict[str, tuple[int, Type]]] = {
    "RayT": (op.RayQueryGetIntersectionTKHR, FLOAT),
    "TriangleRayT": (op.RayQueryGetIntersectionTKHR, FLOAT),
    "InstanceIndex": (op.RayQueryGetIntersectionInstanceIdKHR, UINT),
    "RayInstanceId": (op.RayQueryGetIntersectionInstanceIdKHR, INT),
    "InstanceID": (op.RayQueryGetIntersectionInstanceCustomIndexKHR, UINT),
    "RayInstanceCustomIndex": (op.RayQueryGetIntersectionInstanceCustomIndexKHR, INT),
    "InstanceContributionToHitGroupIndex": (_RECORD, UINT),
    "RayInstanceShaderBindingTableRecordOffset": (_RECORD, UINT),
    "GeometryIndex": (op.RayQueryGetIntersectionGeometryIndexKHR, UINT),
    "RayGeometryIndex": (op.RayQueryGetIntersectionGeometryIndexKHR, INT),
    "PrimitiveIndex": (op.RayQueryGetIntersectionPrimitiveIndexKHR, UINT),
    "RayPrimitiveIndex": (op.RayQueryGetIntersectionPrimitiveIndexKHR, INT),
    "TriangleBarycentrics": (op.RayQueryGetIntersectionBarycentricsKHR, _FLOAT2),
    "RayBarycentrics": (op.RayQueryGetIntersectionBarycentricsKHR, _FLOAT2),
    "TriangleFrontFace": (op.RayQueryGetIntersectionFrontFaceKHR, BOOL),
    "RayFrontFace": (op.RayQueryGetIntersectionFrontFaceKHR, BOOL),
    "ObjectRayOrigin": (op.RayQueryGetIntersectionObjectRayOriginKHR, _FLOAT3),
    "RayObjectRayOrigin": (op.RayQueryGetIntersectionObjectRayOriginKHR, _FLOAT3),
    "ObjectRayDirection": (op.RayQueryGetIntersectionObjectRayDirectionKHR, _FLOAT3),
    "RayObjectRayDirection": (op.RayQueryGetIntersectionObjectRayDirectionKHR, _FLOAT3),
    "ObjectToWorld4x3": (op.RayQueryGetIntersectionObjectToWorldKHR, _ROWS),
    "RayObjectToWorld": (op.RayQueryGetIntersectionObjectToWorldKHR, _ROWS),
    "ObjectToWorld3x4": (op.RayQueryGetIntersectionObjectToWorldKHR, _TURNED),
    "WorldToObject4x3": (op.RayQueryGetIntersectionWorldToObjectKHR, _ROWS),
    "RayWorldToObject": (op.RayQueryGetIntersectionWorldToObjectKHR, _ROWS),
    "WorldToObject3x4": (op.RayQueryGetIntersectionWorldToObjectKHR, _TURNED),
}
_ONE_ONLY: Final = {"CandidateRayT": "", "CommittedTriangleRayT": ""}
"""Only candidates that are triangles have a distance, and all that is committed has."""


def opaque_type(emitter: Emitter, kind: str) -> Instr:
    emitter.capability(enums.CapabilityRayQueryKHR)
    emitter.extension("SPV_KHR_ray_query")
    return emitter.module.intern(op.TypeRayQueryKHR if kind == QUERY else op.TypeAccelerationStructureKHR, None, [])


def _asked(name: str) -> tuple[int, Type, list[Type], int] | None:
    """(instruction, result, parameters, which intersection or -1); None: there is no such method."""
    known = _OF_QUERY.get(name)
    if known is not None:
        return known[0], known[1], known[2], -1
    if name in ("CandidateType", "CommittedStatus"):
        return op.RayQueryGetIntersectionTypeKHR, UINT, [], int(name == "CommittedStatus")
    prefix = name[: len("Candidate")]
    of = _OF_INTERSECTION.get(name[len(prefix) :])
    if of is None or prefix not in ("Candidate", "Committed") or name in _ONE_ONLY:
        return None
    return of[0], of[1], [], int(prefix == "Committed")


def resolve(name: str, receiver: Type, arguments: list[Type]) -> Signature | None:
    asked = _asked(name)
    if asked is None or len(arguments) != len(asked[2]):
        return None
    return Signature(asked[2], ["in"] * len(asked[2]), asked[1], f"{QUERY}.{name}", [], "in")


def emit(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
    asked = _asked(call.name.partition(".")[2])
    assert asked is not None
    code, result, _, intersection = asked
    given: list[Operand] = [*operands]
    if intersection >= 0:
        given.append(emitter.word(intersection))
    if isinstance(result, ScalarType) and result is VOID:
        emitter.effect(code, given)
        return None
    if result is _TURNED:
        return transposed(emitter, _ROWS, _TURNED, emitter.emit(code, ir_numeric(emitter, _ROWS), given))
    return emitter.emit(code, ir_numeric(emitter, result), given)
