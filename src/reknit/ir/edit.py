"""The verbs: everything that changes links goes through here, so that users, jump registers and phis stay right.

    instructions   append, prepend, insert_before, insert_after, unlink, erase
    jumps          set_jump, clear_jump
    nodes          add_block, append_node, insert_node_after, insert_node_before, unlink_node, move_run, erase_node
    blocks         split_after, retarget_phis, erase_instructions
    values         replace_uses, set_condition, set_selector

These move one link each, and leave it to the caller to have all of them right in the end. Edits at a `cursor` that are
right after every call are in `insert`, `jumps`, `extract` and `clone`; they refuse what can't be.

Every verb counts an edit at the function that its block or region belongs to, which both know: `Function.code_edits`
or `Function.control_edits`. Code without a function (a construct that is being built) counts nowhere; putting it into a
function makes it that function's, as much as isn't already.
"""

from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.cfg import successors
from reknit.ir.debug import may_precede_phis
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.jump import Branch, Break, Continue, Exit, Fallthrough, Jump
from reknit.ir.tree import Construct, If, Region, Switch
from reknit.ir.value import Node, Value
from reknit.source.diagnostic import EditRefused

# --- instructions -----------------------------------------------------------------------------------------------------


def append(block: Block, instr: Instr) -> Instr:
    """Put `instr` last in `block` (before its jump)."""
    instr.block = block
    instr.next = None
    instr.prev = block.last
    if block.last is None:
        block.first = instr
    else:
        block.last.next = instr
    block.last = instr
    if block.function is not None:
        block.function.code_edits += 1
    return instr


def insert_before(place: Instr, instr: Instr) -> Instr:
    """Put `instr` right before `place`, which is in a block."""
    block = place.block
    assert block is not None
    instr.block = block
    instr.prev = place.prev
    instr.next = place
    if place.prev is None:
        block.first = instr
    else:
        place.prev.next = instr
    place.prev = instr
    if block.function is not None:
        block.function.code_edits += 1
    return instr


def insert_after(place: Instr, instr: Instr) -> Instr:
    """Put `instr` right after `place`, which is in a block."""
    if place.next is not None:
        return insert_before(place.next, instr)
    assert place.block is not None
    return append(place.block, instr)


def prepend(block: Block, instr: Instr) -> Instr:
    """Put `instr` first in `block`, before its phis: for phis, and for blocks without them."""
    if block.first is None:
        return append(block, instr)
    return insert_before(block.first, instr)


def insert_after_phis(block: Block, instr: Instr) -> Instr:
    """Put `instr` right after the phis of `block` (and the debug lines among them)."""
    place = block.first
    last_phi: Instr | None = None
    while place is not None and (place.op == op.Phi or may_precede_phis(place)):
        if place.op == op.Phi:
            last_phi = place
        place = place.next
    if last_phi is None:
        return prepend(block, instr)
    return insert_after(last_phi, instr)


def unlink(instr: Instr) -> Instr:
    """Take `instr` out of its block; it keeps its operands and its users, and may be put in elsewhere."""
    block = instr.block
    assert block is not None
    if instr.prev is None:
        block.first = instr.next
    else:
        instr.prev.next = instr.next
    if instr.next is None:
        block.last = instr.prev
    else:
        instr.next.prev = instr.prev
    instr.block = None
    instr.prev = None
    instr.next = None
    if block.function is not None:
        block.function.code_edits += 1
    return instr


def erase(instr: Instr) -> None:
    """Take `instr` out of its block for good. Its users must be given another value first."""
    unlink(instr)
    instr.drop_operands()


def replace_uses(old: Value, new: Value) -> None:
    """Make every user of `old` use `new`."""
    for user, count in list(old.users.items()):
        if isinstance(user, Instr):
            for _ in range(count):
                user.set_operand(user.operands.index(old), new)  # a phi may have thousands
        elif isinstance(user, If):
            set_condition(user, new)
        elif isinstance(user, Switch):
            set_selector(user, new)


def set_condition(construct: If, condition: Value) -> None:
    construct.condition.drop_user(construct)
    construct.condition = condition
    condition.add_user(construct)
    if construct.function is not None:
        construct.function.code_edits += 1


def set_selector(construct: Switch, selector: Value) -> None:
    construct.selector.drop_user(construct)
    construct.selector = selector
    selector.add_user(construct)
    if construct.function is not None:
        construct.function.code_edits += 1


# --- jumps ------------------------------------------------------------------------------------------------------------


def set_jump(block: Block, jump: Jump) -> None:
    """End `block` in `jump`. Phis of blocks it reached before, or reaches now, are the caller's."""
    clear_jump(block)
    block.jump = jump
    if isinstance(jump, Break):
        jump.target.breaks[block] = None
    elif isinstance(jump, Continue):
        jump.target.continues[block] = None
    elif isinstance(jump, Fallthrough):
        jump.target.fallthroughs[block] = None
    elif isinstance(jump, Exit):
        jump.instr.block = block
    elif isinstance(jump, Branch):
        jump.instr.block = block
        if jump.merge is not None:
            jump.merge.block = block


def clear_jump(block: Block) -> None:
    """Let `block` go on to what follows it in its region. Operands of an Exit or Branch stop being used."""
    jump = block.jump
    block.jump = None
    if block.function is not None:
        block.function.control_edits += 1
    if isinstance(jump, Break):
        jump.target.breaks.pop(block, None)
    elif isinstance(jump, Continue):
        jump.target.continues.pop(block, None)
    elif isinstance(jump, Fallthrough):
        jump.target.fallthroughs.pop(block, None)
    elif isinstance(jump, Exit):
        jump.instr.drop_operands()
    elif isinstance(jump, Branch):
        jump.instr.drop_operands()
        if jump.merge is not None:
            jump.merge.drop_operands()


def move_jump(source: Block, target: Block) -> None:
    """Give `target`, which has no jump, the jump of `source`."""
    jump = source.jump
    if jump is None:
        return
    source.jump = None
    if source.function is not None:
        source.function.control_edits += 1
    if isinstance(jump, Break):
        jump.target.breaks.pop(source, None)
    elif isinstance(jump, Continue):
        jump.target.continues.pop(source, None)
    elif isinstance(jump, Fallthrough):
        jump.target.fallthroughs.pop(source, None)
    set_jump(target, jump)


# --- nodes ------------------------------------------------------------------------------------------------------------


def add_block(function: Function, block: Block) -> None:
    """Put `block` last among those of `function` that stand in no tree."""
    block.function = function
    function.blocks.append(block)
    function.control_edits += 1


def _bind(region: Region, node: Node) -> None:
    """Count the edit that puts `node` into `region`, and make both parts of the same function.

    Costs what is not yet of that function. Code that is built from the inside out becomes a function's once: a region
    without one takes the function of what is put in.
    """
    function = region.function
    if function is None:
        function = node.function
        if function is None:
            return
        region.function = function
        for other in region:
            _own(other, function)
    elif node.function is not function:
        _own(node, function)
    function.control_edits += 1


def _own(node: Node, function: Function) -> None:
    """Make `node`, with all in it, a part of `function`."""
    if node.function is function:
        return
    work: list[Node] = [node]
    while work:
        current = work.pop()
        current.function = function
        if isinstance(current, Construct):
            for region in current.regions():
                if region.function is not function:
                    region.function = function
                    work.extend(region)


def append_node(region: Region, node: Node) -> None:
    """Put `node` last in `region`."""
    _bind(region, node)
    node.region = region
    node.prev = region.last
    node.next = None
    if region.last is None:
        region.first = node
    else:
        region.last.next = node
    region.last = node


def insert_node_before(place: Node, node: Node) -> None:
    region = place.region
    assert region is not None
    _bind(region, node)
    node.region = region
    node.prev = place.prev
    node.next = place
    if place.prev is None:
        region.first = node
    else:
        place.prev.next = node
    place.prev = node


def insert_node_after(place: Node, node: Node) -> None:
    region = place.region
    assert region is not None
    if place.next is None:
        append_node(region, node)
    else:
        insert_node_before(place.next, node)


def unlink_node(node: Node) -> None:
    """Take a block or construct out of its region; what is inside it stays inside."""
    region = node.region
    assert region is not None
    if node.prev is None:
        region.first = node.next
    else:
        node.prev.next = node.next
    if node.next is None:
        region.last = node.prev
    else:
        node.next.prev = node.prev
    node.region = None
    node.prev = None
    node.next = None
    if region.function is not None:
        region.function.control_edits += 1


def move_run(first: Node, last: Node, target: Region) -> None:
    """Move the neighbours `first` .. `last` of one region to the end of `target`. Costs their number."""
    node: Node | None = first
    while node is not None:
        following = node.next
        at_end = node is last
        unlink_node(node)
        append_node(target, node)
        node = None if at_end else following


# --- blocks -----------------------------------------------------------------------------------------------------------


def retarget_phis(block: Block, old: Block, new: Block) -> None:
    """In the phis of `block`, what came from `old` comes from `new`."""
    for phi in block.phis():
        for index in range(1, len(phi.operands), 2):
            if phi.operands[index] is old:
                phi.set_operand(index, new)


def split_after(block: Block, place: Instr | None) -> Block:
    """Split `block` after `place` (None: at its head): the rest, with the jump, goes to a new padding block right
    after it.

    `block` keeps its identity as the first half. Phis of the successors follow. Phis of `block` itself must not
    be split off.
    """
    targets = successors(block)
    rest = Block("", True)
    instr = block.first if place is None else place.next
    while instr is not None:
        following = instr.next
        append(rest, unlink(instr))
        instr = following
    insert_node_after(block, rest)
    move_jump(block, rest)
    for target in targets:
        retarget_phis(target, block, rest)
    return rest


# --- whole parts ------------------------------------------------------------------------------------------------------


def erase_instructions(block: Block) -> None:
    """Empty `block` of instructions. Users elsewhere must be gone or given other values."""
    for instr in block:
        erase(instr)


def drop_leading(block: Block) -> None:
    """Forget the debug lines in front of `block`."""
    for line in block.leading:
        line.drop_operands()
    block.leading = ()


def erase_node(node: Node) -> None:
    """Remove a block or a construct with all that is in it. Values defined inside must have no users outside, and phis
    outside must not name its blocks any more."""
    unlink_node(node)
    work: list[Node] = [node]
    while work:
        current = work.pop()
        if isinstance(current, Block):
            clear_jump(current)
            drop_leading(current)
            erase_instructions(current)
        elif isinstance(current, Construct):
            if isinstance(current, If):
                current.condition.drop_user(current)
            elif isinstance(current, Switch):
                current.selector.drop_user(current)
            for region in current.regions():
                work.extend(region)


def region_of(node: Node) -> Region:
    """The region a node stands in. Refused (RK0485) for one that stands in none."""
    region = node.region
    if region is None:
        help = "put it into a region first; a flat function has none until it is structurized"
        raise EditRefused("RK0485", "this node is in no control-flow tree", help)
    return region


def function_of(node: Node) -> Function:
    """The function a node stands in. Costs the nesting depth. Refused (RK0485) for what was taken out of its own."""
    region = node.region
    while region is not None:
        if isinstance(region.owner, Function):
            return region.owner
        construct = region.construct()
        region = construct.region if construct is not None else None
    raise EditRefused("RK0485", "this code is in no function", "put what was taken out back with `reinsert` first")
