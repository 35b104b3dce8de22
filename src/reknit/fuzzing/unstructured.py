"""A program without its structure: the same blocks and edges, and nothing says which lanes wait where.

    loop @l { if %c { see; break @l } rest }     ──▶     head: BranchConditional %c, out, rest ...

With `hints`, each block of a loop has one that it belongs there, which is all that a graph lacks; else a structurizer
has to guess it. No merge instruction is left, so what comes of it is no valid shader: it is for what reads any graph.
"""

from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.cfg import successors
from reknit.ir.constants import int_words
from reknit.ir.edit import add_block, set_jump, unlink_node
from reknit.ir.function import Function
from reknit.ir.hint import MARK, Hint
from reknit.ir.instr import Instr, Operand
from reknit.ir.jump import Branch, Exit
from reknit.ir.tree import Construct, If, Loop, Region, Switch
from reknit.ir.types import is_signed, width_of
from reknit.ir.walk import nodes, nodes_in


def flatten(function: Function, hints: bool) -> None:
    """Make a function without phis flat: every block as it is, plain branches for the rest."""
    order = [node for node in nodes(function) if isinstance(node, Block)]
    constructs = [node for node in nodes(function) if isinstance(node, Construct)]
    ends: list[tuple[Block, Branch | Exit]] = []
    for block in order:
        if not isinstance(block.jump, Exit):
            ends.append((block, _end(block)))
    hinted: list[tuple[Block, Block]] = []
    for construct in constructs:
        if isinstance(construct, Loop) and hints:
            head = construct.body.entry()
            for region in (construct.body, construct.continuing):
                hinted.extend((node, head) for node in nodes_in(region) if isinstance(node, Block))
    for block, end in ends:
        set_jump(block, end)
    for construct in constructs:
        if isinstance(construct, If):
            construct.condition.drop_user(construct)
        elif isinstance(construct, Switch):
            construct.selector.drop_user(construct)
    for block in order:
        unlink_node(block)
    function.body = Region(function)
    function.body.function = function
    function.structured = False
    for block in order:
        add_block(function, block)
    function.hints = [Hint(block, head, MARK) for block, head in hinted]
    function.touch()


def _end(block: Block) -> Branch | Exit:
    following = block.next if block.jump is None else None
    operands: list[Operand]
    if isinstance(following, If):
        operands = [following.condition, following.then.entry(), following.orelse.entry()]
        return Branch(Instr(op.BranchConditional, None, operands, "", False))
    if isinstance(following, Switch):
        assert following.default is not None
        operands = [following.selector, following.default.region.entry()]
        type = following.selector.type if isinstance(following.selector, Instr) else None
        assert type is not None
        for literal, case in following.targets:
            operands += [*int_words(width_of(type), is_signed(type), literal), case.region.entry()]
        return Branch(Instr(op.Switch, None, operands, "", False))
    targets = successors(block)
    if not targets:
        return Exit(Instr(op.Unreachable, None, [], "", False))
    return Branch(Instr(op.Branch, None, [targets[0]], "", False))
