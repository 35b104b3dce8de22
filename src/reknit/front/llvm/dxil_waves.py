"""DXIL's wave and quad operations as group operations of SPIR-V, over the subgroup.

    waveActiveBallot(i1)     GroupNonUniformBallot       waveActiveOp(x, op, unsigned)   GroupNonUniformIAdd ... Reduce
    wavePrefixOp             ... ExclusiveScan           waveMultiPrefixOp(x, mask)      ... PartitionedExclusiveScan
    waveMatch(x)             GroupNonUniformPartition    quadOp(x, across)               GroupNonUniformQuadSwap

In pixel shaders helper lanes are no part of a wave, unless the function says `waveops-include-helper-lanes`
(`front.without_helpers`).
Source: DXC, docs/DXIL.rst; HLSL Shader Model 6.0 and 6.5 wave intrinsics.
"""

from typing import Final

from reknit.front.llvm import syntax
from reknit.front.llvm.results import Pieces, Result
from reknit.front.llvm.state import Lowering
from reknit.front.llvm.syntax import Statement, Type
from reknit.front.llvm.target import Target
from reknit.front.llvm.unsupported import Refusal
from reknit.ir import enums, op
from reknit.ir.instr import Instr, Operand
from reknit.ir.types import vector_type
from reknit.ir.value import Value

WAVES: Final = (*range(110, 124), 135, 136, 165, 166, 167, 222)

_INTEGER: Final = {0: op.GroupNonUniformIAdd, 1: op.GroupNonUniformIMul}
_FLOAT: Final = {
    0: op.GroupNonUniformFAdd, 1: op.GroupNonUniformFMul, 2: op.GroupNonUniformFMin, 3: op.GroupNonUniformFMax,
}  # fmt: skip
_SIGNED: Final = {2: op.GroupNonUniformSMin, 3: op.GroupNonUniformSMax}
_UNSIGNED: Final = {2: op.GroupNonUniformUMin, 3: op.GroupNonUniformUMax}
_BITS: Final = (op.GroupNonUniformBitwiseAnd, op.GroupNonUniformBitwiseOr, op.GroupNonUniformBitwiseXor)
_MULTI: Final = {
    0: op.GroupNonUniformIAdd, 1: op.GroupNonUniformBitwiseAnd, 2: op.GroupNonUniformBitwiseOr,
    3: op.GroupNonUniformBitwiseXor, 4: op.GroupNonUniformIMul,
}  # fmt: skip
_MULTI_FLOAT: Final = {0: op.GroupNonUniformFAdd, 4: op.GroupNonUniformFMul}


def wave(lowering: Lowering, statement: Statement, code: int) -> Result:
    target = lowering.target
    target.capability(enums.CapabilityGroupNonUniform)
    if code == 111:
        return target.input(enums.BuiltInSubgroupLocalInvocationId, 1, "gl_SubgroupInvocationID")
    if code == 112:
        return target.input(enums.BuiltInSubgroupSize, 1, "gl_SubgroupSize")
    scope = target.word(enums.ScopeSubgroup)
    if code == 110:
        return target.emit(op.GroupNonUniformElect, target.boolean, [scope])
    value = lowering.value(statement.operands[1])
    if code in (113, 114, 115):
        target.capability(enums.CapabilityGroupNonUniformVote)
        vote = {113: op.GroupNonUniformAny, 114: op.GroupNonUniformAll, 115: op.GroupNonUniformAllEqual}[code]
        return target.emit(vote, target.boolean, [scope, value])
    if code in (116, 135, 136):
        target.capability(enums.CapabilityGroupNonUniformBallot)
        ballot = target.emit(op.GroupNonUniformBallot, vector_type(target.module, target.u32, 4), [scope, value])
        if code == 116:
            return Pieces([target.emit(op.CompositeExtract, target.u32, [ballot, index]) for index in range(4)])
        how = enums.GroupOperationReduce if code == 135 else enums.GroupOperationExclusiveScan
        return target.emit(op.GroupNonUniformBallotBitCount, target.u32, [scope, how, ballot])
    if code == 117:
        return _read_lane(lowering, statement, scope, value)
    if code == 118:
        target.capability(enums.CapabilityGroupNonUniformBallot)
        return target.emit(op.GroupNonUniformBroadcastFirst, lowering.type(statement), [scope, value])
    if code in (119, 121):
        target.capability(enums.CapabilityGroupNonUniformArithmetic)
        how = enums.GroupOperationReduce if code == 119 else enums.GroupOperationExclusiveScan
        return target.emit(_operation(lowering, statement), lowering.type(statement), [scope, how, value])
    if code == 120:
        target.capability(enums.CapabilityGroupNonUniformArithmetic)
        bits = _BITS[lowering.number(statement.operands[2])]
        return target.emit(bits, lowering.type(statement), [scope, enums.GroupOperationReduce, value])
    if code in (122, 123, 222):
        return _quad(lowering, statement, code, scope, value)
    return _partitioned(lowering, statement, code, scope, value)


def is_helper(target: Target) -> Instr:
    target.capability(enums.CapabilityDemoteToHelperInvocation)
    target.extension("SPV_EXT_demote_to_helper_invocation")
    return target.emit(op.IsHelperInvocationEXT, target.boolean, [])


def _operation(lowering: Lowering, statement: Statement) -> int:
    """0 sum, 1 product, 2 min, 3 max; then 1 for unsigned."""
    which = lowering.number(statement.operands[2])
    if statement.type.kind == syntax.FLOAT:
        return _FLOAT[which]
    if which in _INTEGER:
        return _INTEGER[which]
    return (_UNSIGNED if lowering.number(statement.operands[3]) else _SIGNED)[which]


def _read_lane(lowering: Lowering, statement: Statement, scope: Instr, value: Value) -> Result:
    target = lowering.target
    ir_type = lowering.type(statement)
    lane = lowering.value(statement.operands[2])
    if statement.operands[2].kind == syntax.NUMBER:
        target.capability(enums.CapabilityGroupNonUniformBallot)
        return target.emit(op.GroupNonUniformBroadcast, ir_type, [scope, value, lane])
    target.capability(enums.CapabilityGroupNonUniformShuffle)
    return target.emit(op.GroupNonUniformShuffle, ir_type, [scope, value, lane])


def _quad(lowering: Lowering, statement: Statement, code: int, scope: Instr, value: Value) -> Result:
    """Operation 123: 0 reads across X, 1 across Y, 2 across both, as OpGroupNonUniformQuadSwap's directions."""
    target = lowering.target
    if code == 122 and statement.operands[2].kind not in (syntax.NUMBER, syntax.ZERO):
        return _read_quad(lowering, statement, scope, value)
    which = lowering.number(statement.operands[2])
    if code == 222:
        target.capability(enums.CapabilityQuadControlKHR)
        target.extension("SPV_KHR_quad_control")
        vote = op.GroupNonUniformQuadAnyKHR if which == 0 else op.GroupNonUniformQuadAllKHR
        return target.emit(vote, target.boolean, [value])
    target.capability(enums.CapabilityGroupNonUniformQuad)
    quad = op.GroupNonUniformQuadBroadcast if code == 122 else op.GroupNonUniformQuadSwap
    return target.emit(quad, lowering.type(statement), [scope, value, target.word(which)])


def _read_quad(lowering: Lowering, statement: Statement, scope: Instr, value: Value) -> Result:
    """Of a lane of the quad that is chosen at run time: SPIR-V broadcasts from one that all agree on."""
    target = lowering.target
    target.capability(enums.CapabilityGroupNonUniformQuad)
    type = lowering.type(statement)
    lane = lowering.value(statement.operands[2])
    result: Value = target.emit(op.GroupNonUniformQuadBroadcast, type, [scope, value, target.word(0)])
    for index in range(1, 4):
        theirs = target.emit(op.GroupNonUniformQuadBroadcast, type, [scope, value, target.word(index)])
        same = target.emit(op.IEqual, target.boolean, [lane, target.word(index)])
        result = target.emit(op.Select, type, [same, theirs, result])
    return result


def _partitioned(lowering: Lowering, statement: Statement, code: int, scope: Instr, value: Value) -> Result:
    target = lowering.target
    target.capability(enums.CapabilityGroupNonUniformPartitionedNV)
    target.extension("SPV_NV_shader_subgroup_partitioned")
    masks = vector_type(target.module, target.u32, 4)
    if code == 165:
        ballot = target.emit(op.GroupNonUniformPartitionNV, masks, [value])
        return Pieces([target.emit(op.CompositeExtract, target.u32, [ballot, index]) for index in range(4)])
    target.capability(enums.CapabilityGroupNonUniformArithmetic)
    parts = [lowering.value(operand) for operand in statement.operands[2:6]]
    mask = _without_others(target, scope, target.emit(op.CompositeConstruct, masks, [*parts]), masks)
    how = enums.GroupOperationPartitionedExclusiveScanNV
    if code == 167:
        bit = target.emit(op.Select, target.u32, [value, target.word(1), target.word(0)])
        return target.emit(op.GroupNonUniformIAdd, target.u32, [scope, how, bit, mask])
    which = lowering.number(statement.operands[6])
    table = _MULTI_FLOAT if statement.type.kind == syntax.FLOAT else _MULTI
    if which not in table:
        raise Refusal(f"is wave operation {which} of {statement.type.name}")
    return target.emit(table[which], lowering.type(statement), [scope, how, value, mask])


def _without_others(target: Target, scope: Instr, mask: Instr, masks: Instr) -> Instr:
    """HLSL lets a mask name lanes that don't run; SPIR-V's partition is of those that do."""
    target.capability(enums.CapabilityGroupNonUniformBallot)
    active = target.emit(op.GroupNonUniformBallot, masks, [scope, target.constant(_BOOL, 1)])
    operands: list[Operand] = [mask, active]
    return target.emit(op.BitwiseAnd, masks, operands)


_BOOL: Final = Type(syntax.INT, "i1", 1)
