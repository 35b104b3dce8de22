"""The lane intrinsics of AMDGPU, NVPTX and SPIR-V's own target, as group operations over the subgroup.

    llvm.amdgcn.readfirstlane.i32      BroadcastFirst          llvm.nvvm.shfl.sync.idx.i32      Shuffle
    llvm.amdgcn.mbcnt.lo, .hi          bits of a mask below this lane, counted
    llvm.spv.wave.active.countbits     BallotBitCount          llvm.nvvm.read.ptx.sreg.tid.x    LocalInvocationId.x

A mask of lanes (`sync`) that isn't all of them is refused: SPIR-V's operations are by those that are there. So are a
shuffle within parts of a warp, and DPP and swizzles.
Sources: LLVM, "User Guide for AMDGPU Backend", "User Guide for NVPTX Back-end", IntrinsicsSPIRV.td; PTX ISA 8, 9.7.9.
"""

import re
from typing import Final

from reknit.front.llvm import subgroups, syntax
from reknit.front.llvm.bits import chosen, integer
from reknit.front.llvm.library.expand import of_integers
from reknit.front.llvm.results import Result
from reknit.front.llvm.state import Lowering
from reknit.front.llvm.syntax import Operand, Statement
from reknit.front.llvm.unsupported import Refusal
from reknit.ir import enums, op
from reknit.ir.value import Value

PREFIXES: Final = ("llvm.amdgcn.", "llvm.nvvm.", "llvm.spv.", "llvm.dx.")
_TYPES: Final = re.compile(r"(\.(v\d+)?[if]\d+|\.p\d+)+$")
_AXES: Final = {"x": 0, "y": 1, "z": 2}
_PLACES: Final = {
    "workitem.id": enums.BuiltInLocalInvocationId, "workgroup.id": enums.BuiltInWorkgroupId,
    "read.ptx.sreg.tid": enums.BuiltInLocalInvocationId, "read.ptx.sreg.ctaid": enums.BuiltInWorkgroupId,
    "read.ptx.sreg.nctaid": enums.BuiltInNumWorkgroups,
}  # fmt: skip
_BY_OPERAND: Final = {
    "thread.id": enums.BuiltInGlobalInvocationId, "thread.id.in.group": enums.BuiltInLocalInvocationId,
    "group.id": enums.BuiltInWorkgroupId, "num.workgroups": enums.BuiltInNumWorkgroups,
    "global.id": enums.BuiltInGlobalInvocationId,
}  # fmt: skip
_SCALARS: Final = {
    "flattened.thread.id.in.group": enums.BuiltInLocalInvocationIndex, "subgroup.id": enums.BuiltInSubgroupId,
    "num.subgroups": enums.BuiltInNumSubgroups, "subgroup.local.invocation.id": enums.BuiltInSubgroupLocalInvocationId,
    "subgroup.size": enums.BuiltInSubgroupSize, "read.ptx.sreg.laneid": enums.BuiltInSubgroupLocalInvocationId,
    "wave.getlaneindex": enums.BuiltInSubgroupLocalInvocationId, "wave.get.lane.index":
    enums.BuiltInSubgroupLocalInvocationId, "wave.get.lane.count": enums.BuiltInSubgroupSize,
    "wavefrontsize": enums.BuiltInSubgroupSize, "read.ptx.sreg.warpsize": enums.BuiltInSubgroupSize,
    "read.ptx.sreg.warpid": enums.BuiltInSubgroupId,
}  # fmt: skip
_REDUCED: Final = {
    "wave.reduce.add": "add", "wave.reduce.fadd": "add", "wave.reduce.min": "min", "wave.reduce.max": "max",
    "wave.reduce.umin": "umin", "wave.reduce.umax": "umax", "wave.reduce.and": "and", "wave.reduce.or": "or",
    "wave.reduce.xor": "xor", "wave.reduce.sum": "add", "wave.reduce.usum": "add", "wave.product": "mul",
    "wave.uproduct": "mul", "wave.reduce.uadd": "add", "wave.bit.or": "or", "wave.bit.and": "and",
    "wave.bit.xor": "xor",
    "redux.sync.add": "add", "redux.sync.min": "min", "redux.sync.max": "max", "redux.sync.umin": "umin",
    "redux.sync.umax": "umax", "redux.sync.and": "and", "redux.sync.or": "or", "redux.sync.xor": "xor",
}  # fmt: skip
_SCANNED: Final = {
    "wave.prefix.sum": "add", "wave.prefix.usum": "add", "wave.prefix.product": "mul", "wave.prefix.uproduct": "mul",
}  # fmt: skip
_BARRIERS: Final = (
    "s.barrier", "barrier0", "barrier.cta.sync.aligned.all", "barrier.cta.sync.all", "barrier.sync",
    "group.memory.barrier.with.group.sync", "all.memory.barrier.with.group.sync",
    "device.memory.barrier.with.group.sync",
)  # fmt: skip
_FENCES: Final = {
    "membar.cta": enums.ScopeWorkgroup, "membar.gl": enums.ScopeDevice, "membar.sys": enums.ScopeDevice,
    "group.memory.barrier": enums.ScopeWorkgroup, "all.memory.barrier": enums.ScopeDevice,
    "device.memory.barrier": enums.ScopeDevice,
}  # fmt: skip
_NOTHING: Final = ("wave.barrier", "sched.barrier", "s.sleep", "s.nop", "s.setprio", "s.waitcnt", "sched.group.barrier")
_SHUFFLES: Final = {"idx": "", "bfly": "xor", "down": "down", "up": "up"}


def vendor_call(lowering: Lowering, statement: Statement) -> Result:
    """What the call gives. Raises Refusal for one that isn't known."""
    target = lowering.target
    prefix = next(prefix for prefix in PREFIXES if statement.callee.startswith(prefix))
    name = _TYPES.sub("", statement.callee.removeprefix(prefix))
    first, _, axis = name.rpartition(".")
    type = statement.type
    if first in _PLACES and axis in _AXES:
        return target.component(_PLACES[first], _AXES[axis], "")
    if name in ("read.ptx.sreg.ntid.x", "read.ptx.sreg.ntid.y", "read.ptx.sreg.ntid.z"):
        return target.constant(type, lowering.scene.size[_AXES[axis]])
    if name in ("workgroup.size", "workgroup.size.x"):
        dimension = lowering.number(statement.operands[0])
        if not 0 <= dimension < 3:
            raise Refusal(f"asks for dimension {dimension} of three")
        return target.constant(type, lowering.scene.size[dimension])
    if name in _BY_OPERAND:
        place = target.component(_BY_OPERAND[name], lowering.number(statement.operands[0]), "")
        return _sized(lowering, statement, place)
    if name in _SCALARS:
        if _SCALARS[name] != enums.BuiltInLocalInvocationIndex:
            target.capability(enums.CapabilityGroupNonUniform)
        return _sized(lowering, statement, target.input(_SCALARS[name], 1, ""))
    if name in _NOTHING:
        return None
    if name in _BARRIERS:
        if statement.operands and _known(statement.operands[0]) != 0:
            raise Refusal(f"calls @{statement.callee} with a barrier other than the first")
        subgroups.barrier(target)
        return None
    if name == "bar.warp.sync":
        _all_lanes(statement, statement.operands[0])
        subgroups.barrier(target, enums.ScopeSubgroup)
        return None
    if name in _FENCES:
        subgroups.fence(target, _FENCES[name])
        return None
    return _lanes(lowering, statement, name)


def _lanes(lowering: Lowering, statement: Statement, name: str) -> Result:
    target = lowering.target
    type = statement.type
    operands = statement.operands
    if name in ("mbcnt.lo", "mbcnt.hi"):
        return _below(lowering, statement, name == "mbcnt.hi")
    if name == "activemask":
        return subgroups.ballot_bits(target, target.constant(integer(1), 1), type)
    if name in ("ballot", "wave.ballot", "subgroup.ballot"):
        value = lowering.value(operands[0])
        if type.kind == syntax.VECTOR:
            return subgroups.ballot(target, value)
        return subgroups.ballot_bits(target, value, type)
    if name in ("vote.ballot.sync", "vote.any.sync", "vote.all.sync", "vote.uni.sync"):
        _all_lanes(statement, operands[0])
        value = lowering.value(operands[1])
        how = name.split(".")[1]
        return subgroups.ballot_bits(target, value, type) if how == "ballot" else subgroups.vote(target, how, value)
    if name in ("wave.any", "wave.all"):
        return subgroups.vote(target, name[5:], lowering.value(operands[0]))
    if name in ("wave.is.first.lane", "elect.sync"):
        return target.emit(op.GroupNonUniformElect, target.boolean, [subgroups.scope(target)])
    if name in ("readfirstlane", "wave.readlane.first", "wave.read.lane.first"):
        return subgroups.first(target, type, lowering.value(operands[0]))
    if name in ("readlane", "wave.readlane", "wave.shuffle", "subgroup.shuffle"):
        return subgroups.shuffled(target, type, lowering.value(operands[0]), lowering.value(operands[1]))
    if name == "ds.bpermute":  # by bytes
        lane = target.emit(op.ShiftRightLogical, target.u32, [lowering.value(operands[0]), target.word(2)])
        last = target.emit(op.ISub, target.u32, [subgroups.lanes(target), target.word(1)])
        lane = target.emit(op.BitwiseAnd, target.u32, [lane, last])
        return subgroups.shuffled(target, type, lowering.value(operands[1]), lane)
    if name.startswith("shfl.sync."):
        return _shuffled(lowering, statement, name.split(".")[2])
    if name in ("wave.active.countbits", "wave.active.count.bits", "wave.prefix.bit.count"):
        voted = subgroups.ballot(target, lowering.value(operands[0]))
        fold = enums.GroupOperationExclusiveScan if "prefix" in name else enums.GroupOperationReduce
        return target.emit(op.GroupNonUniformBallotBitCount, target.u32, [subgroups.scope(target), fold, voted])
    if name in _REDUCED or name in _SCANNED:
        if name.startswith("redux"):
            _all_lanes(statement, operands[1])
        fold = enums.GroupOperationExclusiveScan if name in _SCANNED else enums.GroupOperationReduce
        operation = _REDUCED.get(name) or _SCANNED[name]
        return subgroups.reduced(target, type, operation, lowering.value(operands[0]), fold)
    raise Refusal(f"calls @{statement.callee}, which is not read here")


def _known(operand: Operand) -> int | None:
    return operand.number if operand.kind in (syntax.NUMBER, syntax.ZERO) else None


def _all_lanes(statement: Statement, mask: Operand) -> None:
    known = _known(mask)
    if known is None or known & 0xFFFFFFFF != 0xFFFFFFFF:
        raise Refusal(f"calls @{statement.callee} for other lanes than all", "SPIR-V's is by the lanes that are there")


def _shuffled(lowering: Lowering, statement: Statement, how: str) -> Result:
    """Lanes beyond the end keep their own value (PTX ISA, shfl.sync)."""
    target = lowering.target
    mask, value, by, bound = statement.operands
    _all_lanes(statement, mask)
    if how not in _SHUFFLES or _known(bound) != (0 if how == "up" else 31) or statement.type.kind == syntax.STRUCT:
        raise Refusal(f"calls @{statement.callee} within parts of a warp, or for a predicate")
    mine, distance = lowering.value(value), lowering.value(by)
    distance = target.emit(op.BitwiseAnd, target.u32, [distance, target.word(31)])
    lane = subgroups.lane(target)
    codes = {"idx": None, "bfly": op.BitwiseXor, "down": op.IAdd, "up": op.ISub}
    code = codes[how]
    source = distance if code is None else target.emit(code, target.u32, [lane, distance])
    inside = target.emit(op.ULessThan, target.boolean, [source, subgroups.lanes(target)])
    safe = target.emit(op.Select, target.u32, [inside, source, lane])
    theirs = subgroups.shuffled(target, statement.type, mine, safe)
    return chosen(target, statement.type, inside, theirs, mine)


def _below(lowering: Lowering, statement: Statement, high: bool) -> Value:
    """mbcnt: bits of half a mask that are those of lanes below this one, and what is added."""
    target = lowering.target
    mask, more = [lowering.value(operand) for operand in statement.operands]
    lane: Value = subgroups.lane(target)
    place = target.emit(op.BitwiseAnd, target.u32, [lane, target.word(31)])
    bit = target.emit(op.ShiftLeftLogical, target.u32, [target.word(1), place])
    below: Value = target.emit(op.ISub, target.u32, [bit, target.word(1)])
    upper = target.emit(op.UGreaterThanEqual, target.boolean, [lane, target.word(32)])
    whole, none = (below, target.word(0)) if high else (target.word(0xFFFFFFFF), below)
    below = target.emit(op.Select, target.u32, [upper, whole, none])
    kept = target.emit(op.BitwiseAnd, target.u32, [mask, below])
    return target.emit(op.IAdd, target.u32, [of_integers(target, "ctpop", integer(32), [kept]), more])


def _sized(lowering: Lowering, statement: Statement, value: Value) -> Value:
    width = statement.type.width
    return value if width == 32 else lowering.target.emit(op.UConvert, lowering.type(statement), [value])
