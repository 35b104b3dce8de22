"""Which words of control constructs get: what the input asks of a block, or what its merge instruction said.

    LoopMerge %m %c Unroll      the loop that the block heads: Unroll
    SelectionMerge %m Flatten   the branch at its end: Flatten
"""

from typing import final

from reknit.ir.block import Block
from reknit.ir.function import Function


@final
class Controls:
    """`merges` has, by block, the words of the merge instruction that it had."""

    __slots__ = ("function", "merges")

    def __init__(self, function: Function) -> None:
        self.function = function
        self.merges: dict[Block, list[int]] = {}

    def loop(self, header: Block) -> list[int]:
        asked = self.function.asked.get(header)
        return asked.loop if asked is not None else self.merges.get(header, [0])

    def selection(self, block: Block, heads: bool) -> list[int]:
        """Of the branch at the end of `block`; where that `heads` a loop, its merge instruction was the loop's."""
        asked = self.function.asked.get(block)
        if asked is not None:
            return asked.selection
        return [0] if heads else self.merges.get(block, [0])
