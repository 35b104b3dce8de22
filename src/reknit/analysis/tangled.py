"""Which operations see the other invocations that run with them, and which functions may reach one.

    main ──▶ shade ──▶ lum          shade has a ballot:  tangled(main), tangled(shade), not tangled(lum)

A *tangled instruction* has results or effects that depend on which invocations execute it together: moving it to where
other invocations run it changes the program. In SPIR-V 1.6 the sections "Derivative Instructions", "Group and Subgroup
Instructions", "Non-Uniform Instructions" and OpControlBarrier speak of the scope restricted tangle; image instructions
with implicit level of detail take derivatives; a cooperative matrix belongs to all invocations of a scope
(SPV_KHR_cooperative_matrix); a ray tracing call may pack invocations anew (SPV_KHR_ray_tracing, "invocation repack").
"""

from functools import cache
from typing import ClassVar, Final, final

from reknit.analysis.callgraph import CallGraph, called
from reknit.analysis.manager import Analyses, ModuleAnalysis
from reknit.ir import op, opcodes
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.walk import instructions

# Whole classes of the grammar.
_CLASSES: Final = ("Group", "Non-Uniform", "Derivative")

# Those that the grammar files under a class of which they are not typical.
_SINGLE: Final = (
    op.ControlBarrier,
    op.ControlBarrierArriveEXT,
    op.ControlBarrierWaitEXT,
    op.ImageSampleImplicitLod,
    op.ImageSampleDrefImplicitLod,
    op.ImageSampleProjImplicitLod,
    op.ImageSampleProjDrefImplicitLod,
    op.ImageSparseSampleImplicitLod,
    op.ImageSparseSampleDrefImplicitLod,
    op.ImageSparseSampleProjImplicitLod,
    op.ImageSparseSampleProjDrefImplicitLod,
    op.ImageQueryLod,
    op.GroupReserveReadPipePackets,
    op.GroupReserveWritePipePackets,
    op.GroupCommitReadPipe,
    op.GroupCommitWritePipe,
    op.CooperativeMatrixLoadKHR,
    op.CooperativeMatrixStoreKHR,
    op.CooperativeMatrixMulAddKHR,
    op.CooperativeMatrixLoadNV,
    op.CooperativeMatrixStoreNV,
    op.CooperativeMatrixMulAddNV,
    op.CooperativeMatrixReduceEXT,
    op.CooperativeMatrixLoadTensorNV,
    op.CooperativeMatrixStoreTensorNV,
    op.CooperativeMatrixPerElementOpEXT,
    op.CooperativeMatrixConvertUseEXT,
    op.CooperativeMatrixTransposeNV,
    op.TraceRayKHR,
    op.TraceRayMotionNV,
    op.ExecuteCallableKHR,
    op.ExecuteCallableNV,
    op.HitObjectTraceRayNV,
    op.HitObjectTraceRayMotionNV,
    op.HitObjectTraceRayEXT,
    op.HitObjectTraceRayMotionEXT,
    op.HitObjectExecuteShaderNV,
    op.HitObjectExecuteShaderEXT,
    op.HitObjectReorderExecuteShaderEXT,
    op.HitObjectTraceReorderExecuteEXT,
    op.HitObjectTraceMotionReorderExecuteEXT,
    op.ReorderThreadWithHintNV,
    op.ReorderThreadWithHitObjectNV,
    op.ReorderThreadWithHintEXT,
    op.ReorderThreadWithHitObjectEXT,
    op.CallDynamic,  # it parts the tangle by table
)


@cache
def tangled_opcodes() -> frozenset[int]:
    """Every opcode of a tangled instruction. Costs a walk over the grammar, once."""
    found = set(_SINGLE)
    for code in opcodes.all_codes():
        info = opcodes.info(code)
        if info is not None and info.group in _CLASSES:
            found.add(code)
    return frozenset(found)


@final
class Tangled(ModuleAnalysis):
    """`opcodes` are the tangled instructions; `functions` those that may execute one, in module order.

    They may do so themselves or by a call. A call to a function without a body (an import) may reach anything.
    """

    name: ClassVar[str] = "tangled"

    def __init__(self, codes: frozenset[int], functions: dict[Function, None]) -> None:
        self.opcodes = codes
        self.functions = functions

    @staticmethod
    def compute(module: Module, analyses: Analyses) -> "Tangled":
        codes = tangled_opcodes()
        direct: list[Function] = []
        for function in module.functions:
            if function.is_declaration():
                direct.append(function)
                continue
            for instr in instructions(function):
                if instr.op in codes:
                    direct.append(function)
                    break
        may = dict.fromkeys(analyses.of_module(CallGraph).reaching(direct))
        return Tangled(codes, {function: None for function in module.functions if function in may})

    def is_tangled(self, instr: Instr) -> bool:
        """True for a tangled instruction and for a call that may reach one."""
        if instr.op in self.opcodes:
            return True
        callee = called(instr)
        return callee is not None and callee in self.functions

    def same_as(self, other: ModuleAnalysis) -> bool:
        return isinstance(other, Tangled) and list(self.functions) == list(other.functions)
