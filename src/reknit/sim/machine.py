"""The machine of tangles: the definition that everything else is measured against.

    ready tangles --one at a time--> run its code block --goto, split, switch, call, leave--> ready tangles, or
    waiting in a frame

Read it beside SPV_KHR_maximal_reconvergence; it is one file, since its rules are one definition. Rule numbers are those
of the operational semantics that this file states:

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
from reknit.sim.code import Call, CodeBlock, DynamicCall, Edge, Goto, Leave, Split, SwitchEnd
from reknit.sim.faults import DIVERGENT_BARRIER, Faults, Stop
from reknit.sim.frames import CALL, CASE, END, ITER, LOOP, SEL, Frame, Tangle
from reknit.sim.interleaving import Careful
from reknit.sim.kernel import run_step
from reknit.sim.observer import Watcher
from reknit.sim.policy import Policy
from reknit.sim.registers import COMPILED, as_column, as_list, lanes_in, lanes_where, mask_of, no_lanes
from reknit.sim.schedule import Schedule
from reknit.sim.trace import ARRIVE, ESCAPE, JOIN, Trace, Way, table_name
from reknit.source.columns import i64, vec
from reknit.source.diagnostic import InternalError
from reknit.source.meter import spend


@final
class Meeting:
    """What a CASE frame stands for: a label of a switch that was executed for the `execution`-th time, and the masks of
    the `tangles` that have arrived there."""

    __slots__ = ("end", "label", "execution", "tangles")

    def __init__(self, end: SwitchEnd, label: int, execution: int) -> None:
        self.end = end
        self.label = label
        self.execution = execution
        self.tangles: list[int] = []


@final
class Machine:
    """Runs one workgroup after another. `max_steps` bounds the instructions that tangles run in all of them."""

    __slots__ = (
        "code", "policy", "schedule", "faults", "max_steps", "trace", "steps", "ran", "ready", "root", "_pushed",
        "_open", "meetings", "choices", "dispatched", "called", "guarantees", "careful", "_lanes", "_whole",
        "_everyone",
    )  # fmt: skip

    def __init__(
        self,
        code: list[CodeBlock],
        policy: Policy,
        faults: Faults,
        max_steps: int,
        trace: Trace | None,
        careful: Careful | None = None,
        choices: Choices | None = None,
    ) -> None:
        self.code = code
        self.policy = policy
        self.schedule: Schedule = policy.make_schedule()
        self.faults = faults
        self.max_steps = max_steps
        self.trace = trace
        self.careful = careful
        self.steps = 0
        self.ran = 0
        self.ready: list[Tangle] = []
        self.root = Frame(CALL, None, 0, END)
        self._pushed: list[Frame] = []  # among them all that are not complete, in the order of their pushes
        self._open = 0  # how many those are
        self.meetings: dict[Frame, Meeting] = {}  # of each CASE frame that is not complete
        self.choices: Choices = choices if choices is not None else Choices(policy, code, {})
        self.dispatched: dict[Instr, dict[Instr, None]] = {}  # by dynamic call: the tables it went by
        self.called: dict[Instr, dict[tuple[Instr | None, Function], None]] = {}  # and the functions it came to
        self.guarantees: Watcher | None = None
        self._lanes: dict[int, list[int]] = {}
        self._whole = 0
        self._everyone = no_lanes()
        if COMPILED:
            for block in code:
                block.settle()

    def run(self, entry: int, mask: int) -> None:
        """Run one workgroup from code block `entry`. "Let F be the first dynamically executed instruction in an entry
        point. T(F) will be converged": one tangle of the whole workgroup. Raises `Stop` where it can't go on."""
        self._pushed.clear()
        self._open = 0
        self.meetings.clear()
        if self.guarantees is not None:
            self.guarantees.start()
        self.root = self.push(CALL, None, mask, END)
        self._whole = mask
        self._everyone = lanes_in(mask)
        self.ready = [Tangle(mask, entry, self.root, self._everyone)]
        while self.ready:
            tangle = self.schedule.take(self.ready)
            try:
                self.execute(tangle)
            except Stop as stop:
                if stop.diagnostic.code == DIVERGENT_BARRIER:
                    stop.diagnostic.notes.extend(self.faults.waiting(self.frames(), self.ready))
                raise
        if self._open:  # rule 13: lanes wait for lanes that will never come
            raise Stop(self.faults.deadlock(self.frames(), self.ready))

    # --- one code block -----------------------------------------------------------------------------------------------

    def execute(self, tangle: Tangle) -> None:
        """Rules 1 and 2 for the instructions, then 3 and 4 for the frames, then the terminator."""
        here = self.code[tangle.at]
        mask = tangle.mask
        top = tangle.top
        self.ran += 1
        spend(len(here.steps) + 1)
        self.steps += len(here.steps) + 1
        if self.steps > self.max_steps:
            self.ready.append(tangle)
            raise Stop(self.faults.step_limit(self.steps, self.frames(), self.ready))
        if self.trace is not None:
            self.trace.ran(self.ran, mask, tangle.at, top)
        if self.guarantees is not None:
            self.guarantees.entered(tangle)
        if self.careful is not None:
            mask = self.careful.run(self, here, mask)
            if not mask:
                return
            lanes = self.column_of(mask)
        else:
            lanes = tangle.lanes
            if len(lanes) == 0:
                lanes = self.column_of(mask)
            if COMPILED:
                kernel = here.kernel
                while kernel is not None:
                    kernel.run(lanes)
                    kernel = kernel.following
            else:
                listed = as_list(lanes)
                for step in here.steps:
                    step(listed)
        if here.loop_merge >= 0:
            top = self.enter_loop(here, mask, top)
        if here.merge >= 0:
            top = self.push(SEL, top, mask, here.merge)  # rule 3
        end = here.end
        if isinstance(end, Goto):
            self.follow(end.edge, mask, lanes, top)  # rule 5
        elif isinstance(end, Split):
            self.split(end, mask, lanes, top, tangle.at)
        elif isinstance(end, SwitchEnd):
            self.switch(end, mask, lanes, top, tangle.at)
        elif isinstance(end, Call):
            if end.moves is not None:
                run_step(end.moves, lanes)
            self.ready.append(Tangle(mask, end.entry, self.push(CALL, top, mask, end.back), lanes))  # rule 9
        elif isinstance(end, DynamicCall):
            self.dispatch(end, mask, as_list(lanes), top, tangle.at)
        elif isinstance(end, Leave):
            self.leave(end, mask, lanes, top)
        else:
            raise InternalError(f"code block {here.number} has no end")

    def dispatch(self, end: DynamicCall, mask: int, lanes: list[int], top: Frame, at: int) -> None:
        """Rule 14. Lanes whose function comes from different tables are parted, those of one table stay together, and
        all meet right after the call: a switch over the table, whether or not two tables have the same function. Where
        the callable came as a value, those of one table may have several functions, which part them too."""
        masks: dict[tuple[Instr | None, Function], int] = {}
        for lane in lanes:
            called = end.callable[lane]
            if called == 0:
                raise Stop(self.faults.no_object(end.instr, lane))
            key = (called[0], called[1])
            masks[key] = masks.get(key, 0) | 1 << lane
        if self.guarantees is not None:
            order = {part: index for index, part in enumerate(masks)}
            self.guarantees.parted(lanes, [order[end.callable[lane][:2]] for lane in lanes])
        if len(masks) > 1 and self.trace is not None:
            parts: list[Way] = []
            for (table, function), part in masks.items():
                way_in = end.routes.get(function)
                name = table_name(table) if table is not None else f"@{function.name}"
                parts.append((way_in.entry if way_in is not None else at, part, name))
            self.trace.split(self.ran, mask, at, top, parts)
        meet = self.push(SEL, top, mask, end.back)
        for (table, function), part in masks.items():
            inside = self.lanes_of(part)
            route = end.routes.get(function)
            if route is None:
                raise Stop(self.faults.not_its_arguments(end.instr, inside[0], function))
            self.called.setdefault(end.instr, {})[table, function] = None
            for lane in inside:
                route.pass_to(lane, [*end.callable[lane][2], *[column[lane] for column in end.arguments]])
            if table is not None:
                self.dispatched.setdefault(end.instr, {})[table] = None
                if self.trace is not None:
                    self.trace.dispatched(self.ran, part, at, meet, table)
            self.ready.append(Tangle(part, route.entry, self.push(CALL, meet, part, route.landing), no_lanes()))

    def enter_loop(self, here: CodeBlock, mask: int, top: Frame) -> Frame:
        """Rule 4. "M is the last execution of the OpLoopMerge where i did not enter the basic block via the loop
        backedge": the loop frame stays from the first iteration on; each iteration pushes a frame of its own for the
        continue target."""
        if top.kind != LOOP or top.header != here.header:
            top = self.push(LOOP, top, mask, here.loop_merge, here.header)
        if here.loop_continue == here.header:
            return top  # the loop is a single block: it is its own continue target, and nothing can diverge before it
        return self.push(ITER, top, mask, here.loop_continue)

    def split(self, end: Split, mask: int, lanes: vec[i64], top: Frame, at: int) -> None:
        """Rule 5. "All the invocations in T(I) for whom Condition evaluates to true are members of the tangle that
        executes True Label and the rest are in the tangle that executes False Label"."""
        condition = end.condition.flat
        those = lanes_where(condition, lanes, True)
        if len(those) == len(lanes):
            self.follow(end.yes, mask, lanes, top)
        elif len(those) == 0:
            self.follow(end.no, mask, lanes, top)
        else:
            others = lanes_where(condition, lanes, False)
            yes = mask_of(those)
            no = mask ^ yes
            if self.trace is not None:
                parts = [(end.yes.target, yes, "true"), (end.no.target, no, "false")]
                self.trace.split(self.ran, mask, at, top, parts)
            self.follow(end.no, no, others, top)
            self.follow(end.yes, yes, those, top)

    def switch(self, end: SwitchEnd, mask: int, lanes: vec[i64], top: Frame, at: int) -> None:
        """Rule 6. "T(I) is partitioned into at least one tangle per case construct, and at most one tangle per unique
        Selector value". Rule 8. "T(L) may include a subset of non-escaping invocations in T(S)", for a label L of the
        switch S."""
        execution = self.choices.begin(end)
        if self.choices.is_new(end):
            self.choices.look_at(end, self.waiting_points(top))
        listed = as_list(lanes)
        groups = self.groups(end, execution, listed)
        if self.guarantees is not None:
            self.guarantees.parted(listed, [end.selector[lane] for lane in listed])
        if self.trace is not None:
            if len(groups) > 1:
                parts = [(end.edges[label].target, part, end.label_name(label)) for label, part in groups]
                self.trace.split(self.ran, mask, at, top, parts)
            self.trace.decided(self.choices.decisions)
        start: dict[int, Frame] = {}  # by label: the frame on top of the lanes that enter it
        meet: dict[int, Frame] = {}  # by label: the frame at which they meet those that fall through to it
        for chain in end.chains:
            self.push_cases(end, execution, chain, groups, top, start, meet)
        for label, part in groups:
            edge = end.edges[label]
            inside = lanes if part == mask else self.column_of(part)
            if label in meet:
                if edge.moves is not None:
                    run_step(edge.moves, inside)
                self.arrive(meet[label], part, inside)
            else:
                self.follow(edge, part, inside, start.get(label, top))

    def groups(self, end: SwitchEnd, execution: int, lanes: list[int]) -> list[tuple[int, int]]:
        """(label, mask) of each group, by label and then by the first lane. Lanes with equal selectors are never
        split."""
        selector = end.selector
        cases = end.cases
        default = end.default
        if self.choices.keeps_labels_whole(end):
            whole: dict[int, int] = {}
            for lane in lanes:
                label = cases.get(selector[lane], default)
                whole[label] = whole.get(label, 0) | 1 << lane
            return [(label, whole[label]) for label in sorted(whole)]
        masks: dict[int, dict[int, int]] = {}
        for lane in lanes:
            value = selector[lane]
            of_label = masks.setdefault(cases.get(value, default), {})
            of_label[value] = of_label.get(value, 0) | 1 << lane
        groups: list[tuple[int, int]] = []
        for label in sorted(masks):
            values = list(masks[label])
            parts: dict[int, int] = {}
            for value, kind in zip(values, self.choices.of_values(end, execution, label, values), strict=True):
                parts[kind] = parts.get(kind, 0) | masks[label][value]
            groups.extend([(label, part) for part in parts.values()])
        return groups

    def waiting_points(self, top: Frame) -> list[int]:
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

    def push_cases(
        self,
        end: SwitchEnd,
        execution: int,
        chain: list[int],
        groups: list[tuple[int, int]],
        top: Frame,
        start: dict[int, Frame],
        meet: dict[int, Frame],
    ) -> None:
        """Rule 8, for one chain L1 -> L2 -> .. -> Lk of labels that fall through: a frame at each Lj (j >= 2) where
        tangles may meet, the last one lowest, with the lanes that enter L1 .. Lj. Fills `start` and `meet`."""
        entering = 0
        upto: list[int] = []
        for label in chain:
            for group_label, part in groups:
                if group_label == label:
                    entering |= part
            upto.append(entering)
        above = top
        for place in range(len(chain) - 1, -1, -1):
            label = chain[place]
            if place > 0 and upto[place] and self.choices.may_meet(end, label):
                above = self.push(CASE, above, upto[place], end.edges[label].target)
                self.meetings[above] = Meeting(end, label, execution)
                meet[label] = above
            else:
                start[label] = above

    # --- goto, arrive, escape -----------------------------------------------------------------------------------------

    def follow(self, edge: Edge, mask: int, lanes: vec[i64], top: Frame) -> None:
        """Rule 7. Lanes arrive at the innermost frame that waits for them there (7a): the merge block, the continue
        target, the loop's merge block on a break. Where no frame does they go on as they are (7b: the back edge, 7c:
        anything else)."""
        if edge.kernel is not None:
            edge.kernel.run(lanes)
        elif edge.moves is not None:
            run_step(edge.moves, lanes)
        if self.guarantees is not None:
            self.guarantees.parted(as_list(lanes), None)
        target = edge.target
        frame = top
        while frame.kind != CALL:
            if frame.target == target:
                self.escape(mask, top, frame)
                self.arrive(frame, mask, lanes)
                return
            if frame.kind == LOOP and frame.header == target and frame is not top:
                raise Stop(self.faults.bad_back_edge(target, mask))
            parent = frame.parent
            assert parent is not None
            frame = parent
        self.ready.append(Tangle(mask, target, top, lanes))

    def escape(self, mask: int, top: Frame | None, until: Frame | None) -> None:
        """The lanes leave the frames from `top` down to, but not including, `until`: "an invocation escapes
        reconvergence when that invocation is in T(I), but not in T(L)". Lanes that wait there wait for them no
        longer."""
        frame = top
        while frame is not until:
            assert frame is not None
            frame.mask &= ~mask
            if self.trace is not None:
                self.trace.at_frame(self.ran, ESCAPE, mask, frame)
            self.complete(frame, no_lanes())
            frame = frame.parent

    def arrive(self, frame: Frame, mask: int, lanes: vec[i64]) -> None:
        frame.arrived |= mask
        if frame.kind == CASE:
            self.meetings[frame].tangles.append(mask)
        if self.trace is not None:
            self.trace.at_frame(self.ran, ARRIVE, mask, frame)
        self.complete(frame, lanes if frame.arrived == mask else no_lanes())

    def complete(self, frame: Frame, lanes: vec[i64]) -> None:
        """When all that are left have arrived they are one tangle again: "T(L) will include all non-escaping
        invocations in T(M)". A frame that all have escaped just goes."""
        # `lanes` are those that have arrived, or none where they are not listed yet.
        if frame.arrived != frame.mask:
            return
        frame.complete = True
        self._open -= 1
        if frame.kind == CASE:
            self.meet(frame, self.meetings.pop(frame))
        elif frame.arrived and frame.target != END:
            assert frame.parent is not None
            if self.trace is not None:
                self.trace.at_frame(self.ran, JOIN, frame.arrived, frame)
            if self.guarantees is not None:
                self.guarantees.joined(frame, self.lanes_of(frame.arrived))
            self.ready.append(Tangle(frame.arrived, frame.target, frame.parent, lanes))

    def meet(self, frame: Frame, meeting: Meeting) -> None:
        """Rule 8. All tangles that come to a label are there: each class of them goes on as one. "T(L) may include a
        subset of non-escaping invocations in T(S)"; a tangle that arrives is never split."""
        assert frame.parent is not None
        tangles = sorted(meeting.tangles, key=_first_lane)
        if not tangles:
            return
        classes = self.choices.of_tangles(meeting.end, meeting.execution, meeting.label, tangles)
        if self.trace is not None:
            self.trace.decided(self.choices.decisions)
        parts: dict[int, int] = {}
        for mask, kind in zip(tangles, classes, strict=True):
            parts[kind] = parts.get(kind, 0) | mask
        for part in parts.values():
            if self.trace is not None:
                self.trace.at_frame(self.ran, JOIN, part, frame)
            self.ready.append(Tangle(part, frame.target, frame.parent, no_lanes()))

    def leave(self, end: Leave, mask: int, lanes: vec[i64], top: Frame) -> None:
        if end.moves is not None:
            run_step(end.moves, lanes)
        if end.kind == ends.RETURN:  # rule 9: "Escaping in this manner only affects relations in the current function"
            frame = top
            while frame.kind != CALL:
                assert frame.parent is not None
                frame = frame.parent
            self.escape(mask, top, frame)
            self.arrive(frame, mask, lanes)
        elif end.kind == ends.UNREACHABLE:  # rule 12
            raise Stop(self.faults.unreachable(end.instr, as_list(lanes)))
        else:  # rule 10; a kill that demotes never comes here, see `flatten`
            self.escape(mask, top, None)
            if self.trace is not None:
                self.trace.ended(mask, self.trace.running(), ends.ENDINGS[end.kind])

    def frames(self) -> list[Frame]:
        """Those that are not complete."""
        return [frame for frame in self._pushed if not frame.complete]

    def alive(self) -> int:
        """The lanes that have not ended."""
        return self.root.mask & ~self.root.arrived

    def end_lanes(self, mask: int) -> None:
        """Rule 11: the lanes of a quad end, wherever they are, and none waits for them any longer. The caller
        takes them out of the tangle that is running."""
        if self.trace is not None:
            self.trace.ended(mask, self.trace.running(), "quad")
        staying: list[Tangle] = []
        for tangle in self.ready:
            tangle.mask &= ~mask
            tangle.lanes = no_lanes()
            if tangle.mask:
                staying.append(tangle)
        self.ready = staying
        for frame in reversed(self.frames()):  # the innermost first
            if self.trace is not None and frame.mask & mask:
                self.trace.at_frame(self.ran, ESCAPE, frame.mask & mask, frame)
            frame.mask &= ~mask
            frame.arrived &= ~mask
            if frame.kind == CASE:
                meeting = self.meetings[frame]
                meeting.tangles = [tangle & ~mask for tangle in meeting.tangles if tangle & ~mask]
            self.complete(frame, no_lanes())

    # --- helpers ------------------------------------------------------------------------------------------------------

    def push(self, kind: int, parent: Frame | None, mask: int, target: int, header: int = -1) -> Frame:
        frame = Frame(kind, parent, mask, target, header)
        self._open += 1
        if len(self._pushed) > 64 + 2 * self._open:
            self._pushed = self.frames()
        self._pushed.append(frame)
        if self.trace is not None:
            self.trace.pushed(self.ran, frame)
        if self.guarantees is not None:
            self.guarantees.pushed(frame, self.lanes_of(mask))
        return frame

    def column_of(self, mask: int) -> vec[i64]:
        """The lanes of a mask for kernels."""
        if not COMPILED:
            return as_column(self.lanes_of(mask))
        return self._everyone if mask == self._whole else lanes_in(mask)

    def lanes_of(self, mask: int) -> list[int]:
        """The lanes of a mask, ascending. Kept, since the same masks come again and again."""
        lanes = self._lanes.get(mask)
        if lanes is None:
            lanes = [lane for lane in range(mask.bit_length()) if mask >> lane & 1]
            self._lanes[mask] = lanes
        return lanes


def _first_lane(mask: int) -> int:
    return mask & -mask
