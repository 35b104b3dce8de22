"""Which operations depend on who runs with them, and among which invocations.

    GroupNonUniformIAdd Subgroup ...    SUBGROUP     ControlBarrier Workgroup ...    WORKGROUP
    DPdx, ImageSampleImplicitLod        QUAD         GroupNonUniformBallotBitCount   none: it counts bits it is given

Not all tangled instructions are judged. Moving a ray tracing call changes which invocations it packs, but not what it
means; what is computed from a ballot's value alone does not ask who is here. A cooperative matrix belongs to its scope.
"""

from typing import Final

from reknit.analysis.tangled import tangled_opcodes
from reknit.ir import enums, op, opcodes
from reknit.ir.constants import as_int
from reknit.ir.instr import Instr

SUBGROUP: Final = "subgroup"
QUAD: Final = "quad"
WORKGROUP: Final = "workgroup"

_QUAD: Final = (
    op.GroupNonUniformQuadBroadcast,
    op.GroupNonUniformQuadSwap,
    op.GroupNonUniformQuadAllKHR,
    op.GroupNonUniformQuadAnyKHR,
)

# Their result is a function of the operand's bits and, at most, of the lane's own number.
_OF_BITS: Final = (
    op.GroupNonUniformInverseBallot,
    op.GroupNonUniformBallotBitExtract,
    op.GroupNonUniformBallotBitCount,
    op.GroupNonUniformBallotFindLSB,
    op.GroupNonUniformBallotFindMSB,
)

REPACKS: Final = (
    op.TraceRayKHR, op.ExecuteCallableKHR, op.ReportIntersectionKHR, op.TraceNV, op.TraceRayMotionNV,
    op.ExecuteCallableNV, op.HitObjectTraceRayNV, op.HitObjectTraceRayMotionNV, op.HitObjectExecuteShaderNV,
    op.ReorderThreadWithHitObjectNV, op.ReorderThreadWithHintNV, op.HitObjectTraceRayEXT, op.HitObjectTraceRayMotionEXT,
    op.HitObjectExecuteShaderEXT, op.HitObjectReorderExecuteShaderEXT, op.HitObjectTraceReorderExecuteEXT,
    op.HitObjectTraceMotionReorderExecuteEXT, op.ReorderThreadWithHitObjectEXT, op.ReorderThreadWithHintEXT,
)  # fmt: skip
"""The invocation repack instructions: they may pack invocations into subgroups anew."""

_BARRIERS: Final = (op.ControlBarrier, op.ControlBarrierArriveEXT, op.ControlBarrierWaitEXT)
_PACKING: Final = ("TraceRay", "HitObject", "ReorderThread", "ExecuteCallable")  # starts of names
_MATRIX: Final = (op.TypeCooperativeMatrixKHR, op.TypeCooperativeMatrixNV)


def is_barrier(instr: Instr) -> bool:
    return instr.op in _BARRIERS


def takes_derivative(instr: Instr) -> bool:
    """True for what needs the values of a whole quad: derivatives and sampling with an implicit level of detail."""
    info = opcodes.info(instr.op)
    if info is None:
        return False
    return info.group == "Derivative" or "ImplicitLod" in info.name or instr.op == op.ImageQueryLod


def judged_opcodes() -> frozenset[int]:
    """The opcodes that have a `group_of`. Costs a walk over the grammar: keep the answer."""
    found: set[int] = set()
    for code in tangled_opcodes():
        info = opcodes.info(code)
        if code not in _OF_BITS and info is not None and not info.name.startswith(_PACKING):
            found.add(code)
    return frozenset(found)


def group_of(instr: Instr) -> str:
    """Among which invocations a judged operation asks who is there. A scope that is not known is the workgroup."""
    if takes_derivative(instr) or instr.op in _QUAD:
        return QUAD
    matrix = _matrix_scope(instr)
    if matrix is not None:
        return _named(as_int(matrix))
    info = opcodes.info(instr.op)
    name = info.name if info is not None else ""
    if instr.op in _BARRIERS or (name.startswith("Group") and instr.op != op.GroupNonUniformPartitionEXT):
        return _named(as_int(instr.value(0)))
    return SUBGROUP


def _named(scope: int | None) -> str:
    return SUBGROUP if scope in (enums.ScopeSubgroup, enums.ScopeInvocation) else WORKGROUP


def _matrix_scope(instr: Instr) -> Instr | None:
    """The scope of the first cooperative matrix that an instruction makes or takes."""
    types = [instr.type] + [each.type for each in instr.operands if isinstance(each, Instr)]
    for type in types:
        if type is not None and type.op in _MATRIX:
            return type.instr(1)
    return None
