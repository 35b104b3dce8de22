"""What a block branches by, and where each value of that leads; of a tree and of a flat function alike.

    if %c { A } else { B }                              (%c, [(A, [1], False), (B, [0], False)])
    BranchConditional %c A B                            the same
    switch %s { case 1: case 2: A  default: B }         (%s, [(A, [1, 2], False), (B, [], True)])
    Branch A                                            (None, [(A, [], False)])
"""

from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.cfg import successors
from reknit.ir.jump import Branch
from reknit.ir.switch_targets import switch_targets
from reknit.ir.tree import If, Switch
from reknit.ir.value import Value

Arm = tuple[Block, list[int], bool]
"""A block, the numbers that lead to it, and whether all numbers do for which there is no other."""


def choices(block: Block) -> tuple[Value | None, list[Arm]]:
    """The value that decides where a block goes on, None where there is nothing to decide, and its arms. Numbers are
    the bits of that value; a case without any, which is reached by fallthrough alone, is no arm."""
    following = block.next
    if block.jump is None and isinstance(following, If):
        return following.condition, _two(following.then.entry(), following.orelse.entry())
    if block.jump is None and isinstance(following, Switch):
        labels = following.labels()
        cases = [(case.region.entry(), labels[case], case is following.default) for case in following.cases]
        return following.selector, [case for case in cases if case[1] or case[2]]
    if isinstance(block.jump, Branch):
        instr = block.jump.instr
        if instr.op == op.BranchConditional and instr.operands[1] is not instr.operands[2]:
            yes, no = instr.operands[1], instr.operands[2]
            assert isinstance(yes, Block) and isinstance(no, Block)
            return instr.value(0), _two(yes, no)
        if instr.op == op.Switch:
            default = instr.operands[1]
            assert isinstance(default, Block)
            numbers: dict[Block, list[int]] = {default: []}
            for literal, target in switch_targets(instr):
                numbers.setdefault(target, []).append(literal)
            return instr.value(0), [(target, literals, target is default) for target, literals in numbers.items()]
    return None, [(target, [], False) for target in successors(block)]


def _two(yes: Block, no: Block) -> list[Arm]:
    return [(yes, [1], False), (no, [0], False)]
