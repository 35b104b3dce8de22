"""A trace as people read it: a line each time a tangle runs a block, one column a lane.

    step  block  lanes
       1  %5     0123
       2  %25    ..23
       3  %24    01..
       4  %25    01..      the same block as in step 2, but not together with it
"""

from reknit.sim.trace import RUN, Trace

WORDS = {"split": "splits", "arrive": "waits", "join": "goes on together", "escape": "left", "done": "ended"}


def trace_text(trace: Trace, all_events: bool) -> str:
    """Runs of blocks; with `all_events` also splits, arrivals, joins, escapes, and padding in which nothing happens."""
    groups = any(event.group for event in trace.events)
    shown = [event for event in trace.events if all_events or (event.kind == RUN and not trace.idle[event.block])]
    width = max([len(trace.block_at(event.block)) for event in shown] + [5])
    head = "group  " if groups else ""
    lines = [f"  step  {head}{'block':<{width}}  lanes"]
    for event in shown:
        group = f"{event.group:>5}  " if groups else ""
        note = ""
        if event.kind != RUN:
            frame = f" ({event.frame})" if event.frame else ""
            note = f"  {WORDS.get(event.kind, event.kind)}{frame}"
        block = trace.block_at(event.block)
        lines.append(f"{event.step:>6}  {group}{block:<{width}}  {trace.picture(event.mask)}{note}")
    return "\n".join(lines) + "\n"
