"""What the graph of a module says, in columns: what is reached, what dominates what, which edges go back.

    real edges              b ─▶ targets               plain dominance, reachability
    structural edges        + merge and continue edges structural dominance and reachability (SPIR-V 1.6, 2.11)
    reversed, to the exits                             structural post dominance

    back edge: a real edge to a block that is on the path by which the depth-first search came

Everything is over all functions at once: node `count` is above the functions' first blocks, and below their last ones.
Where a part of a function has no exit, its last block that stands in a cycle counts as one; where blocks have no way
in, those without structural predecessors are searched first, then the rest as they stand.
"""

from typing import Final, final

from reknit.ir.dominators import DominatorTree
from reknit.ir.flat_graph import DepthFirst, FlatGraph, filled
from reknit.source.columns import append, extend, i64, vec
from reknit.spirv.rules.flow import Flow

NONE: Final = -1


@final
class Tree:
    """A dominator tree with intervals. `above` is the immediate dominator; NONE for a block that is not in the tree.

    `order` lists the blocks of the tree, dominators first.
    """

    __slots__ = ("above", "enter", "leave", "order")

    def __init__(self, count: i64, entry: i64, graph: FlatGraph) -> None:
        dominators = DominatorTree(entry, graph)
        order = dominators.order
        tree = dominators.tree
        reached: i64 = len(order)
        sizes = filled(reached, 1)
        at: i64 = reached - 1
        while at > 0:
            sizes[tree[at]] += sizes[at]
            at -= 1
        self.above: vec[i64] = filled(count + 1, NONE)
        self.enter: vec[i64] = filled(count + 1, NONE)
        self.leave: vec[i64] = filled(count + 1, NONE)
        blocks = vec[i64](capacity=reached)
        nexts = filled(reached, 1)  # depth-first place of the next child
        at = 1
        while at < reached:
            node: i64 = order[at]
            over: i64 = tree[at]
            enter: i64 = nexts[over]
            self.enter[node] = enter
            self.leave[node] = enter + sizes[at] - 1
            nexts[over] = enter + sizes[at]
            nexts[at] = enter + 1
            if over > 0:
                self.above[node] = order[over]
            blocks = append(blocks, node)
            at += 1
        self.order: vec[i64] = blocks

    def has(self, block: i64) -> bool:
        """Whether the block is in the tree: whether it can be reached."""
        return self.enter[block] >= 0

    def over(self, above: i64, below: i64) -> bool:
        """Whether `above` dominates `below`, itself included. A block that is not in the tree dominates only itself."""
        if above == below:
            return True
        return self.enter[above] >= 0 and self.enter[above] < self.enter[below] <= self.leave[above]


@final
class Graph:
    """All of it for one module. Post dominance is worked out when first asked for."""

    __slots__ = (
        "flow", "plain", "structural", "into", "real_into", "forward", "back_sources", "back_goals", "_post",
    )  # fmt: skip

    def __init__(self, flow: Flow) -> None:
        self.flow = flow
        count: i64 = flow.count
        edges = FlatGraph(flow.outs, flow.ends)
        real = FlatGraph(flow.starts, flow.targets)
        self.into = edges.reversed()
        self.real_into = real.reversed()
        entries = vec[i64]()
        function: i64 = 0
        functions: i64 = len(flow.first) - 1
        while function < functions:
            if flow.first[function] < flow.first[function + 1]:
                entries = append(entries, flow.first[function])
            function += 1
        self.structural = _tree(count, entries, edges)
        self.plain = _tree(count, entries, real)
        walk = _walked(edges, entries)
        self.forward: vec[i64] = walk.finished  # of blocks that are structurally reached
        roots = _roots(flow, self.into.starts)
        if not _same(roots, entries) or len(walk.finished) < count:
            walk = _walked(edges, roots)
            block: i64 = 0
            while block < count:
                walk.walk(block)
                block += 1
        self.back_sources: vec[i64] = vec[i64]()
        self.back_goals: vec[i64] = vec[i64]()
        self._find_back_edges(walk)
        self._post: Tree | None = None

    def _find_back_edges(self, walk: DepthFirst) -> None:
        """Only real edges are back edges; each once, in the order in which the walk leaves their sources."""
        flow = self.flow
        known: set[int] = set()
        place: i64 = 0
        while place < len(walk.finished):
            source: i64 = walk.finished[place]
            place += 1
            edge: i64 = flow.starts[source]
            while edge < flow.starts[source + 1]:
                goal: i64 = flow.targets[edge]
                edge += 1
                pair = int(source * flow.count + goal)
                if walk.goes_back(source, goal) and pair not in known:
                    known.add(pair)
                    self.back_sources = append(self.back_sources, source)
                    self.back_goals = append(self.back_goals, goal)

    def post(self) -> Tree:
        """Structural post dominance."""
        known = self._post
        if known is not None:
            return known
        flow = self.flow
        count: i64 = flow.count
        walk = DepthFirst(self.into)
        sinks = vec[i64]()
        function: i64 = 0
        functions: i64 = len(flow.first) - 1
        while function < functions:
            block: i64 = flow.first[function + 1] - 1
            while block >= flow.first[function]:
                if flow.outs[block] == flow.outs[block + 1]:
                    sinks = append(sinks, block)
                    walk.walk(block)
                block -= 1
            block = flow.first[function + 1] - 1
            while block >= flow.first[function]:
                if walk.enter[block] < 0:
                    sinks = append(sinks, block)
                    walk.walk(block)
                block -= 1
            function += 1
        tree = _tree(count, sinks, self.into)
        self._post = tree
        return tree


def _tree(count: i64, entries: vec[i64], graph: FlatGraph) -> Tree:
    """The dominators of a graph that is entered at each of `entries`."""
    starts = extend(vec[i64](capacity=count + 2), graph.starts)
    targets = extend(vec[i64](capacity=len(graph.targets) + len(entries)), graph.targets)
    targets = extend(targets, entries)
    return Tree(count, count, FlatGraph(append(starts, len(targets)), targets))


def _roots(flow: Flow, into_starts: vec[i64]) -> vec[i64]:
    """Blocks without structural predecessors, as they stand."""
    roots = vec[i64]()
    block: i64 = 0
    while block < flow.count:
        if flow.function[block] >= 0 and into_starts[block] == into_starts[block + 1]:
            roots = append(roots, block)
        block += 1
    return roots


def _same(mine: vec[i64], other: vec[i64]) -> bool:
    if len(mine) != len(other):
        return False
    at: i64 = 0
    while at < len(mine):
        if mine[at] != other[at]:
            return False
        at += 1
    return True


def _walked(graph: FlatGraph, roots: vec[i64]) -> DepthFirst:
    walk = DepthFirst(graph)
    at: i64 = 0
    while at < len(roots):
        walk.walk(roots[at])
        at += 1
    return walk
