"""Immediate dominators of a directed graph: the one implementation, over nodes that are numbers.

    entry 0                      idom
    0 -> 1, 2                    1: 0    2: 0
    1 -> 3    2 -> 3             3: 0    (neither arm is on every way to 3)
    3 -> 4                       4: 3
    5 -> 3                       5: -1   (cannot be reached)

Semi-dominators by depth-first numbers with path compression, then the nearest common ancestor in the tree built so far
("Semi-NCA": L. Georgiadis, Linear-Time Algorithms for Dominators and Related Problems, 2005, section 2.3). Near linear
in practice; for any input at worst quadratic in the nodes, never in the edges. The work is done on flat columns.
"""

from typing import final

from reknit.source.columns import append, i64, vec


def immediate_dominators(entry: int, successors: list[list[int]]) -> list[int]:
    """The immediate dominator of every node; of `entry` itself `entry`, of a node that can't be reached -1."""
    starts = vec[i64](capacity=len(successors) + 1)
    targets = vec[i64](capacity=2 * len(successors))
    for edges in successors:
        starts = append(starts, len(targets))
        for target in edges:
            targets = append(targets, target)
    found = DominatorTree(entry, append(starts, len(targets)), targets)
    order = found.order
    tree = found.tree
    result = [-1] * len(successors)
    at: i64 = 0
    reached: i64 = len(order)
    while at < reached:
        result[order[at]] = order[tree[at]]
        at += 1
    return result


@final
class DominatorTree:
    """The dominators of a graph in columns: the targets of node n are `targets[starts[n]:starts[n + 1]]`.

    `order` has the nodes that can be reached, depth first; `tree` the immediate dominator of each, both as places in
    `order`: a node's dominator stands before it, the entry is its own.
    """

    __slots__ = ("order", "tree")

    def __init__(self, entry: i64, starts: vec[i64], targets: vec[i64]) -> None:
        graph = _Columns(starts, targets)
        graph.number_nodes(entry)
        graph.find_semi_dominators()
        graph.find_dominators()
        self.order: vec[i64] = graph.order
        self.tree: vec[i64] = graph.tree


def filled(count: i64, value: i64) -> vec[i64]:
    """A column of `count` equal numbers."""
    column = vec[i64](capacity=count)
    at: i64 = 0
    while at < count:
        column = append(column, value)
        at += 1
    return column


@final
class _Columns:
    """The graph and what is known of it. `number` is by node; `order`, `parent`, `semi`, `tree`, `ancestor` and `label`
    are by depth-first number. The targets of node n are `targets[starts[n]:starts[n + 1]]`."""

    def __init__(self, starts: vec[i64], targets: vec[i64]) -> None:
        self.starts: vec[i64] = starts
        self.targets: vec[i64] = targets
        self.number: vec[i64] = filled(len(starts) - 1, -1)
        self.order: vec[i64] = vec[i64]()
        self.parent: vec[i64] = vec[i64]()
        self.semi: vec[i64] = vec[i64]()
        self.tree: vec[i64] = vec[i64]()
        self.ancestor: vec[i64] = vec[i64]()
        self.label: vec[i64] = vec[i64]()
        self.path: vec[i64] = vec[i64]()

    def number_nodes(self, entry: i64) -> None:
        """Depth-first numbers and parents."""
        starts = self.starts
        targets = self.targets
        number = self.number
        count: i64 = len(number)
        order = vec[i64](capacity=count)
        parent = vec[i64](capacity=count)
        path = filled(count, 0)
        nexts = filled(count, 0)
        depth: i64 = 0
        number[entry] = 0
        order = append(order, entry)
        parent = append(parent, 0)
        path[0] = entry
        nexts[0] = starts[entry]
        while depth >= 0:
            node = path[depth]
            at = nexts[depth]
            if at == starts[node + 1]:
                depth -= 1
                continue
            nexts[depth] = at + 1
            target = targets[at]
            if number[target] < 0:
                number[target] = len(order)
                order = append(order, target)
                parent = append(parent, number[node])
                depth += 1
                path[depth] = target
                nexts[depth] = starts[target]
        self.order = order
        self.parent = parent
        self.path = path

    def find_semi_dominators(self) -> None:
        order = self.order
        number = self.number
        starts = self.starts
        targets = self.targets
        parent = self.parent
        reached: i64 = len(order)
        # predecessors, counted and then filled in, in depth-first numbers
        firsts = filled(reached + 1, 0)
        at: i64 = 0
        while at < reached:
            edge = starts[order[at]]
            end = starts[order[at] + 1]
            while edge < end:
                firsts[number[targets[edge]] + 1] += 1
                edge += 1
            at += 1
        at = 0
        while at < reached:
            firsts[at + 1] += firsts[at]
            at += 1
        sources = filled(firsts[reached], 0)
        placed = filled(reached, 0)
        at = 0
        while at < reached:
            edge = starts[order[at]]
            end = starts[order[at] + 1]
            while edge < end:
                into = number[targets[edge]]
                sources[firsts[into] + placed[into]] = at
                placed[into] += 1
                edge += 1
            at += 1
        semi = filled(reached, 0)
        self.ancestor = filled(reached, 0)
        self.label = filled(reached, 0)
        at = 0
        while at < reached:
            semi[at] = at
            self.label[at] = at
            self.ancestor[at] = parent[at]
            at += 1
        self.semi = semi
        at = reached - 1
        while at > 0:
            best = parent[at]
            edge = firsts[at]
            end = firsts[at + 1]
            while edge < end:
                found = semi[self._lowest(sources[edge], at + 1)]
                if found < best:
                    best = found
                edge += 1
            semi[at] = best
            at -= 1

    def find_dominators(self) -> None:
        """The tree, in depth-first numbers: walk up from the parent to the semi-dominator or above."""
        semi = self.semi
        tree = self.parent
        reached: i64 = len(tree)
        at: i64 = 1
        while at < reached:
            candidate = tree[at]
            while candidate > semi[at]:
                candidate = tree[candidate]
            tree[at] = candidate
            at += 1
        self.tree = tree

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
