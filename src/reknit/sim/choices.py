"""What a run chooses wherever the extension leaves a choice, and which choices can show at all.

    a tangle executes an OpSwitch       which selector values of a label are one tangle: a partition of the values
    tangles are at a label that is      which of them go on as one: a partition of the tangles; those that the switch
    reached by fallthrough              sends there are one a selector value
    a quad holds only helpers           whether it ends now

Each execution chooses for itself: an implementation may inline and unroll, and then each call path and each copied
iteration has a switch of its own. A choice of a script is a number, taken in the order in which the run comes to them;
beyond the script it is 0: one tangle a label, all tangles at a label meet, quads stay.

A label matters if a tangled instruction may be executed between it and the place where the lanes meet again in any
case: the merge block, or what an enclosing frame waits for. Where none is, no choice can show, and none is asked for.
Source: SPV_KHR_maximal_reconvergence, "Divergence" and "Reconvergence".
"""

import random
from typing import Final, final

from reknit.ir import traits
from reknit.sim.code import CodeBlock, SwitchEnd, entered_from, targets_of
from reknit.sim.counting import bell, partition
from reknit.sim.faults import bits_of
from reknit.sim.policy import Policy

SHARED: Final = -1

Owner = tuple[int, int]
"""Whose choice it is: a workgroup, and the subgroup of it that has all lanes that it is about, or SHARED."""

NOTHING: Final = 0
PARTITION: Final = 1
MEETS: Final = 2


@final
class Decision:
    """One choice at a label of switch `end`, which was executed for the `execution`-th time (from 0). Things of one of
    `classes` are one tangle: selector values (`meeting` False), or the masks of tangles that are at the label."""

    __slots__ = ("end", "execution", "label", "meeting", "things", "classes", "owner")

    def __init__(
        self,
        end: SwitchEnd,
        execution: int,
        label: int,
        meeting: bool,
        things: list[int],
        classes: list[int],
        owner: Owner,
    ) -> None:
        self.end = end
        self.execution = execution
        self.label = label
        self.meeting = meeting
        self.things = things
        self.classes = classes
        self.owner = owner

    def label_name(self) -> str:
        """`default`, or the label's literals."""
        return self.end.label_name(self.label)

    def groups(self) -> list[list[int]]:
        """The selector values, or the lanes, of each class."""
        members: dict[int, list[int]] = {}
        for thing, kind in zip(self.things, self.classes, strict=True):
            members.setdefault(kind, []).extend(bits_of(thing) if self.meeting else [thing])
        return [sorted(group) for group in members.values()]

    def to_json(self) -> dict[str, object]:
        return {
            "switch": self.end.name,
            "number": self.end.number,
            "execution": self.execution,
            "label": self.label_name(),
            "tangles" if self.meeting else "values": self.groups(),
        }


@final
class Choices:
    """The choices of one run. `widths` says of each choice of a script how many alternatives there were; `decisions`
    are those made at switches. `stakes` says by switch what can be chosen at each of its labels: NOTHING that shows, a
    PARTITION of its values, or which lanes MEET there, which covers its values too; it is kept from run to run.
    `owners` are those of `widths`; `group` is the workgroup that runs, in subgroups of `size`."""

    __slots__ = (
        "code", "stakes", "script", "apart", "splitting", "joining", "widths", "owners", "decisions", "group", "size",
        "_executions", "_taken",
    )  # fmt: skip

    def __init__(
        self,
        policy: Policy,
        code: list[CodeBlock],
        stakes: dict[int, list[int]],
        language: str = "",
        size: int = 1,
    ) -> None:
        self.code = code
        self.stakes = stakes
        self.script = policy.choices
        self.splitting = policy.partition
        self.joining = policy.joining(language)
        self.apart = policy.apart
        self.widths: list[int] = []
        self.owners: list[Owner] = []
        self.decisions: list[Decision] = []
        self.group = 0
        self.size = size
        self._executions: dict[int, int] = {}
        self._taken: dict[Owner, int] = {}

    def take(self, width: int, subgroup: int = SHARED) -> int:
        """The next number of the script, below `width`: of the script of the subgroup, or of the workgroup, where
        these have their own."""
        assert self.script is not None
        script = self.script
        at = len(self.widths)
        self.widths.append(width)
        self.owners.append((self.group, subgroup))
        if self.apart is not None:
            owner = (self.group, subgroup if (self.group, subgroup) in self.apart else SHARED)
            script = self.apart.get(owner, [])
            at = self._taken.get(owner, 0)
            self._taken[owner] = at + 1
        return script[at] % width if at < len(script) else 0

    def subgroup_of(self, first: int, last: int) -> int:
        """That of lanes from `first` to `last`, SHARED where they are in several."""
        return first // self.size if first // self.size == last // self.size else SHARED

    def begin(self, end: SwitchEnd) -> int:
        """A tangle executes a switch. Gives how often the switch was executed before."""
        count = self._executions.get(end.number, 0)
        self._executions[end.number] = count + 1
        return count

    def is_new(self, end: SwitchEnd) -> bool:
        """Whether `look_at` must be called before anything is asked about a switch."""
        return self.script is not None and end.number not in self.stakes

    def look_at(self, end: SwitchEnd, waiting: list[int]) -> None:
        """Find out where a choice can show. `waiting` are the code blocks that frames of this call wait at."""
        stakes = [PARTITION if reaches_tangled(self.code, edge.target, waiting) else NOTHING for edge in end.edges]
        for chain in end.chains:
            for label in chain[1:]:
                stakes[label] = MEETS if stakes[label] else NOTHING
        self.stakes[end.number] = stakes

    def keeps_labels_whole(self, end: SwitchEnd) -> bool:
        """Whether all lanes that a switch sends to one label are one tangle."""
        return not any(self.stakes[end.number]) if self.script is not None else self.splitting == "label"

    def may_meet(self, end: SwitchEnd, label: int) -> bool:
        """Whether tangles may meet at a label that is reached by fallthrough."""
        return self.stakes[end.number][label] == MEETS if self.script is not None else self.joining != "never"

    def of_values(self, end: SwitchEnd, execution: int, label: int, lanes: dict[int, list[int]]) -> list[int]:
        """The class of each selector value that goes to a label, of which `lanes` has the lanes, ascending."""
        values = list(lanes)
        count = len(values)
        if count == 1:
            return [0]
        ends = [each[0] for each in lanes.values()] + [each[-1] for each in lanes.values()]
        subgroup = self.subgroup_of(min(ends), max(ends))
        if self.script is None:
            classes = list(range(count)) if self.splitting == "value" else _drawn(self.splitting, end, label, values)
        elif self.stakes[end.number][label] == PARTITION:
            classes = partition(count, self.take(bell(count), subgroup))
        else:
            return [0] * count if self.stakes[end.number][label] == NOTHING else list(range(count))
        self.decisions.append(Decision(end, execution, label, False, values, classes, (self.group, subgroup)))
        return classes

    def of_tangles(self, end: SwitchEnd, execution: int, label: int, tangles: list[int]) -> list[int]:
        """The class of each tangle that is at a label, as masks in the order of their first lanes."""
        count = len(tangles)
        if count == 1:
            return [0]
        subgroup = self.subgroup_of(
            min([(mask & -mask).bit_length() for mask in tangles]) - 1, max([mask.bit_length() for mask in tangles]) - 1
        )
        if self.script is not None:
            classes = partition(count, self.take(bell(count), subgroup))
        else:
            classes = [0] * count if self.joining == "always" else _drawn(self.joining, end, label, tangles)
        self.decisions.append(Decision(end, execution, label, True, tangles, classes, (self.group, subgroup)))
        return classes


def _drawn(setting: str, end: SwitchEnd, label: int, things: list[int]) -> list[int]:
    """A partition by a seed: the same whenever the same things are at the same label, in whatever order it comes."""
    return partition(
        len(things), random.Random(f"{setting}/{end.number}/{label}/{things}").randrange(bell(len(things)))
    )


def reaches_tangled(code: list[CodeBlock], start: int, waiting: list[int]) -> bool:
    """Whether a tangled instruction may be executed from code block `start` on, before control comes to one of
    `waiting` or leaves the function."""
    seen = dict.fromkeys(waiting)
    if start in seen:
        return False
    seen[start] = None
    work = [start]
    while work:
        block = code[work.pop()]
        if any(instr.op in traits.TANGLED for instr in block.instrs):
            return True
        for following in [*targets_of(block), *entered_from(block)]:
            if following not in seen:
                seen[following] = None
                work.append(following)
    return False
