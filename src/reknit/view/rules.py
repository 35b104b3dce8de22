"""By which rules something was run, as the first line says it.

    rules: maximal
    rules: base; one of the results that they allow, that of the tangles of maximal reconvergence

They decide nothing where no operation depends on which invocations run it together.
"""

from reknit.analysis.manager import Analyses
from reknit.analysis.tangled import Tangled
from reknit.analysis.tangles.rules import MAXIMAL
from reknit.ir.module import Module
from reknit.sim.policy import Policy
from reknit.sim.result import Result


def rules_decide(module: Module) -> bool:
    """Whether a result can depend on the rules."""
    return bool(Analyses(module).of_module(Tangled).functions)


def rules_of_run(result: Result, policy: Policy) -> str:
    """A run has one of the allowed results; which one, if the rules leave open which lanes are together."""
    if result.rules == MAXIMAL:
        return f"rules: {MAXIMAL}"
    chosen = f"--grouping {policy.grouping}" if policy.is_loose() else "the tangles of maximal reconvergence"
    return f"rules: {result.rules}; one of the results that they allow, that of {chosen}"
