"""Where a part of a group leaves without the rest: past the end of a construct, out of a loop, or for good.

    loop @l {
      if %mine {
        if %other { break @l }      escaped: both ifs      left: the loop
        terminate                   escaped: all three     left: the loop      ended: this block
      }
    }

Of what the whole group does together nothing is kept: none of it is missed where the others would have met it.
"""

from typing import Final, final

from reknit.analysis.constructs import construct_of
from reknit.analysis.uniformity.element_tree import Places
from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.jump import Break, Continue, Exit, Fallthrough
from reknit.ir.tree import Construct, Loop, Region

RETURNS: Final = (op.Return, op.ReturnValue, op.Kill)  # OpKill may demote, which returns


@final
class Leaving:
    """By construct or loop, a block from which a part leaves; `ended` is one in which a part ends. `changed` turns true
    when something is added."""

    __slots__ = ("escaped", "left", "ended", "changed", "_places", "_reach")

    def __init__(self, places: Places) -> None:
        self.escaped: dict[Construct, Block] = {}
        self.left: dict[Loop, Block] = {}
        self.ended: Block | None = None
        self.changed = False
        self._places = places
        self._reach: dict[Construct, int] = {}

    def jump(self, block: Block) -> None:
        """A part of a group comes to the end of `block` and goes where its jump says, if it has one."""
        region = block.region
        jump = block.jump
        if region is None:
            return
        if isinstance(jump, Break):
            self._escape(block, region, jump.target)
            if isinstance(jump.target, Loop):
                self._leave_loop(jump.target, block)
        elif isinstance(jump, Continue):
            self._escape(block, region, jump.target)
        elif isinstance(jump, Fallthrough):
            self._escape(block, region, jump.target.switch)
        elif isinstance(jump, Exit) and jump.instr.op != op.Unreachable:
            if jump.instr.op not in RETURNS or jump.instr.op == op.Kill:
                self.end(block)
            self._escape(block, region, None)

    def end(self, block: Block) -> None:
        """A part of a group ends in `block`."""
        if self.ended is None:
            self.ended = block
            self.changed = True
        if block.region is not None:
            self._escape(block, block.region, None)

    def _escape(self, block: Block, region: Region, target: Construct | None) -> None:
        """A part jumps from `block` past the ends of all constructs inside `target`."""
        goal = -1 if target is None else self._places.element[target].index
        current = construct_of(region)
        while current is not None and current is not target:
            if self._reach.get(current, 1 << 30) <= goal:
                return  # a jump that goes as far was here
            self._reach[current] = goal
            self.changed = True
            self.escaped.setdefault(current, block)
            if isinstance(current, Loop):
                self._leave_loop(current, block)
            around = current.region
            current = construct_of(around) if around is not None else None

    def _leave_loop(self, loop: Loop, block: Block) -> None:
        if loop not in self.left:
            self.left[loop] = block
            self.changed = True
