"""Putting one thing in, taking one thing out.

    b: A  ◀── if       b: A            b: A
       B          =>   if { } else { }    a construct always stands between two blocks:
                       n: B               b keeps what is before the cursor, a new block gets the rest

    %x = ...; use %x    ── remove_instr %x ──▶    use undef
"""

from reknit.ir import op, traits
from reknit.ir.block import Block
from reknit.ir.cfg import predecessors, successors
from reknit.ir.constants import undef
from reknit.ir.cursor import Cursor, block_of, function_start, same_place
from reknit.ir.debug import may_precede_phis
from reknit.ir.edit import (
    append_node,
    erase,
    function_of,
    insert_after,
    insert_node_before,
    prepend,
    region_of,
    replace_uses,
    unlink,
)
from reknit.ir.instr import Instr
from reknit.ir.jump import Exit
from reknit.ir.jumps import around, check_after_back_edge, check_jump
from reknit.ir.module import Module
from reknit.ir.outward import outward_jumps
from reknit.ir.phis import complete_phis, has_source
from reknit.ir.stitch import check_split, halve
from reknit.ir.tree import Construct, Switch
from reknit.source.diagnostic import EditRefused


def insert_instr(module: Module, cursor: Cursor, instr: Instr) -> Cursor:
    """Put `instr` in at `cursor`; returns the place right behind it.

    A phi goes before or among phis, everything else behind them (RK0480). A phi gets an undefined value for each edge
    in that it has none for, and may have none from elsewhere (RK0488). What ends a block is a jump: `insert_jump`
    (RK0488).
    """
    block = cursor.block
    if instr.op in traits.EXITS or instr.op in traits.BRANCHES or instr.op in traits.MERGES:
        raise EditRefused("RK0488", "an instruction that ends a block is part of its jump", "use `insert_jump`")
    if cursor.is_behind_jump():
        raise EditRefused("RK0488", "nothing stands behind a jump in its block", "split the block there first")
    if instr.op == op.Phi:
        _check_phi(cursor, instr)
    elif cursor.is_before_phi():
        raise EditRefused("RK0480", "phis are the first in their block", "take the cursor `after_phis` of the block")
    _check_variables(cursor, instr)
    if cursor.after is None:
        prepend(block, instr)
    else:
        insert_after(cursor.after, instr)
    if instr.op == op.Phi:
        for source in predecessors(block):
            complete_phis(module, block, source)
    return Cursor(block, instr)


def _check_phi(cursor: Cursor, phi: Instr) -> None:
    before = cursor.after
    while before is not None and may_precede_phis(before):
        before = before.prev
    if before is not None and before.op != op.Phi:
        raise EditRefused("RK0480", "phis are the first in their block", "take the cursor `at_head` of the block")
    count = 0
    for source in predecessors(cursor.block):
        if has_source(phi, source):
            count += 1
    if 2 * count != len(phi.operands):
        raise EditRefused("RK0488", "a phi has one value for each block that leads to its own, and no other")


def _check_variables(cursor: Cursor, instr: Instr) -> None:
    """Variables of a function stand first in its first block, and nothing but debug lines among them."""
    following = cursor.following()
    if instr.op == op.Variable:
        if not same_place(cursor, function_start(function_of(cursor.block))) and (
            following is None or following.op != op.Variable
        ):
            raise EditRefused("RK0481", "the variables of a function stand first in its first block")
    elif following is not None and following.op == op.Variable and not may_precede_phis(instr):
        raise EditRefused(
            "RK0481", "only variables stand before the variables of a function", "take the cursor `function_start`"
        )


def remove_instr(module: Module, instr: Instr) -> Cursor:
    """Take `instr` out for good; what uses it gets the undefined value of its type. Returns where it stood.

    A terminator is part of its jump: `end_block` (RK0488).
    """
    block = block_of(instr)
    jump = block.jump
    if isinstance(jump, Exit) and jump.instr is instr:
        raise EditRefused("RK0488", "an instruction that ends a block is part of its jump", "use `end_block`")
    place = Cursor(block, instr.prev)
    leave_undefined(module, instr)
    erase(instr)
    return place


def move_instr(module: Module, instr: Instr, cursor: Cursor) -> Cursor:
    """Take `instr` from where it stands and put it in at `cursor`, with its uses; returns the place right behind it.

    Refused as `insert_instr` is, then nothing has changed. Whether what it uses is known there, and it where it is
    used, is the caller's business: `reknit.passes.repair` makes phis for what isn't.
    """
    place = block_of(instr)
    jump = place.jump
    if isinstance(jump, Exit) and jump.instr is instr:
        raise EditRefused("RK0488", "an instruction that ends a block is part of its jump", "use `end_block`")
    if cursor.after is instr or (cursor.block is place and cursor.following() is instr):
        return Cursor(place, instr)
    before = instr.prev
    unlink(instr)
    try:
        return insert_instr(module, cursor, instr)
    except EditRefused:
        if before is None:
            prepend(place, instr)
        else:
            insert_after(before, instr)
        raise


def leave_undefined(module: Module, instr: Instr) -> None:
    """Give users of `instr` the one undefined value of its type."""
    if instr.is_used() and instr.type is not None:
        replace_uses(instr, undef(module, instr.type))


def insert_node(module: Module, cursor: Cursor, construct: Construct) -> Cursor:
    """Put a construct in at `cursor`; returns the place right after it.

    Regions that are empty get a block. Phis at the start of a region get an undefined value for the edge in, if they
    have none. Refused: among phis (RK0480), before variables (RK0481), with a jump in it that the new place doesn't
    allow (RK0482, RK0483), a switch without a default (RK0488).
    """
    block = cursor.block
    home_region = region_of(block)
    if construct.region is not None:
        raise EditRefused("RK0488", "this construct stands somewhere already", "take it out with `extract` first")
    if isinstance(construct, Switch) and construct.default is None:
        raise EditRefused("RK0488", "a switch needs a default among its cases")
    check_split(cursor)
    check_after_back_edge(block)
    places, home = around(home_region)
    leaving = outward_jumps([construct])
    for _, jump in leaving:
        check_jump(jump, places, home)
    for region in construct.regions():
        if region.first is None:
            append_node(region, Block("", True))
    rest = halve(module, cursor)
    before = rest.prev
    assert isinstance(before, Block)
    insert_node_before(rest, construct)
    if before.jump is None:
        for region in construct.regions():
            complete_phis(module, region.entry(), before)
    for source, _ in leaving:
        for target in successors(source):
            complete_phis(module, target, source)
    return Cursor(rest, None)
