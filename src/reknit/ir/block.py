"""A basic block: straight-line instructions and, perhaps, a jump at the end.

    phis            (first)
    instructions
    jump            break, continue, fallthrough, return ...; without one, control goes on to what follows in the region

A block that was a label in the input is real and stays a label in the output. A *padding* block was put in so that
no edge is critical and every construct has a block on both sides; it disappears again in the output while it is
empty and nothing needs its label.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, final

from reknit.ir import op
from reknit.ir.debug import may_precede_phis
from reknit.ir.value import Node

if TYPE_CHECKING:
    from reknit.ir.instr import Instr
    from reknit.ir.jump import Jump


@final
class Block(Node):
    """`padding`: see the module's text. `order` is the position the block had in the input, -1 for a new one."""

    __slots__ = ("first", "last", "jump", "padding", "order", "leading")

    def __init__(self, name: str = "", padding: bool = False) -> None:
        super().__init__(name)
        self.first: Instr | None = None
        self.last: Instr | None = None
        self.jump: Jump | None = None
        self.padding = padding
        self.order = -1
        self.leading: tuple[Instr, ...] = ()  # debug lines that stand between the block before and this one's label

    def __iter__(self) -> "Iterator[Instr]":
        """The instructions in order; the one just yielded may be removed or moved."""
        instr = self.first
        while instr is not None:
            following = instr.next
            yield instr
            instr = following

    def phis(self) -> "Iterator[Instr]":
        """The phis, which debug information may precede."""
        instr = self.first
        while instr is not None and (instr.op == op.Phi or may_precede_phis(instr)):
            following = instr.next
            if instr.op == op.Phi:
                yield instr
            instr = following

    def has_phis(self) -> bool:
        instr = self.first
        while instr is not None and instr.op != op.Phi and may_precede_phis(instr):
            instr = instr.next
        return instr is not None and instr.op == op.Phi

    def is_empty(self) -> bool:
        return self.first is None
