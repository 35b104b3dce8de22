"""What the graph of a module says, in columns: who is reached, who dominates whom, which edges go back.

    real edges              b ─▶ targets               plain dominance, reachability
    structural edges        + merge and continue edges structural dominance and reachability (SPIR-V 1.6, 2.11)
    reversed, to the exits                             structural post dominance

    back edge: a real edge to a block that is on the way from which the depth-first search came

Everything is over all functions at once: node `count` is above the functions' first blocks, and below their last ones.
Where a part of a function has no way out, its last block that stands in a cycle counts as one; where blocks have no way
in, those without structural predecessors are searched first, then the rest as they stand.
"""

from typing import Final, final

from reknit.ir.dominators import DominatorTree
from reknit.source.columns import append, i64, vec
from reknit.spirv.rules.flow import Flow, filled

NONE: Final = -1


@final
class Tree:
    """A dominator tree with intervals. `above` is the immediate dominator; NONE for a block that is not in the tree.

    `order` lists the blocks of the tree, dominators first.
    """

    __slots__ = ("above", "enter", "leave", "order")

    def __init__(self, count: i64, entry: i64, starts: vec[i64], targets: vec[i64]) -> None:
        found = DominatorTree(entry, starts, targets)
        order = found.order
        tree = found.tree
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
class Into:
    """Edges by where they lead: the predecessors of block b are `sources[starts[b]:starts[b + 1]]`, as they stand."""

    __slots__ = ("starts", "sources")

    def __init__(self, count: i64, starts: vec[i64], targets: vec[i64]) -> None:
        firsts = filled(count + 1, 0)
        edge: i64 = 0
        while edge < len(targets):
            firsts[targets[edge] + 1] += 1
            edge += 1
        at: i64 = 0
        while at < count:
            firsts[at + 1] += firsts[at]
            at += 1
        placed = filled(count, 0)
        sources = filled(len(targets), 0)
        block: i64 = 0
        while block < count:
            edge = starts[block]
            while edge < starts[block + 1]:
                goal: i64 = targets[edge]
                sources[firsts[goal] + placed[goal]] = block
                placed[goal] += 1
                edge += 1
            block += 1
        self.starts: vec[i64] = firsts
        self.sources: vec[i64] = sources


@final
class Search:
    """A depth-first search: the blocks in postorder, and its back edges as pairs of `sources` and `goals`."""

    __slots__ = ("seen", "post", "sources", "goals")

    def __init__(self, count: i64) -> None:
        self.seen: vec[i64] = filled(count, 0)
        self.post: vec[i64] = vec[i64](capacity=count)
        self.sources: vec[i64] = vec[i64]()
        self.goals: vec[i64] = vec[i64]()


@final
class Graph:
    """All of it for one module. Post dominance is worked out when first asked for."""

    __slots__ = (
        "flow", "plain", "structural", "into", "real_into", "forward", "back_sources", "back_goals", "_post",
    )  # fmt: skip

    def __init__(self, flow: Flow) -> None:
        self.flow = flow
        count: i64 = flow.count
        self.into = Into(count, flow.outs, flow.ends)
        self.real_into = Into(count, flow.starts, flow.targets)
        entries = vec[i64]()
        function: i64 = 0
        functions: i64 = len(flow.first) - 1
        while function < functions:
            if flow.first[function] < flow.first[function + 1]:
                entries = append(entries, flow.first[function])
            function += 1
        self.structural = _tree(count, entries, flow.outs, flow.ends)
        self.plain = _tree(count, entries, flow.starts, flow.targets)
        search = Search(count)
        _search(search, entries, flow.outs, flow.ends)
        self.forward: vec[i64] = search.post  # of blocks that are structurally reached
        roots = _roots(flow, self.into.starts)
        if not _same(roots, entries) or len(search.post) < count:
            search = Search(count)
            _search(search, roots, flow.outs, flow.ends)
            block: i64 = 0
            while block < count:
                if search.seen[block] == 0:
                    alone = vec[i64]()
                    _search(search, append(alone, block), flow.outs, flow.ends)
                block += 1
        self.back_sources: vec[i64] = search.sources
        self.back_goals: vec[i64] = search.goals
        self._keep_real()
        self._post: Tree | None = None

    def _keep_real(self) -> None:
        """Only real edges are back edges; each once."""
        flow = self.flow
        sources = vec[i64]()
        goals = vec[i64]()
        known: set[int] = set()
        at: i64 = 0
        while at < len(self.back_sources):
            source: i64 = self.back_sources[at]
            goal: i64 = self.back_goals[at]
            edge: i64 = flow.starts[source]
            while edge < flow.starts[source + 1] and flow.targets[edge] != goal:
                edge += 1
            pair = int(source * flow.count + goal)
            if edge < flow.starts[source + 1] and pair not in known:
                known.add(pair)
                sources = append(sources, source)
                goals = append(goals, goal)
            at += 1
        self.back_sources = sources
        self.back_goals = goals

    def post(self) -> Tree:
        """Structural post dominance."""
        known = self._post
        if known is not None:
            return known
        flow = self.flow
        count: i64 = flow.count
        seen = Search(count)
        sinks = vec[i64]()
        function: i64 = 0
        functions: i64 = len(flow.first) - 1
        while function < functions:
            own = vec[i64]()
            block: i64 = flow.first[function + 1] - 1
            while block >= flow.first[function]:
                if flow.outs[block] == flow.outs[block + 1]:
                    own = append(own, block)
                    sinks = append(sinks, block)
                block -= 1
            _search(seen, own, self.into.starts, self.into.sources)
            block = flow.first[function + 1] - 1
            while block >= flow.first[function]:
                if seen.seen[block] == 0:
                    sinks = append(sinks, block)
                    alone = vec[i64]()
                    _search(seen, append(alone, block), self.into.starts, self.into.sources)
                block -= 1
            function += 1
        made = _tree(count, sinks, self.into.starts, self.into.sources)
        self._post = made
        return made


def _tree(count: i64, entries: vec[i64], starts: vec[i64], targets: vec[i64]) -> Tree:
    """The dominators of a graph that is entered at each of `entries`."""
    all_starts = vec[i64](capacity=count + 2)
    all_targets = vec[i64](capacity=len(targets) + len(entries))
    at: i64 = 0
    while at <= count:
        all_starts = append(all_starts, starts[at])
        at += 1
    at = 0
    while at < len(targets):
        all_targets = append(all_targets, targets[at])
        at += 1
    at = 0
    while at < len(entries):
        all_targets = append(all_targets, entries[at])
        at += 1
    return Tree(count, count, append(all_starts, len(all_targets)), all_targets)


def _roots(flow: Flow, into_starts: vec[i64]) -> vec[i64]:
    """Blocks without structural predecessors, as they stand."""
    roots = vec[i64]()
    block: i64 = 0
    while block < flow.count:
        if flow.function[block] >= 0 and into_starts[block] == into_starts[block + 1]:
            roots = append(roots, block)
        block += 1
    return roots


def _same(one: vec[i64], other: vec[i64]) -> bool:
    if len(one) != len(other):
        return False
    at: i64 = 0
    while at < len(one):
        if one[at] != other[at]:
            return False
        at += 1
    return True


def _search(search: Search, roots: vec[i64], starts: vec[i64], targets: vec[i64]) -> None:
    """Go on with a search from each root in turn. `seen` is 1 for what is on the way there, 2 for what is done."""
    seen = search.seen
    post = search.post
    sources = search.sources
    goals = search.goals
    path = vec[i64]()
    nexts = vec[i64]()
    number: i64 = 0
    while number < len(roots):
        root: i64 = roots[number]
        number += 1
        if seen[root] != 0:
            continue
        seen[root] = 1
        depth: i64 = 0
        if len(path) == 0:
            path = append(path, root)
            nexts = append(nexts, starts[root])
        else:
            path[0] = root
            nexts[0] = starts[root]
        while depth >= 0:
            node: i64 = path[depth]
            edge: i64 = nexts[depth]
            if edge == starts[node + 1]:
                seen[node] = 2
                post = append(post, node)
                depth -= 1
                continue
            nexts[depth] = edge + 1
            goal: i64 = targets[edge]
            if seen[goal] == 1:
                sources = append(sources, node)
                goals = append(goals, goal)
            elif seen[goal] == 0:
                seen[goal] = 1
                depth += 1
                if depth == len(path):
                    path = append(path, goal)
                    nexts = append(nexts, starts[goal])
                else:
                    path[depth] = goal
                    nexts[depth] = starts[goal]
    search.post = post
    search.sources = sources
    search.goals = goals
