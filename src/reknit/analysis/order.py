"""The blocks of a function in an order, and its edges as numbers.

number         0        1      2      3
block          entry    then   else   after
successors     [1, 2]   [3]    [3]    []
predecessors   []       [0]    [0]    [1, 2]

structured     source order: only the ends of loops go back, so a block comes after what dominates it
flat           reverse post-order from the entry, then what it doesn't reach
"""

from typing import ClassVar, final

from reknit.analysis.manager import Analyses, FunctionAnalysis
from reknit.ir.block import Block
from reknit.ir.cfg import successors
from reknit.ir.function import Function
from reknit.ir.walk import blocks


@final
class Order(FunctionAnalysis):
    """`blocks[n]` is block number n, `number` the way back. Edges are lists of numbers; those of blocks that can't be
    reached count too. `reached[n]` says whether the entry reaches block n. The entry is number 0."""

    name: ClassVar[str] = "order"
    reads_code: ClassVar[bool] = False

    def __init__(
        self, blocks: list[Block], successors: list[list[int]], predecessors: list[list[int]], reached: list[bool]
    ) -> None:
        self.blocks = blocks
        self.number: dict[Block, int] = {block: index for index, block in enumerate(blocks)}
        self.successors = successors
        self.predecessors = predecessors
        self.reached = reached

    @staticmethod
    def compute(function: Function, analyses: Analyses) -> "Order":
        found = blocks(function)
        targets = {block: successors(block) for block in found}
        finished = _post_order(found, targets)
        if not function.structured:
            ordered = finished[::-1]
            seen = dict.fromkeys(ordered)
            ordered.extend(block for block in found if block not in seen)
            found = ordered
        reached_blocks = dict.fromkeys(finished)
        number = {block: index for index, block in enumerate(found)}
        outgoing = [[number[target] for target in targets[block]] for block in found]
        incoming: list[list[int]] = [[] for _ in found]
        for index, row in enumerate(outgoing):
            for target in row:
                incoming[target].append(index)
        return Order(found, outgoing, incoming, [block in reached_blocks for block in found])

    def same_as(self, other: FunctionAnalysis) -> bool:
        return (
            isinstance(other, Order)
            and self.blocks == other.blocks
            and self.successors == other.successors
            and self.reached == other.reached
        )


def _post_order(found: list[Block], targets: dict[Block, list[Block]]) -> list[Block]:
    """The blocks reached from the first one, each after those that a depth-first walk enters from it."""
    finished: list[Block] = []
    if not found:
        return finished
    seen: dict[Block, None] = {found[0]: None}
    path: list[Block] = [found[0]]
    nexts: list[int] = [0]
    while path:
        block = path[-1]
        row = targets[block]
        index = nexts[-1]
        if index == len(row):
            finished.append(block)
            path.pop()
            nexts.pop()
            continue
        nexts[-1] = index + 1
        target = row[index]
        if target not in seen:
            seen[target] = None
            path.append(target)
            nexts.append(0)
    return finished
