"""The roads of a lowered switch: cases that fall through to one another make a group, what they run are its stages.

    case 0: a  fallthrough ─┐                      group 0:  stage 0  a     entered by case 0
    case 1:    fallthrough  ├ one chain                      stage 1  c     entered by cases 1 and 2
    case 2: c               ┘
    case 3: d               one label, alone       straight: runs right after dispatch
    default:                nothing to run         straight
"""

from typing import final

from reknit.ir.tree import Case, Switch
from reknit.passes.switches.shapes import does_nothing


@final
class Group:
    """One selector value's worth: `cases` fall through to one another in this order, `stages` have something to run.

    `straight`: it needs no road of its own, because one selector value at most gets here and nothing is reached by
    fallthrough.
    """

    __slots__ = ("cases", "stages", "straight")

    def __init__(self, cases: list[Case], stages: list[Case], straight: bool) -> None:
        self.cases = cases
        self.stages = stages
        self.straight = straight

    def entries(self) -> list[tuple[Case, int]]:
        """Each case with the first stage that it runs; -1 if it runs none."""
        entries: list[tuple[Case, int]] = []
        stage = 0
        for case in self.cases:
            entries.append((case, stage if stage < len(self.stages) else -1))
            if stage < len(self.stages) and self.stages[stage] is case:
                stage += 1
        return entries


def groups_of(switch: Switch) -> list[Group]:
    """The cases of `switch`, in order, cut where nothing falls through. Costs their number."""
    labels = switch.labels()
    chains: list[list[Case]] = []
    for case in switch.cases:
        if case.fallthroughs and chains:
            chains[-1].append(case)
        else:
            chains.append([case])
    groups: list[Group] = []
    for chain in chains:
        stages = [case for case in chain if not does_nothing(case)]
        group = Group(chain, stages, not stages)
        if len(stages) == 1:
            values = 0
            for case, stage in group.entries():
                if stage == 0:
                    values += 2 if case is switch.default else len(labels[case])
            group.straight = values <= 1 and stages[0] is chain[0]
        groups.append(group)
    return groups
