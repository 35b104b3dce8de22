"""The loops of a graph, found from its back edges: for any graph, also one that no tree describes.

    0 -> 1 -> 2 -> 3        header 1, latches [2], parent -1      blocks 1 and 2 are its own, 3 is an exit
         ^____|

A *back edge* goes to a block that the depth-first walk has not left yet. The blocks of a loop are those that reach a
latch without the header; a loop that can be entered past its header is marked irreducible. Near linear for reducible
graphs. Source: P. Havlak, Nesting of Reducible and Irreducible Loops, 1997, with the union-find of R. Tarjan, Testing
Flow Graph Reducibility, 1974.
"""

from typing import final


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
        found: list[list[tuple[int, int]]] = [[] for _ in self.header]
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
                    found[inside].append((source, target))
                    inside = self.parent[inside]
        return found

    def depths(self) -> list[int]:
        """By loop: 1 for an outermost one, 2 for one inside that ..."""
        depth = [1] * len(self.header)
        for loop in range(len(self.header) - 1, -1, -1):
            if self.parent[loop] >= 0:
                depth[loop] = depth[self.parent[loop]] + 1
        return depth


def natural_loops(successors: list[list[int]]) -> NaturalLoops:
    """The loops of a graph whose node 0 is the entry; parts that it doesn't reach are walked from their lowest node."""
    walk = _Walk(successors)
    found = NaturalLoops(len(successors))
    union = list(range(len(successors)))
    loop_of = [-1] * len(successors)  # by header: its loop
    extra: dict[int, list[int]] = {}  # entries into an irreducible loop, seen from loops further out
    for header in reversed(walk.order):
        latches: list[int] = []
        work: list[int] = []
        members: dict[int, None] = {}
        for source in walk.predecessors[header]:
            if walk.is_above(header, source):
                latches.append(source)
                top = _find(union, source)
                if top != header and top not in members:
                    members[top] = None
                    work.append(top)
        if not latches:
            continue
        irreducible = False
        while work:
            node = work.pop()
            sources = [source for source in walk.predecessors[node] if not walk.is_above(node, source)]
            for source in sources + extra.get(node, []):
                if walk.root[source] != walk.root[header]:
                    continue  # dead code may jump anywhere without making a loop another one
                top = _find(union, source)
                if not walk.is_above(header, top):
                    irreducible = True
                    extra.setdefault(header, []).append(top)
                elif top != header and top not in members:
                    members[top] = None
                    work.append(top)
        number = len(found.header)
        found.header.append(header)
        found.latches.append(latches)
        found.parent.append(-1)
        found.irreducible.append(irreducible)
        loop_of[header] = number
        found.innermost[header] = number
        found.back_edges.extend((latch, header) for latch in latches)
        for node in members:
            union[node] = header
            if loop_of[node] >= 0:
                found.parent[loop_of[node]] = number
            else:
                found.innermost[node] = number
    return found


def _find(union: list[int], node: int) -> int:
    """The outermost header found so far of the loops around `node`, with the path halved on the way."""
    while union[node] != node:
        union[node] = union[union[node]]
        node = union[node]
    return node


@final
class _Walk:
    """A depth-first walk: `order` by first visit, and for each node from when to when it was being visited, and the
    node that the walk to it started from."""

    def __init__(self, successors: list[list[int]]) -> None:
        self.predecessors: list[list[int]] = [[] for _ in successors]
        for source, row in enumerate(successors):
            for target in row:
                self.predecessors[target].append(source)
        self.order: list[int] = []
        self.root = [-1] * len(successors)
        self.enter = [-1] * len(successors)
        self.leave = [-1] * len(successors)
        for start in range(len(successors)):
            if self.enter[start] < 0:
                self.walk_from(start, successors)

    def walk_from(self, start: int, successors: list[list[int]]) -> None:
        path = [start]
        nexts = [0]
        self.enter[start] = len(self.order)
        self.order.append(start)
        while path:
            node = path[-1]
            index = nexts[-1]
            self.root[node] = start
            if index == len(successors[node]):
                self.leave[node] = len(self.order)
                path.pop()
                nexts.pop()
                continue
            nexts[-1] = index + 1
            target = successors[node][index]
            if self.enter[target] < 0:
                self.enter[target] = len(self.order)
                self.order.append(target)
                path.append(target)
                nexts.append(0)

    def is_above(self, above: int, below: int) -> bool:
        """True if `below` was visited while `above` was; a node is above itself."""
        return self.enter[above] <= self.enter[below] < self.leave[above]
