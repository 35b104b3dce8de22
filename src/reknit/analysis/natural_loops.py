"""The loops of a graph, found from its back edges: for any graph, also one that no tree describes.

    0 -> 1 -> 2 -> 3        header 1, latches [2], parent -1      blocks 1 and 2 are its own, 3 is an exit
         ^____|

A *back edge* goes to a block that the depth-first walk has not left yet. The blocks of a loop are those that reach a
latch without the header; a loop that can be entered past its header is marked irreducible.

Near linear for any graph: headers are taken from the last visited to the first, and what is inside of a loop is one
node for those further out. An edge between branches of the walk is shown to a loop only once the walk's node where the
branches part comes up, since to all loops below that it is an edge from outside, and would be handed from each to the
next. Source: P. Havlak, Nesting of Reducible and Irreducible Loops, 1997; G. Ramalingam, Identifying Loops in Almost
Linear Time, 1999, section 5; the union-find is that of R. Tarjan, Testing Flow Graph Reducibility, 1974.
"""

from typing import final

from reknit.ir.flat_graph import DepthFirst, filled, flat_graph, subtree_intervals, walked
from reknit.source.columns import append, i64, vec
from reknit.source.meter import spend


@final
class NaturalLoops:
    """Loops by number, inner before outer. `header[l]`, `latches[l]`, `parent[l]` (-1: outermost), `irreducible[l]`.

    `innermost[n]` is the loop that node n is in (a header is in its own), or -1. `back_edges` are (latch, header).
    """

    def __init__(self, nodes: int) -> None:
        self.header: list[int] = []
        self.latches: list[list[int]] = []
        self.parent: list[int] = []
        self.irreducible: list[bool] = []
        self.innermost: list[int] = [-1] * nodes
        self.back_edges: list[tuple[int, int]] = []

    def exits(self, successors: list[list[int]]) -> list[list[tuple[int, int]]]:
        """By loop: the edges that leave it. Costs the edges and the loops that each of them leaves."""
        exits_of: list[list[tuple[int, int]]] = [[] for _ in self.header]
        depth = self.depths()
        for source, row in enumerate(successors):
            for target in row:
                inside = self.innermost[source]
                outside = self.innermost[target]
                while inside >= 0:
                    while outside >= 0 and depth[outside] > depth[inside]:
                        outside = self.parent[outside]
                    if inside == outside:
                        break
                    exits_of[inside].append((source, target))
                    inside = self.parent[inside]
        return exits_of

    def depths(self) -> list[int]:
        """By loop: 1 for an outermost one, 2 for one inside that ..."""
        depth = [1] * len(self.header)
        for loop in range(len(self.header) - 1, -1, -1):
            if self.parent[loop] >= 0:
                depth[loop] = depth[self.parent[loop]] + 1
        return depth

    def intervals(self) -> tuple[list[int], list[int]]:
        """By loop: loop m is in loop l, or is it, if first[l] <= first[m] < last[l]."""
        return subtree_intervals([above if above >= 0 else loop for loop, above in enumerate(self.parent)])


def natural_loops(successors: list[list[int]]) -> NaturalLoops:
    """The loops of a graph whose node 0 is the entry; parts that it doesn't reach are walked from their lowest node."""
    walk = walked(flat_graph(successors))
    crossing = _Crossing(successors, walk)
    latches = _latches(successors, walk)
    loops = NaturalLoops(len(successors))
    nodes: i64 = len(successors)
    union = _numbered(nodes)
    loop_of = filled(nodes, -1)  # by header: its loop
    upward = vec[i64]()  # by loop: a loop around it, all between being irreducible; -1 while none is known
    inward = filled(nodes, -1)  # by node: the last of the edges from elsewhere that end in it
    other = filled(len(crossing.sources), -1)  # by edge: the one before it in `inward`
    work = vec[i64]()
    place: i64 = nodes - 1
    while place >= 0:
        header = walk.order[place]
        place -= 1
        edge = crossing.parting[header]
        while edge >= 0:
            target = crossing.targets[edge]
            end = _find(union, target)
            other[edge] = inward[end]
            inward[end] = edge
            _mark_irreducible(loops, upward, _loop_past(loops, loop_of, target))
            edge = crossing.following[edge]
        ends = latches.get(int(header))
        if ends is None:
            continue
        number: i64 = len(loops.header)
        loops.header.append(int(header))
        loops.latches.append(ends)
        loops.parent.append(-1)
        loops.irreducible.append(False)
        upward = append(upward, -1)
        loop_of[header] = number
        loops.innermost[header] = int(number)
        count: i64 = 0
        for latch in ends:
            loops.back_edges.append((latch, int(header)))
            top = _find(union, latch)
            if top != header:
                union[top] = header
                work = append(work, top)
                count += 1
        taken: i64 = 0
        while taken < count:
            node = work[taken]
            taken += 1
            inner = loop_of[node]
            if inner >= 0:
                loops.parent[inner] = int(number)
                upward[inner] = number
            else:
                loops.innermost[node] = int(number)
            edge = inward[node]
            source = walk.above[node]
            while True:
                spend(1)
                top = _find(union, source)
                if top != header:
                    union[top] = header
                    work = append(work, top)
                    count += 1
                if edge < 0:
                    break
                source = crossing.sources[edge]
                edge = other[edge]
        work = vec[i64]()
    return loops


def _loop_past(loops: NaturalLoops, loop_of: vec[i64], node: i64) -> i64:
    """The innermost loop so far that `node` is in without being its header, or -1."""
    loop = loop_of[node]
    return loops.parent[loop] if loop >= 0 else loops.innermost[node]


def _mark_irreducible(loops: NaturalLoops, upward: vec[i64], loop: i64) -> None:
    """All loops from `loop` outwards, as far as they are known. Those marked before are skipped, and the path
    is halved."""
    irreducible = loops.irreducible
    while loop >= 0:
        above = upward[loop]
        if not irreducible[loop]:
            irreducible[loop] = True
        elif above >= 0 and irreducible[above] and upward[above] >= 0:
            above = upward[above]
            upward[loop] = above
        loop = above


def _find(union: vec[i64], node: i64) -> i64:
    """The end of the links from `node`, with the path halved: in `natural_loops` the outermost header found
    so far of the loops around it."""
    while union[node] != node:
        union[node] = union[union[node]]
        node = union[node]
    return node


def _numbered(count: i64) -> vec[i64]:
    column = vec[i64](capacity=count)
    at: i64 = 0
    while at < count:
        column = append(column, at)
        at += 1
    return column


@final
class _Crossing:
    """The edges between branches of a depth-first walk, and those forward over what lies between: `sources[e]`,
    `targets[e]`. By node: `parting` is the first of those whose ends' paths part there, `following[e]` the next one.

    Edges out of dead code into what was walked before are left out: it may jump anywhere without making a loop another
    one. Where two paths split is found as the walk ends: a node that it has left leads to the first above that it has
    not.
    """

    __slots__ = ("sources", "targets", "parting", "following")

    def __init__(self, successors: list[list[int]], walk: DepthFirst) -> None:
        nodes: i64 = len(successors)
        self.sources: vec[i64] = vec[i64]()
        self.targets: vec[i64] = vec[i64]()
        self.parting: vec[i64] = filled(nodes, -1)
        self.following: vec[i64] = vec[i64]()
        left = filled(nodes, 0)
        union = _numbered(nodes)
        place: i64 = 0
        while place < nodes:
            node = walk.finished[place]
            place += 1
            for row_target in successors[node]:
                target: i64 = row_target
                if left[target] == 0 or walk.above[target] == node:
                    continue
                meeting = _find(union, target)
                if left[meeting] == 0:
                    self.following = append(self.following, self.parting[meeting])
                    self.parting[meeting] = len(self.sources)
                    self.sources = append(self.sources, node)
                    self.targets = append(self.targets, target)
            left[node] = 1
            union[node] = walk.above[node]


def _latches(successors: list[list[int]], walk: DepthFirst) -> dict[int, list[int]]:
    """By header: the sources of its back edges, lowest first."""
    latches: dict[int, list[int]] = {}
    for source, row in enumerate(successors):
        for target in row:
            if walk.goes_back(source, target):
                ends = latches.get(target)
                if ends is None:
                    latches[target] = [source]
                else:
                    ends.append(source)
    return latches
