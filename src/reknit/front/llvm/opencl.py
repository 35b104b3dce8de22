"""Kernels: what OpenCL's built-in functions mean, under their mangled names.

    _Z13get_global_idj(i32 0)     GlobalInvocationId.x      _Z7barrierj(i32 1)     OpControlBarrier
    kernel argument ptr addrspace(1) %out      the storage buffer "out"; its binding is the argument's number
    kernel argument i32 %n                     element 0 of the storage buffer "n"

So a kernel runs as a compute shader. Its workgroup is reqd_work_group_size, or 32 invocations, which a note reports.
"""

from typing import Final

from reknit.front.llvm.results import Result
from reknit.front.llvm.state import Lowering
from reknit.front.llvm.syntax import Routine, Statement
from reknit.front.llvm.unsupported import Refusal
from reknit.ir import enums, op
from reknit.ir.types import width_of
from reknit.ir.value import Value
from reknit.source.pattern import pattern

KERNELS: Final = ("spir_kernel", "amdgpu_kernel", "ptx_kernel", "cc 76")

_TRIPLES: Final = {
    "get_global_id": enums.BuiltInGlobalInvocationId,
    "get_local_id": enums.BuiltInLocalInvocationId,
    "get_group_id": enums.BuiltInWorkgroupId,
    "get_num_groups": enums.BuiltInNumWorkgroups,
}
_SCALARS: Final = {
    "get_local_linear_id": enums.BuiltInLocalInvocationIndex,
    "get_sub_group_local_id": enums.BuiltInSubgroupLocalInvocationId,
    "get_sub_group_size": enums.BuiltInSubgroupSize,
    "get_sub_group_id": enums.BuiltInSubgroupId,
    "get_num_sub_groups": enums.BuiltInNumSubgroups,
}
_REDUCTIONS: Final = {
    "sub_group_reduce_add": op.GroupNonUniformIAdd, "sub_group_reduce_max": op.GroupNonUniformSMax,
    "sub_group_reduce_min": op.GroupNonUniformSMin, "sub_group_non_uniform_reduce_add": op.GroupNonUniformIAdd,
    "sub_group_scan_exclusive_add": op.GroupNonUniformIAdd, "sub_group_scan_inclusive_add": op.GroupNonUniformIAdd,
}  # fmt: skip
_BARRIERS: Final = ("barrier", "work_group_barrier")
_MIN_MAX: Final = {"min": {"j": 38, "i": 39}, "max": {"j": 41, "i": 42}}
_MANGLED: Final = pattern(r"_Z(\d+)(\w+)")


def is_kernel(routine: Routine) -> bool:
    return routine.convention in KERNELS


def demangled(name: str) -> tuple[str, str]:
    """("get_global_id", "j") of `_Z13get_global_idj`; the name itself and "" of anything else."""
    match = _MANGLED.fullmatch(name)
    if match is None or int(match[1]) > len(match[2]):
        return name, ""
    length = int(match[1])
    return match[2][:length], match[2][length:]


def builtin_call(lowering: Lowering, statement: Statement) -> Result:
    """What the call gives. Raises Refusal for a function that is not known."""
    name, signature = demangled(statement.callee)
    target = lowering.target
    if name in _TRIPLES:
        axis = lowering.number(statement.operands[0])
        return _sized(lowering, statement, _axis(lowering, _TRIPLES[name], axis))
    if name == "get_local_size":
        return target.constant(statement.type, _local_size(lowering, lowering.number(statement.operands[0])))
    if name == "get_global_size":
        axis = lowering.number(statement.operands[0])
        local = target.word(_local_size(lowering, axis))
        groups = _axis(lowering, enums.BuiltInNumWorkgroups, axis)
        return _sized(lowering, statement, target.emit(op.IMul, target.u32, [local, groups]))
    if name == "get_global_offset":
        return target.constant(statement.type, 0)
    if name in _SCALARS:
        if name != "get_local_linear_id":
            target.capability(enums.CapabilityGroupNonUniform)
        return _sized(lowering, statement, target.input(_SCALARS[name], 1, name))
    if name in _BARRIERS:
        memory = target.word(enums.ScopeWorkgroup)
        semantics = enums.MemorySemanticsAcquireRelease | enums.MemorySemanticsWorkgroupMemory
        semantics |= enums.MemorySemanticsUniformMemory
        target.effect(op.ControlBarrier, [memory, memory, target.word(semantics)])
        return None
    if name in _MIN_MAX and signature[:1] in _MIN_MAX[name]:
        values = [lowering.value(operand) for operand in statement.operands]
        return target.extended(_MIN_MAX[name][signature[0]], lowering.type(statement), values)
    return _subgroup(lowering, statement, name, signature)


def _subgroup(lowering: Lowering, statement: Statement, name: str, signature: str) -> Result:
    target = lowering.target
    scope = target.word(enums.ScopeSubgroup)
    if name in _REDUCTIONS:
        if signature[:1] not in ("i", "j"):
            raise Refusal(f"calls @{statement.callee}, which is read for int and uint only")
        target.capability(enums.CapabilityGroupNonUniform)
        target.capability(enums.CapabilityGroupNonUniformArithmetic)
        how = enums.GroupOperationReduce
        if "scan" in name:
            how = enums.GroupOperationExclusiveScan if "exclusive" in name else enums.GroupOperationInclusiveScan
        code = _REDUCTIONS[name]
        if signature[0] == "j":
            code = {
                op.GroupNonUniformSMax: op.GroupNonUniformUMax, op.GroupNonUniformSMin: op.GroupNonUniformUMin,
            }.get(code, code)  # fmt: skip
        return target.emit(code, lowering.type(statement), [scope, how, lowering.value(statement.operands[0])])
    if name in ("sub_group_all", "sub_group_any"):
        target.capability(enums.CapabilityGroupNonUniform)
        target.capability(enums.CapabilityGroupNonUniformVote)
        given = lowering.value(statement.operands[0])
        truth = target.emit(op.INotEqual, target.boolean, [given, target.word(0)])
        vote = op.GroupNonUniformAll if name.endswith("all") else op.GroupNonUniformAny
        vote_result = target.emit(vote, target.boolean, [scope, truth])
        return target.emit(op.Select, target.u32, [vote_result, target.word(1), target.word(0)])
    raise Refusal(f"calls @{statement.callee}, which is not read here", "inline it, or define it in the module")


def _axis(lowering: Lowering, builtin: int, axis: int) -> Value:
    if axis > 2:
        return lowering.target.word(1 if builtin == enums.BuiltInNumWorkgroups else 0)
    return lowering.target.component(builtin, axis, "")


def _local_size(lowering: Lowering, axis: int) -> int:
    return lowering.scene.size[axis] if axis < 3 else 1


def _sized(lowering: Lowering, statement: Statement, value: Value) -> Value:
    """A u32 as size_t, which may have 64 bits."""
    ir_type = lowering.type(statement)
    return value if width_of(ir_type) == 32 else lowering.target.emit(op.UConvert, ir_type, [value])
