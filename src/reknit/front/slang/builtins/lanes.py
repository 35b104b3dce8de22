"""What a lane knows of its wave, and what it reads from others: indices, masks, votes, ballots, shuffles, quads.

    WaveGetLaneIndex()     the built-in SubgroupLocalInvocationId        WaveActiveBallot(c)   GroupNonUniformBallot
    WaveGetActiveMask()    the first word of a ballot of true            WaveMatch(x)          GroupNonUniformPartition
    WaveReadLaneAt(x, i)   GroupNonUniformShuffle                        QuadReadAcrossX(x)    GroupNonUniformQuadSwap

A WaveMask is a word, lane 0 the lowest bit. Functions of a mask are done by the lanes that run, as in Slang's SPIR-V.
"""

from typing import Final

from reknit.front.slang.builtins.arithmetic import binary
from reknit.front.slang.builtins.builtin import Maker
from reknit.front.slang.builtins.components import Piece, emit_op, parts_of, row_by_row
from reknit.front.slang.builtins.emitter import Emitter, Unsupported
from reknit.front.slang.builtins.matrices import rows_of
from reknit.front.slang.builtins.rows import Row, Rows
from reknit.front.slang.builtins.shapes import count_of, ir_numeric, row_type, scalar_of, shape
from reknit.front.slang.hir import Intrinsic
from reknit.front.slang.types import (
    BOOL,
    UINT,
    UINT8,
    UINT16,
    UINT64,
    ConstType,
    MatrixType,
    Type,
    VectorType,
)
from reknit.ir import enums, op
from reknit.ir.constants import as_int, bool_constant
from reknit.ir.instr import Instr, Operand
from reknit.ir.value import Value

UINT4: Final = VectorType(UINT, ConstType(4))


def scope(emitter: Emitter) -> Instr:
    return emitter.word(enums.ScopeSubgroup)


def active(emitter: Emitter) -> Instr:
    """The ballot of the lanes that run."""
    emitter.capability(enums.CapabilityGroupNonUniformBallot)
    yes = bool_constant(emitter.module, True)
    return emitter.emit(op.GroupNonUniformBallot, ir_numeric(emitter, UINT4), [scope(emitter), yes])


def mask_of(emitter: Emitter, type: Type, mask: Value) -> Value:
    """A WaveMask or a uint4 as a ballot, without lanes that don't run: a partition may not name those. A WaveMask has
    no bits for lanes from 32 on; where they run they are in."""
    mask_type = ir_numeric(emitter, UINT4)
    if count_of(type) == 1:
        every = emitter.word(0xFFFFFFFF)
        mask = emitter.emit(op.CompositeConstruct, mask_type, [mask, every, every, every])
    return binary(emitter, "&", UINT4, mask, active(emitter))


def need_constant(value: Value, what: str) -> None:
    if as_int(value) is None:
        raise Unsupported(f"{what} has to be constant")


def _first_word(emitter: Emitter, ballot: Value) -> Value:
    return emitter.emit(op.CompositeExtract, emitter.u32, [ballot, 0])


# ---- built-in inputs


def _input(builtin: int, count: int, name: str) -> Row:
    def make(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
        emitter.capability(enums.CapabilityGroupNonUniform if count == 1 else enums.CapabilityGroupNonUniformBallot)
        return emitter.input(builtin, count, name)

    return ("n uint()" if count == 1 else "n uint4()"), make


# ---- votes and ballots


def _vote(code: int, capability: int, value_at: int = 0) -> Maker:
    def make(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
        emitter.capability(capability)
        operand: list[Operand] = [operands[value_at]] if operands and value_at >= 0 else []
        return emitter.emit(code, ir_numeric(emitter, call.type), [scope(emitter), *operand])

    return make


def _elect(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
    emitter.capability(enums.CapabilityGroupNonUniform)
    return emitter.emit(op.GroupNonUniformElect, emitter.boolean, [scope(emitter)])


def _all_equal(value_at: int) -> Maker:
    """One answer for all components."""

    def make(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
        emitter.capability(enums.CapabilityGroupNonUniformVote)
        value: Value | None = None
        for _, row in _rows_of(emitter, types[value_at], operands[value_at]):
            same = emitter.emit(op.GroupNonUniformAllEqual, emitter.boolean, [scope(emitter), row])
            value = same if value is None else emit_op(emitter, op.LogicalAnd, BOOL, [value, same])
        return value

    return make


def _each_equal(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
    """HLSL's: an answer for each component."""
    emitter.capability(enums.CapabilityGroupNonUniformVote)

    def piece(emitter: Emitter, result: Type, types: list[Type], operands: list[Value]) -> Value:
        values: list[Value] = [
            emitter.emit(op.GroupNonUniformAllEqual, emitter.boolean, [scope(emitter), part])
            for part in parts_of(emitter, types[0], operands[0])
        ]
        if len(values) == 1:
            return values[0]
        return emitter.emit(op.CompositeConstruct, ir_numeric(emitter, result), [*values])

    return row_by_row(emitter, call.type, types, operands, piece)


def _rows_of(emitter: Emitter, type: Type, value: Value) -> list[tuple[Type, Value]]:
    if isinstance(type, MatrixType):
        return [(row_type(type), row) for row in rows_of(emitter, type, value)]
    return [(type, value)]


def ballot(emitter: Emitter, condition: Value) -> Instr:
    emitter.capability(enums.CapabilityGroupNonUniformBallot)
    return emitter.emit(op.GroupNonUniformBallot, ir_numeric(emitter, UINT4), [scope(emitter), condition])


def _ballot_word(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
    return _first_word(emitter, ballot(emitter, operands[1]))


def _active_word(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
    return _first_word(emitter, active(emitter))


def _active(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
    return active(emitter)


def _count(how: int, value_at: int) -> Maker:
    """How many lanes say true."""

    def make(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
        return bit_count(emitter, how, ballot(emitter, operands[value_at]))

    return make


def bit_count(emitter: Emitter, how: int, value: Value) -> Instr:
    return emitter.emit(op.GroupNonUniformBallotBitCount, emitter.u32, [scope(emitter), how, value])


def _count_in_mask(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
    """Lanes of the mask before this one that say true."""
    masked = binary(emitter, "&", UINT4, ballot(emitter, operands[0]), operands[1])
    return bit_count(emitter, enums.GroupOperationExclusiveScan, masked)


def _of_ballot(code: int, result: str, more: str = "", capability: int = enums.CapabilityGroupNonUniformBallot) -> Row:
    def make(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
        emitter.capability(capability)
        return emitter.emit(code, ir_numeric(emitter, call.type), [scope(emitter), *operands])

    return f"n {result}(uint4{more})", make


def _counted(how: int) -> Row:
    def make(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
        emitter.capability(enums.CapabilityGroupNonUniformBallot)
        return bit_count(emitter, how, operands[0])

    return "n uint(uint4)", make


_WORDS: Final = {8: UINT8, 16: UINT16, 32: UINT, 64: UINT64}


def partition(emitter: Emitter, type: Type, value: Value) -> Value:
    """For each lane the ballot of those with its value, floats compared bit by bit."""
    emitter.capability(enums.CapabilityGroupNonUniformPartitionedNV)
    emitter.extension("SPV_NV_shader_subgroup_partitioned")
    mask_type = ir_numeric(emitter, UINT4)
    mask: Value | None = None
    for row, part in _rows_of(emitter, type, value):
        if scalar_of(row).kind == "float":
            part = emit_op(emitter, op.Bitcast, shape(row).of(_WORDS[scalar_of(row).width]), [part])
        same = emitter.emit(op.GroupNonUniformPartitionEXT, mask_type, [part])
        mask = same if mask is None else binary(emitter, "&", UINT4, mask, same)
    assert mask is not None
    return mask


def _match(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
    return partition(emitter, types[0], operands[0])


def _match_word(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
    return _first_word(emitter, partition(emitter, types[1], operands[1]))


# ---- reading other lanes' values


def _exchange(code: int, capability: int, value_at: int = 0, extension: str = "", fixed: int = -1) -> Maker:
    """Operands after the value follow it; `fixed` is one that isn't among them."""

    def make(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
        emitter.capability(capability)
        if extension:
            emitter.extension(extension)
        more: list[Operand] = [*operands[value_at + 1 :]]
        if code == op.GroupNonUniformRotateKHR and len(more) > 1:
            need_constant(operands[-1], "the size of clusters")
        if fixed >= 0:
            more.append(emitter.word(fixed))
        value_types = types[value_at : value_at + 1]
        return row_by_row(emitter, call.type, value_types, operands[value_at : value_at + 1], _read(code, more))

    return make


def _read(code: int, more: list[Operand]) -> Piece:
    def piece(emitter: Emitter, result: Type, types: list[Type], operands: list[Value]) -> Value:
        return emitter.emit(code, ir_numeric(emitter, result), [scope(emitter), operands[0], *more])

    return piece


def _quad_vote(code: int) -> Row:
    def make(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
        emitter.capability(enums.CapabilityQuadControlKHR)
        emitter.extension("SPV_KHR_quad_control")
        return emitter.emit(code, emitter.boolean, [operands[0]])

    return "n bool(bool)", make


_VOTE: Final = enums.CapabilityGroupNonUniformVote
_BALLOT: Final = enums.CapabilityGroupNonUniformBallot
_SHUFFLE: Final = enums.CapabilityGroupNonUniformShuffle
_RELATIVE: Final = enums.CapabilityGroupNonUniformShuffleRelative
_QUAD: Final = enums.CapabilityGroupNonUniformQuad
_ROTATE: Final = enums.CapabilityGroupNonUniformRotateKHR
_REDUCE: Final = enums.GroupOperationReduce
_BEFORE: Final = enums.GroupOperationExclusiveScan

_shuffle: Final = _exchange(op.GroupNonUniformShuffle, _SHUFFLE)
_masked_shuffle: Final = _exchange(op.GroupNonUniformShuffle, _SHUFFLE, 1)
_rotate: Final = _exchange(op.GroupNonUniformRotateKHR, _ROTATE, 0, "SPV_KHR_subgroup_rotate")

FUNCTIONS: Final[Rows] = {
    "QuadAll": _quad_vote(op.GroupNonUniformQuadAllKHR),
    "QuadAny": _quad_vote(op.GroupNonUniformQuadAnyKHR),
    "QuadReadAcrossDiagonal": ("a T(T)", _exchange(op.GroupNonUniformQuadSwap, _QUAD, fixed=2)),
    "QuadReadAcrossX": ("a T(T)", _exchange(op.GroupNonUniformQuadSwap, _QUAD, fixed=0)),
    "QuadReadAcrossY": ("a T(T)", _exchange(op.GroupNonUniformQuadSwap, _QUAD, fixed=1)),
    "QuadReadLaneAt": ("a T(T, uint)", _exchange(op.GroupNonUniformQuadBroadcast, _QUAD)),
    "WaveActiveAllEqual": ("a bool(T)", _all_equal(0)),
    "hlsl WaveActiveAllEqual": ("a T:bool(T)", _each_equal),
    "WaveActiveAllTrue": ("n bool(bool)", _vote(op.GroupNonUniformAll, _VOTE)),
    "WaveActiveAnyTrue": ("n bool(bool)", _vote(op.GroupNonUniformAny, _VOTE)),
    "WaveActiveBallot": ("n uint4(bool)", _vote(op.GroupNonUniformBallot, _BALLOT)),
    "WaveActiveCountBits": ("n uint(bool)", _count(_REDUCE, 0)),
    "WaveBroadcastLaneAt": ("a T(T, uint)", _exchange(op.GroupNonUniformBroadcast, _BALLOT)),
    "WaveClusteredRotate": ("a T(T, uint, uint)", _rotate),
    "WaveGetActiveMask": ("n uint()", _active_word),
    "WaveGetActiveMulti": ("n uint4()", _active),
    "WaveGetConvergedMask": ("n uint()", _active_word),
    "WaveGetConvergedMulti": ("n uint4()", _active),
    "WaveGetLaneCount": _input(enums.BuiltInSubgroupSize, 1, "SubgroupSize"),
    "WaveGetLaneEqMask": _input(enums.BuiltInSubgroupEqMask, 4, "SubgroupEqMask"),
    "WaveGetLaneGeMask": _input(enums.BuiltInSubgroupGeMask, 4, "SubgroupGeMask"),
    "WaveGetLaneGtMask": _input(enums.BuiltInSubgroupGtMask, 4, "SubgroupGtMask"),
    "WaveGetLaneIndex": _input(enums.BuiltInSubgroupLocalInvocationId, 1, "SubgroupLocalInvocationId"),
    "WaveGetLaneLeMask": _input(enums.BuiltInSubgroupLeMask, 4, "SubgroupLeMask"),
    "WaveGetLaneLtMask": _input(enums.BuiltInSubgroupLtMask, 4, "SubgroupLtMask"),
    "WaveGetNumWaves": _input(enums.BuiltInNumSubgroups, 1, "NumSubgroups"),
    "WaveGetWaveIndex": _input(enums.BuiltInSubgroupId, 1, "SubgroupId"),
    "WaveIsFirstLane": ("n bool()", _elect),
    "WaveMaskAllEqual": ("a bool(uint, T)", _all_equal(1)),
    "WaveMaskAllTrue": ("n bool(uint, bool)", _vote(op.GroupNonUniformAll, _VOTE, 1)),
    "WaveMaskAnyTrue": ("n bool(uint, bool)", _vote(op.GroupNonUniformAny, _VOTE, 1)),
    "WaveMaskBallot": ("n uint(uint, bool)", _ballot_word),
    "WaveMaskBroadcastLaneAt": ("a T(uint, T, uint)", _exchange(op.GroupNonUniformBroadcast, _BALLOT, 1)),
    "WaveMaskCountBits": ("n uint(uint, bool)", _count(_REDUCE, 1)),
    "WaveMaskIsFirstLane": ("n bool(uint)", _elect),
    "WaveMaskMatch": ("a uint(uint, T)", _match_word),
    "WaveMaskPrefixCountBits": ("n uint(uint, bool)", _count(_BEFORE, 1)),
    "WaveMaskReadLaneAt": ("a T(uint, T, uint)", _masked_shuffle),
    "WaveMaskReadLaneFirst": ("a T(uint, T)", _exchange(op.GroupNonUniformBroadcastFirst, _BALLOT, 1)),
    "WaveMaskShuffle": ("a T(uint, T, uint)", _masked_shuffle),
    "WaveMatch": ("a uint4(T)", _match),
    "WaveMultiPrefixCountBits": ("n uint(bool, uint4)", _count_in_mask),
    "WavePrefixCountBits": ("n uint(bool)", _count(_BEFORE, 0)),
    "WaveReadLaneAt": ("a T(T, uint)", _shuffle),
    "WaveReadLaneFirst": ("a T(T)", _exchange(op.GroupNonUniformBroadcastFirst, _BALLOT)),
    "WaveRotate": ("a T(T, uint)", _rotate),
    "WaveShuffle": ("a T(T, uint)", _shuffle),
    "subgroupAll": ("n bool(bool)", _vote(op.GroupNonUniformAll, _VOTE)),
    "subgroupAllEqual": ("a bool(T)", _all_equal(0)),
    "subgroupAny": ("n bool(bool)", _vote(op.GroupNonUniformAny, _VOTE)),
    "subgroupBallot": ("n uint4(bool)", _vote(op.GroupNonUniformBallot, _BALLOT)),
    "subgroupBallotBitCount": _counted(_REDUCE),
    "subgroupBallotBitExtract": _of_ballot(op.GroupNonUniformBallotBitExtract, "bool", ", uint"),
    "subgroupBallotExclusiveBitCount": _counted(_BEFORE),
    "subgroupBallotFindLSB": _of_ballot(op.GroupNonUniformBallotFindLSB, "uint"),
    "subgroupBallotFindMSB": _of_ballot(op.GroupNonUniformBallotFindMSB, "uint"),
    "subgroupBallotInclusiveBitCount": _counted(enums.GroupOperationInclusiveScan),
    "subgroupBroadcast": ("a T(T, uint)", _exchange(op.GroupNonUniformBroadcast, _BALLOT)),
    "subgroupBroadcastFirst": ("a T(T)", _exchange(op.GroupNonUniformBroadcastFirst, _BALLOT)),
    "subgroupClusteredRotate": ("a T(T, uint, uint)", _rotate),
    "subgroupElect": ("n bool()", _elect),
    "subgroupInverseBallot": _of_ballot(op.GroupNonUniformInverseBallot, "bool"),
    "subgroupQuadBroadcast": ("a T(T, uint)", _exchange(op.GroupNonUniformQuadBroadcast, _QUAD)),
    "subgroupQuadSwapDiagonal": ("a T(T)", _exchange(op.GroupNonUniformQuadSwap, _QUAD, fixed=2)),
    "subgroupQuadSwapHorizontal": ("a T(T)", _exchange(op.GroupNonUniformQuadSwap, _QUAD, fixed=0)),
    "subgroupQuadSwapVertical": ("a T(T)", _exchange(op.GroupNonUniformQuadSwap, _QUAD, fixed=1)),
    "subgroupRotate": ("a T(T, uint)", _rotate),
    "subgroupShuffle": ("a T(T, uint)", _shuffle),
    "subgroupShuffleDown": ("a T(T, uint)", _exchange(op.GroupNonUniformShuffleDown, _RELATIVE)),
    "subgroupShuffleUp": ("a T(T, uint)", _exchange(op.GroupNonUniformShuffleUp, _RELATIVE)),
    "subgroupShuffleXor": ("a T(T, uint)", _exchange(op.GroupNonUniformShuffleXor, _SHUFFLE)),
}
