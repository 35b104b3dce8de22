"""A flat function as numbers: the graph that the structurizer works on.

    blocks     b0  b1  b2          0 ──▶ 1 ──▶ 2
    number     0   1   2                 ▲_____│

`rank` is a topological order of the edges that go forward (reverse post-order, first targets first); `idom` the
immediate dominators; `forward[n]` counts edges to n that don't come from below it. The numbers hold until the function
is edited.
"""

from typing import final

from reknit.ir.block import Block
from reknit.ir.cfg import edge_rows
from reknit.ir.dominators import immediate_dominators
from reknit.ir.flat_graph import reverse_postorder, subtree_intervals


@final
class Flow:
    """Blocks and edges, all reached from block 0. What follows `sources` is filled in by `find_order`."""

    __slots__ = ("blocks", "number", "targets", "sources", "rank", "by_rank", "idom", "forward", "enter", "leave")

    def __init__(self, blocks: list[Block]) -> None:
        self.blocks = list(blocks)
        self.number: dict[Block, int] = {block: index for index, block in enumerate(blocks)}
        self.targets: list[list[int]] = edge_rows(blocks)
        self.sources: list[list[int]] = [[] for _ in blocks]
        for index, row in enumerate(self.targets):
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
        # The last target first: so the first one comes right after its source.
        self.by_rank = reverse_postorder([row[::-1] for row in self.targets])
        for place, node in enumerate(self.by_rank):
            self.rank[node] = place
        self.idom = immediate_dominators(0, self.targets)
        self.forward = [0] * count
        for source, row in enumerate(self.targets):
            for target in row:
                if self.rank[source] < self.rank[target]:
                    self.forward[target] += 1
        self.enter, self.leave = subtree_intervals(self.idom)

    def dominates(self, above: int, below: int) -> bool:
        """Whether every path to `below` passes `above`; a node dominates itself."""
        return self.enter[above] <= self.enter[below] < self.leave[above]

    def is_back(self, source: int, target: int) -> bool:
        """Whether an edge of a graph without irreducible loops goes back."""
        return self.rank[source] >= self.rank[target]
