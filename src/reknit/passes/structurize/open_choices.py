"""`assume=inside`: every choice that the input leaves open is made unlike the edges have it.

    h ──▶ a ──▶ b        a and b have a ballot, and h dominates both: h's loop is everything up to them
    ▲_____│              edges that nothing runs along: b to h, a to h

For a tangled operation behind several loops, each of which could have had it: it goes into the closest, and that one
into the next (edges b to h2, h2 to h1). What the input says stays: nothing leaves a loop so which the input tells
of. A linear number of edges, found in linear time but for the depth of loops.
"""

from typing import Final

from reknit.analysis.flat.flow import Flow
from reknit.analysis.natural_loops import NaturalLoops
from reknit.ir.instr import Instr
from reknit.source.meter import spend

OUTSIDE: Final = "outside"
INSIDE: Final = "inside"


def assumed_edges(
    flow: Flow, loops: NaturalLoops, hinted: dict[int, None], doubts: list[int], tangled: dict[int, Instr]
) -> list[tuple[int, int]]:
    """Edges from nodes to headers of loops that they shall belong to. `doubts` are headers."""
    doubtful = dict.fromkeys(doubts)
    loop_at = {header: loop for loop, header in enumerate(loops.header)}
    near = [-1] * len(flow.blocks)  # by node: the closest header in doubt that dominates it, other than itself
    for index in range(1, len(flow.by_rank)):
        node = flow.by_rank[index]
        above = flow.idom[node]
        near[node] = above if above in doubtful else near[above]
    inside_edges: list[tuple[int, int]] = []
    done = dict.fromkeys(tangled)
    work = list(tangled)
    while work:
        spend(1)
        node = work.pop()
        header = near[node]
        while header >= 0:
            loop = loop_at[header]
            if _holds(loops, loop, node) or _may_join(loops, loop, node, hinted):
                if not _holds(loops, loop, node):
                    inside_edges.append((node, header))
                if header not in done:
                    done[header] = None
                    work.append(header)
                break
            header = near[header]
    return inside_edges


def _holds(loops: NaturalLoops, loop: int, node: int) -> bool:
    around = loops.innermost[node]
    while 0 <= around < loop:  # loops are numbered from the inside out
        around = loops.parent[around]
    return around == loop


def _may_join(loops: NaturalLoops, loop: int, node: int, hinted: dict[int, None]) -> bool:
    """Whether `node` is in all loops around `loop` that the input tells of."""
    around = loops.parent[loop]
    while around >= 0:
        if loops.header[around] in hinted:
            return _holds(loops, around, node)
        around = loops.parent[around]
    return True
