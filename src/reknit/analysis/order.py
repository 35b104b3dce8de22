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
from reknit.ir.cfg import edge_rows_by_number
from reknit.ir.flat_graph import reverse_postorder
from reknit.ir.function import Function
from reknit.ir.walk import blocks


@final
class Order(FunctionAnalysis):
    """`blocks[n]` is block number n, `number` the inverse. Edges are lists of numbers; those of blocks that can't be
    reached count too. `reached[n]` says whether the entry reaches block n. The entry is number 0."""

    name: ClassVar[str] = "order"
    reads_code: ClassVar[bool] = False

    def __init__(
        self,
        blocks: list[Block],
        number: dict[Block, int],
        successors: list[list[int]],
        predecessors: list[list[int]],
        reached: list[bool],
    ) -> None:
        self.blocks = blocks
        self.number = number
        self.successors = successors
        self.predecessors = predecessors
        self.reached = reached

    @staticmethod
    def compute(function: Function, analyses: Analyses) -> "Order":
        all_blocks = blocks(function)
        number: dict[Block, int] = {block: index for index, block in enumerate(all_blocks)}
        outgoing = edge_rows_by_number(all_blocks, number)
        reached = [False] * len(all_blocks)
        if function.structured:
            _reach(outgoing, reached)
        else:
            order = reverse_postorder(outgoing)
            for index in order:
                reached[index] = True
            order.extend(index for index in range(len(all_blocks)) if not reached[index])
            place = [0] * len(all_blocks)
            for at, index in enumerate(order):
                place[index] = at
            all_blocks = [all_blocks[index] for index in order]
            outgoing = [[place[target] for target in outgoing[index]] for index in order]
            reached = [reached[index] for index in order]
            number = {block: index for index, block in enumerate(all_blocks)}
        incoming: list[list[int]] = [[] for _ in all_blocks]
        for index, row in enumerate(outgoing):
            for target in row:
                incoming[target].append(index)
        return Order(all_blocks, number, outgoing, incoming, reached)

    def same_as(self, other: FunctionAnalysis) -> bool:
        return (
            isinstance(other, Order)
            and self.blocks == other.blocks
            and self.successors == other.successors
            and self.reached == other.reached
        )


def _reach(successors: list[list[int]], reached: list[bool]) -> None:
    """In source order only the ends of loops go back, and what they go back to has been reached before."""
    if reached:
        reached[0] = True
    for index, row in enumerate(successors):
        if reached[index]:
            for target in row:
                reached[target] = True
