"""All results that the rules allow: run a program with every choice that they leave open.

maximal (MaximallyReconvergesKHR)

    each execution of a switch          partitions of the values of each label  {1 2} | {1}{2}
    labels reached by fallthrough       partitions of the tangles that arrive   {a b c} | {a b}{c} | {a c}{b} | ...
base, sucf (SPIR-V alone, SubgroupUniformControlFlowKHR)

    a tangled instruction that lanes    partitions of the classes  {a b c} | {a b}{c} | ...     (`sim.loose_machine`)
    reach in several classes

by any rules

    quads of nothing but helpers        before each tangled instruction that they would take part in: stay | end
    group operations of fragment        which helper invocations are considered inactive (`sim.step_choices`)
    shaders
    derivatives, implicit samples       fine | coarse
    OpKill, if there is any             terminate | demote
    loops of functions without          what the input doesn't place stands behind the loop | in it
    structure
    invocations in subgroups            in index order, or, if asked, each packing that shows (`sim.packing`)
    order of tangles, and of lanes      one order if no two accesses to shared memory conflict, else a sample of orders
    between tangled instructions

What else the rules leave open is in the ledger of freedoms (docs/freedoms.md). `Outcomes.open` lists the rows that the
entry point brings in and that are not gone through here: only where there is none is no other result allowed.

A run asks for its choices one after another (`sim.choices`) and says how many alternatives there were, so that counting
up the last of them first goes through all. "This behavior is deterministic for a given compilation" fixes no single
choice for a switch that is executed several times: a compilation may inline and unroll.
"""

import random
from collections.abc import Callable, Mapping
from functools import partial
from math import prod
from typing import Any, Final, TypeVar, final

from reknit.analysis.freedoms import Ledger, Open, Seen, ledger
from reknit.analysis.tangles.rules import DECLARED, MAXIMAL, PROMISERS
from reknit.ir import op
from reknit.ir.freedoms import Treatment
from reknit.ir.module import Module
from reknit.ir.walk import instructions
from reknit.sim.budget import LIMIT, MAX_WAYS, MIN_SHARE, Budget, shortly
from reknit.sim.builtins import Origin, Triple
from reknit.sim.choices import Owner
from reknit.sim.counting import following_script
from reknit.sim.drawing import Drawing
from reknit.sim.entry import COMPUTE, find_entry, function_of_entry, models_of, reached_functions
from reknit.sim.factors import Asking, Factor, factors_of, put_together
from reknit.sim.faults import DATA_RACE, DIVERGENT_BARRIER, OUT_OF_BOUNDS, STEP_LIMIT, UNDEFINED_RESULT, describe
from reknit.sim.float_bounds import FloatBounds, float_bounds, is_bounded, sets_key
from reknit.sim.float_watch import FloatWatch
from reknit.sim.float_ways import FloatWays
from reknit.sim.packing import Space, packings_of, parse_packing
from reknit.sim.packing_shown import space_of
from reknit.sim.policy import INSIDE, OUTSIDE, Policy
from reknit.sim.result import Result
from reknit.sim.run import MAX_STEPS, Program, prepare
from reknit.sim.step_choices import COUNTED, KINDS, TAKEN
from reknit.sim.unwritten import UNWRITTEN
from reknit.source.diagnostic import Diagnostic, InputError
from reknit.source.interrupt import Exceeded
from reknit.source.report import as_json

Answer = TypeVar("Answer", str, Open)

ORDERS: Final = ("lifo", "fifo", "random:1", "random:2", "random:3", "random:4")
LANE_ORDERS: Final = ("random:1", "random:2", "random:3", "random:4")  # of the lanes of a tangle, where one can show
CORNERS: Final = (("label", "always"), ("label", "never"), ("value", "never"), ("value", "always"))
WAYS: Final = (("active", "fine"), ("inactive", "coarse"))  # what all operations may do alike
INDEX: Final = "index"
ANY: Final = "any"
PACKINGS: Final = (INDEX, ANY)
MAPPING: Final = "subgroup-mapping"  # the row of the ledger
OTHER_DRAWS: Final = "no invocations of other draws in its subgroups"
HAPPENS: Final = {OUT_OF_BOUNDS: "outside", UNDEFINED_RESULT: "undefined", UNWRITTEN: "undefined"}
"""What a fault of a run is called in the ledger of freedoms."""
BESIDE: Final = (UNDEFINED_RESULT, DATA_RACE)
"""What tells of a run and makes no other outcome of it: an undefined value, as words that depend on one are undefined
themselves, and a data race."""


@final
class Outcome:
    """One allowed result, and the policy of a run that gave it."""

    __slots__ = ("result", "policy")

    def __init__(self, result: Result, policy: Policy) -> None:
        self.result = result
        self.policy = policy

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        from reknit.source.shown import shown

        return shown(self)

    def __repr__(self) -> str:
        """`<result = 42 42 40 40, by partition label, ...>`: the first words of each buffer, and the policy."""
        return f"<{self.result.summary()}, by {self.policy}>"

    def words(self, name: str) -> list[int]:
        return self.result.buffers[name].words

    def has_undefined(self) -> bool:
        """Whether something in it may be anything."""
        return any(buffer.undefined for buffer in self.result.buffers.values()) or self.result.has_open_outputs()

    def to_json(self) -> dict[str, object]:
        framebuffer = self.result.framebuffer
        return {
            "buffers": {name: buffer.to_json() for name, buffer in self.result.buffers.items()},
            **({} if framebuffer is None else {"framebuffer": framebuffer.to_json()}),
            "diagnostics": [as_json(diagnostic) for diagnostic in self.result.diagnostics],
            "witness": {
                "schedule": "script" if self.policy.script is not None else self.policy.schedule,
                "script": self.policy.script,
                "lanes": self.policy.lanes,
                "kill": self.policy.kill,
                "partition": self.policy.partition,
                "fallthrough": self.policy.fallthrough,
                "grouping": self.policy.grouping,
                "choices": self.policy.choices,
                **({"apart": apart_json(self.policy.apart)} if self.policy.apart is not None else {}),
                "helpers": self.policy.helpers,
                "derivatives": self.policy.derivatives,
                "assume": self.policy.assume,
                **({"subgroups": self.policy.subgroups} if self.policy.subgroups else {}),
                "switches": [decision.to_json() for decision in self.result.decisions],
                "groupings": [grouped.to_json() for grouped in self.result.grouped],
                "quads": [{"lanes": lanes, "before": describe(instr)} for lanes, instr in self.result.ended],
                "chosen": self.result.chosen,
            },
        }


def apart_json(apart: dict[Owner, list[int]]) -> list[dict[str, object]]:
    """The choices of each workgroup, or subgroup of one, that makes them for itself."""
    return [
        {"workgroup": group, **({"subgroup": subgroup} if subgroup >= 0 else {}), "choices": script}
        for (group, subgroup), script in apart.items()
    ]


@final
class Outcomes:
    """`whole`: all choices of a run were gone through, and the order of invocations doesn't show. `open` is what else
    the rules leave open, by `ledgers`, `bounded` what lets floats be others within `bounds`, and `given` what the
    question fixed. `exhaustive`: by `rules`, no other result is allowed for these inputs, and what was given.
    `coverage` says in words what was gone through. `stopped` is what ended the search early, which the caller raises
    again. `undefined_reached` are the branches and addresses that undefined values decided, in words. `packings` is how
    many packings of invocations into subgroups were tried, and how many are allowed; 0 if the question was of one."""

    __slots__ = (
        "rules", "whole", "ledgers", "open", "given", "coverage", "outcomes", "runs", "stopped", "undefined_reached",
        "factors", "sampled", "packings", "bounds", "bounded", "spent",
    )  # fmt: skip

    def __init__(
        self,
        rules: str,
        whole: bool,
        ledgers: list[Ledger],
        size: int,
        coverage: str,
        outcomes: list[Outcome],
        runs: int,
        stopped: BaseException | None,
        undefined_reached: list[str],
        bounds: FloatBounds | None = None,
    ) -> None:
        self.rules = rules
        self.whole = whole
        self.ledgers = ledgers
        self.bounds = bounds
        self.open = self.left_open("outcomes")
        self.bounded: list[Open] = []
        if bounds is not None:
            loose = bounds.loose
            self.bounded = in_order(ledgers, lambda each: each.bounded("outcomes", loose))
        self.given = [text.format(size=size) for text in in_order(ledgers, lambda each: each.given("outcomes"))]
        self.coverage = coverage
        self.outcomes = outcomes
        self.runs = runs
        self.stopped = stopped
        self.undefined_reached = undefined_reached
        self.factors: list[tuple[Owner, list[Outcome]]] = []
        self.sampled: list[Open] = []  # of whose choices some were gone through
        self.spent: Diagnostic | None = None  # that the budget ended before the choices did
        self.packings = (0, 0)  # how many were tried, and how many there are; none if the question is of one

    @property
    def exhaustive(self) -> bool:
        return self.whole and not self.open and not self.bounded

    def left_open(self, verb: str) -> list[Open]:
        """What `verb`, which asked for these outcomes, can't decide by them."""
        loose = self.bounds.loose if self.bounds is not None else None
        return in_order(self.ledgers, lambda each: each.open(verb, loose))

    def tolerated(self, verb: str) -> list[Open]:
        """What lets the floats of a result differ from these outcomes, within bounds."""
        return in_order(self.ledgers, lambda each: each.tolerated(verb))

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        from reknit.source.shown import shown

        return shown(self)

    def __repr__(self) -> str:
        count = len(self.outcomes)
        return f"<{count} outcome{'' if count == 1 else 's'}, {'' if self.exhaustive else 'not '}exhaustive>"

    def to_json(self) -> dict[str, object]:
        return {
            "rules": self.rules,
            "exhaustive": self.exhaustive,
            "open": [each.to_json() for each in self.open],
            **({"sampled": [each.to_json() for each in self.sampled]} if self.sampled else {}),
            **({"bounded": [each.to_json() for each in self.bounded]} if self.bounded else {}),
            **({"bounds": self.bounds.to_json()} if self.bounds is not None else {}),
            "given": self.given,
            "coverage": self.coverage,
            **({"spent": as_json(self.spent)} if self.spent is not None else {}),
            **({"packings": {"tried": self.packings[0], "allowed": self.packings[1]}} if self.packings[1] else {}),
            **({"factors": [len(ways) for _, ways in self.factors]} if self.factors else {}),
            **({"undefined_reached": self.undefined_reached} if self.undefined_reached else {}),
            "outcomes": [outcome.to_json() for outcome in self.outcomes],
        }


@final
class Search:
    """The state of going through the choices: what was found, and what stands against its being all. `budget` is
    what it may use."""

    __slots__ = (
        "groups", "buffers", "push_constants", "max_steps", "budget", "outcomes", "conflict", "sampled", "cut",
        "demotes", "switches", "kills", "rules", "exact", "ordered", "origin", "unstructured", "undetermined",
        "language", "chose", "seen", "factors", "stops", "undefined_reached", "packing", "packings", "allowed", "tried",
        "share", "bounding", "codes", "floats", "many_ways",
    )  # fmt: skip

    def __init__(
        self,
        groups: Triple,
        buffers: Mapping[str, Any],
        push_constants: Any,
        max_steps: int,
        limit: int,
        origin: Origin | None = None,
    ) -> None:
        self.groups = groups
        self.origin = origin
        self.buffers = buffers
        self.push_constants = push_constants
        self.max_steps = max_steps
        self.budget = Budget(limit)
        self.outcomes: dict[object, Outcome] = {}
        self.conflict = ""
        self.sampled = 0
        self.cut = False
        self.demotes = False  # quads of helpers had a choice
        self.switches = False  # a switch had one
        self.kills = False  # OpKill had one
        self.chose: dict[str, None] = {}  # what instructions left open (`step_choices.KINDS`)
        self.rules = MAXIMAL
        self.language = ""  # of the text that the module was made of
        self.codes: dict[str, None] = {}  # of the diagnostics of all runs
        self.ordered = False  # the orders of a loose run were tried
        self.exact = True  # False where what is one iteration is not defined
        self.unstructured: dict[str, None] = {}  # functions that were run as the trees that `structurize` gives them
        self.stops = False  # at the first run that comes to the step limit
        self.undetermined = 0  # loops that these leave open: both assumptions are tried, each for all that is open
        self.undefined_reached: dict[str, None] = {}  # branches and addresses that undefined values decided
        self.factors: list[tuple[Owner, list[Outcome]]] = []  # by part: of whose outcomes these are the product
        self.seen: Seen = {}  # what happened in the runs, for the ledger of freedoms
        self.packing = ""  # of the runs that are made now; "" if it isn't asked about
        self.packings: list[str] = []  # which are gone through
        self.allowed = 0  # how many there are
        self.tried = 0
        self.share = 0  # of the combinations, for the packing that is gone through now
        self.bounding = False  # floats are followed as sets, which are part of an outcome
        self.floats: list[FloatWays] = []  # of the programs that are run
        self.many_ways = False  # a packing leaves float operations more than are gone through

    def all_of(self, make: Callable[[str, str], Program], kills: list[str]) -> None:
        """Everything that a module may do; `make` prepares it for what OpKill does and what is assumed."""
        self.kills = self.kills or len(kills) > 1
        for kill in kills:
            self.both(partial(make, kill), kill)

    def both(self, make: Callable[[str], Program], kill: str) -> None:
        """What a module may do, whatever of that is assumed which the input leaves open."""
        program = make(OUTSIDE)
        self.go_through(program, kill, OUTSIDE)
        self.unstructured.update(dict.fromkeys(program.unstructured))
        self.undetermined = program.undetermined()
        if self.undetermined:
            self.seen.setdefault("undetermined", {})
            self.go_through(make(INSIDE), kill, INSIDE)

    def each_packing(self, make: Callable[[str, str, str], Program], kills: list[str]) -> None:
        """Everything that a module may do with its invocations in subgroups as `packings` has it, by which, what OpKill
        does and what is assumed `make` prepares it. Each packing gets a share of the combinations that are left."""
        for packing in self.packings:
            share = self.budget.share(len(self.packings) - self.tried)
            if self.tried and not share or self.is_spent():
                break
            self.packing = packing
            self.share = share or MIN_SHARE
            self.tried += 1
            self.all_of(partial(make, packing), kills)

    def most(self) -> int:
        """How many combinations to try at once."""
        return self.share if self.packings else self.budget.limit

    def is_packed(self) -> bool:
        """Whether all packings were gone through, or the question is of one."""
        return self.tried == self.allowed

    def is_whole(self) -> bool:
        """Whether there is no other outcome."""
        known = not self.cut and self.is_packed()
        return known and not self.conflict and not self.gave_up() and not self.undetermined

    def go_through(self, program: Program, kill: str, assume: str) -> None:
        """All lists of choices of a run, counting up, or a sample where there are more than the limit."""
        self.demotes = self.demotes or program.preparation.may_demote
        self.rules = program.rules
        self.language = program.module.language
        grouping = "maximal"
        if self.rules != MAXIMAL and program.loose().is_tangled:
            grouping = "always"
            self.exact = self.exact and program.loose().positions.exact
            self.cut = self.cut or not self.exact

        def policy_of(script: list[int], apart: dict[Owner, list[int]] | None = None) -> Policy:
            return Policy(kill=kill, choices=script, grouping=grouping, assume=assume, apart=apart)

        takes = self.takes_ways(program, policy_of([]))
        apart = factors_of(self, program, policy_of) if not self.bounding and not takes else None
        if apart is not None and apart[0] and put_together(self, program, apart[0], policy_of):
            if not self.packing:
                self.factors = [(factor.owner, outcomes_of(factor, policy_of)) for factor in apart[0]]
            self.budget.combinations += apart[1]
            self.budget.estimate += apart[1]
            return
        limit = self.most()
        script: list[int] | None = []
        ways: list[int] = []
        estimate = tried = 0
        budget = self.budget
        while script is not None and tried < limit and not budget.is_hopeless(estimate, limit) and not self.is_spent():
            first = apart[2] if apart is not None and not script else None  # which has been run
            result = self.orders(program, policy_of(script), first)
            ways = result.ways
            estimate = max(estimate, prod(ways))
            tried += 1
            script = following_script(script, ways)
        if script is not None:
            self.cut = budget.ended = True
            rest = max(limit - tried, limit // 4, len(CORNERS))
            loose = grouping != "maximal"
            alike = WAYS if program.stage.quads else WAYS[:1]
            if loose:
                others = sampled_groupings(kill, assume, rest, alike)
            else:
                others = sampled_policies(kill, assume, len(ways), rest, alike)
            for policy in others:
                if self.is_spent():
                    break
                self.orders(program, policy)
                tried += 1
        elif self.conflict and grouping == "maximal":
            for policy in sampled_policies(kill, assume, len(ways), len(CORNERS)):
                self.orders(program, policy)
        budget.combinations += tried
        budget.estimate += estimate if script is not None else tried

    def takes_ways(self, program: Program, policy: Policy) -> bool:
        """Whether what float operations may give is gone through: where that are few ways together. Where a packing has
        many, the others are not asked."""
        choices = program.preparation.step_choices
        choices.float_ways = ""
        ways = next((each for each in self.floats if each.program is program and each.wrapped), None)
        if self.bounding or self.many_ways or ways is None:
            return False
        ways.work = 0
        choices.float_ways = COUNTED
        result = program.run(
            policy, self.groups, self.buffers, self.push_constants, self.max_steps, origin=self.origin
        )
        few = choices.float_count * prod(result.ways) <= min(MAX_WAYS, self.most()) and result.conflict is None
        self.many_ways = bool(self.packing) and not few
        choices.float_ways = TAKEN if few and choices.float_count > 1 else ""
        return choices.float_ways == TAKEN

    def is_spent(self) -> bool:
        """Whether there were so many runs that more choices, each in all orders, would tell little: where orders show,
        what is found is a sample in any case."""
        if self.stops and "unfinished" in self.seen:
            return True
        return bool(self.conflict) and self.budget.has_run_out()

    def orders(self, program: Program, policy: Policy, known: Result | None = None) -> Result:
        """Run with one list of choices, under all orders that can matter; `known` is the run in the first order."""
        result = known if known is not None else self.once(program, policy)
        if result.conflict is not None or result.failed():
            if result.conflict is not None:
                self.conflict = result.conflict.where
            if policy.is_loose():  # orders are those of tangles, as with maximal reconvergence
                if self.ordered:
                    return result
                self.ordered = True
                policy = Policy(kill=policy.kill, assume=policy.assume)
                self.once(program, policy)
            for order in ORDERS[1:]:
                self.once(program, policy.but(schedule=order))
            for order in LANE_ORDERS:
                self.once(program, policy.but(lanes=order))
        if result.conflict is not None:
            script: list[int] | None = []  # orders of whole code blocks, one after another
            for _ in range(self.budget.limit):
                if script is None or self.is_spent():
                    break
                script = following_script(script, self.once(program, policy.but(script=script)).widths)
                self.sampled += 1
        return result

    def gave_up(self) -> bool:
        """Whether a run came to the step limit: what it would have stored is not known."""
        return STEP_LIMIT in self.codes

    def once(self, program: Program, policy: Policy, trace: bool = False) -> Result:
        self.budget.runs += 1
        result = program.run(
            policy, self.groups, self.buffers, self.push_constants, self.max_steps, trace, self.origin
        )
        self.note(program, result)
        self.switches = self.switches or bool(result.decisions)
        self.cut = self.cut or bool(result.partial)
        self.chose.update(program.preparation.step_choices.kinds)
        self.add(result, policy)
        return result

    def add(self, result: Result, policy: Policy) -> None:
        parts: list[object] = [result.finished]
        for name in sorted(result.buffers):
            parts.append((name, result.buffers[name].contents()))
        if result.framebuffer is not None:
            parts.append(result.framebuffer.contents())
        parts.append(tuple([d.code for d in result.diagnostics if d.code not in BESIDE]))
        if self.bounding:
            parts.append(sets_key(result))
        self.outcomes.setdefault(tuple(parts), Outcome(result, policy.packed(self.packing)))

    def note(self, program: Program, result: Result) -> None:
        """What of a run brings rows of the ledger in, and which diagnostics it had, also if its outcome is known."""
        self.codes.update(dict.fromkeys([diagnostic.code for diagnostic in result.diagnostics]))
        for code, instr in program.faults.findings:
            if code in HAPPENS:
                self.seen.setdefault(HAPPENS[code], {})[instr] = None
            if code == UNDEFINED_RESULT:
                self.seen.setdefault("undefined-behavior", {})[instr] = None
        for instr in program.faults.unreachable_met:
            self.seen.setdefault("undefined-behavior", {})[instr] = None
        for instr in program.faults.differing:
            self.seen.setdefault("not-uniform", {})[instr] = None
        for buffer in result.buffers.values():
            for source in buffer.undefined.values():
                self.seen.setdefault("undefined", {})[source.instr] = None
        for reached in result.reached:
            self.seen.setdefault("undefined", {})[reached.source.instr] = None
            if reached.is_open():
                self.seen.setdefault("undefined-way", {})[reached.at] = None
                self.undefined_reached[reached.text()] = None
        if result.conflict is not None:
            for touch in (result.conflict.first, result.conflict.second):
                self.seen.setdefault("conflict", {})[touch.instr] = None
        if any(diagnostic.code == DIVERGENT_BARRIER for diagnostic in result.diagnostics):
            self.seen.setdefault("not-uniform", {})
        elif not result.finished and not program.faults.unreachable_met:
            self.seen.setdefault("unfinished", {})

    def _kinds(self) -> list[str]:
        """Of the choices that there were."""
        grouped = "grouping" if self.rules != MAXIMAL else "switch" if self.switches else ""
        kinds = ["packing" * bool(self.packings), grouped, "quad" * self.demotes]
        kinds += [kind for kind in KINDS if kind in self.chose]
        return [kind for kind in [*kinds, "kill" * self.kills] if kind]

    def coverage(self) -> str:
        """In words, what was gone through."""
        tried, estimate = self.budget.combinations, self.budget.estimate
        text = f"{tried} combination{'s' * (tried != 1)}"
        if not self.exact:
            text = f"a sample of {text}, since control flow that is not reducible leaves open what is one iteration,"
        elif self.cut:
            about = f" of about {shortly(estimate)}" if estimate > tried else ""
            text = f"a sample of {tried}{about} combinations"
        kinds = self._kinds()
        if kinds:
            text += f" of {' and '.join([', '.join(kinds[:-1]), kinds[-1]] if kinds[1:] else kinds)} choices"
        elif tried == 1:
            text = "1 run, since the rules leave no choice of which lanes are together"
        if self.rules != MAXIMAL:
            text += f" by {PROMISERS[self.rules]}"
        if self.switches:
            text += ", chosen anew at each execution of a switch"
            if self.language:
                text += f" as SPIR-V has it (in {self.language} all lanes at a label are together: what compile leaves)"
        if self.factors:
            product = " x ".join([str(len(ways)) for _, ways in self.factors])
            parts = {"workgroup" if subgroup < 0 else "subgroup" for (_, subgroup), _ in self.factors}
            text += f", of each {' and '.join(sorted(parts))} for itself, since they share no memory: {product}"
        if self.packings:
            some = "all " * (self.allowed > 1) if self.is_packed() else f"{self.tried} of about "
            each = f"packing{'s' * (self.allowed != 1)} of invocations into subgroups"
            text += f"; {some}{shortly(self.allowed)} {each} {'were' if self.tried > 1 else 'was'} tried"
        if self.unstructured:
            names = ", ".join([f"@{name}" for name in self.unstructured])
            text += f"; {names} without structure, run as the tree that structurize makes"
        if self.undetermined:
            loops = f"{self.undetermined} loops" if self.undetermined > 1 else "a loop"
            text += f"; the input leaves open what belongs to {loops} (RK2501): tried outside and inside"
            text += ", not some outside and others inside" if self.undetermined > 1 else ""
        if self.conflict:
            text += (
                f"; the order of tangles and lanes can show ({self.conflict}): {len(ORDERS)} orders of tangles, "
                f"{self.sampled} of whole blocks and {len(LANE_ORDERS)} of lanes were tried"
            )
        else:
            text += "; no conflicting accesses, so the order of tangles does not matter"
        if self.undefined_reached:
            more = f", and {len(self.undefined_reached) - 1} more" if len(self.undefined_reached) > 1 else ""
            text += f"; undefined values were taken as zero: {next(iter(self.undefined_reached))}{more}"
        return text + (f"; runs were given up after {self.max_steps} instructions" if self.gave_up() else "")


def sampled_policies(
    kill: str, assume: str, length: int, count: int, alike: tuple[tuple[str, str], ...] = WAYS[:1]
) -> list[Policy]:
    """`count` of them: the corners, with helpers and derivatives in each of the ways `alike`, then in turn one that
    chooses alike wherever a switch sees the same, and one that chooses anew at each of `length` places."""
    policies = [
        Policy(partition, fallthrough, kill=kill, assume=assume, helpers=helpers, derivatives=derivatives)
        for partition, fallthrough in CORNERS[:count]
        for helpers, derivatives in alike
    ][:count]
    for seed in range(count - len(policies)):
        draws = random.Random(seed)
        same = f"random:{seed}"
        if seed % 2 == 0:
            policies.append(
                Policy(same, same, kill=kill, quads=same, assume=assume, helpers=same, derivatives=same)
            )
        else:
            script = [draws.randrange(1 << 62) for _ in range(length)]
            policies.append(Policy(kill=kill, choices=script, assume=assume))
    return policies


def sampled_groupings(kill: str, assume: str, count: int, alike: tuple[tuple[str, str], ...]) -> list[Policy]:
    """`count` of them: what maximal reconvergence would make, as few and as many lanes together as may be, and some."""
    corners = [
        Policy(kill=kill, grouping=grouping, assume=assume, helpers=helpers, derivatives=derivatives)
        for grouping in ("maximal", "never", "always")
        for helpers, derivatives in alike
    ]
    some = [f"random:{seed}" for seed in range(count)]
    others = [Policy(kill=kill, grouping=same, assume=assume, helpers=same, derivatives=same) for same in some]
    return [*corners, *others][:count]


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
    limit: int = LIMIT,
    rules: str = DECLARED,
    unwritten: bool = False,
    keep_stopped: bool = False,
    drawing: Drawing | None = None,
    packing: str = INDEX,
    full_subgroups: bool = False,
) -> Outcomes:
    """The set of results that are allowed for these inputs by the rules that the entry point declares, or by others.
    `limit` bounds how many combinations of choices are tried; where there are more, or where the order of tangles can
    show, the result is a sample and says so. With `unwritten`, reads of what nothing has written are diagnostics. With
    `keep_stopped` an interrupt, or a limit that is exceeded, ends the search with what it found so far. `drawing` is
    what a fragment shader draws. `packing`: invocations fill subgroups in the order of their indices ("index"), or in
    any way that Vulkan allows ("any"), of which a sample is tried where there are more than the limit.
    `full_subgroups`: the pipeline requires full subgroups (`sim.packing`)."""
    search = Search(groups, buffers if buffers is not None else {}, push_constants, max_steps, limit)
    kills = ["terminate", "demote"] if has_kill(module, entry, models_of(drawing)) else ["terminate"]
    if packing not in PACKINGS:
        message = f"packing {packing!r} is not known"
        raise InputError([Diagnostic("RK1006", message, help=f"one of {', '.join(PACKINGS)}")])

    def make(subgroups: str, kill: str, assume: str) -> Program:
        return prepare(
            module,
            entry,
            subgroup_size=subgroup_size,
            spec=spec,
            kill=kill,
            races=True,
            unwritten=unwritten,
            rules=rules,
            assume=assume,
            drawing=drawing,
            bound=search.buffers,
            subgroups=subgroups,
        )

    programs: list[Program] = []
    watches: list[FloatWatch] = []

    packed: dict[tuple[str, str, int], Program] = {}  # by how many lanes their subgroups take

    def watched(subgroups: str, kill: str, assume: str) -> Program:
        if subgroups:
            packing = parse_packing(subgroups)
            key = (kill, assume, packing.lanes(subgroup_size))
            if key in packed:
                packed[key].pack_again(packing)
                return packed[key]
        program = make(subgroups, kill, assume)
        if subgroups:
            packed[key] = program
        if all(program.module is not each.module for each in programs):
            programs.append(program)
        search.floats.append(FloatWays(program))
        watches.append(FloatWatch(program.preparation, program.code))
        return program

    space = None
    if packing == ANY or full_subgroups:
        space = space_of(make("", kills[0], OUTSIDE), full_subgroups)
    stopped: BaseException | None = None
    try:
        if packing == ANY and space is not None and not space.is_single():
            packings, _, search.allowed = packings_of(space, prod(groups), limit)
            search.packings = [str(each) for each in packings]
            search.each_packing(watched, kills)
        else:
            search.all_of(partial(watched, ""), kills)
    except (KeyboardInterrupt, Exceeded) as asked:
        if not keep_stopped or not search.outcomes:
            raise
        stopped = asked
        search.cut = True
    whole = search.is_whole()
    coverage = search.coverage() if stopped is None else f"stopped after {search.budget.runs} runs"
    for watch in watches:
        watch.tell(search.seen)
    ledgers = ledgers_of(programs, search, drawing)
    space = space if space is not None else space_of(programs[0], False)
    left = packing_rows(ledgers, space, search, drawing is not None)
    every = list(search.outcomes.values())
    reached = list(search.undefined_reached)
    bounds: FloatBounds | None = None
    if whole and stopped is None and not search.packings and is_bounded(programs, ledgers, search.budget.runs):
        sets = Search(groups, search.buffers, push_constants, max_steps, limit)
        bounds = float_bounds(sets, partial(make, ""), kills)
        if bounds is not None:
            bounds.blame(ledgers)
    result = Outcomes(
        search.rules, whole, ledgers, subgroup_size, coverage, every, search.budget.runs, stopped, reached, bounds
    )
    if search.cut:
        result.sampled = in_order(ledgers, lambda each: each.enumerated("outcomes"))
    result.sampled.extend([each for each in left if str(each) not in map(str, result.sampled)])
    result.packings = (search.tried, search.allowed)
    result.spent = search.budget.spent() if stopped is None else None
    if prod([len(ways) for _, ways in search.factors]) == len(every):
        result.factors = search.factors
    return result


def packing_rows(ledgers: list[Ledger], space: Space, search: Search, drawn: bool) -> list[Open]:
    """Have the row of packings say what became of it: gone through, or closed where there is but one. Gives it where
    not all were gone through."""
    left: list[Open] = []
    for each in ledgers:
        row = each.applied.get(MAPPING)
        if row is None:
            continue
        if space.is_single():
            del each.applied[MAPPING]
        elif search.packings:
            row.instead = Treatment("given", OTHER_DRAWS) if drawn else Treatment("enumerated", "")
            if not search.is_packed():
                left.append(Open(MAPPING, row.freedom.title, each.shown(list(row.places))))
    return left


def outcomes_of(factor: Factor, policy_of: Asking) -> list[Outcome]:
    """Those of one part, with the first choices of the others."""
    return [Outcome(way.result, policy_of([], {factor.owner: way.script})) for way in factor.ways.values()]


def ledgers_of(programs: list[Program], search: Search, drawing: Drawing | None) -> list[Ledger]:
    """The ledger of freedoms of each module that was run: a function without structure is run as a copy."""
    ledgers: list[Ledger] = []
    for module in dict.fromkeys(program.module for program in programs):
        program = next(each for each in programs if each.module is module)
        point = find_entry(module, program.name, models_of(drawing))
        functions = reached_functions(module, function_of_entry(point))
        invocations = prod(program.size) * prod(search.groups) if drawing is None else 0
        ledgers.append(ledger(module, point, functions, search.rules, invocations=invocations, seen=search.seen))
    return ledgers


def in_order(ledgers: list[Ledger], ask: Callable[[Ledger], list[Answer]]) -> list[Answer]:
    """The answers of several ledgers, each once."""
    answers = {str(answer): answer for each in ledgers for answer in ask(each)}
    return list(answers.values())


def has_kill(module: Module, entry: str | None, models: tuple[int, ...] = COMPUTE) -> bool:
    function = function_of_entry(find_entry(module, entry, models), True)
    for reached in reached_functions(module, function):
        for instr in instructions(reached):
            if instr.op == op.Kill:
                return True
    return False
