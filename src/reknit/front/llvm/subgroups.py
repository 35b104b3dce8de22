"""Group operations over the subgroup, which kernels of every vendor's built-in functions become.

    reduced(IAdd, x)      GroupNonUniformIAdd Subgroup Reduce          shuffled(x, lane)      GroupNonUniformShuffle
    ballot(p)             GroupNonUniformBallot                        first(x)               BroadcastFirst
"""

from typing import Final

from reknit.front.llvm import syntax
from reknit.front.llvm.syntax import Type
from reknit.front.llvm.target import Target
from reknit.front.llvm.unsupported import Refusal
from reknit.ir import enums, op
from reknit.ir.instr import Instr
from reknit.ir.types import vector_type
from reknit.ir.value import Value

_FLOATS: Final = {
    "add": op.GroupNonUniformFAdd, "mul": op.GroupNonUniformFMul, "min": op.GroupNonUniformFMin,
    "max": op.GroupNonUniformFMax,
}  # fmt: skip
_INTEGERS: Final = {
    "add": op.GroupNonUniformIAdd, "mul": op.GroupNonUniformIMul, "min": op.GroupNonUniformSMin,
    "max": op.GroupNonUniformSMax, "umin": op.GroupNonUniformUMin, "umax": op.GroupNonUniformUMax,
    "and": op.GroupNonUniformBitwiseAnd, "or": op.GroupNonUniformBitwiseOr, "xor": op.GroupNonUniformBitwiseXor,
}  # fmt: skip
_TRUTHS: Final = {
    "and": op.GroupNonUniformLogicalAnd, "or": op.GroupNonUniformLogicalOr, "xor": op.GroupNonUniformLogicalXor,
}  # fmt: skip


def scope(target: Target) -> Instr:
    target.capability(enums.CapabilityGroupNonUniform)
    return target.word(enums.ScopeSubgroup)


def lane(target: Target) -> Instr:
    target.capability(enums.CapabilityGroupNonUniform)
    return target.input(enums.BuiltInSubgroupLocalInvocationId, 1, "gl_SubgroupInvocationID")


def lanes(target: Target) -> Instr:
    target.capability(enums.CapabilityGroupNonUniform)
    return target.input(enums.BuiltInSubgroupSize, 1, "gl_SubgroupSize")


def ballot(target: Target, truth: Value) -> Instr:
    target.capability(enums.CapabilityGroupNonUniformBallot)
    return target.emit(op.GroupNonUniformBallot, vector_type(target.module, target.u32, 4), [scope(target), truth])


def ballot_bits(target: Target, truth: Value, type: Type) -> Value:
    """The ballot of the first 32 or 64 lanes as a number."""
    voted = ballot(target, truth)
    low = target.emit(op.CompositeExtract, target.u32, [voted, 0])
    if type.width == 32:
        return low
    high = target.emit(op.CompositeExtract, target.u32, [voted, 1])
    pair = target.emit(op.CompositeConstruct, vector_type(target.module, target.u32, 2), [low, high])
    return target.emit(op.Bitcast, target.uint(64), [pair])


def vote(target: Target, how: str, truth: Value) -> Instr:
    target.capability(enums.CapabilityGroupNonUniformVote)
    code = {"any": op.GroupNonUniformAny, "all": op.GroupNonUniformAll, "uni": op.GroupNonUniformAllEqual}[how]
    return target.emit(code, target.boolean, [scope(target), truth])


def first(target: Target, type: Type, value: Value) -> Instr:
    target.capability(enums.CapabilityGroupNonUniformBallot)
    return target.emit(op.GroupNonUniformBroadcastFirst, target.type(type), [scope(target), value])


def shuffled(target: Target, type: Type, value: Value, by: Value, how: str = "") -> Instr:
    """The value of lane `by`; of this one xor, minus (up) or plus (down) `by`."""
    relative = how in ("up", "down")
    target.capability(
        enums.CapabilityGroupNonUniformShuffleRelative if relative else enums.CapabilityGroupNonUniformShuffle
    )
    codes = {
        "": op.GroupNonUniformShuffle, "xor": op.GroupNonUniformShuffleXor, "up": op.GroupNonUniformShuffleUp,
        "down": op.GroupNonUniformShuffleDown,
    }  # fmt: skip
    return target.emit(codes[how], target.type(type), [scope(target), value, by])


def reduced(target: Target, type: Type, operation: str, value: Value, how: int = enums.GroupOperationReduce) -> Instr:
    """Raises Refusal for what the type doesn't have."""
    table = _FLOATS if type.kind == syntax.FLOAT else _TRUTHS if type.is_bool() else _INTEGERS
    if operation not in table:
        raise Refusal(f"reduces {type.name} by {operation}")
    target.capability(enums.CapabilityGroupNonUniformArithmetic)
    return target.emit(table[operation], target.type(type), [scope(target), how, value])


def barrier(target: Target, execution: int = enums.ScopeWorkgroup) -> None:
    semantics = enums.MemorySemanticsAcquireRelease | enums.MemorySemanticsWorkgroupMemory
    semantics |= enums.MemorySemanticsUniformMemory
    target.effect(op.ControlBarrier, [target.word(execution), target.word(execution), target.word(semantics)])


def fence(target: Target, memory: int = enums.ScopeDevice) -> None:
    semantics = enums.MemorySemanticsAcquireRelease | enums.MemorySemanticsWorkgroupMemory
    semantics |= enums.MemorySemanticsUniformMemory
    target.effect(op.MemoryBarrier, [target.word(memory), target.word(semantics)])
