"""The freedoms that the extension leaves, and how one run uses them.

    partition     at an OpSwitch, lanes of one case construct are one tangle (label) or one per selector value (value)
    fallthrough   at a label that is fallen into, lanes meet (always), don't (never), or some do (random:SEED)
    kill          OpKill ends the invocation (terminate) or makes it a helper (demote)
    schedule      which ready tangle runs next: lifo, fifo, random:SEED
    lanes         between tangled instructions, lanes go in step (lockstep), or each for itself (random:SEED)
    quads         a quad in which only helpers are left stays (stay), ends as soon as it may (end), or at some time
                  (random:SEED)

Partition and fallthrough hold for a whole run, since the extension makes them "deterministic for a given
compilation"; a run may set them for single switches. Source: SPV_KHR_maximal_reconvergence, "Divergence" and
"Issues", 1; for lanes, SPIR-V 1.6, 2.20 and 2.21 (only tangled instructions synchronise); for quads, Vulkan,
"Helper Invocations".
"""

import random
from typing import final

from reknit.sim.schedule import Fifo, Lifo, Random, Schedule, Script
from reknit.source.diagnostic import Diagnostic, InputError


@final
class SwitchChoice:
    """For one switch: `classes` gives a selector value its class (values of one class and one label are one tangle; a
    value that isn't in it is a class of its own), None means one class; `joins` are the labels at which falling lanes
    meet."""

    __slots__ = ("classes", "joins")

    def __init__(self, classes: dict[int, int] | None, joins: list[int]) -> None:
        self.classes = classes
        self.joins = joins


@final
class Policy:
    """`partition`: "label" or "value"; `fallthrough`: "never", "always", "random:SEED"; `schedule`: "lifo", "fifo",
    "random:SEED"; `kill`: "terminate" or "demote"; `lanes`: "lockstep", "random:SEED"; `quads`: "stay", "end",
    "random:SEED". `switches` overrules partition and fallthrough by switch number, `script` the schedule, and `ends`
    the quads. Raises InputError (RK1006) for anything else."""

    __slots__ = ("partition", "fallthrough", "schedule", "kill", "switches", "script", "lanes", "quads", "ends")

    def __init__(
        self,
        partition: str = "label",
        fallthrough: str = "never",
        schedule: str = "lifo",
        kill: str = "terminate",
        switches: dict[int, SwitchChoice] | None = None,
        script: list[int] | None = None,
        lanes: str = "lockstep",
        quads: str = "stay",
        ends: list[int] | None = None,
    ) -> None:
        _check("partition", partition, ["label", "value"])
        _check("fallthrough", fallthrough, ["never", "always", "random:SEED"])
        _check("schedule", schedule, ["lifo", "fifo", "random:SEED"])
        _check("kill", kill, ["terminate", "demote"])
        _check("lanes", lanes, ["lockstep", "random:SEED"])
        _check("quads", quads, ["stay", "end", "random:SEED"])
        self.partition = partition
        self.fallthrough = fallthrough
        self.schedule = schedule
        self.kill = kill
        self.switches: dict[int, SwitchChoice] = switches if switches is not None else {}
        self.script = script
        self.lanes = lanes
        self.quads = quads
        self.ends = ends

    def choice(self, switch: int, chains: list[list[int]]) -> SwitchChoice:
        """What holds for switch number `switch`, whose labels fall through as `chains` say."""
        given = self.switches.get(switch)
        if given is not None:
            return given
        joins: list[int] = []
        if self.fallthrough != "never":
            for chain in chains:
                for label in chain[1:]:
                    if self.fallthrough == "always" or _coin(self.fallthrough, switch, label):
                        joins.append(label)
        return SwitchChoice(None if self.partition == "label" else {}, joins)

    def make_schedule(self) -> Schedule:
        if self.script is not None:
            return Script(self.script)
        if self.schedule == "lifo":
            return Lifo()
        if self.schedule == "fifo":
            return Fifo()
        return Random(int(self.schedule[7:]))

    def __str__(self) -> str:
        parts = [f"partition {self.partition}", f"fallthrough {self.fallthrough}", f"schedule {self.schedule}"]
        parts.append(f"kill {self.kill}")
        if self.lanes != "lockstep":
            parts.append(f"lanes {self.lanes}")
        if self.quads != "stay":
            parts.append(f"quads {self.quads}")
        return ", ".join(parts)


def _coin(setting: str, switch: int, label: int) -> bool:
    return random.Random(f"{setting}/{switch}/{label}").random() < 0.5


def _check(option: str, given: str, allowed: list[str]) -> None:
    for form in allowed:
        if given == form or (form == "random:SEED" and given.startswith("random:") and given[7:].isdecimal()):
            return
    raise InputError(
        [Diagnostic("RK1006", f"{option} {given!r} is not known", None, help=f"one of {', '.join(allowed)}")]
    )
