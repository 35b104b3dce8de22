"""Which blocks every way out passes through: dominance of the graph turned around.

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
from reknit.analysis.natural_loops import natural_loops
from reknit.analysis.order import Order
from reknit.ir.block import Block
from reknit.ir.dominators import immediate_dominators
from reknit.ir.function import Function


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
        self._enter, self._leave = _intervals(self.exit, parent)

    @staticmethod
    def compute(function: Function, analyses: Analyses) -> "PostDominance":
        order = analyses.ask(Order, function)
        parent, successors = post_dominators(order.successors)
        return PostDominance(order, parent, successors)

    def post_dominates(self, late: Block, early: Block) -> bool:
        """True if every way out from `early` passes through `late`; a block post-dominates itself."""
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
    """(the immediate post-dominator of each node, the acyclic graph with EXIT as its last node)."""
    count = len(successors)
    loops = natural_loops(successors)
    exits = loops.exits(successors)
    outer: dict[tuple[int, int], int] = {}  # by back edge: the node that stands for its loop's exits
    for loop, header in enumerate(loops.header):
        for latch in loops.latches[loop]:
            outer[(latch, header)] = count + 1 + loop
    # A node for each loop stands between its latches and its exits: there, the latch's post-dominator can be read off.
    forward: list[list[int]] = []
    for source, row in enumerate(successors):
        kept = [target for target in row if (source, target) not in outer]
        forward.append(kept if row else [count])
    forward.append([])
    for loop in range(len(loops.header)):
        # An exit that is a back edge of a loop further out leaves for that one's exits.
        targets = list(dict.fromkeys([outer.get(edge, edge[1]) for edge in exits[loop]]))
        # An irreducible loop's exits may lead back into it.
        forward.append([count] if loops.irreducible[loop] or not targets else targets)
        for latch in loops.latches[loop]:
            forward[latch].append(count + 1 + loop)
    backward: list[list[int]] = [[] for _ in forward]
    for source, row in enumerate(forward):
        for target in row:
            backward[target].append(source)
    tree = immediate_dominators(count, backward)
    for node in range(count):
        while tree[node] > count:
            tree[node] = tree[tree[node]]
    graph: list[list[int]] = []
    for node in range(count):
        row = [target if target <= count else _real(tree, target, count) for target in forward[node]]
        graph.append(list(dict.fromkeys(row)))
    graph.append([])
    return tree[:count], graph


def _real(tree: list[int], node: int, count: int) -> int:
    while node > count:
        node = tree[node]
    return node


def _intervals(root: int, parent: list[int]) -> tuple[list[int], list[int]]:
    """Numbers in tree order: what is below a node is in `enter[n] .. leave[n] - 1`."""
    children: list[list[int]] = [[] for _ in range(len(parent) + 1)]
    for node, above in enumerate(parent):
        children[above].append(node)
    enter = [0] * (len(parent) + 1)
    leave = [0] * (len(parent) + 1)
    clock = 0
    work = [root]
    while work:
        node = work.pop()
        if node < 0:
            leave[~node] = clock
            continue
        enter[node] = clock
        clock += 1
        work.append(~node)
        work.extend(reversed(children[node]))
    return enter, leave
