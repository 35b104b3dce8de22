"""Which rules an entry point declares, and which it is judged by."""

from reknit.analysis.callgraph import CallGraph
from reknit.analysis.tangles.rules import ASKED, BASE, DECLARED, MAXIMAL, SUBGROUP_UNIFORM
from reknit.ir import enums, op
from reknit.ir.function import Function
from reknit.ir.module import Module
from reknit.source.diagnostic import Diagnostic, InputError


def declared(module: Module, function: Function) -> str:
    """The rules that an entry point's execution modes declare."""
    return declared_by_all(module).get(function, BASE)


def declared_by_all(module: Module) -> dict[Function, str]:
    """The rules of each function that has execution modes."""
    rules: dict[Function, str] = {}
    for mode in module.execution_modes:
        function = mode.operands[0]
        if mode.op == op.ExecutionMode and isinstance(function, Function):
            if mode.word(1) == enums.ExecutionModeMaximallyReconvergesKHR:
                rules[function] = MAXIMAL
            elif mode.word(1) == enums.ExecutionModeSubgroupUniformControlFlowKHR:
                rules.setdefault(function, SUBGROUP_UNIFORM)
    return rules


def rules_for(module: Module, function: Function, asked: str) -> str:
    """The rules that an entry point is judged by. Raises InputError (RK1006) where `asked` is none of ASKED."""
    if asked not in ASKED:
        message = f"rules {asked!r} are not known"
        raise InputError([Diagnostic("RK1006", message, help=f"one of {', '.join(ASKED)}")])
    return declared(module, function) if asked == DECLARED else asked


def declares_maximal(module: Module) -> bool:
    """Whether any entry point has the MaximallyReconvergesKHR mode."""
    for mode in module.execution_modes:
        if mode.op == op.ExecutionMode and mode.word(1) == enums.ExecutionModeMaximallyReconvergesKHR:
            return True
    return False


def maximally_reconverging(module: Module, graph: CallGraph) -> dict[Function, None]:
    """The functions in the static call tree of an entry point with the MaximallyReconvergesKHR mode."""
    functions: dict[Function, None] = {}
    for mode in module.execution_modes:
        entry = mode.operands[0]
        if (
            mode.op == op.ExecutionMode
            and mode.word(1) == enums.ExecutionModeMaximallyReconvergesKHR
            and isinstance(entry, Function)
        ):
            for function in graph.reachable(entry):
                functions[function] = None
    return functions
