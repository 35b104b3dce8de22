"""A trace as people read it: a line each time a tangle runs a block, one column a lane.

    step  block  line  lanes
       1  %5       12  0123
       2  %25      14  ..23
       3  %24      17  01..
       4  %25      14  01..      the same block as in step 2, but not together with it

`line` is that of the source; the column is not there where no line is known.
"""

from typing import final

from reknit.sim.trace import ARRIVE, ENDED, PUSH, RUN, Event, Trace
from reknit.source.render import RESET
from reknit.source.visible import visible_line
from reknit.view.colours import lanes_colour

WORDS = {
    "split": "splits",
    "arrive": "waits",
    "join": "goes on together",
    "escape": "left",
    "end": "ended",
    "unite": "is united",
    "helper": "becomes helpers",
}


def trace_text(trace: Trace, all_events: bool, colour: bool = False) -> str:
    """Runs of blocks; with `all_events` also splits, arrivals, joins, escapes, and padding in which nothing happens.
    With `colour`, tangles that are a part of what is left of their subgroups have the colour of their block, and
    nothing in a name steers the terminal."""
    left = Left(trace)
    groups = any(event.group for event in trace.events)
    shown = [
        event
        for event in trace.events
        if (event.kind == RUN and not trace.idle[event.block]) or (all_events and event.kind != PUSH)
    ]
    width = max([len(trace.block_at(event.block)) for event in shown] + [5])
    placed = any(trace.line_at(event.block) for event in shown)
    head = "group  " if groups else ""
    lines = [f"  step  {head}{'block':<{width}}  {'line  ' if placed else ''}lanes"]
    following = 0
    for event in shown:
        while trace.events[following] is not event:
            left.take(trace.events[following])
            following += 1
        group = f"{event.group:>5}  " if groups else ""
        note = ""
        if event.kind != RUN:
            frame = f" ({event.frame})" if event.frame else ""
            note = f"  {WORDS.get(event.kind, event.kind)}{frame}"
        block = trace.block_at(event.block)
        line = f"{trace.line_at(event.block) or '':>4}  " if placed else ""
        lanes = trace.picture(event.mask)
        before = f"{event.step:>6}  {group}{block:<{width}}  {line}"
        if colour and event.kind == RUN:
            before = visible_line(before)
            lanes = f"{lanes_colour(event.block, left.are_together(event))}{lanes}{RESET}"
        lines.append(before + lanes + note)
    return "\n".join(lines) + "\n"


@final
class Left:
    """Which lanes of a workgroup have not ended yet, as events go by."""

    __slots__ = ("trace", "group", "mask")

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.group = -1
        self.mask = 0

    def take(self, event: Event) -> None:
        if event.group != self.group:
            self.group = event.group
            self.mask = (1 << self.trace.lanes) - 1
        if event.kind == ENDED or (event.kind == ARRIVE and event.depth == 0):
            self.mask &= ~event.mask

    def are_together(self, event: Event) -> bool:
        """Whether a tangle is all that are left of each subgroup that it has lanes of."""
        self.take(event)
        size = self.trace.subgroup_size
        for first in range(0, self.trace.lanes, size):
            subgroup = ((1 << size) - 1) << first & self.mask
            if event.mask & subgroup and event.mask & subgroup != subgroup:
                return False
        return True
