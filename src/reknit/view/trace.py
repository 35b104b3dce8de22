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
    """`all_events`: also splits, arrivals, joins and escapes, with the kind of frame and how deep it is."""
    groups = any(event.group for event in trace.events)
    width = max([len(trace.block_at(event.block)) for event in trace.events] + [5])
    head = "group  " if groups else ""
    lines = [f"  step  {head}{'block':<{width}}  lanes"]
    for event in trace.events:
        if event.kind != RUN and not all_events:
            continue
        group = f"{event.group:>5}  " if groups else ""
        note = ""
        if event.kind != RUN:
            frame = f" ({event.frame})" if event.frame else ""
            note = f"  {WORDS.get(event.kind, event.kind)}{frame}"
        block = trace.block_at(event.block)
        lines.append(f"{event.step:>6}  {group}{block:<{width}}  {trace.picture(event.mask)}{note}")
    return "\n".join(lines) + "\n"
