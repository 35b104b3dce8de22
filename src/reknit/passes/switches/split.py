"""One switch becomes two: the first says which road to take, the second takes it.

    switch v {                           switch v {
      case 0:    a  fallthrough            case 0:    selector = 0; stage = 0
      case 1:    b                         case 1:    selector = 0; stage = 1
      case 2:    c                         case 2:    selector = INT_MIN; c
      default:   d                         default:   selector = 1
    }                                    }
                                  =>     switch selector {
                                           case 0:  if stage <= 0 { a }      a `break` in it leaves this switch
                                                    if stage <= 1 { b }
                                           case 1:  d
                                           default:
                                         }

Lanes that take one road have one selector value, so the road starts with all of them together. At the end of stage k's
`if` those that fall through from stage k meet those that enter at stage k + 1: what left the switch has escaped the
frame of that `if`. A case with one label that nothing falls through to is one tangle already and runs where it was; its
end waits at the end of the first switch, passes through the second one's default, and meets the rest after it, where it
did before. Everything is moved, nothing copied. Source: the two-switch design; specification of reconverged switches,
"The lowering".
"""

from typing import Final, final

from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.build import new_block
from reknit.ir.constants import int_constant
from reknit.ir.crossing import sources
from reknit.ir.edit import append, append_node, clear_jump, insert_node_after, move_run, prepend, set_jump
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.jump import Break
from reknit.ir.module import Module
from reknit.ir.tree import Case, If, Region, Switch
from reknit.ir.types import bool_type, selector_type
from reknit.passes.switches.groups import Group, groups_of
from reknit.passes.variables import local_variable

NO_ROAD: Final = -(1 << 31)  # the selector of lanes that have nothing to run in the second switch
LEFT: Final = (1 << 31) - 1  # the stage of lanes that have left the switch (exit=sentinel)


@final
class Stage:
    """One moved case: `region` holds it now, `guard` is the `if stage <= index` around it (None where all run it)."""

    __slots__ = ("index", "last", "region", "guard")

    def __init__(self, index: int, last: bool, region: Region, guard: If | None) -> None:
        self.index = index
        self.last = last
        self.region = region
        self.guard = guard


@final
class Split:
    """What became of a switch: `dispatch` is the old one, `roads` the new one, `stage` what the guards compare.

    Jumps out of the moved stages still name the old switch and its cases: the caller resolves them.
    """

    __slots__ = ("dispatch", "roads", "stages", "stage", "i32")

    def __init__(self, dispatch: Switch, roads: Switch, stage: Instr, i32: Instr) -> None:
        self.dispatch = dispatch
        self.roads = roads
        self.stages: list[Stage] = []
        self.stage = stage
        self.i32 = i32

    def test(self, module: Module, block: Block, index: int) -> Instr:
        """`stage <= index`, computed at the end of `block`."""
        now = append(block, Instr(op.Load, self.i32, [self.stage]))
        limit = int_constant(module, self.i32, index)
        return append(block, Instr(op.SLessThanEqual, bool_type(module), [now, limit]))

    def assign(self, module: Module, block: Block, value: int) -> None:
        """`stage = value` at the end of `block`."""
        for source in sources(block):
            append(source, Instr(op.Store, None, [self.stage, int_constant(module, self.i32, value)], "", False))


def split_switch(function: Function, module: Module, switch: Switch) -> Split:
    """Take `switch` apart. Costs the number of its cases, and of the nodes directly in those that are moved."""
    i32 = selector_type(module)
    stage = local_variable(function, module, i32, "stage")
    selector = local_variable(function, module, i32, "selector")
    meeting = Block("", True)
    insert_node_after(switch, meeting)
    roads = Switch(append(meeting, Instr(op.Load, i32, [selector])))
    roads.control = list(switch.control)
    insert_node_after(meeting, roads)
    split = Split(switch, roads, stage, i32)
    for group in groups_of(switch):
        number = NO_ROAD
        if not group.straight:
            number = len(roads.cases)
            _pave(split, module, group, _add_case(roads, number))
        _settle_what_stays(switch, group)
        for case, first in group.entries():
            entry = _first_block(case)
            if not group.straight and first >= 0:
                prepend(entry, Instr(op.Store, None, [stage, int_constant(module, i32, first)], "", False))
            road = int_constant(module, i32, number if first >= 0 else NO_ROAD)
            prepend(entry, Instr(op.Store, None, [selector, road], "", False))
    roads.default = _add_case(roads, NO_ROAD)
    roads.targets.pop()
    new_block(roads.default.region)
    return split


def _add_case(switch: Switch, number: int) -> Case:
    case = Case(switch)
    switch.cases.append(case)
    switch.targets.append((number, case))
    return case


def _first_block(case: Case) -> Block:
    return new_block(case.region) if case.region.first is None else case.region.entry()


def _pave(split: Split, module: Module, group: Group, road: Case) -> None:
    """Move the stages of `group` onto its road: each under its guard, or as they are where there is one alone."""
    count = len(group.stages)
    if count == 1:
        case = group.stages[0]
        assert case.region.first is not None and case.region.last is not None
        move_run(case.region.first, case.region.last, road.region)
        split.stages.append(Stage(0, True, road.region, None))
        return
    block = new_block(road.region)
    for index, case in enumerate(group.stages):
        guard = If(split.test(module, block, index))
        append_node(road.region, guard)
        assert case.region.first is not None and case.region.last is not None
        move_run(case.region.first, case.region.last, guard.then)
        new_block(guard.orelse)
        block = new_block(road.region)
        split.stages.append(Stage(index, index == count - 1, guard.then, guard))


def _settle_what_stays(switch: Switch, group: Group) -> None:
    """Cases left in the dispatch switch fall through to nothing: what they would reach has moved, or runs nothing."""
    for case, following in zip(group.cases, group.cases[1:], strict=False):
        if case.region.first is None:
            continue
        for block in list(following.fallthroughs):
            if block is case.region.last:
                clear_jump(block)
            else:
                set_jump(block, Break(switch))
