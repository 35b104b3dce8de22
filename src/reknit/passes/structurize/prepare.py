"""A flat function made plain before it gets structure.

    dead: ...                             (gone)
    BranchConditional %c b2 b2      =>    Branch b2              one target is no choice
    SelectionMerge b4 None                (gone, with what it said of loops kept as hints)
    b1: %p = Phi ...                      b1: %p = Load %v       code may move then
    b0, which b3 branches to              a new first block      nothing comes back to the start

Nothing that runs changes: the same blocks in the same order for every invocation.
"""

from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.cfg import successors
from reknit.ir.edit import append, clear_jump, erase, set_jump, unlink
from reknit.ir.function import Function
from reknit.ir.instr import Instr, Operand
from reknit.ir.jump import Branch
from reknit.passes.contract import Context
from reknit.passes.eliminate_phis import eliminate_phis
from reknit.source.meter import spend


def prune(function: Function) -> int:
    """Remove the blocks that nothing reaches; how many those were. Merge instructions must be gone."""
    reached: dict[Block, None] = {function.blocks[0]: None}
    work = [function.blocks[0]]
    while work:
        spend(1)
        for target in successors(work.pop()):
            if target not in reached:
                reached[target] = None
                work.append(target)
    dead = [block for block in function.blocks if block not in reached]
    if not dead:
        return 0
    for block in reached:
        for phi in list(block.phis()):
            _forget(phi, reached)
    for block in dead:
        clear_jump(block)
    for block in dead:
        for instr in block:
            instr.drop_operands()
    for block in dead:
        for instr in block:
            erase(instr)
    function.blocks = [block for block in function.blocks if block in reached]
    function.hints = [hint for hint in function.hints if hint.block in reached and hint.header in reached]
    function.touch()
    return len(dead)


def _forget(phi: Instr, reached: dict[Block, None]) -> None:
    """Drop the pairs of a phi whose blocks are not reached."""
    kept: list[Operand] = []
    for index in range(0, len(phi.operands), 2):
        source = phi.operands[index + 1]
        if isinstance(source, Block) and source in reached:
            kept += [phi.operands[index], source]
    if len(kept) < len(phi.operands):
        phi.set_operands(kept)


def drop_merges(function: Function) -> dict[Block, list[int]]:
    """Remove merge instructions; gives by header the words of control that they had."""
    control: dict[Block, list[int]] = {}
    for block in function.blocks:
        jump = block.jump
        if isinstance(jump, Branch) and jump.merge is not None:
            merge = jump.merge
            first = 2 if merge.op == op.LoopMerge else 1
            control[block] = [merge.word(place) for place in range(first, len(merge.operands))]
            merge.drop_operands()
            jump.merge = None
    return control


def straighten(function: Function) -> None:
    """A branch or switch with one target becomes a plain branch."""
    for block in function.blocks:
        jump = block.jump
        if isinstance(jump, Branch) and jump.instr.op != op.Branch:
            targets = successors(block)
            if len(targets) == 1:
                set_jump(block, Branch(Instr(op.Branch, None, [targets[0]], "", False)))


def free_entry(function: Function) -> None:
    """Put a block before the first one if something branches to that."""
    first = function.blocks[0]
    if all(first not in successors(block) for block in function.blocks):
        return
    entry = Block()
    entry.function = function
    for instr in first:
        if instr.op == op.Variable:
            append(entry, unlink(instr))
    set_jump(entry, Branch(Instr(op.Branch, None, [first], "", False)))
    function.blocks.insert(0, entry)
    function.touch()


def variables_first(function: Function, first: Block) -> None:
    """Variables stand in the first block, also where what was that, `first`, is behind the start of a scope now."""
    entry = function.entry()
    if first is not entry:
        for instr in first:
            if instr.op == op.Variable:
                append(entry, unlink(instr))


def demote(function: Function, context: Context) -> None:
    """Phis become loads of variables. Call `take_apart` before."""
    eliminate_phis(function, context)
