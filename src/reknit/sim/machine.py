"""The machine of tangles: the definition that everything else is measured against.

    ready tangles --one at a time--> run its code block --goto, split, switch, call, leave--> ready tangles, or
    waiting in a frame

Read it beside SPV_KHR_maximal_reconvergence. Rule numbers are those of the operational semantics that this file and
`joins`, where lanes meet, state:

     1  an ordinary instruction is executed by every lane of the tangle
     2  a tangled instruction is evaluated once over the tangle and its scope
     3  OpSelectionMerge pushes a sel frame             6  OpSwitch splits into groups
     4  OpLoopMerge pushes a loop and an iter frame     7  goto: arrive at a frame and escape those above it, or go on
     5  OpBranch goes, OpBranchConditional splits       8  tangles may meet at a label that is reached by fallthrough
     9  OpFunctionCall pushes a call frame; a return escapes to it       10  kill, terminate: escape all frames
    11  demote changes no control flow; a quad of helpers may end at any time
    12  OpUnreachable is undefined          13  the end, deadlock, step limit
    14  a dynamic call, which is our own, splits by witness table, and all meet right after it

Only rules 5, 6, 8 and 14 split a tangle; only a completed frame joins ("implementations will not merge tangles during
execution except through reconvergence").
"""

from typing import final

from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.sim import code as ends
from reknit.sim.choices import Choices
from reknit.sim.code import Call, CodeBlock, DynamicCall, Goto, Leave, Split, SwitchEnd
from reknit.sim.faults import DIVERGENT_BARRIER, Faults, Stop
from reknit.sim.frames import CALL, CASE, ITER, LOOP, SEL, Frame, Tangle
from reknit.sim.interleaving import Careful
from reknit.sim.joins import Joins, Meeting
from reknit.sim.kernel import run_step
from reknit.sim.lanes import mask_of
from reknit.sim.policy import Policy
from reknit.sim.registers import COMPILED, as_column, as_list
from reknit.sim.schedule import Schedule
from reknit.sim.shadow.state import Tracker
from reknit.sim.trace import Trace, Way, table_name
from reknit.source.columns import i64
from reknit.source.diagnostic import InternalError
from reknit.source.meter import spend


@final
class Machine:
    """Runs one workgroup of `count` invocations after another. `max_steps` bounds the instructions that tangles run in
    all of them. `tracker`, if there is one, hears of what lanes part by."""

    __slots__ = (
        "code", "schedule", "faults", "max_steps", "trace", "steps", "joins", "choices", "dispatched", "called",
        "careful", "tracker", "count", "_lanes",
    )  # fmt: skip

    def __init__(
        self,
        code: list[CodeBlock],
        policy: Policy,
        faults: Faults,
        max_steps: int,
        trace: Trace | None,
        count: int,
        careful: Careful | None = None,
        choices: Choices | None = None,
        tracker: Tracker | None = None,
    ) -> None:
        self.code = code
        self.schedule: Schedule = policy.make_schedule()
        self.faults = faults
        self.max_steps = max_steps
        self.trace = trace
        self.careful = careful
        self.steps = 0
        self.count = count
        self.choices: Choices = choices if choices is not None else Choices(policy, code, {})
        self.tracker = tracker
        self.joins = Joins(faults, trace, self.choices, count, len(code))
        self.dispatched: dict[Instr, dict[Instr, None]] = {}  # by dynamic call: the tables it went by
        self.called: dict[Instr, dict[tuple[Instr | None, Function], None]] = {}  # and the functions it came to
        self._lanes: dict[int, list[int]] = {}
        if COMPILED:
            for block in code:
                block.settle()

    def run(self, entry: int, present: list[int]) -> None:
        """Run one workgroup, whose lanes are `present`, from code block `entry`. "Let F be the first dynamically
        executed instruction in an entry point. T(F) will be converged": one tangle of the whole workgroup. Raises
        `Stop` where it can't go on."""
        joins = self.joins
        if len(present) < self.count:
            joins.whole = as_column(present[:])
        joins.start(entry)
        while joins.ready:
            tangle = self.schedule.take(joins.ready)
            try:
                self.execute(tangle)
            except Stop as stop:
                if stop.diagnostic.code == DIVERGENT_BARRIER:
                    stop.diagnostic.notes.extend(self.faults.waiting(joins.frames(tangle), joins.ready))
                raise
        if joins.open:  # rule 13: lanes wait for lanes that will never come
            raise Stop(self.faults.deadlock(joins.frames(), joins.ready))

    # --- one code block -----------------------------------------------------------------------------------------------

    def execute(self, tangle: Tangle) -> None:
        """Rules 1 and 2 for the instructions, then 3 and 4 for the frames, then the terminator."""
        here = self.code[tangle.at]
        joins = self.joins
        joins.ran += 1
        weight = 1 + (len(tangle.lanes) >> 3)
        spend(weight)
        self.steps += len(here.steps) + 1
        if self.steps > self.max_steps:
            joins.ready.append(tangle)
            raise Stop(self.faults.step_limit(self.steps, joins.frames(), joins.ready))
        if self.trace is not None:
            self.trace.ran(joins.ran, mask_of(tangle.lanes), tangle.at, tangle.top)
        if self.careful is not None:
            joins.running = tangle
            self.careful.run(self, here, mask_of(tangle.lanes))
            joins.running = None
            if len(tangle.lanes) == 0:
                return
        elif COMPILED:
            lanes = tangle.lanes
            kernel = here.kernel
            while kernel is not None:
                spend(weight)
                kernel.run(lanes)
                kernel = kernel.following
        else:
            listed = as_list(tangle.lanes)
            for step in here.steps:
                spend(weight)
                step(listed)
        if here.loop_merge >= 0:
            tangle.top = self.enter_loop(here, tangle)
        if here.merge >= 0:
            tangle.top = joins.push(SEL, tangle.top, tangle.lanes, here.merge)  # rule 3
        end = here.end
        if isinstance(end, Goto):
            joins.follow(end.edge, tangle)  # rule 5
        elif isinstance(end, Split):
            self.split(end, tangle)
        elif isinstance(end, SwitchEnd):
            self.switch(end, tangle)
        elif isinstance(end, Call):
            if end.moves is not None:
                run_step(end.moves, tangle.lanes)
            tangle.top = joins.push(CALL, tangle.top, tangle.lanes, end.back)  # rule 9
            tangle.at = end.entry
            joins.ready.append(tangle)
        elif isinstance(end, DynamicCall):
            self.dispatch(end, tangle)
        elif isinstance(end, Leave):
            self.leave(end, tangle)
        else:
            raise InternalError(f"code block {here.number} has no end")

    def enter_loop(self, here: CodeBlock, tangle: Tangle) -> Frame:
        """Rule 4. "M is the last execution of the OpLoopMerge where i did not enter the basic block via the loop
        backedge": the loop frame stays from the first iteration on; each iteration pushes a frame of its own for the
        continue target."""
        top = tangle.top
        if top.kind != LOOP or top.header != here.header:
            top = self.joins.push(LOOP, top, tangle.lanes, here.loop_merge, here.header)
        if here.loop_continue == here.header:
            return top  # the loop is a single block: it is its own continue target, and nothing can diverge before it
        return self.joins.push(ITER, top, tangle.lanes, here.loop_continue)

    # --- what splits a tangle -----------------------------------------------------------------------------------------

    def split(self, end: Split, tangle: Tangle) -> None:
        """Rule 5. "All the invocations in T(I) for whom Condition evaluates to true are members of the tangle that
        executes True Label and the rest are in the tangle that executes False Label"."""
        joins = self.joins
        sorter = joins.sorter
        lanes = tangle.lanes
        if self.tracker is not None:
            self.tracker.branch(end.value, as_list(lanes), self.code[tangle.at].block)
        those = sorter.split(end.condition.flat, lanes)
        if those == i64(len(lanes)):
            joins.follow(end.yes, tangle)
        elif those == 0:
            joins.follow(end.no, tangle)
        else:
            yes = sorter.yes()
            others = Tangle(sorter.no(), tangle.at, tangle.top)
            if self.trace is not None:
                parts = [
                    (end.yes.target, mask_of(yes), "true"),
                    (end.no.target, mask_of(others.lanes), "false"),
                ]
                self.trace.split(joins.ran, mask_of(lanes), tangle.at, tangle.top, parts)
            tangle.lanes = yes
            joins.follow(end.no, others)
            joins.follow(end.yes, tangle)

    def switch(self, end: SwitchEnd, tangle: Tangle) -> None:
        """Rule 6. "T(I) is partitioned into at least one tangle per case construct, and at most one tangle per unique
        Selector value". Rule 8. "T(L) may include a subset of non-escaping invocations in T(S)", for a label L of the
        switch S."""
        joins = self.joins
        top = tangle.top
        execution = self.choices.begin(end)
        if self.choices.is_new(end):
            self.choices.look_at(end, waiting_points(top))
        lanes = as_list(tangle.lanes)
        if self.tracker is not None:
            self.tracker.branch(end.value, lanes, self.code[tangle.at].block)
        groups = self.groups(end, execution, lanes)
        if self.trace is not None:
            if len(groups) > 1:
                parts = [
                    (end.edges[label].target, mask_of(as_column(part)), end.label_name(label))
                    for label, part in groups
                ]
                self.trace.split(joins.ran, mask_of(tangle.lanes), tangle.at, top, parts)
            self.trace.decided(self.choices.decisions)
        start: dict[int, Frame] = {}  # by label: the frame on top of the lanes that enter it
        meet: dict[int, Frame] = {}  # by label: the frame at which they meet those that fall through to it
        for chain in end.chains:
            self.push_cases(end, execution, chain, groups, top, start, meet)
        for label, part in groups:
            edge = end.edges[label]
            inside = Tangle(as_column(part), tangle.at, start.get(label, top))
            if label in meet:
                if edge.moves is not None:
                    run_step(edge.moves, inside.lanes)
                joins.arrive(meet[label], inside)
            else:
                joins.follow(edge, inside)

    def groups(self, end: SwitchEnd, execution: int, lanes: list[int]) -> list[tuple[int, list[int]]]:
        """(label, lanes) of each group, by label and then by the first lane. Lanes with equal selectors are never
        split."""
        selector = end.selector
        cases = end.cases
        default = end.default
        if self.choices.keeps_labels_whole(end):
            whole: dict[int, list[int]] = {}
            for lane in lanes:
                whole.setdefault(cases.get(selector[lane], default), []).append(lane)
            return [(label, whole[label]) for label in sorted(whole)]
        by_value: dict[int, dict[int, list[int]]] = {}
        for lane in lanes:
            value = selector[lane]
            by_value.setdefault(cases.get(value, default), {}).setdefault(value, []).append(lane)
        groups: list[tuple[int, list[int]]] = []
        for label in sorted(by_value):
            parts: dict[int, list[int]] = {}
            by_label = by_value[label]
            for value, kind in zip(by_label, self.choices.of_values(end, execution, label, by_label), strict=True):
                parts.setdefault(kind, []).extend(by_label[value])
            groups.extend([(label, sorted(part)) for part in parts.values()])
        return groups

    def push_cases(
        self,
        end: SwitchEnd,
        execution: int,
        chain: list[int],
        groups: list[tuple[int, list[int]]],
        top: Frame,
        start: dict[int, Frame],
        meet: dict[int, Frame],
    ) -> None:
        """Rule 8, for one chain L1 -> L2 -> .. -> Lk of labels that fall through: a frame at each Lj (j >= 2) where
        tangles may meet, the last one lowest, with the lanes that enter L1 .. Lj. Fills `start` and `meet`."""
        entering: list[int] = []
        upto: list[list[int]] = []
        for label in chain:
            for group_label, part in groups:
                if group_label == label:
                    entering = sorted(entering + part)
            upto.append(entering)
        above = top
        for place in range(len(chain) - 1, -1, -1):
            label = chain[place]
            if place > 0 and upto[place] and self.choices.may_meet(end, label):
                above = self.joins.push(CASE, above, as_column(upto[place]), end.edges[label].target)
                self.joins.meetings[above] = Meeting(end, label, execution)
                meet[label] = above
            else:
                start[label] = above

    def dispatch(self, end: DynamicCall, tangle: Tangle) -> None:
        """Rule 14. Lanes whose function comes from different tables are parted, those of one table stay together, and
        all meet right after the call: a switch over the table, whether or not two tables have the same function. Where
        the callable came as a value, those of one table may have several functions, which part them too."""
        joins = self.joins
        at = tangle.at
        lanes = as_list(tangle.lanes)
        groups: dict[tuple[Instr | None, Function], list[int]] = {}
        for lane in lanes:
            called = end.callable[lane]
            if called == 0:
                raise Stop(self.faults.no_object(end.instr, lane))
            groups.setdefault((called[0], called[1]), []).append(lane)
        if self.tracker is not None:
            self.tracker.branch(end.instr.value(0), lanes, self.code[tangle.at].block)
        if len(groups) > 1 and self.trace is not None:
            parts: list[Way] = []
            for (table, function), inside in groups.items():
                way_in = end.routes.get(function)
                name = table_name(table) if table is not None else f"@{function.name}"
                parts.append((way_in.entry if way_in is not None else at, mask_of(as_column(inside)), name))
            self.trace.split(joins.ran, mask_of(tangle.lanes), at, tangle.top, parts)
        meet = joins.push(SEL, tangle.top, tangle.lanes, end.back)
        for (table, function), inside in groups.items():
            route = end.routes.get(function)
            if route is None:
                raise Stop(self.faults.not_its_arguments(end.instr, inside[0], function))
            self.called.setdefault(end.instr, {})[table, function] = None
            for lane in inside:
                route.pass_to(lane, [*end.callable[lane][2], *[column[lane] for column in end.arguments]])
            column = as_column(inside)
            if table is not None:
                self.dispatched.setdefault(end.instr, {})[table] = None
                if self.trace is not None:
                    self.trace.dispatched(joins.ran, mask_of(column), at, meet, table)
            joins.ready.append(Tangle(column, route.entry, joins.push(CALL, meet, column, route.landing)))

    def leave(self, end: Leave, tangle: Tangle) -> None:
        if end.moves is not None:
            run_step(end.moves, tangle.lanes)
        if end.kind == ends.UNREACHABLE:  # rule 12
            raise Stop(self.faults.unreachable(end.instr, as_list(tangle.lanes)))
        self.joins.finish(tangle, end.kind == ends.RETURN)
        if end.kind != ends.RETURN and self.trace is not None:  # a kill that demotes never comes here, see `flatten`
            self.trace.ended(mask_of(tangle.lanes), self.trace.running(), ends.ENDINGS[end.kind])

    # --- what `interleaving` asks -------------------------------------------------------------------------------------

    def alive(self) -> int:
        """The lanes that have not ended."""
        return self.joins.alive()

    def end_lanes(self, mask: int) -> None:
        """The lanes end, wherever they are."""
        self.joins.end_lanes(mask)

    def lanes_of(self, mask: int) -> list[int]:
        """The lanes of a mask, ascending. Kept, since the same masks come again and again."""
        lanes = self._lanes.get(mask)
        if lanes is None:
            lanes = [lane for lane in range(mask.bit_length()) if mask >> lane & 1]
            self._lanes[mask] = lanes
        return lanes


def waiting_points(top: Frame) -> list[int]:
    """Where lanes of this call wait for all of their frame, whatever is chosen."""
    points: list[int] = []
    frame = top
    while frame.kind != CALL:
        if frame.kind != CASE:
            points.append(frame.target)
        parent = frame.parent
        assert parent is not None
        frame = parent
    return points
