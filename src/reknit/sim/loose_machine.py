"""The machine of what is promised without maximal reconvergence: by SPIR-V alone, or of each subgroup.

    at %stay    classes {0 1} {2 3}     lanes at one position, in the classes that are one dynamic instance for sure
                  | ballot              a choice: {0 1} {2 3}, or {0 1 2 3}
                classes {0 1 2 3}       those that were united stay together while they follow the same path

Rules, with the sentences of SPIR-V 1.6, 2.2.5:

    1  "all invocations execute the same dynamic instance of the first instruction": one class
    2  "Invocations will continue to execute the same dynamic instances as long as they follow the same control-flow
       path": only a branch splits a class; an OpSwitch also by the selector's value, since not even
       SPV_KHR_maximal_reconvergence promises that different values stay together
    3  "Invocations that have taken different control flow paths may resume executing the same dynamic instances if
       their execution reaches the same static instruction": right before a tangled instruction any classes at one
       position (`positions`) may be united. Before any other instruction it can't show, and can be made up for later
    4  "If control flow is uniform upon entry into a structured loop or selection, and all invocations leave that loop
       or selection via the header block's declared merge block, then control flow reconverges to be uniform": where
       the workgroup, or with SubgroupUniformControlFlowKHR a subgroup, was one class at the header and all of it comes
       to the merge block, it is one class there
    5  "Unless otherwise indicated, the only reconvergence conditions are those": no other join is promised

Those at the smallest position run first, so that all that may be united are there. Every set of classes that an
implementation may come to is one that some list of choices leads to: uniting later, or not at all, leaves more open
than uniting before.
"""

import random
from heapq import heappop, heappush
from typing import Final, final

from reknit.analysis.tangles.operations import QUAD, WORKGROUP, group_of
from reknit.ir import traits
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.value import Value
from reknit.sim import code as ends
from reknit.sim.choices import Choices
from reknit.sim.classes import united, within
from reknit.sim.code import Call, CodeBlock, DynamicCall, Edge, Goto, Leave, Split, SwitchEnd
from reknit.sim.counting import bell, partition
from reknit.sim.crowds import Activation, Crowd
from reknit.sim.faults import Faults, Stop, describe
from reknit.sim.frames import CALL, END, Frame, Tangle
from reknit.sim.interleaving import Careful
from reknit.sim.lanes import lanes_in
from reknit.sim.loose_code import Grouped, LooseCode
from reknit.sim.policy import Policy
from reknit.sim.positions import Position
from reknit.sim.registers import no_lanes
from reknit.sim.shadow.state import Tracker
from reknit.sim.trace import Trace, Way, table_name
from reknit.source.diagnostic import InternalError
from reknit.source.meter import spend

MAX_KEPT: Final = 64  # choices of one run that are kept for a reader


@final
class LooseMachine:
    """Runs one workgroup after another. `uniform` are the sizes of the groups that rule 4 speaks of. `grouped` keeps
    the first choices that were made."""

    __slots__ = (
        "code", "policy", "faults", "max_steps", "trace", "careful", "choices", "loose", "positions", "size", "lanes",
        "steps", "ran", "tracker", "dispatched", "called", "grouped", "uniform", "_alive", "_groups",
        "_waiting", "_heap", "_open", "_random", "_lanes",
    )  # fmt: skip

    def __init__(
        self,
        code: list[CodeBlock],
        loose: LooseCode,
        policy: Policy,
        faults: Faults,
        max_steps: int,
        trace: Trace | None,
        careful: Careful | None,
        choices: Choices,
        lanes: int,
        size: int,
        uniform: list[int],
        tracker: Tracker | None = None,
    ) -> None:
        self.code = code
        self.tracker = tracker
        self.policy = policy
        self.faults = faults
        self.max_steps = max_steps
        self.trace = trace
        self.careful = careful
        self.choices = choices
        self.loose = loose
        self.positions = loose.positions
        self.size = size
        self.lanes = lanes
        self.steps = 0
        self.ran = 0
        self.dispatched: dict[Instr, dict[Instr, None]] = {}
        self.called: dict[Instr, dict[tuple[Instr | None, Function], None]] = {}
        self.grouped: list[Grouped] = []
        self._alive = 0
        self._groups: list[int] = []
        self.uniform = uniform
        self._waiting: dict[Position, Crowd] = {}
        self._heap: list[Position] = []
        self._open: dict[int, list[int]] = {}  # by construct: the groups that entered it as one class
        self._random = random.Random(policy.grouping)
        self._lanes: dict[int, list[int]] = {}

    def run(self, entry: int, present: list[int]) -> None:
        """Run one workgroup, whose lanes are `present`, from code block `entry`. Raises `Stop` where it can't go on."""
        mask = sum([1 << lane for lane in present])
        self._groups.clear()
        for width in self.uniform:
            for first in range(0, self.lanes, width):
                group = mask & ((1 << width) - 1) << first
                if group and group not in self._groups:
                    self._groups.append(group)
        self._waiting.clear()
        self._heap.clear()
        self._open.clear()
        self._alive = mask
        self._add(self.positions.start((), entry), entry, [mask], None)
        while self._heap:
            position = heappop(self._heap)
            crowd = self._waiting.pop(position)
            if crowd.classes:
                self._execute(position, crowd)

    # --- one code block -----------------------------------------------------------------------------------------------

    def _execute(self, position: Position, crowd: Crowd) -> None:
        here = self.code[crowd.at]
        if len(crowd.classes) > 1 and crowd.at in self.loose.merges:
            crowd.classes = self._met(crowd.at, crowd.classes, self._meet(crowd.at, crowd.classes), "the merge block")
        self.ran += 1
        spend(1)
        self.steps += (len(here.steps) + 1) * len(crowd.classes)
        if self.steps > self.max_steps:
            self._add(position, crowd.at, crowd.classes, crowd.call)
            raise Stop(self.faults.step_limit(self.steps, [], self._tangles()))
        mask = crowd.mask()
        if self.trace is not None:
            for part in crowd.classes:
                self.trace.ran(self.ran, part, crowd.at, _frame_of(crowd))
        self._run_steps(here, crowd, mask)
        mask = crowd.mask()
        if not mask:
            return
        if here.loop_merge >= 0 and not self.positions.comes_back(position, here):
            self._enter(~here.number, mask, crowd.classes)
        if here.merge >= 0:
            self._enter(here.number, mask, crowd.classes)
        end = here.end
        if isinstance(end, Goto):
            self._follow(end.edge, position, crowd, crowd.classes)
        elif isinstance(end, Split):
            self._split(end, position, crowd)
        elif isinstance(end, SwitchEnd):
            self._switch(end, position, crowd)
        elif isinstance(end, Call):
            if end.moves is not None:
                end.moves(self.lanes_of(mask))
            activation = Activation(position, crowd.at, end.back, crowd.call)
            self._add(self.positions.start(position, end.entry), end.entry, crowd.classes, activation)
        elif isinstance(end, DynamicCall):
            self._dispatch(end, position, crowd, mask)
        elif isinstance(end, Leave):
            self._leave(end, crowd, mask)
        else:
            raise InternalError(f"code block {here.number} has no end")

    def _run_steps(self, here: CodeBlock, crowd: Crowd, mask: int) -> None:
        if len(crowd.classes) == 1 and self.careful is None:
            lanes = self.lanes_of(mask)
            weight = 1 + (len(lanes) >> 3)
            for step in here.steps:
                spend(weight)
                step(lanes)
            return
        for instr, steps in self.loose.cut(here):
            if instr is None:
                lanes = self.lanes_of(mask)
                weight = 1 + (len(lanes) >> 3)
                for step in steps:
                    spend(weight)
                    step(lanes)
                continue
            if self.careful is not None:
                mask = self.careful.end_quads(self, mask, instr)
                crowd.classes = [part & mask for part in crowd.classes if part & mask]
            if instr.op in traits.JUDGED:
                crowd.classes = self._met(crowd.at, crowd.classes, self._choose(instr, crowd.classes), describe(instr))
            for part in crowd.classes:
                spend(1)
                steps[0](self.lanes_of(part))

    # --- uniting ------------------------------------------------------------------------------------------------------

    def _enter(self, construct: int, mask: int, classes: list[int]) -> None:
        """A merge instruction is executed: rule 4 will want to know which groups were one class."""
        groups = [group for group in self._open.get(construct, []) if not group & mask]
        for group in self._groups:
            if any(part & group == group for part in classes):
                groups.append(group)
        self._open[construct] = groups

    def _meet(self, at: int, classes: list[int]) -> list[int]:
        """Rule 4: at a merge block."""
        mask = 0
        for part in classes:
            mask |= part
        for construct in self.loose.merges[at]:
            for group in self._open.get(construct, []):
                if mask & group == group:
                    classes = united(classes, group)
        return classes

    def _choose(self, instr: Instr, classes: list[int]) -> list[int]:
        """Rule 3: which classes execute a tangled instruction together, in each instance of its scope for itself: no
        sentence makes one subgroup do as another does."""
        if len(classes) == 1 or (instr.has_result and not instr.is_used()):
            return classes
        size = self._size_of(instr)
        chosen: list[int] = []
        decided = 0
        for first in range(0, self.lanes, size):
            group = ((1 << size) - 1) << first
            parts = within(classes, group)
            if len(parts) > 1:
                decided |= group
                owner = self.choices.subgroup_of(first, first + size - 1)
                together: dict[int, int] = {}
                for part, kind in zip(parts, self._decide(len(parts), owner), strict=True):
                    together[kind] = together.get(kind, 0) | part
                chosen.extend(together.values())
        if not decided:
            return classes
        chosen.extend(within(classes, ~decided))
        if len(self.grouped) < MAX_KEPT:
            self.grouped.append(Grouped(instr, chosen))
        return chosen

    def _met(self, block: int, before: list[int], after: list[int], at: str) -> list[int]:
        """The classes after some of them were united, and the trace has each that was."""
        if self.trace is not None:
            for part in after:
                if part not in before:
                    self.trace.united(part, block, at)
        return after

    def _size_of(self, instr: Instr) -> int:
        group = group_of(instr)
        return 4 if group == QUAD else self.lanes if group == WORKGROUP else self.size

    def _decide(self, count: int, subgroup: int) -> list[int]:
        """The class of each of `count` things, by the policy; `subgroup` has all of them, if it isn't SHARED."""
        if self.policy.choices is not None:
            return partition(count, self.choices.take(bell(count), subgroup))
        if self.policy.grouping == "always":
            return [0] * count
        if self.policy.grouping == "never":
            return list(range(count))
        kinds: list[int] = []
        for _ in range(count):
            kinds.append(self._random.randint(0, max(kinds) + 1) if kinds else 0)
        return kinds

    # --- going on -----------------------------------------------------------------------------------------------------

    def _split(self, end: Split, position: Position, crowd: Crowd) -> None:
        condition = end.condition.flat
        self._told(end.value, crowd)
        yes: list[int] = []
        no: list[int] = []
        for part in crowd.classes:
            met = 0
            for lane in self.lanes_of(part):
                if condition[lane]:
                    met |= 1 << lane
            if met:
                yes.append(met)
            if part & ~met:
                no.append(part & ~met)
            if self.trace is not None and met and part & ~met:
                parts = [(end.yes.target, met, "true"), (end.no.target, part & ~met, "false")]
                self.trace.split(self.ran, part, crowd.at, _frame_of(crowd), parts)
        self._follow(end.yes, position, crowd, yes)
        self._follow(end.no, position, crowd, no)

    def _switch(self, end: SwitchEnd, position: Position, crowd: Crowd) -> None:
        self._told(end.value, crowd)
        by_label: list[list[int]] = [[] for _ in end.edges]
        for part in crowd.classes:
            masks: dict[int, int] = {}
            for lane in self.lanes_of(part):
                value = end.selector[lane]
                masks[value] = masks.get(value, 0) | 1 << lane
            for value, mask in masks.items():
                by_label[end.cases.get(value, end.default)].append(mask)
            if self.trace is not None and len(masks) > 1:
                parts: list[Way] = []
                for value, mask in masks.items():
                    parts.append((end.edges[end.cases.get(value, end.default)].target, mask, str(value)))
                self.trace.split(self.ran, part, crowd.at, _frame_of(crowd), parts)
        for edge, classes in zip(end.edges, by_label, strict=True):
            self._follow(edge, position, crowd, classes)

    def _dispatch(self, end: DynamicCall, position: Position, crowd: Crowd, mask: int) -> None:
        """A switch over the witness table, or the function where it came as a value; all meet right after it."""
        self._enter(crowd.at, mask, crowd.classes)
        by_function: dict[Function, list[int]] = {}
        for part in crowd.classes:
            masks: dict[tuple[Instr | None, Function], int] = {}
            for lane in self.lanes_of(part):
                called = end.callable[lane]
                if called == 0:
                    raise Stop(self.faults.no_object(end.instr, lane))
                route = end.routes.get(called[1])
                if route is None:
                    raise Stop(self.faults.not_its_arguments(end.instr, lane, called[1]))
                route.pass_to(lane, [*called[2], *[column[lane] for column in end.arguments]])
                key = (called[0], called[1])
                masks[key] = masks.get(key, 0) | 1 << lane
            if self.trace is not None and len(masks) > 1:
                parts: list[Way] = []
                for (table, function), lanes in masks.items():
                    name = table_name(table) if table is not None else f"@{function.name}"
                    parts.append((end.routes[function].entry, lanes, name))
                self.trace.split(self.ran, part, crowd.at, _frame_of(crowd), parts)
            for (table, function), lanes in masks.items():
                self.called.setdefault(end.instr, {})[table, function] = None
                if table is not None:
                    self.dispatched.setdefault(end.instr, {})[table] = None
                    if self.trace is not None:
                        self.trace.dispatched(self.ran, lanes, crowd.at, _frame_of(crowd), table)
                by_function.setdefault(function, []).append(lanes)
        self._told(end.instr.value(0), crowd)
        for function, classes in by_function.items():
            route = end.routes[function]
            activation = Activation(position, crowd.at, route.landing, crowd.call)
            calls = (*position, route.landing)
            self._add(self.positions.start(calls, route.entry), route.entry, classes, activation)

    def _told(self, value: Value, crowd: Crowd) -> None:
        """A tracked run hears of what lanes part by."""
        if self.tracker is not None:
            self.tracker.branch(value, self.lanes_of(crowd.mask()), self.code[crowd.at].block)

    def _leave(self, end: Leave, crowd: Crowd, mask: int) -> None:
        lanes = self.lanes_of(mask)
        if end.moves is not None:
            end.moves(lanes)
        if end.kind == ends.UNREACHABLE:
            raise Stop(self.faults.unreachable(end.instr, lanes))
        call = crowd.call
        if end.kind == ends.RETURN and call is not None:
            self._add(self.positions.move(call.position, call.call, call.back), call.back, crowd.classes, call.above)
        else:
            self._alive &= ~mask
            if self.trace is not None:
                self.trace.ended(mask, crowd.at, ends.ENDINGS[end.kind])

    def _follow(self, edge: Edge, position: Position, crowd: Crowd, classes: list[int]) -> None:
        if not classes:
            return
        if edge.moves is not None:
            mask = 0
            for part in classes:
                mask |= part
            edge.moves(self.lanes_of(mask))
        self._add(self.positions.move(position, crowd.at, edge.target), edge.target, classes, crowd.call)

    def _add(self, position: Position, at: int, classes: list[int], call: Activation | None) -> None:
        waiting = self._waiting.get(position)
        if waiting is None:
            self._waiting[position] = Crowd(at, list(classes), call)
            heappush(self._heap, position)
        else:
            waiting.classes.extend(classes)

    # --- what `interleaving` asks ------------------------------------------------------------------------------------

    def alive(self) -> int:
        """The lanes that have not ended."""
        return self._alive

    def end_lanes(self, mask: int) -> None:
        """The lanes of a quad end, wherever they are. The caller takes them out of those that are running."""
        self._alive &= ~mask
        if self.trace is not None:
            self.trace.ended(mask, self.trace.running(), "quad")
        for crowd in self._waiting.values():
            crowd.classes = [part & ~mask for part in crowd.classes if part & ~mask]

    def lanes_of(self, mask: int) -> list[int]:
        """The lanes of a mask, ascending. Kept, since the same masks come again and again."""
        lanes = self._lanes.get(mask)
        if lanes is None:
            lanes = [lane for lane in range(mask.bit_length()) if mask >> lane & 1]
            self._lanes[mask] = lanes
        return lanes

    def _tangles(self) -> list[Tangle]:
        """The lanes that have not ended, for a message."""
        tangles: list[Tangle] = []
        for crowd in self._waiting.values():
            tangles.append(Tangle(lanes_in(crowd.mask()), crowd.at, _frame_of(crowd)))
        return tangles


def _frame_of(crowd: Crowd) -> Frame:
    """A frame as deep as the calls that lanes are in."""
    frame = Frame(CALL, None, no_lanes(), END)
    call = crowd.call
    while call is not None:
        frame = Frame(CALL, frame, no_lanes(), END)
        call = call.above
    return frame
