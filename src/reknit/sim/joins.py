"""Where lanes wait for each other: frames as they are pushed, arrived at, escaped and completed.

    follow(edge)  ── a frame waits there ──▶ escape those above it, arrive ── all have arrived ──▶ one ready tangle
                  └─ none does ────────────▶ a ready tangle

Rules 7 to 11 of `machine`, and the end of rule 8. A frame counts how many lanes may still come, and how many have.
Which they are is in the tangles themselves, and is looked up for messages and where lanes end from outside.
"""

from typing import final

from reknit.sim.choices import Choices
from reknit.sim.code import Edge, SwitchEnd
from reknit.sim.faults import Faults, Stop
from reknit.sim.frames import CALL, CASE, END, LOOP, Frame, Tangle, Waiting
from reknit.sim.kernel import run_step
from reknit.sim.lanes import Sorter, lanes_in, mask_of, without
from reknit.sim.registers import as_list, no_lanes
from reknit.sim.trace import ARRIVE, ESCAPE, JOIN, Trace
from reknit.source.columns import i64, vec


@final
class Meeting:
    """What a CASE frame stands for: a label of a switch that was executed for the `execution`-th time."""

    __slots__ = ("end", "label", "execution")

    def __init__(self, end: SwitchEnd, label: int, execution: int) -> None:
        self.end = end
        self.label = label
        self.execution = execution


@final
class Joins:
    """The frames of a workgroup of `count` invocations in a program of so many code `blocks`, and the tangles that are
    `ready`. `ran` counts the code blocks that were run, for the trace."""

    __slots__ = (
        "faults", "trace", "choices", "ready", "root", "ran", "whole", "running", "sorter", "open", "meetings",
        "_pushed", "_gone", "_beyond", "_awaited", "_entered",
    )  # fmt: skip

    def __init__(self, faults: Faults, trace: Trace | None, choices: Choices, count: int, blocks: int) -> None:
        self.faults = faults
        self.trace = trace
        self.choices = choices
        self.ready: list[Tangle] = []
        self.ran = 0
        self.running: Tangle | None = None
        self.sorter = Sorter(count)
        self.whole = lanes_in((1 << count) - 1)
        self.open = 0  # how many frames are not complete
        self.meetings: dict[Frame, Meeting] = {}  # of each CASE frame that is not complete
        self._pushed: list[Frame] = []  # among them all that are not complete, in the order of their pushes
        self._gone = 0
        self._awaited = [0] * blocks  # by code block: the frames that are not complete and wait there,
        self._entered = [0] * blocks  # and those of the loop whose header it is
        self._beyond = Frame(CALL, None, no_lanes(), END)
        self.root = self._beyond

    def start(self, entry: int) -> None:
        """A workgroup begins, as one tangle."""
        for frame in self._pushed:
            if not frame.complete:
                self.count(frame, -1)
        self._pushed.clear()
        self.open = 0
        self.meetings.clear()
        self._gone = 0
        self.root = self.push(CALL, None, self.whole, END)
        self.ready = [Tangle(self.whole, entry, self.root)]

    def push(self, kind: int, parent: Frame | None, lanes: vec[i64], target: int, header: int = -1) -> Frame:
        frame = Frame(kind, parent, lanes, target, header)
        self.open += 1
        if len(self._pushed) > 64 + 2 * self.open:
            self._pushed = [other for other in self._pushed if not other.complete]
        self._pushed.append(frame)
        self.count(frame, 1)
        if self.trace is not None:
            self.trace.pushed(self.ran, frame, mask_of(lanes))
        return frame

    def count(self, frame: Frame, by: int) -> None:
        if frame.kind != CALL:
            self._awaited[frame.target] += by
        if frame.kind == LOOP:
            self._entered[frame.header] += by

    # --- goto, arrive, escape -----------------------------------------------------------------------------------------

    def follow(self, edge: Edge, tangle: Tangle) -> None:
        """Rule 7. Lanes arrive at the innermost frame that waits for them there (7a): the merge block, the continue
        target, the loop's merge block on a break. Where no frame does they go on as they are (7b: the back edge, 7c:
        anything else). Frames are looked through only where one waits there, or the loop of a header is left open."""
        if edge.kernel is not None:
            edge.kernel.run(tangle.lanes)
        elif edge.moves is not None:
            run_step(edge.moves, tangle.lanes)
        target = edge.target
        top = tangle.top
        if self._awaited[target] == 0 and (self._entered[target] == 0 or top.header == target):
            tangle.at = target
            self.ready.append(tangle)
            return
        frame = top
        while frame.kind != CALL:
            if frame.target == target:
                self.escape(tangle.lanes, top, frame)
                self.arrive(frame, tangle)
                return
            if frame.kind == LOOP and frame.header == target and frame is not top:
                raise Stop(self.faults.bad_back_edge(target, as_list(tangle.lanes)))
            parent = frame.parent
            assert parent is not None
            frame = parent
        tangle.at = target
        self.ready.append(tangle)

    def escape(self, lanes: vec[i64], top: Frame | None, until: Frame | None) -> None:
        """The lanes leave the frames from `top` down to, but not including, `until`: "an invocation escapes
        reconvergence when that invocation is in T(I), but not in T(L)". Lanes that wait there wait for them no
        longer."""
        frame = top
        while frame is not until:
            assert frame is not None
            frame.expected -= i64(len(lanes))
            if self.trace is not None:
                self.trace.at_frame(self.ran, ESCAPE, mask_of(lanes), frame)
            if frame.arrived == frame.expected:
                self.complete(frame)
            frame = frame.parent

    def arrive(self, frame: Frame, tangle: Tangle) -> None:
        parent = frame.parent
        tangle.top = parent if parent is not None else self._beyond
        tangle.before = frame.parts
        frame.parts = tangle
        frame.arrived += i64(len(tangle.lanes))
        if self.trace is not None:
            self.trace.at_frame(self.ran, ARRIVE, mask_of(tangle.lanes), frame)
        if frame.arrived == frame.expected:
            self.complete(frame)

    def complete(self, frame: Frame) -> None:
        """All that are left have arrived, and are one tangle again: "T(L) will include all non-escaping invocations in
        T(M)". A frame that all have escaped just goes."""
        frame.complete = True
        self.open -= 1
        self.count(frame, -1)
        tangle = frame.parts
        if frame.kind == CASE:
            self.meet(frame, self.meetings.pop(frame))
        elif tangle is not None and frame.target != END:
            if tangle.before is not None:
                tangle.lanes = self.joined(frame, tangle)
                tangle.before = None
            frame.parts = None
            if self.trace is not None:
                self.trace.at_frame(self.ran, JOIN, mask_of(tangle.lanes), frame)
            tangle.at = frame.target
            self.ready.append(tangle)

    def joined(self, frame: Frame, last: Tangle | None) -> vec[i64]:
        """The lanes of all tangles that have arrived."""
        if frame.arrived == i64(len(frame.lanes)):
            return frame.lanes
        self.sorter.begin()
        while last is not None:
            self.sorter.mark(last.lanes)
            last = last.before
        return self.sorter.marked(frame.lanes)

    def meet(self, frame: Frame, meeting: Meeting) -> None:
        """Rule 8. All tangles that come to a label are there: each class of them goes on as one. "T(L) may include a
        subset of non-escaping invocations in T(S)"; a tangle that arrives is never split."""
        assert frame.parent is not None
        tangles = sorted(arrived_at(frame), key=_first_lane)
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
            self.ready.append(Tangle(lanes_in(part), frame.target, frame.parent))

    def finish(self, tangle: Tangle, returns: bool) -> None:
        """Rule 9, a return: "Escaping in this manner only affects relations in the current function". Rule 10, any
        other end."""
        frame: Frame | None = None
        if returns:
            frame = tangle.top
            while frame.kind != CALL:
                assert frame.parent is not None
                frame = frame.parent
        if frame is None or frame.target == END:
            self._gone |= mask_of(tangle.lanes)
        self.escape(tangle.lanes, tangle.top, frame)
        if frame is not None:
            self.arrive(frame, tangle)

    # --- lanes that end from outside ----------------------------------------------------------------------------------

    def frames(self, running: Tangle | None = None) -> list[Waiting]:
        """Those that are not complete, in the order of their pushes. The tangle that is `running` is not ready."""
        waiting: dict[Frame, Waiting] = {}
        for frame in self._pushed:
            if not frame.complete:
                waiting[frame] = Waiting(frame, sum(arrived_at(frame)))
        for tangle in [*self.ready, running] if running is not None else self.ready:
            waiting[tangle.top].mask |= mask_of(tangle.lanes)
        inside = list(waiting.values())
        for each in reversed(inside):
            if each.frame.parent is not None:
                waiting[each.frame.parent].mask |= each.mask
        return inside

    def alive(self) -> int:
        """The lanes that have not ended."""
        return mask_of(self.whole) & ~self._gone

    def end_lanes(self, mask: int) -> None:
        """Rule 11: the lanes of a quad end, wherever they are, and none waits for them any longer."""
        if self.trace is not None:
            self.trace.ended(mask, self.trace.running(), "quad")
        frames = self.frames(self.running)
        self._gone |= mask
        for tangle in self.ready:
            tangle.lanes = without(tangle.lanes, mask)
        self.ready = [tangle for tangle in self.ready if len(tangle.lanes)]
        if self.running is not None:
            self.running.lanes = without(self.running.lanes, mask)
        for waiting in reversed(frames):  # the innermost first
            frame = waiting.frame
            if self.trace is not None and waiting.mask & mask:
                self.trace.at_frame(self.ran, ESCAPE, waiting.mask & mask, frame)
            frame.lanes = lanes_in(waiting.mask & ~mask)
            frame.expected = i64(len(frame.lanes))
            frame.arrived = 0
            staying: Tangle | None = None
            part = frame.parts
            while part is not None:
                before = part.before
                part.lanes = without(part.lanes, mask)
                if len(part.lanes):
                    part.before = staying
                    staying = part
                    frame.arrived += i64(len(part.lanes))
                part = before
            frame.parts = staying
            if frame.arrived == frame.expected:
                self.complete(frame)


def arrived_at(frame: Frame) -> list[int]:
    """The masks of the tangles that have arrived."""
    masks: list[int] = []
    tangle = frame.parts
    while tangle is not None:
        masks.append(mask_of(tangle.lanes))
        tangle = tangle.before
    return masks


def _first_lane(mask: int) -> int:
    return mask & -mask
