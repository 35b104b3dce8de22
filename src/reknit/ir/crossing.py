"""Padding where edges meet on their path, without a block in SPIR-V: nothing can be put there.

    if %c nojoin { a: } else { b: }        a ──┐
    pad j:                                     ├─▶ (j) ─▶ m        both branches name m
    pad m:   (merge block of the scope)    b ──┘

An instruction in `j` would give it a label where branches meet that no merge instruction declares. Under maximal
reconvergence only loop headers, merge blocks, continue targets and labels of OpSwitch have several predecessors
(SPV_KHR_maximal_reconvergence, "Structured control flow"). A phi may be in `j` if phis of the next block relay it: what
is written is the phi of `m`, with a pair for `a` and one for `b`.
"""

from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.cfg import predecessors, successors
from reknit.ir.instr import Instr
from reknit.ir.jump import Branch, Exit
from reknit.ir.tree import Case, Construct, If, Loop, Switch
from reknit.ir.value import Value


def is_crossing(block: Block) -> bool:
    """Whether edges meet in `block`, or right before it, and go on without a label of their own."""
    passed: dict[Block, None] = {}
    while is_passed_through(block) and not is_declared(block) and block not in passed:
        passed[block] = None
        before = predecessors(block)
        if len(before) != 1:
            return len(before) > 1
        block = before[0]
    return False


def behind(crossing: Block) -> Block:
    """The next block that edges which meet in `crossing` come to."""
    return successors(crossing)[0]


def sources(block: Block) -> list[Block]:
    """Where code that belongs at the end of `block` can be: there, or where the edges come from that cross in it."""
    ends: dict[Block, None] = {}
    stack = [block]
    while stack:
        block = stack.pop()
        if is_crossing(block):
            stack.extend(reversed(predecessors(block)))
        else:
            ends[block] = None
    return list(ends)


def is_relayed(value: Value) -> bool:
    """Whether `value` is a phi where edges only cross: nothing but a phi of the block behind may use it."""
    return isinstance(value, Instr) and value.op == op.Phi and value.block is not None and is_crossing(value.block)


def is_passed_through(block: Block) -> bool:
    """Whether `block` is padding that control passes on its one path, without an instruction."""
    if not block.padding or block.leading or isinstance(block.jump, (Exit, Branch)) or len(successors(block)) != 1:
        return False
    if block.jump is None and isinstance(block.next, (If, Switch)):
        return False
    return block.first is None or _holds_only_relayed_phis(block)


def is_declared(block: Block) -> bool:
    """Whether invocations may come to `block` from several blocks: a merge block, loop header, continue target or label
    of a switch."""
    before = block.prev
    if isinstance(before, Construct):
        return before.merged
    owner = block.region.owner if block.region is not None else None
    return before is None and isinstance(owner, (Loop, Case))


def have_two(block: Block) -> bool:
    """Whether two blocks with labels branch to `block`."""
    labelled: dict[Block, None] = {}
    work = [block]
    while work and len(labelled) < 2:
        for source in predecessors(work.pop()):
            if is_passed_through(source) and not is_declared(source):
                work.append(source)
            else:
                labelled[source] = None
    return len(labelled) > 1


def _holds_only_relayed_phis(block: Block) -> bool:
    following = behind(block)
    for instr in block:
        if instr.op != op.Phi or not instr.is_used():
            return False
        for user, count in instr.users.items():
            if count != 1 or not isinstance(user, Instr) or user.op != op.Phi or user.block is not following:
                return False
    return True
