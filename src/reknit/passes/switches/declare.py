"""The mode that makes reconvergence a promise, on every entry point that can reach what was lowered.

    OpExtension "SPV_KHR_maximal_reconvergence"
    OpExecutionMode %main MaximallyReconvergesKHR

Source: SPV_KHR_maximal_reconvergence rev 2, 3.6 "Execution Mode": it holds for all functions in the entry point's
call tree.
"""

from typing import Final

from reknit.analysis.callgraph import CallGraph
from reknit.ir import enums, op
from reknit.ir.function import Function
from reknit.ir.module import annotation
from reknit.passes.contract import Context

EXTENSION: Final = "SPV_KHR_maximal_reconvergence"


def declare_reconvergence(function: Function, context: Context) -> None:
    """Give the mode to every entry point that reaches `function`; those that have it keep it once."""
    module = context.module
    graph = context.analyses.of_module(CallGraph)
    mode = enums.ExecutionModeMaximallyReconvergesKHR
    having = [instr.operands[0] for instr in module.execution_modes if instr.word(1) == mode]
    reaching = dict.fromkeys(graph.reaching([function]))
    entries = [entry for entry in graph.entry_points if entry in reaching]
    for entry in entries:
        if entry not in having:
            module.execution_modes.append(annotation(op.ExecutionMode, [entry, mode]))
    if entries and not any(extension.text(0) == EXTENSION for extension in module.extensions):
        module.extensions.append(annotation(op.Extension, [EXTENSION]))
