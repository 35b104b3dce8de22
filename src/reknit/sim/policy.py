"""The freedoms that the extension leaves, and how one run uses them.

    partition     at an OpSwitch, lanes of one case construct are one tangle (label), one per selector value (value), or
                  something between (random:SEED)
    fallthrough   at a label that is reached by fallthrough, tangles meet (always), don't (never), or some of them do
                  (random:SEED); as the source has it (source): they meet in Slang and HLSL, else they don't
    kill          OpKill ends the invocation (terminate) or makes it a helper (demote)
    schedule      which ready tangle runs next: lifo, fifo, random:SEED
    lanes         between tangled instructions, lanes go in step (lockstep), or each for itself (random:SEED)
    quads         a quad in which only helpers are left stays (stay), ends as soon as it may (end), or at some time
                  (random:SEED)
    helpers       helper invocations take part in group operations where they may be considered inactive (active), or
                  don't (inactive), or in some (random:SEED)
    derivatives   those that may be coarse or fine are fine, or coarse, or either (random:SEED)
    grouping      where the rules, base or sucf, don't promise which invocations execute an operation together: those
                  that would with maximal reconvergence (maximal), only those that must (never), all that may (always),
                  or some (random:SEED). For all but the first, partition, fallthrough, schedule and lanes mean nothing
    subgroups     which invocations share a subgroup, and at which SubgroupLocalInvocationId (`sim.packing`); in index
                  order where nothing is said
    assume        in a function without structure, what a loop leads to and doesn't come back from stands behind it
                  (outside) or in it (inside); as graph, lanes that part never meet (`sim.unstructured`)

A list of `choices` overrules partition, fallthrough, quads, helpers and derivatives: each execution of a switch then
chooses for itself (`sim.choices`); and a grouping other than maximal: then each operation does (`sim.loose_machine`).
Source: SPV_KHR_maximal_reconvergence, "Divergence", "Reconvergence" and "Issues", 1; for lanes, SPIR-V 1.6, 2.20 and
2.21 (only tangled instructions synchronise); for quads and helpers, Vulkan, "Helper Invocations"; for derivatives,
Vulkan, "Derivative Operations"; for groupings, SPIR-V 1.6, 2.2.5.
"""

from typing import Final, final

from reknit.sim.packing import parse_packing
from reknit.sim.schedule import Fifo, Lifo, Random, Schedule, Script
from reknit.source.diagnostic import Diagnostic, InputError
from reknit.source.digits import is_decimal

SOURCE: Final = "source"
OUTSIDE: Final = "outside"
INSIDE: Final = "inside"
GRAPH: Final = "graph"


@final
class Policy:
    """`partition`: "label", "value", "random:SEED"; `fallthrough`: "source", "never", "always", "random:SEED";
    `schedule`: "lifo", "fifo", "random:SEED"; `kill`: "terminate" or "demote"; `lanes`: "lockstep", "random:SEED";
    `quads`: "stay", "end", "random:SEED"; `grouping`: "maximal", "never", "always", "random:SEED"; `assume`: "outside",
    "inside", "graph"; `helpers`: "active", "inactive", "random:SEED"; `derivatives`: "fine", "coarse", "random:SEED";
    `subgroups`: "", or as `sim.packing` has it. `choices` overrules partition, fallthrough, quads, helpers, derivatives
    and grouping, `script` the schedule; `apart` has lists of choices by workgroup and subgroup, -1 for all of a
    workgroup. Raises InputError (RK1006) for anything else."""

    __slots__ = (
        "partition", "fallthrough", "schedule", "kill", "choices", "script", "lanes", "quads", "grouping", "assume",
        "helpers", "derivatives", "subgroups", "apart",
    )  # fmt: skip

    def __init__(
        self,
        partition: str = "label",
        fallthrough: str = SOURCE,
        schedule: str = "lifo",
        kill: str = "terminate",
        choices: list[int] | None = None,
        script: list[int] | None = None,
        lanes: str = "lockstep",
        quads: str = "stay",
        grouping: str = "maximal",
        assume: str = OUTSIDE,
        helpers: str = "active",
        derivatives: str = "fine",
        subgroups: str = "",
        apart: dict[tuple[int, int], list[int]] | None = None,
    ) -> None:
        _check("partition", partition, ["label", "value", "random:SEED"])
        _check("fallthrough", fallthrough, [SOURCE, "never", "always", "random:SEED"])
        _check("schedule", schedule, ["lifo", "fifo", "random:SEED"])
        _check("kill", kill, ["terminate", "demote"])
        _check("lanes", lanes, ["lockstep", "random:SEED"])
        _check("quads", quads, ["stay", "end", "random:SEED"])
        _check("grouping", grouping, ["maximal", "never", "always", "random:SEED"])
        _check("assume", assume, [OUTSIDE, INSIDE, GRAPH])
        _check("helpers", helpers, ["active", "inactive", "random:SEED"])
        _check("derivatives", derivatives, ["fine", "coarse", "random:SEED"])
        _check_numbers("choices", choices)
        _check_numbers("script", script)
        for numbers in (apart or {}).values():
            _check_numbers("apart", numbers)
        self.partition = partition
        self.fallthrough = fallthrough
        self.schedule = schedule
        self.kill = kill
        self.choices = choices if apart is None else []
        self.apart = apart
        self.script = script
        self.lanes = lanes
        self.quads = quads
        self.grouping = grouping
        self.assume = assume
        self.helpers = helpers
        self.derivatives = derivatives
        self.subgroups = str(parse_packing(subgroups)) if subgroups else ""
        others = (partition, fallthrough, schedule, lanes, script)
        if self.is_loose() and others != ("label", SOURCE, "lifo", "lockstep", None):
            message = f"partition, fallthrough, schedule and lanes do not go with grouping {grouping!r}"
            help = "leave them out, or the grouping: they are of tangles as with maximal reconvergence"
            raise InputError([Diagnostic("RK1006", message, None, help=help)])

    def is_loose(self) -> bool:
        """Whether lanes are grouped by other promises than those of maximal reconvergence."""
        return self.grouping != "maximal"

    def joining(self, language: str) -> str:
        """`fallthrough` for a module that was made of a text in `language`, "" if of none that says more than SPIR-V:
        "never", "always", "random:SEED"."""
        if self.fallthrough != SOURCE:
            return self.fallthrough
        return "always" if language else "never"

    def but(
        self, schedule: str | None = None, lanes: str | None = None, script: list[int] | None = None
    ) -> "Policy":
        """The same choices, with another order of tangles or lanes."""
        return Policy(
            self.partition,
            self.fallthrough,
            self.schedule if schedule is None else schedule,
            self.kill,
            self.choices,
            self.script if script is None else script,
            self.lanes if lanes is None else lanes,
            self.quads,
            self.grouping,
            self.assume,
            self.helpers,
            self.derivatives,
            self.subgroups,
            self.apart,
        )

    def packed(self, subgroups: str) -> "Policy":
        """The same choices, with invocations in other subgroups."""
        if subgroups == self.subgroups:
            return self
        policy = self.but()
        policy.subgroups = subgroups
        return policy

    def make_schedule(self) -> Schedule:
        if self.script is not None:
            return Script(self.script)
        if self.schedule == "lifo":
            return Lifo()
        if self.schedule == "fifo":
            return Fifo()
        return Random(int(self.schedule[7:]))

    def __repr__(self) -> str:
        return f"<{self}>"

    def __str__(self) -> str:
        parts = [f"partition {self.partition}", f"fallthrough {self.fallthrough}"]
        if self.choices is not None:
            parts = [f"choices {self.choices}"]
        if self.apart is not None:
            parts = [f"choices {script} of {owner_text(owner)}" for owner, script in self.apart.items()]
        parts.extend([f"schedule {self.schedule}", f"kill {self.kill}"])
        if self.lanes != "lockstep":
            parts.append(f"lanes {self.lanes}")
        if self.quads != "stay":
            parts.append(f"quads {self.quads}")
        if self.helpers != "active":
            parts.append(f"helpers {self.helpers}")
        if self.derivatives != "fine":
            parts.append(f"derivatives {self.derivatives}")
        if self.is_loose():
            parts.append(f"grouping {self.grouping}")
        if self.subgroups:
            parts.append(f"subgroups {self.subgroups}")
        if self.assume != OUTSIDE:
            parts.append(f"assume {self.assume}")
        return ", ".join(parts)


def owner_text(owner: tuple[int, int]) -> str:
    """The maker of choices: a workgroup, or a subgroup of one."""
    group, subgroup = owner
    return f"workgroup {group}" if subgroup < 0 else f"workgroup {group}, subgroup {subgroup}"


def _check(option: str, given: object, allowed: list[str]) -> None:
    if isinstance(given, str):
        for form in allowed:
            if given == form or (form == "random:SEED" and given.startswith("random:") and is_decimal(given[7:])):
                return
    raise InputError(
        [Diagnostic("RK1006", f"{option} {given!r} is not known", None, help=f"one of {', '.join(allowed)}")]
    )


def _check_numbers(option: str, given: object) -> None:
    if given is None:
        return
    if isinstance(given, list) and all(isinstance(one, int) and one >= 0 for one in given):
        return
    raise InputError([Diagnostic("RK1006", f"{option} {given!r} is no list of whole numbers from 0 on", None)])
