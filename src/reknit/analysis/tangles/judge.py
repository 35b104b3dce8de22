"""For each operation that depends on what runs with it: is that promised, and if not, what would promise it?

                                                          at a target
    one class, under the target's rule        fine        base     SPIR-V alone
    one class, under a stronger rule          needs it    sucf     SubgroupUniformControlFlowKHR
    several, even under maximal               never       maximal  MaximallyReconvergesKHR
    one class, but other tangles may join     united

An answer takes for granted that values are what maximal reconvergence makes them: an operation that an earlier one's
result leads to is judged as if that one were fine. It is a finding of its own if it isn't.
"""

from typing import final

from reknit.analysis.callgraph import CallGraph, exported_functions
from reknit.analysis.manager import Analyses
from reknit.analysis.order import Order
from reknit.analysis.tangles.cause import FALL, VALUES
from reknit.analysis.tangles.contexts import Contexts
from reknit.analysis.tangles.declared import declared_by_all
from reknit.analysis.tangles.helpers import Helpers
from reknit.analysis.tangles.kinds import (
    FALLS_IN,
    HELPERS,
    NATURAL,
    NEEDS_MAXIMAL,
    NEEDS_SUBGROUP_UNIFORM,
    NOT_UNIFORM,
    PART_OF_QUAD,
    PART_OF_SUBGROUP,
    PART_OF_WORKGROUP,
    UNITED,
    UNSTRUCTURED,
    VALUES_DIFFER,
)
from reknit.analysis.tangles.natural import NaturalHelpers
from reknit.analysis.tangles.operations import (
    QUAD,
    SUBGROUP,
    WORKGROUP,
    group_of,
    takes_derivative,
)
from reknit.analysis.tangles.reasons import Reason, why_part, why_several
from reknit.analysis.tangles.rules import BASE, MAXIMAL, RULES, SUBGROUP_UNIFORM
from reknit.analysis.tangles.split_tangles import Apart
from reknit.analysis.uniformity.uniformity import Uniformity
from reknit.ir import enums, traits
from reknit.ir.block import Block
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.tree import Loop
from reknit.ir.value import Value


@final
class Finding:
    """An operation that no promise covers: `kind` says which is missing, `rule` what was asked for, `reasons` why."""

    __slots__ = ("instr", "function", "kind", "group", "rule", "reasons")

    def __init__(
        self, instr: Instr, function: Function, kind: str, group: str, rule: str, reasons: list[Reason]
    ) -> None:
        self.instr = instr
        self.function = function
        self.kind = kind
        self.group = group
        self.rule = rule
        self.reasons = reasons


def judge(module: Module, analyses: Analyses, target: str | None = None) -> list[Finding]:
    """The findings of a module, in source order. `target` is one of RULES; without it each entry point's execution
    modes tell. A function that code from elsewhere may call is taken to be entered by one class, perhaps not by all."""
    findings: dict[Instr, Finding] = {}
    for rule in RULES:
        roots, strange = _roots(module, analyses, rule, target)
        if roots or strange:
            judge_rule = _Judge(module, analyses, rule, roots, strange)
            judge_rule.run(findings)
    ordered: list[Finding] = []
    for function in module.functions:
        for block in analyses.ask(Order, function).blocks:
            ordered.extend(findings[instr] for instr in block if instr in findings)
    return ordered


def _roots(
    module: Module, analyses: Analyses, rule: str, target: str | None
) -> tuple[list[Function], list[Function]]:
    graph = analyses.of_module(CallGraph)
    rules = declared_by_all(module) if target is None else {}
    roots = [entry for entry in graph.entry_points if (target or rules.get(entry, BASE)) == rule]
    strange: dict[Function, None] = {}
    if (target or BASE) == rule:
        entries = dict.fromkeys(graph.entry_points)
        strange.update(exported_functions(module))
        if not entries:
            strange.update(dict.fromkeys(each for each in module.functions if not graph.callers[each]))
    return roots, [function for function in strange if not function.is_declaration()]


@final
class _Judge:
    """Judges all that the entry points of one rule reach."""

    def __init__(
        self, module: Module, analyses: Analyses, rule: str, roots: list[Function], strange: list[Function]
    ) -> None:
        self.module = module
        self.analyses = analyses
        self.rule = rule
        self.roots = roots
        self.strange = strange
        self._contexts: dict[tuple[str, str], Contexts] = {}
        self._apart: dict[str, Apart] = {}
        self._helpers: Helpers | None = None
        self._natural: NaturalHelpers | None = None

    def run(self, findings: dict[Instr, Finding]) -> None:
        graph = self.analyses.of_module(CallGraph)
        reached = dict.fromkeys(each for root in [*self.roots, *self.strange] for each in graph.reachable(root))
        for function in self.module.functions:
            if function not in reached or function.is_declaration():
                continue
            order = self.analyses.ask(Order, function)
            for index, block in enumerate(order.blocks):
                if not order.reached[index]:
                    continue
                for instr in block:
                    if instr.op in traits.JUDGED and instr not in findings:
                        finding = self.operation(instr, function)
                        if finding is not None:
                            findings[instr] = finding

    def contexts(self, rule: str, part: str) -> Contexts:
        contexts = self._contexts.get((rule, part))
        if contexts is None:
            contexts = Contexts(self.analyses, rule, part, self.roots, self.strange)
            self._contexts[rule, part] = contexts
        return contexts

    def operation(self, instr: Instr, function: Function) -> Finding | None:
        """The gravest finding about one operation."""
        group = group_of(instr)
        never = self.contexts(MAXIMAL, group).fails(instr, function)
        if never is not None:
            cause, reasons = why_several(never, instr, MAXIMAL, group)
            kind = VALUES_DIFFER if cause == VALUES else FALLS_IN if cause == FALL else UNSTRUCTURED
            return Finding(instr, function, kind, group, self.rule, reasons)
        return (
            self.part(instr, function, group)
            or self.uniform(instr, function, group)
            or self.promise(instr, function, group)
            or self.united(instr, function, group)
            or self.helpers(instr, function, group)
            or self.natural(instr, function, group)
        )

    def part(self, instr: Instr, function: Function, group: str) -> Finding | None:
        """Derivatives, barriers of the workgroup and older group operations need all of their group."""
        comes = traits.COMES.get(instr.op)
        if not takes_derivative(instr) and comes != "scope" and not (comes == "wide" and group == WORKGROUP):
            return None
        lacks = self.contexts(MAXIMAL, group).lacks(instr, function)
        if lacks is None:
            return None
        kind = PART_OF_QUAD if group == QUAD else PART_OF_WORKGROUP if group == WORKGROUP else PART_OF_SUBGROUP
        return Finding(instr, function, kind, group, self.rule, why_part(lacks, instr, group))

    def uniform(self, instr: Instr, function: Function, group: str) -> Finding | None:
        """An operand that must be the same for all that execute the operation together."""
        at = traits.UNIFORM.get(instr.op)
        if at is None or instr.block is None:
            return None
        value = instr.operands[at]
        if not isinstance(value, Value):
            return None
        uniformity = self.analyses.of_module_with(Uniformity, group).of(function)
        if uniformity.is_uniform_in(value, instr.block):
            return None
        return Finding(instr, function, NOT_UNIFORM, group, self.rule, [Reason("this operand may differ", value)])

    def promise(self, instr: Instr, function: Function, group: str) -> Finding | None:
        if self.rule == MAXIMAL:
            return None
        # What SPIR-V promises of the workgroup holds beside what is promised of subgroups.
        rule = BASE if group == WORKGROUP else self.rule
        fails = self.contexts(rule, group).fails(instr, function)
        if fails is None:
            return None
        joined = SUBGROUP if rule == SUBGROUP_UNIFORM else WORKGROUP
        _, reasons = why_several(fails, instr, rule, joined)
        kind = NEEDS_MAXIMAL
        if rule == BASE and group != WORKGROUP:
            stronger = self.contexts(SUBGROUP_UNIFORM, group).fails(instr, function)
            kind = NEEDS_SUBGROUP_UNIFORM if stronger is None else NEEDS_MAXIMAL
        return Finding(instr, function, kind, group, self.rule, reasons)

    def united(self, instr: Instr, function: Function, group: str) -> Finding | None:
        if self.rule == MAXIMAL:
            return None
        apart = self._apart.get(group)
        if apart is None:
            apart = Apart(self.analyses, group)
            self._apart[group] = apart
        about = apart.why(instr, function)
        if about is None:
            return None
        if isinstance(about, Loop):
            text = (
                "invocations may leave this loop here in different iterations; a block that can't go back to the "
                "loop's start is commonly run once, for all of them"
            )
        elif isinstance(about, Function):
            about = apart.calls[function]
            text = "the function is called here, in a block of that kind"
        else:
            text = "several groups of invocations may come to this block one after another"
        return Finding(instr, function, UNITED, group, self.rule, [Reason(text, about)])

    def helpers(self, instr: Instr, function: Function, group: str) -> Finding | None:
        if group != SUBGROUP:
            return None
        if self._helpers is None:
            roots = [root for root in self.roots if self._is_fragment(root)]
            self._helpers = Helpers(self.analyses, roots, self._quads_come)
        ending = self._helpers.why(instr)
        if ending is None or self._natural_helpers().tells(instr, function):
            return None
        reason = Reason("a quad that only has helper invocations left after this may be ended at any time", ending)
        return Finding(instr, function, HELPERS, group, self.rule, [reason])

    def _natural_helpers(self) -> NaturalHelpers:
        if self._natural is None:
            roots = [root for root in self.roots if self._is_fragment(root)]
            self._natural = NaturalHelpers(self.module, self.analyses, roots, self.rule)
        return self._natural

    def natural(self, instr: Instr, function: Function, group: str) -> Finding | None:
        why = self._natural_helpers().why(instr, function)
        if not why:
            return None
        return Finding(instr, function, NATURAL, group, self.rule, [Reason(why, instr)])

    def _quads_come(self, block: Block, instr: Instr | None, function: Function) -> bool:
        """Whether each quad comes as one to an instruction of a block, or to its end."""
        if self.contexts(self.rule, SUBGROUP).all_come(block, instr, function):
            return True
        whole = self.contexts(MAXIMAL, QUAD).all_come(block, instr, function)
        return whole and self.contexts(self.rule, QUAD).all_single(block, instr, function)

    def _is_fragment(self, root: Function) -> bool:
        for entry in self.module.entry_points:
            if entry.operands[1] is root and entry.word(0) == enums.ExecutionModelFragment:
                return True
        return False
