"""The first judge of a proof: the normal form of both programs, which needs no run.

    every effect of after is one of before, and none is lost        proved, for every input and subgroup size
    the two differ somewhere, or there is no word for something     not decided: the place, and runs come next

Under maximal reconvergence the invocations of a tangled operation are known from the path of each. Before may declare
less, since what is maximal is one of the results that weaker rules allow. Where both declare the same weaker rules,
which invocations are together is an unknown of each tangled operation: of the iteration, and of the paths by which they
came. After has no unknown that before doesn't have. Where before leaves open how derivatives are taken, after may have
chosen.
"""

from reknit.analysis.tangles.declared import rules_for
from reknit.analysis.tangles.rules import MAXIMAL
from reknit.ir import traits
from reknit.ir.function import Function
from reknit.ir.locate import place_of
from reknit.ir.module import Module
from reknit.ir.walk import instructions
from reknit.proof.derivative_kinds import choices_of_derivatives
from reknit.proof.normal_form.compare import compare
from reknit.proof.normal_form.judge import Finding
from reknit.proof.readings import pairs, proved_for, said
from reknit.proof.solver.ask import solver
from reknit.sim.entry import find_entry, function_of_entry, reached_functions


def by_terms(before: Module, after: Module, entry: str, rules: str) -> Finding:
    """Whether the entry point of that name in `after` refines the one in `before`, each judged by `rules` or by those
    that it declares; as trees, in every reading of what an input without structure leaves open."""
    findings: list[Finding] = []
    failing: list[str] = []
    for reading, mine, theirs in pairs(before, after, entry):
        findings.append(_by_terms(mine, theirs, entry, rules))
        if not findings[-1].proved:
            failing.append(reading)
    finding = next((each for each in findings if not each.proved), findings[0])
    if len(findings) > 1:
        finding.readings = proved_for(failing) or said(failing)
    return finding


def _by_terms(before: Module, after: Module, entry: str, rules: str) -> Finding:
    mine = function_of_entry(find_entry(before, entry), True)
    other = function_of_entry(find_entry(after, entry), True)
    promised = (rules_for(before, mine, rules), rules_for(after, other, rules))
    is_weak = promised[1] != MAXIMAL and has_tangles(after, other)
    if is_weak and promised[0] != promised[1]:
        return Finding("after does not declare maximal reconvergence", None, None)
    asked = solver()
    finding = compare(before, mine, after, other, is_weak, asked)
    if not finding.proved:
        for chosen in choices_of_derivatives(before, after, entry):
            narrowed = compare(chosen, function_of_entry(find_entry(chosen, entry), True), after, other, is_weak, asked)
            if narrowed.proved:
                finding = narrowed
                break
    if asked is not None:
        finding.hints = asked.hints
    for place, module, side in ((finding.before, before, "before"), (finding.after, after, "after")):
        if place is not None:
            finding.places.append(f"{place_of(place, module)} {side}")
    return finding


def has_tangles(module: Module, entry: Function) -> bool:
    """Whether it can matter which invocations are together."""
    return any(
        instr.op in traits.TANGLED and traits.TANGLED[instr.op] != "bits"
        for function in reached_functions(module, entry)
        for instr in instructions(function)
    )
