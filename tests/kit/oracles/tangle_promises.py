"""Hold the static answers about tangles to the machine: run a program, and see whose promise is broken.

    program ── analysis.tangles ──▶ which operations each rule covers  ┐
            ── runs, watched by oracles.guarantees ──▶ which were broken   ┴─▶ covered but broken: unsound
                                                                           not covered, never broken: a false alarm

A false alarm need not be one: other inputs, or another implementation's choices, may break what these runs did not.
"""

from typing import final

from kit.oracles.guarantees import Guarantees
from reknit.analysis.callgraph import CallGraph
from reknit.analysis.manager import Analyses
from reknit.analysis.tangles.contexts import Contexts
from reknit.analysis.tangles.judge import judge
from reknit.analysis.tangles.operations import WORKGROUP, group_of
from reknit.analysis.tangles.rules import BASE, RULES
from reknit.analysis.tangles.split_tangles import Apart
from reknit.checks.lint.cases import judged
from reknit.checks.lint.launch import Launch
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.walk import instructions
from reknit.sim.policy import GRAPH, Policy
from reknit.sim.run import prepare

MAX_STEPS = 400_000
UNITED = "united"


@final
class Compared:
    """By rule, and for "united": how many operations that ran are not covered, and how many of those were broken.
    `unsound` are texts. Adds up over programs."""

    def __init__(self) -> None:
        self.unsound: list[str] = []
        self.judged = 0
        self.flagged: dict[str, int] = dict.fromkeys((*RULES, UNITED), 0)
        self.shown: dict[str, int] = dict.fromkeys((*RULES, UNITED), 0)

    def note(self, rule: str, flagged: bool, shown: bool, text: str) -> None:
        self.flagged[rule] += flagged
        self.shown[rule] += flagged and shown
        if shown and not flagged:
            self.unsound.append(f"{rule}: {text}")

    def false_alarms(self, rule: str) -> float:
        """The share of the operations not covered that no run has shown broken."""
        return 1 - self.shown[rule] / self.flagged[rule] if self.flagged[rule] else 0.0


@final
class Covered:
    """The static answers about one module's entry points."""

    def __init__(self, module: Module) -> None:
        self.analyses = Analyses(module)
        self.roots = self.analyses.of_module(CallGraph).entry_points
        self._contexts: dict[tuple[str, str], Contexts] = {}
        self._apart: dict[str, Apart] = {}

    def covers(self, rule: str, instr: Instr, function: Function) -> bool:
        group = group_of(instr)
        if rule == UNITED:
            if group not in self._apart:
                self._apart[group] = Apart(self.analyses, group)
            return self._apart[group].why(instr, function) is None
        if group == WORKGROUP and rule != RULES[-1]:
            rule = BASE
        if (rule, group) not in self._contexts:
            self._contexts[rule, group] = Contexts(self.analyses, rule, group, self.roots, [])
        return self._contexts[rule, group].fails(instr, function) is None


def compare_cases(module: Module, sizes: list[int], policies: list[Policy], single: bool) -> tuple[list[str], int]:
    """What a run at one subgroup size shows broken although lint has no finding for that size, and how many findings
    the module has that the size has not. `single`: full subgroups, of which each workgroup is one."""
    unsound: list[str] = []
    spared = 0
    for size in sizes:
        program = prepare(module, subgroup_size=size, assume=GRAPH)
        guarantees = Guarantees(program)
        for policy in policies:
            guarantees.run(policy, max_steps=MAX_STEPS)
        for rule in RULES:
            general = judge(module, Analyses(module), rule)
            launch = Launch(single, (size,))
            flagged = {each.finding.instr: None for each in judged(module, rule, launch)}
            spared += len(general) - len(flagged)
            shown = {**guarantees.broken[rule], **(guarantees.united if rule != RULES[-1] else {})}
            for instr in shown:
                weaker = rule == RULES[1] and group_of(instr) == WORKGROUP  # of which it promises what base does
                if instr not in flagged and not weaker:
                    unsound.append(f"{rule} at {size}: opcode {instr.op} %{instr.name}")
    return unsound, spared


def compare(module: Module, sizes: list[int], policies: list[Policy], total: Compared) -> None:
    """Run the only entry point of `module` at each subgroup size and under each policy; add to `total`."""
    covered = Covered(module)
    broken: dict[str, dict[Instr, None]] = {rule: {} for rule in (*RULES, UNITED)}
    seen: dict[Instr, None] = {}
    for size in sizes:
        for kill in ("terminate", "demote"):
            chosen = [policy for policy in policies if policy.kill == kill]
            if not chosen:
                continue
            program = prepare(module, subgroup_size=size, kill=kill, assume=GRAPH)
            guarantees = Guarantees(program)
            for policy in chosen:
                guarantees.run(policy, max_steps=MAX_STEPS)
            seen.update(guarantees.seen)
            broken[UNITED].update(guarantees.united)
            for rule in RULES:
                broken[rule].update(guarantees.broken[rule])
    for function in module.functions:
        for instr in instructions(function):
            if instr in seen:
                total.judged += 1
                for rule, found in broken.items():
                    text = f"opcode {instr.op} %{instr.name} in @{function.name}"
                    total.note(rule, not covered.covers(rule, instr, function), instr in found, text)
