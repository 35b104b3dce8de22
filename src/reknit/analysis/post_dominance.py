"""Which blocks every path out passes through: dominance of the graph turned around.

    entry ─┬─ then ─┬─ after ─▶ EXIT      after post-dominates then, else and entry
           └─ else ─┘

The graph has no single end, so EXIT is invented: whatever has no successor goes there. A back edge is replaced by an
edge from the latch to the closest common post-dominator of the loop's exits, which makes the graph acyclic; the latch
of an endless loop or of an irreducible one goes to EXIT. So every block has a post-dominator, and what an iteration
does is judged by itself.
Source: H.-K. Arntzen, "My personal hell of translating DXIL to SPIR-V, part 5", "The backwards traversal".
"""

from typing import ClassVar, final

from reknit.analysis.manager import Analyses, FunctionAnalysis
from reknit.analysis.natural_loops import NaturalLoops, natural_loops
from reknit.analysis.order import Order
from reknit.ir.block import Block
from reknit.ir.dominators import DominatorTree
from reknit.ir.flat_graph import graph_of_edges, subtree_intervals
from reknit.ir.function import Function
from reknit.source.columns import append, i64, vec


@final
class PostDominance(FunctionAnalysis):
    """`parent[n]` is the number of block n's immediate post-dominator; EXIT is the number `exit`, one past the blocks'.

    `successors` is the acyclic graph: real edges that are no back edges, then those invented.
    """

    name: ClassVar[str] = "post-dominance"
    reads_code: ClassVar[bool] = False

    def __init__(self, order: Order, parent: list[int], successors: list[list[int]]) -> None:
        self.order = order
        self.exit = len(order.blocks)
        self.parent = parent
        self.successors = successors
        self._enter, self._leave = subtree_intervals([*parent, self.exit])

    @staticmethod
    def compute(function: Function, analyses: Analyses) -> "PostDominance":
        order = analyses.ask(Order, function)
        parent, successors = post_dominators(order.successors)
        return PostDominance(order, parent, successors)

    def post_dominates(self, late: Block, early: Block) -> bool:
        """True if every path out from `early` passes through `late`; a block post-dominates itself."""
        return self.number_post_dominates(self.order.number[late], self.order.number[early])

    def number_post_dominates(self, late: int, early: int) -> bool:
        return self._enter[late] <= self._enter[early] < self._leave[late]

    def immediate(self, block: Block) -> Block | None:
        """The closest other block that post-dominates `block`; None if that is EXIT."""
        parent = self.parent[self.order.number[block]]
        return None if parent == self.exit else self.order.blocks[parent]

    def same_as(self, other: FunctionAnalysis) -> bool:
        return isinstance(other, PostDominance) and self.parent == other.parent and self.order.same_as(other.order)


def post_dominators(successors: list[list[int]]) -> tuple[list[int], list[list[int]]]:
    """(the immediate post-dominator of each node, the acyclic graph with EXIT as its last node).

    Near linear; each edge costs the loops that it leaves.
    """
    count = len(successors)
    loops = natural_loops(successors)
    back: dict[int, int] = {}  # by back edge, as latch * count + header: the node that stands for its loop's exits
    for loop, header in enumerate(loops.header):
        for latch in loops.latches[loop]:
            back[latch * count + header] = count + 1 + loop
    # A node for each loop stands between its latches and its exits: there, the latch's post-dominator can be read off.
    sources, targets = _acyclic(successors, loops, back)
    closest = _closest_real(count, count + 1 + len(loops.header), sources, targets)
    graph: list[list[int]] = []
    for node, row in enumerate(successors):
        kept: dict[int, None] = {}
        again: list[int] = []
        for target in row:
            loop_node = back.get(node * count + target, 0)
            if loop_node:
                again.append(closest[loop_node])
            else:
                kept[target] = None
        for target in again:
            kept[target] = None
        graph.append(list(kept) if row else [count])
    graph.append([])
    return closest[:count], graph


def _acyclic(successors: list[list[int]], loops: NaturalLoops, back: dict[int, int]) -> tuple[vec[i64], vec[i64]]:
    """The edges, by source and target, of the graph with EXIT and a node for each loop."""
    count = len(successors)
    sources = vec[i64](capacity=2 * count)
    targets = vec[i64](capacity=2 * count)
    enter, leave = loops.intervals()
    outward = _reducible_around(loops)
    left_for = [loops.irreducible[loop] for loop in range(len(loops.header))]  # whether v has an edge yet
    for loop, irreducible in enumerate(loops.irreducible):
        if irreducible:  # its exits may lead back into it
            sources = append(sources, count + 1 + loop)
            targets = append(targets, count)
    for source, row in enumerate(successors):
        if not row:
            sources = append(sources, source)
            targets = append(targets, count)
        for target in row:
            # An exit that is a back edge of a loop further out leaves for that one's exits.
            end = back.get(source * count + target, target)
            sources = append(sources, source)
            targets = append(targets, end)
            loop = loops.innermost[source]
            if loop >= 0 and loops.irreducible[loop]:
                loop = outward[loop]
            inner = loops.innermost[target]
            place = enter[inner] if inner >= 0 else -1
            while loop >= 0 and not (enter[loop] <= place < leave[loop]):
                sources = append(sources, count + 1 + loop)
                targets = append(targets, end)
                left_for[loop] = True
                loop = outward[loop]
    for loop, known in enumerate(left_for):
        if not known:
            sources = append(sources, count + 1 + loop)
            targets = append(targets, count)
    return sources, targets


def _reducible_around(loops: NaturalLoops) -> list[int]:
    """By loop: the closest reducible one around it, or -1."""
    reducible = [-1] * len(loops.header)
    for loop in range(len(reducible) - 1, -1, -1):  # outer before inner
        parent = loops.parent[loop]
        if parent >= 0:
            reducible[loop] = reducible[parent] if loops.irreducible[parent] else parent
    return reducible


def _closest_real(root: int, size: int, sources: vec[i64], targets: vec[i64]) -> list[int]:
    """By node: the closest other one, up to number `root`, on all paths to `root`; of `root` itself `root`."""
    dominators = DominatorTree(root, graph_of_edges(size, targets, sources))  # turned around
    order = dominators.order
    tree = dominators.tree
    closest = [root] * size
    reached: i64 = len(order)
    at = 1
    while at < reached:  # above before below
        above = order[tree[at]]
        closest[order[at]] = int(above) if above <= root else closest[above]
        at += 1
    return closest
