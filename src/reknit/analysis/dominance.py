"""Which blocks every path passes through: the dominator tree, with a constant-time answer.

entry ─┬─ then ─┬─ after          entry 0..4         a dominates b: a's interval holds b's start
       └─ else ─┘                  ├─ then  1..2
                                   ├─ else  2..3
                                   └─ after 3..4
"""

from typing import ClassVar, final

from reknit.analysis.manager import Analyses, FunctionAnalysis
from reknit.analysis.order import Order
from reknit.ir.block import Block
from reknit.ir.dominators import immediate_dominators
from reknit.ir.flat_graph import subtree_intervals
from reknit.ir.function import Function


@final
class Dominance(FunctionAnalysis):
    """`parent[n]` is the number of block n's immediate dominator: the entry's is itself, an unreached block's is -1.
    Numbers are those of `order`."""

    name: ClassVar[str] = "dominance"
    reads_code: ClassVar[bool] = False

    def __init__(self, order: Order, parent: list[int]) -> None:
        self.order = order
        self.parent = parent
        self._enter, self._leave = subtree_intervals(parent)

    @staticmethod
    def compute(function: Function, analyses: Analyses) -> "Dominance":
        order = analyses.ask(Order, function)
        return Dominance(order, immediate_dominators(0, order.successors) if order.blocks else [])

    def preorder(self) -> list[int]:
        """What the entry reaches, each after its immediate dominator and all that it dominates right after it."""
        order = [0] * self._leave[0] if self.parent else []
        for number in range(len(self.parent)):
            place = self._enter[number]
            if place >= 0:
                order[place] = number
        return order

    def children(self) -> list[list[int]]:
        """The tree downwards: by number what a block is the immediate dominator of."""
        children: list[list[int]] = [[] for _ in self.parent]
        for index in range(1, len(self.parent)):
            if self.parent[index] >= 0:
                children[self.parent[index]].append(index)
        return children

    def dominates(self, above: Block, below: Block) -> bool:
        """True if every path from the entry to `below` passes through `above`; a block dominates itself.

        No path leads to a block that can't be reached, so everything dominates it (SPIR-V 1.6, 2.11 "Dominate").
        """
        low = self.order.number[below]
        if self.parent[low] < 0:
            return True
        high = self.order.number[above]
        if self.parent[high] < 0:
            return False
        return self._enter[high] <= self._enter[low] < self._leave[high]

    def immediate(self, block: Block) -> Block | None:
        """The closest other block that dominates `block`; None for the entry and for what can't be reached."""
        number = self.order.number[block]
        parent = self.parent[number]
        return None if parent < 0 or parent == number else self.order.blocks[parent]

    def same_as(self, other: FunctionAnalysis) -> bool:
        return isinstance(other, Dominance) and self.parent == other.parent and self.order.same_as(other.order)
