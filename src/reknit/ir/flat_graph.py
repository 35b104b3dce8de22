"""A directed graph over numbers, in columns, and the one depth-first walk of it.

    0 -> 1, 2      starts  0 2 3 4 4        order     0 1 3 2     by first visit
    1 -> 3         targets 1 2 3 3          finished  3 1 2 0     by when the walk left it
    2 -> 3                                  above     0 0 0 1     by node: from where it was reached first

Dominators, loops, strongly connected components and every order of blocks are computed from these columns. Nothing
here recurses, and everything is linear in the edges.
Source: R. Tarjan, Depth-First Search and Linear Graph Algorithms, 1972; the components by two walks are those of
M. Sharir, A Strong-Connectivity Algorithm and its Applications in Data Flow Analysis, 1981.
"""

from typing import Final, final

from reknit.source.columns import append, extend, i64, vec
from reknit.source.meter import spend

NONE: Final = -1


def filled(count: i64, value: i64) -> vec[i64]:
    """A column of `count` equal numbers."""
    return vec[i64]([value] * count)


@final
class FlatGraph:
    """The targets of node n are `targets[starts[n]:starts[n + 1]]`; nodes are 0 .. `count` - 1."""

    __slots__ = ("count", "starts", "targets")

    def __init__(self, starts: vec[i64], targets: vec[i64]) -> None:
        self.count: i64 = len(starts) - 1
        self.starts: vec[i64] = starts
        self.targets: vec[i64] = targets

    def reversed(self) -> "FlatGraph":
        """The same edges reversed; the sources of a node stand in ascending order."""
        starts = self.starts
        sources = vec[i64](capacity=len(self.targets))
        node: i64 = 0
        while node < self.count:
            edge = starts[node]
            while edge < starts[node + 1]:
                sources = append(sources, node)
                edge += 1
            node += 1
        return graph_of_edges(self.count, self.targets, sources)


def flat_graph(rows: list[list[int]]) -> FlatGraph:
    """The graph in which node n leads to `rows[n]`."""
    starts = vec[i64](capacity=len(rows) + 1)
    targets = vec[i64](capacity=2 * len(rows))
    for row in rows:
        starts = append(starts, len(targets))
        for target in row:
            targets = append(targets, target)
    return FlatGraph(append(starts, len(targets)), targets)


def graph_of_edges(count: i64, sources: vec[i64], targets: vec[i64]) -> FlatGraph:
    """The graph of `count` nodes with an edge from each of `sources` to the node at its place in `targets`."""
    starts = filled(count + 1, 0)
    edges: i64 = len(sources)
    edge: i64 = 0
    while edge < edges:
        starts[sources[edge] + 1] += 1
        edge += 1
    node: i64 = 0
    while node < count:
        starts[node + 1] += starts[node]
        node += 1
    free = extend(vec[i64](capacity=count + 1), starts)  # by node: where its next edge goes
    row = filled(edges, 0)
    edge = 0
    while edge < edges:
        source = sources[edge]
        row[free[source]] = targets[edge]
        free[source] += 1
        edge += 1
    return FlatGraph(starts, row)


@final
class DepthFirst:
    """A walk from one root after another. Nodes that it has not come to have NONE everywhere.

    `order` and `finished` are the nodes by first visit and by when they were left (preorder, postorder). By node:
    `above` is where it was reached from first (a root: itself), `enter` its place in `order`, `leave` one past the
    places of what was reached below it: while the walk is below it, NONE.
    """

    __slots__ = ("graph", "order", "finished", "above", "enter", "leave", "_nexts")

    def __init__(self, graph: FlatGraph) -> None:
        self.graph = graph
        count = graph.count
        self.order: vec[i64] = vec[i64](capacity=count)
        self.finished: vec[i64] = vec[i64](capacity=count)
        self.above: vec[i64] = filled(count, NONE)
        self.enter: vec[i64] = filled(count, NONE)
        self.leave: vec[i64] = filled(count, NONE)
        self._nexts: vec[i64] = extend(vec[i64](capacity=count + 1), graph.starts)  # by node: the next edge

    def walk(self, root: i64) -> None:
        """Visit what `root` reaches and no root before did, the targets of a node as they stand."""
        enter = self.enter
        if enter[root] >= 0:
            return
        starts = self.graph.starts
        targets = self.graph.targets
        order = self.order
        finished = self.finished
        above = self.above
        leave = self.leave
        nexts = self._nexts
        above[root] = root
        enter[root] = len(order)
        order = append(order, root)
        node = root
        while True:
            edge = nexts[node]
            if edge == starts[node + 1]:
                leave[node] = len(order)
                finished = append(finished, node)
                if node == root:
                    break
                node = above[node]
                continue
            nexts[node] = edge + 1
            target = targets[edge]
            if enter[target] < 0:
                above[target] = node
                enter[target] = len(order)
                order = append(order, target)
                node = target
        spend(len(order) - enter[root])
        self.order = order
        self.finished = finished

    def goes_back(self, source: i64, target: i64) -> bool:
        """Whether an edge leads to a node above its source in the walk, or to the source itself."""
        return self.enter[target] <= self.enter[source] < self.leave[target]


def walked(graph: FlatGraph) -> DepthFirst:
    """The walk of the whole graph: from node 0, then from the lowest node that was not come to, and so on."""
    walk = DepthFirst(graph)
    root: i64 = 0
    while root < graph.count:
        walk.walk(root)
        root += 1
    return walk


def reverse_postorder(rows: list[list[int]]) -> list[int]:
    """What node 0 reaches, each node before all that its edges lead to but those that go back."""
    if not rows:
        return []
    walk = DepthFirst(flat_graph(rows))
    walk.walk(0)
    order: list[int] = []
    at: i64 = len(walk.finished) - 1
    while at >= 0:
        order.append(int(walk.finished[at]))
        at -= 1
    return order


def components(graph: FlatGraph) -> list[list[int]]:
    """The strongly connected components, each after all that it reaches; its nodes in the order of `walked`."""
    forward = walked(graph)
    backward = DepthFirst(graph.reversed())
    groups: list[list[int]] = []
    at: i64 = graph.count - 1
    while at >= 0:
        root = forward.finished[at]
        at -= 1
        first: i64 = len(backward.order)
        backward.walk(root)
        end: i64 = len(backward.order)
        if first == end:
            continue
        places: list[int] = []
        while first < end:
            places.append(int(forward.enter[backward.order[first]]))
            first += 1
        places.sort()
        groups.append([int(forward.order[place]) for place in places])
    groups.reverse()
    return groups


def subtree_intervals(above: list[int]) -> tuple[list[int], list[int]]:
    """Intervals of a forest that says by node what is above it: node m is below node n, or is n, if
    enter[n] <= enter[m] < leave[n]. A root is above itself; what has NONE above it is in no tree, and below nothing."""
    count: i64 = len(above)
    enter = filled(count, NONE)
    leave = filled(count, NONE)
    child = filled(count, NONE)  # the lowest one
    sibling = filled(count, NONE)  # the next higher one
    node: i64 = count - 1
    while node >= 0:
        over: i64 = above[node]
        if over >= 0 and over != node:
            sibling[node] = child[over]
            child[over] = node
        node -= 1
    place: i64 = 0
    for top in [number for number, parent in enumerate(above) if parent == number]:
        root: i64 = top
        node = root
        while True:
            enter[node] = place
            place += 1
            if child[node] >= 0:
                node = child[node]
                continue
            leave[node] = place
            while node != root and sibling[node] < 0:
                node = above[node]
                leave[node] = place
            if node == root:
                break
            node = sibling[node]
    return _listed(enter), _listed(leave)


def _listed(column: vec[i64]) -> list[int]:
    numbers: list[int] = []
    at: i64 = 0
    while at < len(column):
        numbers.append(int(column[at]))
        at += 1
    return numbers
