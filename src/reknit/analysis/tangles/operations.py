"""Which operations depend on which invocations run with them, and among which.

    GroupNonUniformIAdd Subgroup ...    SUBGROUP     ControlBarrier Workgroup ...    WORKGROUP
    DPdx, ImageSampleImplicitLod        QUAD         GroupNonUniformBallotBitCount   none: it counts bits it is given

Not all tangled instructions are judged. Moving a ray tracing call changes which invocations it packs, but not what it
means; what is computed from a ballot's value alone does not depend on them. A cooperative matrix belongs to its scope.
"""

from typing import Final

from reknit.ir import enums, op, traits
from reknit.ir.constants import as_int
from reknit.ir.instr import Instr

SUBGROUP: Final = "subgroup"
QUAD: Final = "quad"
WORKGROUP: Final = "workgroup"

_MATRIX: Final = (op.TypeCooperativeMatrixKHR, op.TypeCooperativeMatrixNV)


def takes_derivative(instr: Instr) -> bool:
    """True for what needs the values of a whole quad: derivatives and sampling with an implicit level of detail."""
    return traits.TANGLED.get(instr.op) == QUAD and instr.op not in traits.GROUP


def group_of(instr: Instr) -> str:
    """The group of invocations that a judged operation depends on. A scope that is not known is the workgroup."""
    among = traits.TANGLED.get(instr.op, SUBGROUP)
    if among == QUAD:
        return QUAD
    if among == "scope":
        return _named(as_int(instr.value(0)))
    matrix = _matrix_scope(instr) if among == "matrix" else None
    return _named(as_int(matrix)) if matrix is not None else SUBGROUP


def _named(scope: int | None) -> str:
    return SUBGROUP if scope in (enums.ScopeSubgroup, enums.ScopeInvocation) else WORKGROUP


def _matrix_scope(instr: Instr) -> Instr | None:
    """The scope of the first cooperative matrix that an instruction makes or takes."""
    types = [instr.type] + [each.type for each in instr.operands if isinstance(each, Instr)]
    for type in types:
        if type is not None and type.op in _MATRIX:
            return type.instr(1)
    return None
