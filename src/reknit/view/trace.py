"""A trace as people read it: a line each time a tangle runs a block, one column a lane.

    step  block  line  lanes
       1  %5       12  0123
       2  %25      14  ..23
       3  %24      17  01..
       4  %25      14  01..      the same block as in step 2, but not together with it

`line` is that of the source; the column is not there where no line is known.
"""

from reknit.sim.trace import PUSH, RUN, Trace

WORDS = {
    "split": "splits",
    "arrive": "waits",
    "join": "goes on together",
    "escape": "left",
    "end": "ended",
    "unite": "is united",
    "helper": "becomes helpers",
}


def trace_text(trace: Trace, all_events: bool) -> str:
    """Runs of blocks; with `all_events` also splits, arrivals, joins, escapes, and padding in which nothing happens."""
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
    for event in shown:
        group = f"{event.group:>5}  " if groups else ""
        note = ""
        if event.kind != RUN:
            frame = f" ({event.frame})" if event.frame else ""
            note = f"  {WORDS.get(event.kind, event.kind)}{frame}"
        block = trace.block_at(event.block)
        line = f"{trace.line_at(event.block) or '':>4}  " if placed else ""
        lines.append(f"{event.step:>6}  {group}{block:<{width}}  {line}{trace.picture(event.mask)}{note}")
    return "\n".join(lines) + "\n"
