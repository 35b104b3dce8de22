"""What an instruction makes of its operands: when all lanes of a tangle that are in one group get the same result.

    IAdd %a, %b                 same if both are the same
    GroupNonUniformBallot       always the same in a subgroup
    GroupNonUniformElect        never
    what is not known           never: an opcode counts as uniform only if it is named here

Sources: SPIR-V 1.6, "Group and Subgroup Instructions", "Non-Uniform Instructions"; Mesa's divergence analysis.
"""

from collections.abc import Callable
from typing import Final

from reknit.analysis.uniformity.scope import Scope
from reknit.ir import enums, op, opcodes
from reknit.ir.constants import as_int
from reknit.ir.instr import Instr

Same = Callable[[int], bool]
"""Whether operand number n is the same for all lanes of the tangle that are in one group."""

# Classes of the grammar whose instructions compute from operands alone.
_COMPUTING: Final = ("Arithmetic", "Bit", "Relational_and_Logical", "Composite", "Conversion", "Dispatch")
_NOT_COMPUTING: Final = ("Cooperative", "CoopMat", "PtrTo", "INTEL")  # parts of names: a matrix is spread over lanes

_MORE: Final = (
    op.AccessChain, op.InBoundsAccessChain, op.PtrAccessChain, op.InBoundsPtrAccessChain, op.ArrayLength,
    op.PtrEqual, op.PtrNotEqual, op.PtrDiff, op.CopyObject, op.SampledImage, op.Image,
    op.ImageSampleExplicitLod, op.ImageSampleDrefExplicitLod, op.ImageSampleProjExplicitLod,
    op.ImageSampleProjDrefExplicitLod, op.ImageFetch, op.ImageGather, op.ImageDrefGather, op.ImageQueryFormat,
    op.ImageQueryOrder, op.ImageQuerySizeLod, op.ImageQuerySize, op.ImageQueryLevels, op.ImageQuerySamples,
    op.ImageSparseSampleExplicitLod, op.ImageSparseSampleDrefExplicitLod, op.ImageSparseFetch, op.ImageSparseGather,
    op.ImageSparseDrefGather, op.ImageSparseTexelsResident, op.FreezeKHR, op.ExpectKHR,
)  # fmt: skip

_INTERPOLATING: Final = (76, 77, 78)  # GLSL.std.450 InterpolateAtCentroid, -Sample, -Offset: by where the lane is

# f(x, x) == x, so that folding what is the same gives the same again.
_IDEMPOTENT: Final = (
    op.GroupNonUniformSMin, op.GroupNonUniformUMin, op.GroupNonUniformFMin, op.GroupNonUniformSMax,
    op.GroupNonUniformUMax, op.GroupNonUniformFMax, op.GroupNonUniformBitwiseAnd, op.GroupNonUniformBitwiseOr,
    op.GroupNonUniformLogicalAnd, op.GroupNonUniformLogicalOr, op.GroupFMin, op.GroupUMin, op.GroupSMin, op.GroupFMax,
    op.GroupUMax, op.GroupSMax, op.GroupBitwiseAndKHR, op.GroupBitwiseOrKHR, op.GroupLogicalAndKHR,
    op.GroupLogicalOrKHR,
)  # fmt: skip

_FOLDS: Final = (
    *_IDEMPOTENT, op.GroupNonUniformIAdd, op.GroupNonUniformFAdd, op.GroupNonUniformIMul, op.GroupNonUniformFMul,
    op.GroupNonUniformBitwiseXor, op.GroupNonUniformLogicalXor, op.GroupIAdd, op.GroupFAdd, op.GroupIMulKHR,
    op.GroupFMulKHR, op.GroupBitwiseXorKHR, op.GroupLogicalXorKHR,
)  # fmt: skip

_PARTITIONED: Final = (enums.GroupOperationPartitionedReduceNV, enums.GroupOperationPartitionedInclusiveScanNV)


def computing_opcodes() -> frozenset[int]:
    """Opcodes whose result is the same where all operands are. Costs a walk over the grammar: keep the answer."""
    found = set(_MORE)
    for code in opcodes.all_codes():
        info = opcodes.info(code)
        if info is not None and info.group in _COMPUTING and not any(part in info.name for part in _NOT_COMPUTING):
            found.add(code)
    return frozenset(found)


def same_extended(instr: Instr) -> bool:
    """True for an OpExtInst that computes from operands alone."""
    return instr.instr(0).text(0) == "GLSL.std.450" and instr.word(1) not in _INTERPOLATING


def same_group_result(instr: Instr, scope: Scope, same: Same) -> bool:
    """Whether an operation over the lanes of a tangle gives all lanes of one group of `scope` the same."""
    code = instr.op
    whole = _covers(instr, scope)
    if code in _FOLDS:
        return _same_fold(instr, scope, same, whole)
    if code in (op.GroupNonUniformBallot, op.SubgroupBallotKHR):
        return whole  # two subgroups of a workgroup have different lanes here
    if code in (op.GroupNonUniformAll, op.GroupNonUniformAny, op.GroupNonUniformAllEqual, op.GroupAll, op.GroupAny):
        return whole or same(1)
    if code in (op.SubgroupAllKHR, op.SubgroupAnyKHR, op.SubgroupAllEqualKHR, op.SubgroupFirstInvocationKHR):
        return whole or same(0)
    if code == op.GroupNonUniformBroadcastFirst:
        return whole or same(1)
    if code in (op.GroupNonUniformBroadcast, op.GroupNonUniformShuffle, op.GroupBroadcast):
        return _same_lookup(scope, whole, same(1), same(2))
    if code == op.SubgroupReadInvocationKHR:
        return _same_lookup(scope, whole, same(0), same(1))
    if code == op.GroupNonUniformShuffleXor:
        return same(1) and (scope.cluster == 0 or same(2))
    if code in (op.GroupNonUniformShuffleUp, op.GroupNonUniformShuffleDown, op.GroupNonUniformRotateKHR):
        return same(1) and scope.cluster == 0  # a neighbouring cluster may hold another value
    if code == op.GroupNonUniformBallotBitExtract:
        return same(1) and same(2)
    if code == op.GroupNonUniformBallotBitCount:
        return instr.word(1) == enums.GroupOperationReduce and same(2)
    if code in (op.GroupNonUniformBallotFindLSB, op.GroupNonUniformBallotFindMSB, op.GroupNonUniformQuadSwap):
        return same(1)
    if code == op.GroupNonUniformQuadBroadcast:
        return same(2) if 0 < scope.cluster <= 4 else same(1)
    if code in (op.GroupNonUniformQuadAllKHR, op.GroupNonUniformQuadAnyKHR):
        return 0 < scope.cluster <= 4 or same(0)
    return False  # elect, inverse ballot, partition and what is not known


def _covers(instr: Instr, scope: Scope) -> bool:
    """Whether one execution gives one answer for a whole group of `scope`."""
    if not scope.is_workgroup():
        return True
    first = instr.operands[0] if instr.operands else None
    info = opcodes.info(instr.op)
    if info is None or not info.name.startswith("Group") or not isinstance(first, Instr):
        return False  # the older operations have no scope operand: they are a subgroup's
    return as_int(first) == enums.ScopeWorkgroup


def _same_lookup(scope: Scope, whole: bool, value: bool, lane: bool) -> bool:
    """One lane's value, read by all: the same if all read the same lane, or if all lanes hold the same."""
    if not whole:
        return value
    return lane or (value and scope.cluster == 0)


def _same_fold(instr: Instr, scope: Scope, same: Same, whole: bool) -> bool:
    operation = instr.word(1)
    if operation == enums.GroupOperationReduce and whole:
        return True
    if operation == enums.GroupOperationClusteredReduce and scope.cluster > 0:
        size = as_int(instr.value(3)) if len(instr.operands) > 3 else None
        if size is not None and size >= scope.cluster:
            return True
    if instr.op not in _IDEMPOTENT or not same(2):
        return False
    return operation in _PARTITIONED or operation in (
        enums.GroupOperationReduce,
        enums.GroupOperationInclusiveScan,
        enums.GroupOperationClusteredReduce,
    )
