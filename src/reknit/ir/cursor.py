"""A place where an edit happens.

    at_head ──▶ ┃ phi          only phis may go here
                ┃ phi
    after_phis ─▶
                ┃ instr        before_instr / after_instr
    at_end ────▶
                ┃ jump
    behind_jump ▶              what is put here can't be reached

`at_head` and `after_phis` are two places wherever there are phis, and one where there are none. A place next to a
construct is a place in a block: `before_node` is the end of the block before it, `after_node` is behind the phis of the
block after it, because those belong to the construct.

A cursor is the instruction it stands behind, so it stays right while other things are inserted, and while the block is
split or joined elsewhere, as long as that instruction stays in the block. It does not survive the removal of either.
"""

from typing import final

from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.debug import may_precede_phis
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.tree import Construct, If, Region, Switch
from reknit.ir.value import Node, Value
from reknit.source.diagnostic import EditRefused


@final
class Cursor:
    """In `block`, right behind `after` (None: at its head). `behind`: behind the block's jump, if it has one."""

    __slots__ = ("block", "after", "behind")

    def __init__(self, block: Block, after: Instr | None, behind: bool = False) -> None:
        self.block = block
        self.after = after
        self.behind = behind

    def __repr__(self) -> str:
        """`<in %entry, behind %x = Load %p : u32>`."""
        place = f"behind {self.after!r}" if self.after is not None else "at its head"
        jump = ", behind its jump" if self.is_behind_jump() else ""
        return f"<in {repr(self.block).splitlines()[0].removesuffix(':')}, {place}{jump}>"

    def following(self) -> Instr | None:
        """The instruction that the cursor stands before; None at the end."""
        return self.block.first if self.after is None else self.after.next

    def is_behind_jump(self) -> bool:
        return self.behind and self.block.jump is not None

    def is_before_phi(self) -> bool:
        """Whether a phi of the block stands behind this place. Costs the phis."""
        instr = self.following()
        while instr is not None and (instr.op == op.Phi or may_precede_phis(instr)):
            if instr.op == op.Phi:
                return True
            instr = instr.next
        return False


def same_place(here: Cursor, other: Cursor) -> bool:
    """Whether nothing stands between two cursors."""
    return here.block is other.block and here.after is other.after and here.is_behind_jump() == other.is_behind_jump()


# --- in a block -------------------------------------------------------------------------------------------------------


def at_head(block: Block) -> Cursor:
    """Before everything in `block`, its phis too."""
    return Cursor(block, None)


def after_phis(block: Block) -> Cursor:
    """Behind the phis of `block` and the debug lines among them."""
    last: Instr | None = None
    for phi in block.phis():
        last = phi
    return Cursor(block, last)


def at_end(block: Block) -> Cursor:
    """Behind the instructions of `block`, before its jump."""
    return Cursor(block, block.last)


def behind_jump(block: Block) -> Cursor:
    """Behind all of `block`: dead if it ends in a jump, `at_end` otherwise."""
    return Cursor(block, block.last, True)


def before_instr(instr: Instr) -> Cursor:
    """Right before `instr`, which is in a block; before a terminator is `at_end`."""
    block = block_of(instr)
    if _is_terminator(instr):
        return at_end(block)
    return Cursor(block, instr.prev)


def after_instr(instr: Instr) -> Cursor:
    """Right behind `instr`, which is in a block; behind a terminator is `behind_jump`."""
    block = block_of(instr)
    if _is_terminator(instr):
        return behind_jump(block)
    return Cursor(block, instr)


def block_of(instr: Instr) -> Block:
    """The block an instruction stands in. Refused (RK0485) for one that stands in none."""
    block = instr.block
    if block is None:
        help = "put it into one with `insert_instr`; types and constants have no place in a block"
        raise EditRefused("RK0485", "this instruction is in no block", help)
    return block


def before_use(user: Value, index: int) -> Cursor:
    """Where a value must be known to be operand `index` of `user`.

    Before it; for an If or Switch (any index) the end of the block before it; for a phi the end of the block that the
    value comes from.
    """
    if isinstance(user, (If, Switch)):
        return at_end(_beside(user.prev))
    assert isinstance(user, Instr)
    if user.op == op.Phi:
        source = user.operands[index + 1]
        assert isinstance(source, Block)
        return at_end(source)
    return before_instr(user)


def _is_terminator(instr: Instr) -> bool:
    """Whether a jump carries `instr`; those are linked to no neighbours."""
    return instr.block is not None and instr.prev is None and instr.block.first is not instr


# --- around nodes and regions -----------------------------------------------------------------------------------------


def before_node(node: Node) -> Cursor:
    """Before a construct; for a block behind its phis."""
    if isinstance(node, Construct):
        return behind_jump(_beside(node.prev))
    assert isinstance(node, Block)
    return after_phis(node)


def after_node(node: Node) -> Cursor:
    """After a construct and the phis that belong to it; for a block behind its jump."""
    if isinstance(node, Construct):
        return after_phis(_beside(node.next))
    assert isinstance(node, Block)
    return behind_jump(node)


def _beside(node: Node | None) -> Block:
    """The block next to a construct. Refused (RK0485) for a construct that stands nowhere."""
    if not isinstance(node, Block):
        help = "put it into a function with `insert_node` first"
        raise EditRefused("RK0485", "this construct is in no region", help)
    return node


def region_start(region: Region) -> Cursor:
    """Behind the phis of the first block."""
    return after_phis(region.entry())


def region_end(region: Region) -> Cursor:
    """Behind everything in `region`, its last jump too."""
    return behind_jump(region.end())


def function_start(function: Function) -> Cursor:
    """Behind the variables of a function, which stand first in its first block, and the debug lines among them."""
    block = function.entry()
    last: Instr | None = None
    for instr in block:
        if instr.op == op.Variable:
            last = instr
        elif not may_precede_phis(instr):
            break
    return Cursor(block, last)


def function_end(function: Function) -> Cursor:
    return region_end(function.body)
