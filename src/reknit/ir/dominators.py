"""Immediate dominators of a directed graph: the one implementation, over nodes that are numbers.

    entry 0                      idom
    0 -> 1, 2                    1: 0    2: 0
    1 -> 3    2 -> 3             3: 0    (neither arm is on every path to 3)
    3 -> 4                       4: 3
    5 -> 3                       5: -1   (cannot be reached)

Semi-dominators by depth-first numbers with path compression, then the nearest common ancestor in the tree built so far
("Semi-NCA": L. Georgiadis, Linear-Time Algorithms for Dominators and Related Problems, 2005, section 2.3). Near linear
in practice; for any input at worst quadratic in the nodes, never in the edges. The work is done on flat columns.
"""

from typing import final

from reknit.ir.flat_graph import DepthFirst, FlatGraph, filled, flat_graph
from reknit.source.columns import append, i64, vec


def immediate_dominators(entry: int, successors: list[list[int]]) -> list[int]:
    """The immediate dominator of every node; of `entry` itself `entry`, of a node that can't be reached -1."""
    dominators = DominatorTree(entry, flat_graph(successors))
    order = dominators.order
    tree = dominators.tree
    result = [-1] * len(successors)
    at: i64 = 0
    reached: i64 = len(order)
    while at < reached:
        result[order[at]] = order[tree[at]]
        at += 1
    return result


@final
class DominatorTree:
    """The dominators of a graph in columns.

    `order` has the nodes that can be reached, depth first; `tree` the immediate dominator of each, both as places in
    `order`: a node's dominator stands before it, the entry is its own.
    """

    __slots__ = ("order", "tree")

    def __init__(self, entry: i64, graph: FlatGraph) -> None:
        walk = DepthFirst(graph)
        walk.walk(entry)
        work = _Columns(walk)
        work.find_semi_dominators(graph.reversed())
        work.find_dominators()
        self.order: vec[i64] = walk.order
        self.tree: vec[i64] = work.tree


@final
class _Columns:
    """What is known so far. `number` is by node; all else is by depth-first number."""

    def __init__(self, walk: DepthFirst) -> None:
        order = walk.order
        reached: i64 = len(order)
        self.number: vec[i64] = walk.enter
        self.order: vec[i64] = order
        self.tree: vec[i64] = vec[i64](capacity=reached)  # the walk's parent, and in the end the dominator
        self.ancestor: vec[i64] = vec[i64](capacity=reached)
        self.semi: vec[i64] = vec[i64](capacity=reached)
        self.label: vec[i64] = vec[i64](capacity=reached)
        self.path: vec[i64] = filled(reached, 0)
        at: i64 = 0
        while at < reached:
            parent = walk.enter[walk.above[order[at]]]
            self.tree = append(self.tree, parent)
            self.ancestor = append(self.ancestor, parent)
            self.semi = append(self.semi, at)
            self.label = append(self.label, at)
            at += 1

    def find_semi_dominators(self, into: FlatGraph) -> None:
        """`into` has the edges reversed."""
        order = self.order
        number = self.number
        semi = self.semi
        at: i64 = len(order) - 1
        while at > 0:
            best = self.tree[at]
            edge = into.starts[order[at]]
            end = into.starts[order[at] + 1]
            while edge < end:
                source = number[into.targets[edge]]
                if source >= 0:
                    candidate = semi[self._lowest(source, at + 1)]
                    if candidate < best:
                        best = candidate
                edge += 1
            semi[at] = best
            at -= 1

    def find_dominators(self) -> None:
        """The tree, in depth-first numbers: walk up from the parent to the semi-dominator or above."""
        semi = self.semi
        tree = self.tree
        reached: i64 = len(tree)
        at: i64 = 1
        while at < reached:
            candidate = tree[at]
            while candidate > semi[at]:
                candidate = tree[candidate]
            tree[at] = candidate
            at += 1

    def _lowest(self, node: i64, linked: i64) -> i64:
        """The node of lowest semi-dominator on the path up from `node`, among those numbered from `linked` on."""
        ancestor = self.ancestor
        label = self.label
        semi = self.semi
        path = self.path
        if ancestor[node] < linked:
            return label[node]
        depth: i64 = 0
        while ancestor[node] >= linked:
            path[depth] = node
            depth += 1
            node = ancestor[node]
        above = node
        best = label[node]
        while depth > 0:
            depth -= 1
            node = path[depth]
            ancestor[node] = ancestor[above]
            if semi[best] < semi[label[node]]:
                label[node] = best
            else:
                best = label[node]
            above = node
        return best
