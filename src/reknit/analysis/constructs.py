"""Where each block stands in the tree: the construct around it, how deep, and which blocks a construct spans.

    0 entry
      if a {            range(if) = 1..4
    1   then
        loop @l {       range(loop) = 2..3
    2     body
        } continuing {
    3   }
    4   end
      } else ...

Blocks of a construct are numbered without a gap in source order, so a range says it all.
"""

from typing import ClassVar, final

from reknit.analysis.manager import Analyses, FunctionAnalysis
from reknit.analysis.order import Order
from reknit.ir.block import Block
from reknit.ir.function import Function
from reknit.ir.tree import Case, Construct, Region
from reknit.source.meter import spend


@final
class Constructs(FunctionAnalysis):
    """`order` numbers the blocks. `spans[c]` is (first, last) block number of construct c, outer before inner."""

    name: ClassVar[str] = "constructs"
    reads_code: ClassVar[bool] = False

    def __init__(self, order: Order, spans: dict[Construct, tuple[int, int]], depth: dict[Construct, int]) -> None:
        self.order = order
        self.spans = spans
        self._depth = depth

    @staticmethod
    def compute(function: Function, analyses: Analyses) -> "Constructs":
        order = analyses.ask(Order, function)
        spans: dict[Construct, tuple[int, int]] = {}
        depth: dict[Construct, int] = {}
        if function.structured:
            _measure(function.body, spans, depth)
        return Constructs(order, spans, depth)

    def innermost(self, block: Block) -> Construct | None:
        """The construct whose region the block stands in; None outside of all."""
        region = block.region
        return None if region is None else construct_of(region)

    def depth(self, block: Block) -> int:
        """How many constructs are around the block."""
        around = self.innermost(block)
        return 0 if around is None else self._depth[around]

    def contains(self, construct: Construct, block: Block) -> bool:
        first, last = self.spans[construct]
        return first <= self.order.number[block] <= last

    def blocks(self, construct: Construct) -> list[Block]:
        """All blocks in the construct, also those of constructs inside it, in source order."""
        first, last = self.spans[construct]
        return self.order.blocks[first : last + 1]

    def same_as(self, other: FunctionAnalysis) -> bool:
        return isinstance(other, Constructs) and self.spans == other.spans and self.order.same_as(other.order)


def construct_of(region: Region) -> Construct | None:
    """The construct that a region is part of; None for a function's body."""
    owner = region.owner
    if isinstance(owner, Case):
        return owner.switch
    return owner if isinstance(owner, Construct) else None


def _measure(body: Region, spans: dict[Construct, tuple[int, int]], depth: dict[Construct, int]) -> None:
    clock = 0
    around = 0
    work: list[object] = [body]
    while work:
        spend(1)
        item = work.pop()
        if isinstance(item, Block):
            clock += 1
        elif isinstance(item, Region):
            work.extend(reversed(list(item)))
        elif isinstance(item, Construct):
            if item in spans:  # its regions are done
                spans[item] = (spans[item][0], clock - 1)
                around -= 1
                continue
            around += 1
            depth[item] = around
            spans[item] = (clock, clock)
            work.append(item)
            work.extend(reversed(item.regions()))
