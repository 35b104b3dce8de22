"""Where a loop is left after a known number of iterations.

    loop @l {                                                  stays: the test passes
      header: %i = Phi 0u before, %next latch                  trips 4: for i = 0, 1, 2, 3 it does, for 4 it doesn't
      %c = ULessThan %i, 4u
      if %c nojoin { } else { break @l }
      ...
    } continuing { latch: %next = IAdd %i, 1u }

The test is what every iteration comes to first (only straight code stands before it), or the conditional back edge,
which every iteration that goes on comes to. Its counter is a phi of the header, or a constant more, that starts at a
constant and takes a constant step. Other exits of the loop don't matter: they leave earlier, each on its own.
"""

from typing import final

from reknit.ir import op, traits
from reknit.ir.back_edge import is_conditional_back_edge
from reknit.ir.block import Block
from reknit.ir.constants import as_int
from reknit.ir.instr import Instr
from reknit.ir.jump import Break
from reknit.ir.tree import If, Loop, Region
from reknit.ir.types import width_of
from reknit.ir.value import Node, Value
from reknit.passes.loops.trip_count import trip_count


@final
class Test:
    """`choice` lets all stay `trips` times and then all leave, by its arm `leave`; `stay` is the other, empty one."""

    __slots__ = ("choice", "leave", "stay", "trips")

    def __init__(self, choice: If, leave: Region, stay: Region, trips: int) -> None:
        self.choice = choice
        self.leave = leave
        self.stay = stay
        self.trips = trips


def counted(loop: Loop) -> Test | None:
    """The test that ends `loop` after a number of iterations that is known here; None if there is none."""
    node: Node | None = loop.body.first
    while isinstance(node, Block) and node.jump is None:
        node = node.next
    test = _test(node, loop) if isinstance(node, If) else None
    if test is None:
        last = loop.continuing.end().prev
        if isinstance(last, If) and is_conditional_back_edge(last):
            test = _test(last, loop)
    return test


def _test(choice: If, loop: Loop) -> Test | None:
    if choice.breaks:
        return None
    for leave, stay in ((choice.then, choice.orelse), (choice.orelse, choice.then)):
        jump = leave.entry().jump
        if not isinstance(jump, Break) or jump.target is not loop or not _is_bare(leave) or not _is_bare(stay):
            continue
        if stay.entry().jump is not None:
            return None
        trips = _trips(choice.condition, stay is choice.then, loop)
        return None if trips is None else Test(choice, leave, stay, trips)
    return None


def _is_bare(region: Region) -> bool:
    return region.first is region.last and region.entry().is_empty()


def _trips(condition: Value, stays: bool, loop: Loop) -> int | None:
    """How often `condition` is `stays` before it isn't."""
    known = as_int(condition)
    if known is not None:
        return None if bool(known) == stays else 0
    while isinstance(condition, Instr) and condition.op == op.LogicalNot:
        condition = condition.value(0)
        stays = not stays
    if not isinstance(condition, Instr) or traits.TYPED.get(condition.op) != "int-compare":
        return None
    compare = condition.op if stays else traits.NEGATED[condition.op]
    counter = condition.value(0)
    limit = as_int(condition.value(1))
    if limit is None:
        compare = traits.SWAPPED[compare]
        counter = condition.value(1)
        limit = as_int(condition.value(0))
    if limit is None:
        return None
    line = _line(counter, loop)
    if line is None:
        return None
    phi, offset = line
    start: int | None = None
    step: int | None = None
    for index in range(0, len(phi.operands), 2):
        if phi.operands[index + 1] is loop.prev:
            start = as_int(phi.value(index))
        else:
            following = _line(phi.value(index), loop)
            if following is None or following[0] is not phi:
                return None
            step = following[1]
    if start is None or step is None or phi.type is None:
        return None
    return trip_count(start + offset, step, compare, limit, width_of(phi.type))


def _line(value: Value, loop: Loop) -> tuple[Instr, int] | None:
    """`value` as a phi of the loop's header plus a constant."""
    offset = 0
    while isinstance(value, Instr) and value.type is not None and value.type.op == op.TypeInt:
        if value.op == op.Phi:
            return (value, offset) if value.block is loop.body.first else None
        if value.op != op.IAdd and value.op != op.ISub:
            return None
        left, right = value.value(0), value.value(1)
        constant = as_int(right)
        if constant is None and value.op == op.IAdd:
            left, constant = right, as_int(left)
        if constant is None:
            return None
        offset += constant if value.op == op.IAdd else -constant
        value = left
    return None
