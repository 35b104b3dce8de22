"""A pass's contract, checked on what the pass left: what `gives` and `loses` say of the function, `keeps` of analyses.

    gives = (NO_PHIS,)                  no OpPhi is left, unless the pass declined
    loses has no SINGLE_LEVEL           where SPIR-V could write every jump before, it still can
    keeps = ("dominance",)              dominance comes out as it was, whether or not it had been asked for
"""

from collections.abc import Callable
from typing import Final

from reknit.analysis.callgraph import CallGraph
from reknit.analysis.constructs import Constructs
from reknit.analysis.decorations import Decorations
from reknit.analysis.dominance import Dominance
from reknit.analysis.effects import Effects
from reknit.analysis.frontier import DominanceFrontier
from reknit.analysis.loops import LoopForest
from reknit.analysis.manager import Analyses, FunctionAnalysis, ModuleAnalysis
from reknit.analysis.order import Order
from reknit.analysis.post_dominance import PostDominance
from reknit.analysis.post_frontier import PostDominanceFrontier
from reknit.analysis.tangled import Tangled
from reknit.ir import op
from reknit.ir.function import Function
from reknit.ir.walk import blocks
from reknit.passes.contract import (
    NO_CONTINUES,
    NO_CRITICAL_EDGES,
    NO_PHIS,
    SINGLE_LEVEL,
    SINGLE_RETURN,
    STRUCTURED,
    SWITCHES_DEFINED,
    Pass,
)
from reknit.passes.crossed import crossed_construct
from reknit.passes.split_critical_edges import critical_edges
from reknit.passes.switches.eliminate_continues import loops_to_wrap
from reknit.passes.switches.lower_switches import switches_to_lower
from reknit.passes.unify_returns import returned

_OF_FUNCTIONS: Final[list[type[FunctionAnalysis]]] = [
    Order, Dominance, DominanceFrontier, PostDominance, PostDominanceFrontier, LoopForest, Constructs,
]  # fmt: skip
_OF_MODULES: Final[list[type[ModuleAnalysis]]] = [CallGraph, Tangled, Decorations, Effects]


def ask_for_kept(transform: Pass, function: Function, analyses: Analyses) -> None:
    """Ask for what `transform` says it keeps, so that it can be compared afterwards (`Analyses.broken_promises`)."""
    for kind in _OF_FUNCTIONS:
        if kind.name in transform.keeps and (function.structured or kind is not Constructs):
            analyses.ask(kind, function)
    for module_kind in _OF_MODULES:
        if module_kind.name in transform.keeps:
            analyses.of_module(module_kind)


def broken_facts(
    function: Function, holds: list[str], given: tuple[str, ...], policy: str, analyses: Analyses
) -> list[str]:
    """What is wrong with the facts that should hold of `function`. Those about switches are checked where they were
    just `given`, under the policy of the pass that gives them."""
    wrong: list[str] = []
    for fact in holds:
        why = _ALWAYS[fact](function) if fact in _ALWAYS else ""
        if why:
            wrong.append(f"{fact}: {why}")
    if NO_CONTINUES in given and loops_to_wrap(function, analyses.of_module(Tangled), policy):
        wrong.append(f"{NO_CONTINUES}: a continue is in a switch that is to be lowered")
    if SWITCHES_DEFINED in given and switches_to_lower(function, analyses.of_module(Tangled), policy):
        wrong.append(f"{SWITCHES_DEFINED}: a switch is to be lowered")
    return wrong


def _flat(function: Function) -> str:
    return "" if function.structured else "it is unstructured"


def _phis(function: Function) -> str:
    return "it has a phi" if any(instr.op == op.Phi for block in blocks(function) for instr in block) else ""


def _crossing_jumps(function: Function) -> str:
    if any(crossed_construct(block) is not None for block in blocks(function)):
        return "a jump leaves several constructs"
    return ""


def _returns(function: Function) -> str:
    returning = [block for block in blocks(function) if returned(block) is not None]
    if returning and returning != [function.body.end()]:
        return "it returns elsewhere than at its end"
    return ""


def _edges(function: Function) -> str:
    return "it has a critical edge" if critical_edges(function) else ""


_ALWAYS: Final[dict[str, Callable[[Function], str]]] = {
    STRUCTURED: _flat,
    NO_PHIS: _phis,
    SINGLE_LEVEL: _crossing_jumps,
    SINGLE_RETURN: _returns,
    NO_CRITICAL_EDGES: _edges,
}
