"""A trace gone through step by step, on a terminal.

    step 4 of 6  %others  fallthrough.comp:90                     0123
       90 |     total += subgroupAdd(10u);
      lanes 0-3 go on together from the end of case (%others)
      %total = 22 22 20 20
    > over

Steps are tangles that run a block, padding left out. The words of what happens are those of the viewer.
"""

from collections.abc import Callable, Sequence
from typing import Final, final

from reknit.sim.faults import bits_of, lane_list
from reknit.sim.frames import END
from reknit.sim.recorded import Latest, Recording
from reknit.sim.trace import ARRIVE, DISPATCH, ENDED, ESCAPE, HELPER, JOIN, RUN, SPLIT, UNITE, Event, Trace
from reknit.sim.value_text import value_text
from reknit.source.render import RESET
from reknit.source.visible import visible_line
from reknit.view.colours import lanes_colour
from reknit.view.outcomes import switch_choices
from reknit.view.shown_values import within
from reknit.view.trace import Left

Lines = Callable[[str], Sequence[str]]
Replay = Callable[[int], Recording]
"""Runs again, and gives what each lane holds at an event."""

MEETINGS: Final = {
    "sel": "the end of the selection", "loop": "the end of the loop", "iter": "the loop's continue target",
    "call": "the return of the call", "case": "the label that is reached by fallthrough",
}  # fmt: skip


@final
class Stepper:
    """`steps` are numbers of events; `at` is the place in them, `lane` the one that steps are about, -1 for any."""

    __slots__ = ("trace", "lines", "replay", "steps", "at", "lane")

    def __init__(self, trace: Trace, lines: Lines, replay: Replay) -> None:
        self.trace = trace
        self.lines = lines
        self.replay = replay
        events = enumerate(trace.events)
        self.steps = [number for number, event in events if event.kind == RUN and not trace.idle[event.block]]
        self.at = 0
        self.lane = -1

    # --- moving -------------------------------------------------------------------------------------------------------

    def event(self) -> Event:
        return self.trace.events[self.steps[self.at]]

    def move(self, way: int) -> bool:
        """One step on, or back; False where there is none."""
        if not 0 <= self.at + way < len(self.steps):
            return False
        self.at += way
        return True

    def leader(self) -> int:
        """The lane that is stepped: the chosen one if it runs, else the first that does."""
        mask = self.event().mask
        return self.lane if self.lane >= 0 and mask >> self.lane & 1 else (mask & -mask).bit_length() - 1

    def over(self, out: bool) -> bool:
        """The leader's next step that is no deeper in constructs and calls; with `out` the next that is less deep."""
        lane = self.leader()
        depth = self.event().depth - out
        return self.seek(1, lambda event: bool(event.mask >> lane & 1) and event.depth <= depth)

    def notable(self, way: int) -> bool:
        """The next step, or the one before, in which lanes split or meet."""
        marked = {self.step_of(at) for at, event in enumerate(self.trace.events) if event.kind in (SPLIT, JOIN, UNITE)}
        return self.seek_place(way, lambda place: place in marked)

    def line(self, number: int, way: int) -> bool:
        """The next step, or the one before, that runs a line."""
        return self.seek(way, lambda event: self.trace.line_at(event.block) == number)

    def seek(self, way: int, wanted: Callable[[Event], bool]) -> bool:
        return self.seek_place(way, lambda place: wanted(self.trace.events[self.steps[place]]))

    def seek_place(self, way: int, wanted: Callable[[int], bool]) -> bool:
        place = self.at + way
        while 0 <= place < len(self.steps) and not wanted(place):
            place += way
        if not 0 <= place < len(self.steps):
            return False
        self.at = place
        return True

    def to(self, step: int) -> None:
        """The step with this number, or the last one before it."""
        events = self.trace.events
        self.at = max([place for place, number in enumerate(self.steps) if events[number].step <= step], default=0)

    def step_of(self, event: int) -> int:
        """The place of the step that an event belongs to."""
        low, high = 0, len(self.steps)
        while low < high:
            middle = (low + high) // 2
            if self.steps[middle] <= event:
                low = middle + 1
            else:
                high = middle
        return low - 1

    # --- words --------------------------------------------------------------------------------------------------------

    def shown(self, colour: bool = False) -> str:
        """With `colour`, lanes that are a part of what is left of their subgroups have the colour of their block."""
        event = self.event()
        place = self.trace.places[event.block]
        last = self.trace.events[self.steps[-1]].step
        group = f", workgroup {event.group}" if self.trace.events[-1].group else ""
        where = f"  {place}" if place is not None else ""
        name = self.trace.block_at(event.block)
        picture = self.trace.picture(event.mask)
        if colour:
            picture = f"{lanes_colour(event.block, self.are_together())}{picture}{RESET}"
        out = [f"step {event.step} of {last}{group}  {visible_line(name + where)}", f"  {picture}"]
        if place is not None:
            known = self.lines(place.file)
            if 0 < place.line <= len(known):
                out.append(f"  {place.line:>4} | {visible_line(known[place.line - 1].strip())}")
        return "\n".join([*out, *[f"  {visible_line(line)}" for line in [*self.changes(), *self.happening()]]]) + "\n"

    def are_together(self) -> bool:
        """Whether the lanes are all that are left of each of their subgroups."""
        left = Left(self.trace)
        for event in self.trace.events[: self.steps[self.at]]:
            left.take(event)
        return left.are_together(self.event())

    def end(self) -> int:
        """The event after those of the step."""
        return self.steps[self.at + 1] if self.at + 1 < len(self.steps) else len(self.trace.events)

    def happening(self) -> list[str]:
        """A sentence for each event of the step that is worth one; choices, faults and conflicts."""
        trace = self.trace
        first, end = self.steps[self.at], self.end()
        said: list[str] = []
        for number in range(first + 1, end):
            said += self.sentence(number, trace.events[number])
        for number, decision in trace.decisions:
            if first <= number < end:
                said.append(f"chosen, the rules leave it open: {switch_choices([decision])[0]}")
        faults = [fault for fault in trace.faults if first <= fault.event < end]
        said += [f"lane {fault.lane}: {fault.message} ({fault.code})" for fault in faults]
        for conflict in trace.conflicts.values():
            if first <= conflict.second.event < end:
                what = "a data race" if conflict.race else "a conflict of atomics"
                said.append(
                    f"lane {conflict.second.inside} and, in step {trace.events[conflict.first.event].step}, lane "
                    f"{conflict.first.inside} access {conflict.where}, and nothing orders the two: {what}"
                )
        return said

    def sentence(self, number: int, event: Event) -> list[str]:
        who = lanes(event.mask)
        one = event.mask & (event.mask - 1) == 0
        trace = self.trace
        at = "the end"
        if event.block != END:
            at = f"{MEETINGS.get(event.frame, at)} ({trace.block_at(event.block)})"
        if event.kind == SPLIT:
            ways = trace.ways.get(number, [])
            parts = [f"{lanes(mask)} to {trace.block_at(block)} ({value})" for block, mask, value in ways]
            return [f"{who} split: {'; '.join(parts)}"]
        if event.kind == ARRIVE and event.block == END:
            return [f"{who} {'has' if one else 'have'} ended: {'it' if one else 'they'} returned"]
        if event.kind == ARRIVE:
            return [f"{who} {'arrives' if one else 'arrive'} at {at}"]
        if event.kind == JOIN:
            return [f"{who} {'goes on' if one else 'go on together'} from {at}"]
        if event.kind == ESCAPE and event.depth:
            return [f"{who} {'is' if one else 'are'} no longer awaited at {at}"]
        if event.kind == DISPATCH:
            return [f"{who} {'calls' if one else 'call'} through the witness table {event.table}"]
        if event.kind == ENDED:
            return [f"{who} {'has' if one else 'have'} ended ({event.table})"]
        if event.kind == UNITE:
            return [f"{who} {'is' if one else 'are'} together at {event.table}"]
        if event.kind == HELPER:
            return [f"{who} {'becomes a helper invocation' if one else 'become helper invocations'}"]
        return []

    # --- values -------------------------------------------------------------------------------------------------------

    def values(self, name: str = "") -> str:
        """What each lane holds after the step, of all values or of those with a name."""
        held = self.held()
        wanted = {label: row for label, row in held.items() if not name or label in (name, f"%{name}")}
        width = max([len(label) for label in wanted], default=0)
        rows = [f"  {label:<{width}} = {' '.join([cell or '.' for cell in row])}" for label, row in wanted.items()]
        return "\n".join(rows or [f"  nothing {'of that name ' if name else ''}has a value yet"]) + "\n"

    def held(self) -> dict[str, list[str]]:
        """By name a cell a lane, "" where it has no value; by running again up to the step."""
        recording = self.replay(self.end() - 1)
        begun = next(number for number, event in enumerate(self.trace.events) if event.group == self.event().group)
        cells: dict[str, list[str]] = {}
        for (item, lane), latest in sorted(recording.latest.items()):
            if latest[0] >= begun:
                known = recording.items[item]
                row = cells.setdefault(f"%{known.value.name or known.value.id}", [""] * self.trace.lanes)
                row[lane] = cell_text(recording, item, latest)
        return cells

    def changes(self) -> list[str]:
        """What the step's lanes got, as far as the trace has it."""
        recording = self.trace.recording
        if recording is None:
            return []
        first, end = self.steps[self.at], self.end()
        texts = list(recording.table)
        out: list[str] = []
        for record in recording.within(first, end):
            row = recording.rows[record]
            if row >= 0:
                known = recording.items[recording.which[record]]
                shape = within(known.shape, recording.paths.get(record, ()))
                shown = " ".join([value_text(value, shape) for value in texts[row]])
                label = f"%{known.value.name or known.value.id}"
                out.append(f"{label} = {shown}  ({lanes(recording.masks[record])})")
        return out


def cell_text(recording: Recording, item: int, latest: Latest) -> str:
    _, value, path = latest
    if value is None:
        return ""
    text = value_text(value, within(recording.items[item].shape, path))
    return f"[{']['.join(map(str, path))}]={text}" if path else text


def lanes(mask: int) -> str:
    return lane_list(bits_of(mask))
