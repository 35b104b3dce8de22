"""All results that the extension allows: run a program under every way to use its freedoms.

    switch s, values 0, 1, 2 seen       partitions of the values of each label  {1}{2} | {1 2}
                                        labels that falling lanes meet at       {} | {default}
    OpKill, if there is any             terminate | demote
    quads of nothing but helpers        before each tangled instruction that they would take part in: end | stay
    order of tangles, and of lanes      one order if no two accesses to shared memory conflict, else a sample of orders
    between tangled instructions

Only switches where it can matter count: those with several values for one label that does something, or with a
fallthrough. A choice holds for a switch and a selector value in the whole dispatch ("deterministic for a given
compilation"), and at a label either all lanes that fall or branch there meet or none do (the extension's "may include
a subset" has no such word; a compilation that joins some tangles at a label and not others is not looked for). Values
are those that were seen in any run; when a run shows new ones, there are more choices, until nothing new appears.
"""

from collections.abc import Mapping
from typing import Any, Final, final

from reknit.ir import op
from reknit.ir.module import Module
from reknit.ir.walk import instructions
from reknit.sim.builtins import Triple
from reknit.sim.code import CodeBlock, Goto, Leave, SwitchEnd
from reknit.sim.counting import bell, choice_numbers, following_script, partition
from reknit.sim.entry import find_entry, function_of_entry, reached_functions
from reknit.sim.faults import STEP_LIMIT, describe, lane_list
from reknit.sim.policy import Policy, SwitchChoice
from reknit.sim.run import MAX_STEPS, Program, Result, prepare
from reknit.source.report import as_json

MOST_VALUES: Final = 32  # selector values of a switch that are told apart
ORDERS: Final = ("lifo", "fifo", "random:1", "random:2", "random:3", "random:4")
LANE_ORDERS: Final = ("random:1", "random:2", "random:3", "random:4")  # of the lanes of a tangle, where one can show
MOST_RUNS: Final = 512


@final
class Outcome:
    """One allowed result, and the policy of a run that gave it."""

    __slots__ = ("result", "policy", "choices")

    def __init__(self, result: Result, policy: Policy, choices: dict[str, object]) -> None:
        self.result = result
        self.policy = policy
        self.choices = choices

    def words(self, name: str) -> list[int]:
        return self.result.buffers[name].words

    def to_json(self) -> dict[str, object]:
        return {
            "buffers": {name: buffer.to_json() for name, buffer in self.result.buffers.items()},
            "diagnostics": [as_json(diagnostic) for diagnostic in self.result.diagnostics],
            "witness": {
                "schedule": "script" if self.policy.script is not None else self.policy.schedule,
                "script": self.policy.script,
                "lanes": self.policy.lanes,
                "kill": self.policy.kill,
                "quads": "script" if self.policy.ends is not None else self.policy.quads,
                "ends": self.policy.ends,
                "switches": self.choices,
            },
        }


@final
class Outcomes:
    """`exhaustive`: no other result is allowed, for these inputs. `coverage` says in words what was gone through."""

    __slots__ = ("exhaustive", "coverage", "outcomes", "runs")

    def __init__(self, exhaustive: bool, coverage: str, outcomes: list[Outcome], runs: int) -> None:
        self.exhaustive = exhaustive
        self.coverage = coverage
        self.outcomes = outcomes
        self.runs = runs

    def __repr__(self) -> str:
        count = len(self.outcomes)
        return f"<{count} outcome{'' if count == 1 else 's'}, {'' if self.exhaustive else 'not '}exhaustive>"

    def to_json(self) -> dict[str, object]:
        return {
            "exhaustive": self.exhaustive,
            "coverage": self.coverage,
            "outcomes": [outcome.to_json() for outcome in self.outcomes],
        }


@final
class FreeSwitch:
    """A switch where the freedoms can show: `falls` are the labels that are fallen into, `busy` those that do
    something. `overflow`: there were more values than are told apart."""

    __slots__ = ("end", "falls", "busy", "values", "overflow")

    def __init__(self, end: SwitchEnd, falls: list[int], busy: list[int]) -> None:
        self.end = end
        self.falls = falls
        self.busy = busy
        self.values: list[int] = []
        self.overflow = False

    def shared_labels(self) -> list[list[int]]:
        """The values seen of each busy label that has more than one."""
        found: list[list[int]] = []
        for label in self.busy:
            values = [value for value in self.values if self.end.cases.get(value, self.end.default) == label]
            if len(values) > 1:
                found.append(values)
        return found

    def count(self) -> int:
        """How many choices there are."""
        total = 1 << len(self.falls)
        for values in self.shared_labels():
            total *= bell(len(values))
        return total

    def choice(self, number: int) -> SwitchChoice:
        """Choice 0 .. count() - 1; 0 is one tangle a label and no joins."""
        joins = [label for place, label in enumerate(self.falls) if number >> place & 1]
        number >>= len(self.falls)
        classes: dict[int, int] = {}
        fresh = 0
        for values in self.shared_labels():
            ways = bell(len(values))
            parts = partition(len(values), number % ways)
            number //= ways
            for place, value in enumerate(values):
                classes[value] = fresh + parts[place]
            fresh += len(values)
        for value in self.values:
            classes.setdefault(value, fresh)
        return SwitchChoice(classes, joins)

    def describe(self, choice: SwitchChoice) -> dict[str, object]:
        """A choice for a reader: the groups of values, and the labels that lanes meet at by their literals."""
        groups: dict[tuple[int, int], list[int]] = {}
        for value in self.values:
            label = self.end.cases.get(value, self.end.default)
            kind = 0 if choice.classes is None else choice.classes.get(value, ~value)
            groups.setdefault((label, kind), []).append(value)
        joins: list[str] = []
        for label in choice.joins:
            literals = [str(literal) for literal in self.end.literals[label]]
            joins.append("default" if label == self.end.default else ", ".join(literals))
        return {"groups": list(groups.values()), "joins": joins}


def free_switches(code: list[CodeBlock]) -> list[FreeSwitch]:
    found: list[FreeSwitch] = []
    for block in code:
        end = block.end
        if isinstance(end, SwitchEnd):
            falls = [label for chain in end.chains for label in chain[1:]]
            busy: list[int] = []
            for label, edge in enumerate(end.edges):
                if edge.moves is not None or does_something(code, edge.target, block.merge):
                    busy.append(label)
            found.append(FreeSwitch(end, falls, busy))
    return found


def does_something(code: list[CodeBlock], at: int, merge: int) -> bool:
    """Whether there is more between code block `at` and the merge block than empty blocks."""
    seen: dict[int, None] = {}
    while at != merge:
        block = code[at]
        end = block.end
        if isinstance(end, Leave) and not block.steps:
            return end.moves is not None
        if block.steps or at in seen or not isinstance(end, Goto) or block.merge >= 0 or block.loop_merge >= 0:
            return True
        seen[at] = None
        at = end.edge.target
    return False


@final
class Search:
    """The state of going through the choices: what was found, and what stands against its being all."""

    __slots__ = (
        "groups", "buffers", "push_constants", "max_steps", "limit", "found", "runs", "conflict", "sampled", "cut",
        "combinations", "deaths", "fresh",
    )  # fmt: skip

    def __init__(
        self, groups: Triple, buffers: Mapping[str, Any], push_constants: Any, max_steps: int, limit: int
    ) -> None:
        self.groups = groups
        self.buffers = buffers
        self.push_constants = push_constants
        self.max_steps = max_steps
        self.limit = limit
        self.found: dict[object, Outcome] = {}
        self.runs = 0
        self.conflict = ""
        self.sampled = 0
        self.cut = False
        self.combinations = 0
        self.deaths = 0  # runs in which quads of helpers ended or stayed in another way
        self.fresh = False  # whether a switch has just seen a value for the first time

    def go_through(self, program: Program, kill: str) -> None:
        """All choices of the switches of one program, more when new selector values turn up."""
        switches = free_switches(program.code)
        done = 0
        while True:
            before = [switch.count() for switch in switches]
            total = 1
            for switch in switches:
                total *= switch.count()
            if total > self.limit or any(switch.overflow for switch in switches):
                self.cut = True
            for number in choice_numbers(total, self.limit):
                if not self.try_choice(program, switches, number, kill):
                    break  # new values were seen: the choices have new numbers
            done = total
            if [switch.count() for switch in switches] == before:
                break
        self.combinations += done

    def try_choice(self, program: Program, switches: list[FreeSwitch], number: int, kill: str) -> bool:
        """Run one combination under all orders that can matter. False if a switch saw a value for the first time."""
        chosen: dict[int, SwitchChoice] = {}
        for switch in switches:
            ways = switch.count()
            chosen[switch.end.number] = switch.choice(number % ways)
            number //= ways
        policy = Policy(kill=kill, switches=chosen)
        self.fresh = False
        result = self.once(program, policy, switches)
        if result.conflict is not None or result.failed():
            if result.conflict is not None:
                self.conflict = result.conflict.where
            for order in ORDERS[1:]:
                self.once(program, Policy(schedule=order, kill=kill, switches=chosen), switches)
            for order in LANE_ORDERS:
                self.once(program, Policy(lanes=order, kill=kill, switches=chosen), switches)
        if result.conflict is not None:
            self.all_orders(program, chosen, kill, switches)
        if program.preparation.may_demote:
            self.all_ends(program, chosen, kill, switches)
        return not self.fresh

    def all_ends(
        self, program: Program, chosen: dict[int, SwitchChoice], kill: str, switches: list[FreeSwitch]
    ) -> None:
        """Each quad of helpers ends at each time when that can show, or never, up to the limit."""
        ends: list[int] | None = []
        for _ in range(self.limit):
            if ends is None:
                return
            result = self.once(program, Policy(kill=kill, switches=chosen, ends=ends), switches)
            self.deaths += 1
            ends = following_script(ends, [2] * result.decisions)
        self.cut = self.cut or ends is not None

    def all_orders(
        self, program: Program, chosen: dict[int, SwitchChoice], kill: str, switches: list[FreeSwitch]
    ) -> None:
        """Orders of whole code blocks, one after another, up to the limit."""
        script: list[int] | None = []
        for _ in range(self.limit):
            if script is None or self.runs >= 4 * self.limit:
                break
            result = self.once(program, Policy(kill=kill, switches=chosen, script=script), switches)
            script = following_script(script, result.widths)
            self.sampled += 1

    def gave_up(self) -> bool:
        """Whether a run came to the step limit: what it would have stored is not known."""
        return any(one.code == STEP_LIMIT for outcome in self.found.values() for one in outcome.result.diagnostics)

    def once(self, program: Program, policy: Policy, switches: list[FreeSwitch]) -> Result:
        self.runs += 1
        result = program.run(policy, self.groups, self.buffers, self.push_constants, self.max_steps)
        self.fresh = learn(switches, result) or self.fresh
        parts: list[object] = [result.finished]
        for name in sorted(result.buffers):
            parts.append((name, tuple(result.buffers[name].words)))
        parts.append(tuple([d.code for d in result.diagnostics if d.code != "RK1017"]))
        key = tuple(parts)
        if key not in self.found:
            choices: dict[str, object] = {}
            for switch in switches:
                choice = policy.switches.get(switch.end.number)
                if choice is not None and switch.count() > 1:
                    choices[f"{switch.end.number} ({switch.end.name})"] = switch.describe(choice)
            if result.ended:
                choices["quads"] = [f"{lane_list(lanes)} end before {describe(instr)}" for lanes, instr in result.ended]
            self.found[key] = Outcome(result, policy, choices)
        return result


def learn(switches: list[FreeSwitch], result: Result) -> bool:
    """Remember the selector values that were seen; True if that gives more choices than there were."""
    more = False
    for switch in switches:
        before = switch.count()
        for value in result.observed.get(switch.end.number, []):
            if value not in switch.values:
                if len(switch.values) < MOST_VALUES:
                    switch.values.append(value)
                else:
                    switch.overflow = True
        more = more or switch.count() != before
    return more


def outcomes(
    module: Module,
    entry: str | None = None,
    *,
    groups: Triple = (1, 1, 1),
    subgroup_size: int = 32,
    buffers: Mapping[str, Any] | None = None,
    push_constants: Any = None,
    spec: Mapping[Any, float] | None = None,
    max_steps: int = MAX_STEPS,
    limit: int = MOST_RUNS,
) -> Outcomes:
    """The set of allowed results for these inputs. `limit` bounds how many combinations of choices are tried; where
    there are more, or where the order of tangles can show, the result is a sample and says so."""
    search = Search(groups, buffers if buffers is not None else {}, push_constants, max_steps, limit)
    kills = ["terminate", "demote"] if has_kill(module, entry) else ["terminate"]
    for kill in kills:
        program = prepare(module, entry, subgroup_size=subgroup_size, spec=spec, kill=kill, races=True)
        search.go_through(program, kill)
    noun = "combination" if search.combinations == 1 else "combinations"
    text = f"{search.combinations} {noun} of switch and kill choices"
    if search.deaths:
        text += f", {search.deaths} ways for quads of helpers to end"
    if search.cut:
        text = f"a sample of {limit} of {text}"
    if search.conflict:
        text += (
            f"; the order of tangles and lanes can show ({search.conflict}): {len(ORDERS)} orders of tangles, "
            f"{search.sampled} of whole blocks and {len(LANE_ORDERS)} of lanes were tried"
        )
    else:
        text += "; no conflicting accesses, so the order of tangles can't show"
    if search.gave_up():
        text += f"; runs were given up after {max_steps} instructions"
    whole = not search.cut and not search.conflict and not search.gave_up()
    return Outcomes(whole, text, list(search.found.values()), search.runs)


def has_kill(module: Module, entry: str | None) -> bool:
    function = function_of_entry(find_entry(module, entry))
    for reached in reached_functions(module, function):
        for instr in instructions(reached):
            if instr.op == op.Kill:
                return True
    return False
