"""What an instruction makes of its operands: when all lanes of a tangle that are in one group get the same result.

    IAdd %a, %b                 same if both are the same
    GroupNonUniformBallot       always the same in a subgroup
    GroupNonUniformElect        never
    what is not known           never: an opcode counts as uniform only if it is named here

What is read of an invocation that is not in the tangle is undefined, and counts as what makes the result the same.

Sources: SPIR-V 1.6, "Group and Subgroup Instructions", "Non-Uniform Instructions"; Mesa's divergence analysis.
"""

from collections.abc import Callable
from typing import Final

from reknit.analysis.uniformity.memory import Memory
from reknit.analysis.uniformity.scope import Scope
from reknit.ir import enums, op, traits
from reknit.ir.constants import as_int
from reknit.ir.instr import Instr
from reknit.ir.value import Value

Same = Callable[[int], bool]
"""Whether operand number n is the same for all lanes of the tangle that are in one group."""

_INTERPOLATING: Final = (76, 77, 78)  # GLSL.std.450 InterpolateAtCentroid, -Sample, -Offset: by where the lane is

_PARTITIONED: Final = (enums.GroupOperationPartitionedReduceNV, enums.GroupOperationPartitionedInclusiveScanNV)


def same_result(instr: Instr, memory: Memory, same: Callable[[Value], bool]) -> bool:
    """Whether an instruction gives all lanes of a group the same, by which values are the `same` for all of them where
    it stands. A phi and a call do not say it by themselves: False."""
    code = instr.op
    if code in traits.SAME:
        return same_operands(instr, 0, same) or (code == op.CompositeExtract and memory.same_part(instr))
    if code == op.Load:
        return memory.same(instr) and same(instr.value(0))
    if code == op.ImageRead:
        return memory.same_texel(instr) and same_operands(instr, 0, same)
    if code == op.Variable:
        return True
    if code == op.ExtInst:
        return same_extended(instr) and same_operands(instr, 2, same)
    if code in traits.GROUP:
        return same_group_result(instr, memory.scope, lambda index: same_operand(instr, index, same))
    return False


def same_operands(instr: Instr, first: int, same: Callable[[Value], bool]) -> bool:
    """Whether all operands from number `first` on are: a literal always is."""
    return all(same_operand(instr, index, same) for index in range(first, len(instr.operands)))


def same_operand(instr: Instr, index: int, same: Callable[[Value], bool]) -> bool:
    operand = instr.operands[index]
    return not isinstance(operand, Value) or same(operand)


def same_extended(instr: Instr) -> bool:
    """True for an OpExtInst that computes from operands alone."""
    return instr.instr(0).text(0) == "GLSL.std.450" and instr.word(1) not in _INTERPOLATING


def same_group_result(instr: Instr, scope: Scope, same: Same) -> bool:
    """Whether an operation over the lanes of a tangle gives all lanes of one group of `scope` the same."""
    rule = traits.GROUP.get(instr.op)
    whole = _covers(instr, scope)
    first = 1 if instr.op in traits.SCOPED else 0
    if rule == "fold":
        return _same_fold(instr, scope, same, whole)
    if rule == "ballot":
        return whole  # two subgroups of a workgroup have different lanes here
    if rule == "vote":
        return whole or same(first)
    if rule == "lookup":
        return _same_lookup(scope, whole, same(first), same(first + 1))
    if rule == "xor":
        return same(first) and (scope.cluster == 0 or same(first + 1))
    if rule == "shift":
        return same(first) and scope.cluster == 0  # a neighbouring cluster may hold another value
    if rule == "bit":
        return same(first) and same(first + 1)
    if rule == "count":
        return instr.word(1) == enums.GroupOperationReduce and same(2)
    if rule == "bits":
        return same(first)
    if rule == "quad-lookup":
        return same(first + 1) if 0 < scope.cluster <= 4 else same(first)
    if rule == "quad-vote":
        return 0 < scope.cluster <= 4 or same(first)
    return False  # elect, inverse ballot, partition and what is not known


def _covers(instr: Instr, scope: Scope) -> bool:
    """Whether one execution gives one answer for a whole group of `scope`."""
    if scope.is_in_a_subgroup():
        return True
    if instr.op not in traits.SCOPED:
        return False  # the older operations have no scope operand: they are a subgroup's
    return as_int(instr.value(0)) == enums.ScopeWorkgroup


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
    if instr.op not in traits.IDEMPOTENT or not same(2):
        return False
    return operation in _PARTITIONED or operation in (
        enums.GroupOperationReduce,
        enums.GroupOperationInclusiveScan,
        enums.GroupOperationClusteredReduce,
    )
