"""Which operations see the other invocations that run with them, and which functions may reach one.

    main ──▶ shade ──▶ lum          shade has a ballot:  tangled(main), tangled(shade), not tangled(lum)

A *tangled instruction* has results or effects that depend on which invocations execute it together: moving it to where
other invocations run it changes the program. In SPIR-V 1.6 the sections "Derivative Instructions", "Group and Subgroup
Instructions", "Non-Uniform Instructions" and OpControlBarrier speak of the scope restricted tangle; image instructions
with implicit level of detail take derivatives; a cooperative matrix belongs to all invocations of a scope
(SPV_KHR_cooperative_matrix); a ray tracing call may pack invocations anew (SPV_KHR_ray_tracing, "invocation repack").
"""

from typing import ClassVar, final

from reknit.analysis.callgraph import CallGraph, called
from reknit.analysis.manager import Analyses, ModuleAnalysis
from reknit.ir import traits
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.walk import instruction_list


@final
class Tangled(ModuleAnalysis):
    """`functions` are those that may execute a tangled instruction, in module order.

    They may do so themselves or by a call. A call to a function without a body (an import) may reach anything.
    """

    name: ClassVar[str] = "tangled"

    def __init__(self, functions: dict[Function, None]) -> None:
        self.functions = functions

    @staticmethod
    def compute(module: Module, analyses: Analyses) -> "Tangled":
        direct: list[Function] = []
        for function in module.functions:
            if function.is_declaration():
                direct.append(function)
                continue
            for instr in instruction_list(function):
                if instr.op in traits.TANGLED:
                    direct.append(function)
                    break
        may = dict.fromkeys(analyses.of_module(CallGraph).reaching(direct))
        return Tangled({function: None for function in module.functions if function in may})

    def is_tangled(self, instr: Instr) -> bool:
        """True for a tangled instruction and for a call that may reach one."""
        if instr.op in traits.TANGLED:
            return True
        callee = called(instr)
        return callee is not None and callee in self.functions

    def same_as(self, other: ModuleAnalysis) -> bool:
        return isinstance(other, Tangled) and list(self.functions) == list(other.functions)
