"""A flat function as numbers: the graph that the structurizer works on.

    blocks     b0  b1  b2          0 ──▶ 1 ──▶ 2
    number     0   1   2                 ▲_____│

`rank` is a topological order of the edges that go forward (reverse post-order, first targets first); `idom` the
immediate dominators; `forward[n]` counts edges to n that don't come from below it. The numbers hold until the function
is edited.
"""

from typing import final

from reknit.ir.block import Block
from reknit.ir.cfg import successors
from reknit.ir.dominators import immediate_dominators


@final
class Flow:
    """Blocks and edges, all reached from block 0. What follows `sources` is filled in by `find_order`."""

    __slots__ = ("blocks", "number", "targets", "sources", "rank", "by_rank", "idom", "forward", "enter", "leave")

    def __init__(self, blocks: list[Block]) -> None:
        self.blocks = list(blocks)
        self.number: dict[Block, int] = {block: index for index, block in enumerate(blocks)}
        self.targets: list[list[int]] = []
        self.sources: list[list[int]] = [[] for _ in blocks]
        for index, block in enumerate(blocks):
            row = [self.number[target] for target in successors(block)]
            self.targets.append(row)
            for target in row:
                self.sources[target].append(index)
        self.rank: list[int] = []
        self.by_rank: list[int] = []
        self.idom: list[int] = []
        self.forward: list[int] = []
        self.enter: list[int] = []
        self.leave: list[int] = []

    def add(self, block: Block) -> int:
        """A new block without edges; its number."""
        self.number[block] = len(self.blocks)
        self.blocks.append(block)
        self.targets.append([])
        self.sources.append([])
        return len(self.blocks) - 1

    def connect(self, source: int, target: int) -> None:
        self.targets[source].append(target)
        self.sources[target].append(source)

    def find_order(self) -> None:
        """Fill in ranks and dominators. Near linear."""
        count = len(self.blocks)
        self.rank = [-1] * count
        order: list[int] = []
        seen = [False] * count
        seen[0] = True
        path = [0]
        nexts = [len(self.targets[0])]
        while path:
            top = path[-1]
            at = nexts[-1] - 1
            if at < 0:
                order.append(top)
                path.pop()
                nexts.pop()
                continue
            nexts[-1] = at
            target = self.targets[top][at]
            if not seen[target]:
                seen[target] = True
                path.append(target)
                nexts.append(len(self.targets[target]))
        order.reverse()
        for place, node in enumerate(order):
            self.rank[node] = place
        self.by_rank = order
        self.idom = immediate_dominators(0, self.targets)
        self.forward = [0] * count
        for source, row in enumerate(self.targets):
            for target in row:
                if self.rank[source] < self.rank[target]:
                    self.forward[target] += 1
        self._find_intervals()

    def _find_intervals(self) -> None:
        """Which part of a walk over the dominator tree each node's subtree takes."""
        count = len(self.blocks)
        size = [1] * count
        for index in range(count - 1, 0, -1):
            node = self.by_rank[index]
            size[self.idom[node]] += size[node]
        self.enter = [0] * count
        self.leave = [count] * count
        taken = [1] * count  # of a node's interval, by itself and the children before
        for index in range(1, count):
            node = self.by_rank[index]
            above = self.idom[node]
            self.enter[node] = self.enter[above] + taken[above]
            self.leave[node] = self.enter[node] + size[node]
            taken[above] += size[node]

    def dominates(self, above: int, below: int) -> bool:
        """Whether every way to `below` passes `above`; a node dominates itself."""
        return self.enter[above] <= self.enter[below] < self.leave[above]

    def is_back(self, source: int, target: int) -> bool:
        """Whether an edge of a graph without irreducible loops goes back."""
        return self.rank[source] >= self.rank[target]
