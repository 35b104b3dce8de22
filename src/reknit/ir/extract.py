"""Taking a stretch of code out, putting it back elsewhere, or deleting it.

    a: A ┃ B                       a: A E                  L = [ n: B   if { }   c: C D ]
    if { }         extract  ─▶                      ─▶
    c: C D ┃ E                                             reinsert(L, cursor)   or   delete(L)

What is taken out is a `FloatingList`: blocks and constructs, first and last a block. It is registered in its function
until it is put back or deleted, and `verify` names one that is neither. While it floats, its jumps to constructs
around it stay registered there, so phis after those keep their values; what is in it keeps its uses, and its users
keep it.

Phis go with the construct that they stand after: an extract that would part them is refused, and one from `after_phis`
of a block leaves the phis of that block behind. Where the list was, the blocks on both sides become one, if they may
(`stitch`). Every edit first asks all that could refuse it: one that is refused has changed nothing. Definitions may
end up where they don't dominate their uses; `passes.repair` mends that.
"""

from typing import final

from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.cfg import successors
from reknit.ir.constants import undef
from reknit.ir.cursor import Cursor, after_node, before_node, region_end, region_start, same_place
from reknit.ir.edit import (
    clear_jump,
    erase,
    function_of,
    insert_after,
    insert_node_before,
    move_run,
    prepend,
    region_of,
    set_condition,
    set_jump,
    set_selector,
)
from reknit.ir.function import Function
from reknit.ir.insert import leave_undefined
from reknit.ir.instr import Instr, Operand
from reknit.ir.jump import Exit
from reknit.ir.jumps import around, check_after_back_edge, check_jump, is_reached, stands_at_back_edge
from reknit.ir.module import Module
from reknit.ir.outward import blocks_of, nodes_of, outward_jumps
from reknit.ir.phis import complete_phis, drop_source
from reknit.ir.stitch import check_split, drop_dead_end, halve, stitch
from reknit.ir.tree import If, Loop, Region, Switch
from reknit.ir.value import Node, Value
from reknit.source.diagnostic import EditRefused


@final
class FloatingList(Value):
    """Code that is in no function. `function` is where it is from, `seam` where it was taken out: putting it back
    there right away undoes that. `nodes` is empty for an empty list, which need not be put back."""

    __slots__ = ("function", "nodes", "seam", "is_empty", "behind", "opened")

    def __init__(self, function: Function, seam: Cursor) -> None:
        super().__init__()
        self.function = function
        self.nodes = Region(self)
        self.seam = seam
        self.is_empty = True  # nothing stood between the cursors; one that was put back or deleted is not empty
        self.behind: Block | None = None  # the block behind the seam, where it could not be joined
        self.opened = False  # whether the first block was made because a construct stood right behind a jump

    def __repr__(self) -> str:
        from reknit.ir.text.excerpt import region_excerpt

        return region_excerpt(self.nodes)

    def is_floating(self) -> bool:
        return self in self.function.floating

    def first(self) -> Block:
        return self.nodes.entry()

    def last(self) -> Block:
        return self.nodes.end()


# --- out --------------------------------------------------------------------------------------------------------------


def extract(module: Module, begin: Cursor, end: Cursor) -> FloatingList:
    """Take out what stands between two cursors of the same region. Costs what is taken out and the blocks at its ends.

    Refused: cursors of different regions or in the wrong order (RK0485), phis that would be parted from their block
    (RK0480), variables of the function (RK0481), code that an unreachable block outside the tree leads to (RK0485).
    """
    head = begin.block
    region = head.region
    if region is None or region is not end.block.region:
        raise EditRefused("RK0485", "the two ends of what is taken out are in different regions")
    function = function_of(head)
    if same_place(begin, end):
        return FloatingList(function, begin)
    _check_order(begin, end)
    check_split(begin)
    check_split(end)
    _check_islands(function, begin, end)
    same_block = head is end.block
    tail = halve(module, end)
    first = head.next
    floating = FloatingList(function, begin)
    floating.nodes.function = function
    if not begin.is_behind_jump() or not isinstance(first, Block) or next(first.phis(), None) is not None:
        floating.opened = begin.is_behind_jump()
        first = halve(module, begin)
    last = tail.prev
    assert last is not None
    move_run(first, last, floating.nodes)
    floating.is_empty = False
    function.floating[floating] = None
    floating.seam = Cursor(head, head.last, head.jump is not None)
    if head.jump is not None:
        if not drop_dead_end(tail):
            floating.behind = tail
    elif stitch(head, same_block) is head and head.next is tail:
        floating.behind = tail
    return floating


def list_extract(module: Module, region: Region) -> FloatingList:
    """Take out all of a region but the phis of its first block; leaves that block."""
    return extract(module, region_start(region), region_end(region))


def _check_order(begin: Cursor, end: Cursor) -> None:
    wrong = EditRefused("RK0485", "the end of what is taken out stands before its beginning")
    if begin.block is end.block:
        if begin.is_behind_jump():
            raise wrong
        if end.is_behind_jump():
            return
        instr = begin.after
        while instr is not end.after:
            instr = begin.block.first if instr is None else instr.next
            if instr is None:
                raise wrong
        return
    node: Node | None = begin.block
    while node is not end.block:
        if node is None:
            raise wrong
        node = node.next


def _check_islands(function: Function, begin: Cursor, end: Cursor) -> None:
    if not function.blocks:
        return
    nodes: list[Node] = [begin.block]
    while nodes[-1] is not end.block:
        following = nodes[-1].next
        assert following is not None
        nodes.append(following)
    for block in blocks_of(nodes):
        if any(isinstance(user, Instr) and user.op != op.Phi for user in block.users):
            raise EditRefused("RK0485", "an unreachable block outside of the control-flow tree branches into this code")


# --- in ---------------------------------------------------------------------------------------------------------------


def reinsert(
    module: Module, floating: FloatingList, cursor: Cursor, values: dict[Value, Value] | None = None
) -> Cursor:
    """Put a list in at `cursor`; returns the place behind it. What it uses and `values` has as a key becomes the value.

    Goes into any function of the module. Into another one, everything the list uses of its own function must have a
    value in `values`, and nothing there may use what the list defines (RK0487). Refused too: a list that isn't
    floating (RK0486), a cursor among phis, before variables or in other floating code (RK0480, RK0481, RK0485), jumps
    that the new place doesn't allow (RK0482 .. RK0484). If the list ends in a jump, what is behind the cursor can no
    longer be reached. Where control would run off the end of the function that the list is from, it returns there.
    """
    if floating.is_empty:
        return cursor
    if not floating.is_floating():
        raise EditRefused("RK0486", "this code was put back or deleted already")
    before = cursor.block
    region = region_of(before)
    check_split(cursor)
    nodes = list(floating.nodes)
    places, home = around(region)
    if not isinstance(home, Function):
        raise EditRefused("RK0485", "other code that was taken out is no place to put code in")
    if len(nodes) > 1 or floating.last().jump is not None:
        check_after_back_edge(before)
    leaving = outward_jumps(nodes)
    for block, jump in leaving:
        check_jump(jump, places, home, _will_be_back_edge(block, floating, cursor))
    if home is not floating.function:
        _check_foreign(floating, nodes, values)
    if values:
        _rewrite(nodes, values)
    del floating.function.floating[floating]

    rest = floating.behind
    undoes = rest is not None and before.next is rest and same_place(cursor, floating.seam)
    if rest is None or not undoes:
        rest = halve(module, cursor)
    last = floating.last()
    end = last.last
    for node in nodes:
        floating.nodes.first = node.next
        insert_node_before(rest, node)
    floating.nodes.last = None
    for block, _ in leaving:
        for target in successors(block):
            complete_phis(module, target, block)
    if before.jump is None:
        joined = stitch(before, True)
        if len(nodes) == 1:
            last = joined
            if end is None:
                end = cursor.after
    elif floating.opened and len(nodes) > 1:
        assert isinstance(nodes[0], Block)
        drop_dead_end(nodes[0])
    _end_function(module, floating.function)
    if last.jump is not None:
        drop_dead_end(rest)
        return Cursor(last, end, True)
    return Cursor(stitch(last, last is before or undoes), end)


def _will_be_back_edge(block: Block, floating: FloatingList, cursor: Cursor) -> bool:
    """Whether a break in `block` will stand where a loop's conditional back edge does."""
    region = block.region
    home = cursor.block.region
    if region is floating.nodes:
        return stands_at_back_edge(cursor.block)
    if region is None or home is None or not isinstance(region.owner, If) or not isinstance(home.owner, Loop):
        return False
    if home is not home.owner.continuing or cursor.block is not home.last or cursor.is_behind_jump():
        return False
    return region.owner.region is floating.nodes and region.owner.next is floating.last()


def _check_foreign(floating: FloatingList, nodes: list[Node], values: dict[Value, Value] | None) -> None:
    """Refuse (RK0487) to take to another function what is bound to this one."""
    known: dict[Value, Value] = values if values is not None else {}
    inside: dict[Value, None] = dict.fromkeys(nodes_of(nodes))
    instrs = _instructions(nodes)
    for instr in instrs:
        inside[instr] = None
    name = floating.function.name
    for instr in instrs:
        for user in instr.users:
            if user not in inside:
                raise EditRefused("RK0487", f"%{instr.name or instr.id} is still used in @{name}")
        for operand in instr.operands:
            if isinstance(operand, Instr) and operand not in known and operand not in inside and _is_local(operand):
                raise EditRefused(
                    "RK0487",
                    f"%{operand.name or operand.id} belongs to @{name}",
                    "give `values` what takes its place in the other function",
                )
    for node in nodes_of(nodes):
        needed: Value | None = None
        if isinstance(node, If):
            needed = node.condition
        elif isinstance(node, Switch):
            needed = node.selector
        if isinstance(needed, Instr) and needed not in known and needed not in inside and _is_local(needed):
            raise EditRefused("RK0487", f"%{needed.name or needed.id} belongs to @{name}")


def _is_local(instr: Instr) -> bool:
    return instr.block is not None or instr.op == op.FunctionParameter


def _instructions(nodes: list[Node]) -> list[Instr]:
    """All instructions in `nodes`, with the terminators that jumps carry."""
    instructions: list[Instr] = []
    for block in blocks_of(nodes):
        instructions.extend(block)
        if isinstance(block.jump, Exit):
            instructions.append(block.jump.instr)
    return instructions


def _rewrite(nodes: list[Node], values: dict[Value, Value]) -> None:
    for instr in _instructions(nodes):
        for index, operand in enumerate(instr.operands):
            if isinstance(operand, Value) and operand in values:
                instr.set_operand(index, values[operand])
    for node in nodes_of(nodes):
        if isinstance(node, If) and node.condition in values:
            set_condition(node, values[node.condition])
        elif isinstance(node, Switch) and node.selector in values:
            set_selector(node, values[node.selector])


# --- away -------------------------------------------------------------------------------------------------------------


def delete(module: Module, floating: FloatingList) -> None:
    """Throw a list away. Users of its values get the one undefined value of the type; phis outside forget its
    jumps. Where control would run off the end of the function then, it returns there (an undefined value, if any)."""
    if floating.is_empty:
        return
    if not floating.is_floating():
        raise EditRefused("RK0486", "this code was put back or deleted already")
    del floating.function.floating[floating]
    nodes = list(floating.nodes)
    for block, _ in outward_jumps(nodes):
        for target in successors(block):
            drop_source(target, block)
    for node in nodes_of(nodes):
        if isinstance(node, If):
            node.condition.drop_user(node)
        elif isinstance(node, Switch):
            node.selector.drop_user(node)
        elif isinstance(node, Block):
            clear_jump(node)
            for instr in node:
                instr.drop_operands()
    for block in blocks_of(nodes):
        for instr in block:
            leave_undefined(module, instr)
            erase(instr)
    floating.nodes.first = None
    floating.nodes.last = None
    _end_function(module, floating.function)


def _end_function(module: Module, function: Function) -> None:
    """Costs the function, where its last block has no jump: else nothing."""
    if not function.structured or function.body.first is None:
        return
    last = function.body.end()
    if last.jump is not None or not is_reached(function, last):
        return
    operands: list[Operand] = []
    if function.result.op != op.TypeVoid:
        operands.append(undef(module, function.result))
    set_jump(last, Exit(Instr(op.ReturnValue if operands else op.Return, None, operands, "", False)))


def remove_node(module: Module, node: Node) -> Cursor:
    """Delete a construct with the phis after it, or what is in a block behind its phis, its jump too; returns the
    seam."""
    floating = extract(module, before_node(node), after_node(node))
    delete(module, floating)
    return floating.seam


def move(module: Module, begin: Cursor, end: Cursor, to: Cursor) -> Cursor:
    """Move what stands between two cursors to a third, which is not inside (RK0485); returns the place behind it.

    Refused as `extract` and `reinsert` are; then nothing has changed.
    """
    if same_place(begin, to) or same_place(end, to):
        return to
    check_split(to)
    opened: Block | None = None
    if to.is_behind_jump():
        opened = halve(module, to)
        to = Cursor(opened, None)
    mark = Instr(op.Nop, None, [], "", False)
    if to.after is None:
        prepend(to.block, mark)
    else:
        insert_after(to.after, mark)
    try:
        floating = extract(module, begin, end)
    except EditRefused:
        _take_back(mark, opened)
        raise
    try:
        block = mark.block
        assert block is not None
        place = reinsert(module, floating, Cursor(block, mark))
    except EditRefused:
        reinsert(module, floating, floating.seam)
        _take_back(mark, opened)
        raise
    if place.after is mark:
        place = Cursor(place.block, mark.prev)
    erase(mark)
    return place


def _take_back(mark: Instr, opened: Block | None) -> None:
    erase(mark)
    if opened is not None:
        drop_dead_end(opened)
