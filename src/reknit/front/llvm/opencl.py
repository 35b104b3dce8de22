"""Kernels: what OpenCL's built-in functions mean, under their mangled names.

    _Z13get_global_idj(i32 0)     GlobalInvocationId.x      _Z7barrierj(i32 1)     OpControlBarrier
    kernel argument ptr addrspace(1) %out      the storage buffer "out"; its binding is the argument's number
    kernel argument i32 %n                     element 0 of the storage buffer "n"

So a kernel runs as a compute shader. Its workgroup is reqd_work_group_size, or 32 invocations, which a note reports.
"""

import re
from typing import Final

from reknit.front.llvm import (
    clspv_calls,
    group_copies,
    opencl_dot,
    opencl_images,
    opencl_math,
    opencl_memory,
    subgroups,
    syntax,
)
from reknit.front.llvm.address_spaces import FUNCTIONS, converted
from reknit.front.llvm.bits import scalar
from reknit.front.llvm.opaque import LITERAL
from reknit.front.llvm.printing import PRINTF, printed
from reknit.front.llvm.results import Result
from reknit.front.llvm.spirv_inputs import work_dim
from reknit.front.llvm.state import Lowering
from reknit.front.llvm.syntax import Operand, Routine, Statement, Type
from reknit.front.llvm.target import Target
from reknit.front.llvm.unsupported import Refusal
from reknit.ir import enums, op
from reknit.ir.instr import Operand as Word
from reknit.ir.types import width_of
from reknit.ir.value import Value
from reknit.source.digits import saturated

KERNELS: Final = ("spir_kernel", "amdgpu_kernel", "ptx_kernel", "cc 76")

_TRIPLES: Final = {
    "get_global_id": enums.BuiltInGlobalInvocationId,
    "get_local_id": enums.BuiltInLocalInvocationId,
    "get_group_id": enums.BuiltInWorkgroupId,
    "get_num_groups": enums.BuiltInNumWorkgroups,
}
_BY_AXIS: Final = (*_TRIPLES, "get_local_size", "get_enqueued_local_size", "get_global_size")
_AXES: Final = 3
_SCALARS: Final = {
    "get_local_linear_id": enums.BuiltInLocalInvocationIndex,
    "get_sub_group_local_id": enums.BuiltInSubgroupLocalInvocationId,
    "get_sub_group_size": enums.BuiltInSubgroupSize,
    "get_max_sub_group_size": enums.BuiltInSubgroupSize,
    "get_sub_group_id": enums.BuiltInSubgroupId,
    "get_num_sub_groups": enums.BuiltInNumSubgroups,
    "get_enqueued_num_sub_groups": enums.BuiltInNumSubgroups,
}
_MASKS: Final = {
    "get_sub_group_eq_mask": enums.BuiltInSubgroupEqMask, "get_sub_group_ge_mask": enums.BuiltInSubgroupGeMask,
    "get_sub_group_gt_mask": enums.BuiltInSubgroupGtMask, "get_sub_group_le_mask": enums.BuiltInSubgroupLeMask,
    "get_sub_group_lt_mask": enums.BuiltInSubgroupLtMask,
}  # fmt: skip
_BARRIERS: Final = ("barrier", "work_group_barrier")
_FENCES: Final = ("mem_fence", "read_mem_fence", "write_mem_fence", "atomic_work_item_fence")
_REDUCTION: Final = re.compile(
    r"sub_group_(?:non_uniform_)?(reduce|scan_exclusive|scan_inclusive)(?:_logical)?_(add|mul|min|max|and|or|xor)"
)
_HOW: Final = {
    "reduce": enums.GroupOperationReduce, "scan_exclusive": enums.GroupOperationExclusiveScan,
    "scan_inclusive": enums.GroupOperationInclusiveScan,
}  # fmt: skip
_SHUFFLES: Final = {
    "sub_group_shuffle": "", "sub_group_shuffle_xor": "xor", "sub_group_shuffle_up": "up",
    "sub_group_shuffle_down": "down", "sub_group_broadcast": "", "sub_group_non_uniform_broadcast": "",
    "intel_sub_group_shuffle": "", "intel_sub_group_shuffle_xor": "xor",
}  # fmt: skip
_VOTES: Final = {
    "sub_group_all": "all", "sub_group_any": "any", "sub_group_non_uniform_all": "all",
    "sub_group_non_uniform_any": "any",
}  # fmt: skip
_BALLOTS: Final = {
    "sub_group_ballot_bit_count": enums.GroupOperationReduce,
    "sub_group_ballot_inclusive_scan": enums.GroupOperationInclusiveScan,
    "sub_group_ballot_exclusive_scan": enums.GroupOperationExclusiveScan,
}  # fmt: skip
_OF_BALLOTS: Final = {
    "sub_group_inverse_ballot": op.GroupNonUniformInverseBallot,
    "sub_group_ballot_bit_extract": op.GroupNonUniformBallotBitExtract,
    "sub_group_ballot_find_lsb": op.GroupNonUniformBallotFindLSB,
    "sub_group_ballot_find_msb": op.GroupNonUniformBallotFindMSB,
}  # fmt: skip
_BYTES_FIRST: Final = re.compile(r"(?:Dv\d+_)?h")
_MANGLED: Final = re.compile(r"_Z(\d+)([\w.]+)")


def is_built_in(name: str) -> bool:
    """Whether a declared function has a meaning here, and is no other module's."""
    return name.startswith(("_Z", "clspv.", "spirv.")) or name in (LITERAL, PRINTF, *FUNCTIONS)


def is_kernel(routine: Routine) -> bool:
    return routine.convention in KERNELS


def demangled(name: str) -> tuple[str, str]:
    """("get_global_id", "j") of `_Z13get_global_idj`; the name itself and "" of anything else."""
    match = _MANGLED.fullmatch(name)
    if match is None or saturated(match[1]) > len(match[2]):
        return name, ""
    length = int(match[1])
    return match[2][:length], match[2][length:]


def _parsed(statement: Statement) -> tuple[str, str]:
    """The name, and the signature with a half where the call gives one: some write it as the letter of a byte."""
    name, signature = demangled(statement.callee)
    halves = statement.operands and scalar(statement.operands[0].type).name == "half"
    if halves and _BYTES_FIRST.match(signature) is not None:
        return name, signature.replace("h", "Dh", 1)
    return name, signature


def builtin_call(lowering: Lowering, statement: Statement) -> Result:
    """What the call gives. Raises Refusal for a function that is not known."""
    name, signature = _parsed(statement)
    target = lowering.target
    if name in _BY_AXIS and statement.operands:
        return _sized(lowering, statement, _at_axis(lowering, name, statement.operands[0]))
    if name == "get_global_linear_id":
        return _sized(lowering, statement, _global_linear(lowering))
    if name == "get_global_offset":
        return target.constant(statement.type, 0)
    if name == "get_work_dim":
        return work_dim(lowering, statement.type)
    if name in _SCALARS:
        if name != "get_local_linear_id":
            target.capability(enums.CapabilityGroupNonUniform)
        return _sized(lowering, statement, target.input(_SCALARS[name], 1, name))
    if name in _BARRIERS:
        subgroups.barrier(target)
        return None
    if name == "sub_group_barrier":
        subgroups.barrier(target, enums.ScopeSubgroup)
        return None
    if name in _FENCES:
        subgroups.fence(target)
        return None
    if name in ("shuffle", "shuffle2"):
        return opencl_math.shuffled(lowering, statement)
    if name in FUNCTIONS:
        return converted(lowering, statement, name)
    if name == PRINTF:
        return printed(lowering, statement)
    if clspv_calls.is_known(name):
        return clspv_calls.operation_call(lowering, statement, name)
    if group_copies.is_known(name):
        return group_copies.group_call(lowering, statement, name, signature)
    if opencl_images.is_known(name):
        return opencl_images.image_call(lowering, statement, name, signature)
    if opencl_memory.is_known(name):
        return opencl_memory.memory_call(lowering, statement, name, signature)
    if opencl_dot.is_known(name, signature):
        return opencl_dot.dot_call(lowering, statement, name, signature)
    if name in _MASKS:
        target.capability(enums.CapabilityGroupNonUniformBallot)
        return target.input(_MASKS[name], 4, name)
    if statement.operands and opencl_math.is_known(name, signature):
        return opencl_math.number_call(lowering, statement, name, signature)
    return _subgroup(lowering, statement, name, signature)


def is_partwise(statement: Statement) -> bool:
    """Whether each component of the result comes from the same component of each operand."""
    name, signature = _parsed(statement)
    return opencl_math.is_known(name, signature) and opencl_math.is_partwise(name)


def pointers_of(statement: Statement) -> list[tuple[Operand, Type]]:
    """The pointers that a call of a built-in function goes through, and what it accesses there."""
    name, signature = demangled(statement.callee)
    if group_copies.is_known(name):
        return group_copies.accesses(name, signature, statement)
    if clspv_calls.is_known(name):
        return clspv_calls.accesses(name, statement)
    return opencl_memory.accesses(name, statement) if name != statement.callee else []


def _subgroup(lowering: Lowering, statement: Statement, name: str, signature: str) -> Result:
    target = lowering.target
    type = statement.type
    values = [lowering.value(operand) for operand in statement.operands if operand.type.kind != syntax.META]
    match = _REDUCTION.fullmatch(name)
    if match is not None:
        operation = match[2]
        if "_logical_" in name:
            return _truthful(target, type, subgroups.reduced(target, _BOOL, operation, _truth(target, values[0])))
        if operation in ("min", "max") and not (opencl_math.is_signed(signature) or opencl_math.of_floats(signature)):
            operation = f"u{operation}"
        return subgroups.reduced(target, type, operation, values[0], _HOW[match[1]])
    if name in _SHUFFLES:
        return subgroups.shuffled(target, type, values[0], values[1], _SHUFFLES[name])
    if name in _VOTES:
        return _truthful(target, type, subgroups.vote(target, _VOTES[name], _truth(target, values[0])))
    if name == "sub_group_ballot":
        return subgroups.ballot(target, _truth(target, values[0]))
    if name == "sub_group_broadcast_first":
        return subgroups.first(target, type, values[0])
    if name == "sub_group_elect":
        return _truthful(target, type, target.emit(op.GroupNonUniformElect, target.boolean, [subgroups.scope(target)]))
    if name == "sub_group_rotate":
        target.capability(enums.CapabilityGroupNonUniformRotateKHR)
        target.extension("SPV_KHR_subgroup_rotate")
        rotated: list[Word] = [subgroups.scope(target), *values]
        return target.emit(op.GroupNonUniformRotateKHR, target.type(type), rotated)
    if name in _OF_BALLOTS:
        target.capability(enums.CapabilityGroupNonUniformBallot)
        asked: list[Word] = [subgroups.scope(target), *values]
        if name in ("sub_group_ballot_find_lsb", "sub_group_ballot_find_msb"):
            return target.emit(_OF_BALLOTS[name], target.u32, asked)
        return _truthful(target, type, target.emit(_OF_BALLOTS[name], target.boolean, asked))
    if name in _BALLOTS:
        target.capability(enums.CapabilityGroupNonUniformBallot)
        words: list[Word] = [subgroups.scope(target), _BALLOTS[name], values[0]]
        return target.emit(op.GroupNonUniformBallotBitCount, target.u32, words)
    raise Refusal(f"calls @{statement.callee}, which is not read here", "inline it, or define it in the module")


_BOOL: Final = Type(syntax.INT, "i1", 1)


def _truth(target: Target, value: Value) -> Value:
    return target.emit(op.INotEqual, target.boolean, [value, target.word(0)])


def _truthful(target: Target, type: Type, value: Value) -> Value:
    return target.emit(op.Select, target.type(type), [value, target.constant(type, 1), target.constant(type, 0)])


def _at_axis(lowering: Lowering, name: str, operand: Operand) -> Value:
    """What a function gives of a dimension: of those that a range doesn't have 1 if it is a size, else 0."""
    target = lowering.target
    beyond = target.word(0 if name.endswith("_id") else 1)
    if operand.kind in (syntax.NUMBER, syntax.ZERO):
        return _along(lowering, name, operand.number) if 0 <= operand.number < _AXES else beyond
    asked = lowering.value(operand)
    result: Value = beyond
    for axis in range(_AXES):
        here = target.emit(op.IEqual, target.boolean, [asked, target.constant(operand.type, axis)])
        result = target.emit(op.Select, target.u32, [here, _along(lowering, name, axis), result])
    return result


def _global_linear(lowering: Lowering) -> Value:
    """(z * height + y) * width + x, of a range without an offset."""
    target = lowering.target
    result = target.component(enums.BuiltInGlobalInvocationId, 2, "")
    for axis in (1, 0):
        rows = target.emit(op.IMul, target.u32, [result, _along(lowering, "get_global_size", axis)])
        place = target.component(enums.BuiltInGlobalInvocationId, axis, "")
        result = target.emit(op.IAdd, target.u32, [rows, place])
    return result


def _along(lowering: Lowering, name: str, axis: int) -> Value:
    target = lowering.target
    if name in _TRIPLES:
        return target.component(_TRIPLES[name], axis, "")
    local = target.word(lowering.scene.size[axis])
    if name != "get_global_size":
        return local
    groups = target.component(enums.BuiltInNumWorkgroups, axis, "")
    return target.emit(op.IMul, target.u32, [local, groups])


def _sized(lowering: Lowering, statement: Statement, value: Value) -> Value:
    """A u32 as size_t, which may have 64 bits."""
    ir_type = lowering.type(statement)
    return value if width_of(ir_type) == 32 else lowering.target.emit(op.UConvert, ir_type, [value])
