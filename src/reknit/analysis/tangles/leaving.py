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

from reknit.analysis.uniformity.element_tree import NONE, Element, Places
from reknit.ir import op
from reknit.ir.flat_graph import filled
from reknit.ir.jump import Break, Exit
from reknit.ir.tree import Loop
from reknit.source.columns import i64, vec

RETURNS: Final = (op.Return, op.ReturnValue, op.Kill)  # OpKill may demote, which returns
_NOWHERE: Final = 1 << 30


@final
class Leaving:
    """By number of a construct's element, that of a block from which a part leaves past its end (`escaped`), or leaves
    it as a loop (`left`), NONE if there is none; `ended` is a block in which a part ends. `changed` turns true when
    something is added."""

    __slots__ = ("escaped", "left", "ended", "changed", "_places", "_reach")

    def __init__(self, places: Places) -> None:
        count: i64 = len(places.elements)
        self.escaped: vec[i64] = filled(count, NONE)
        self.left: vec[i64] = filled(count, NONE)
        self.ended: int | None = None
        self.changed = False
        self._places = places
        self._reach: vec[i64] = filled(count, _NOWHERE)

    def jump(self, number: int) -> None:
        """A part of a group comes to the end of a block and goes where its jump says, if it has one."""
        block = self._places.order.blocks[number]
        jump = block.jump
        if jump is None or block.region is None:
            return
        goal = self._places.goal[number]
        if goal is not None:
            self._escape(number, goal)
            if isinstance(jump, Break) and isinstance(jump.target, Loop):
                self._leave_loop(goal, number)
        elif isinstance(jump, Exit) and jump.instr.op != op.Unreachable:
            if jump.instr.op not in RETURNS or jump.instr.op == op.Kill:
                self.end(number)
            self._escape(number, None)

    def end(self, number: int) -> None:
        """A part of a group ends in a block."""
        if self.ended is None:
            self.ended = number
            self.changed = True
        self._escape(number, None)

    def _escape(self, number: int, target: Element | None) -> None:
        """A part jumps from a block past the ends of all constructs inside `target`."""
        goal: i64 = NONE if target is None else target.index
        current = self._places.of[number].around()
        while current is not None and current is not target:
            place: i64 = current.number
            if self._reach[place] <= goal:
                return  # a jump that goes as far was here
            self._reach[place] = goal
            self.changed = True
            if self.escaped[place] < 0:
                self.escaped[place] = number
            if isinstance(current.construct, Loop):
                self._leave_loop(current, number)
            parent = current.parent
            current = parent.around() if parent is not None else None

    def _leave_loop(self, loop: Element, number: int) -> None:
        if self.left[loop.number] < 0:
            self.left[loop.number] = number
            self.changed = True
