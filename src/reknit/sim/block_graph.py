"""What a function's blocks say of its graph, before they become code: which are run, where lanes wait, what falls.

    OpSelectionMerge %m, OpLoopMerge %m %c      waits at m, and at c
    case 0: ... fallthrough  case 1: ...        a chain of labels: [0, 1]
"""

from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.cfg import successors
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.jump import Branch
from reknit.ir.tree import If, Loop, Scope, Switch
from reknit.ir.walk import blocks


def falling_chains(switch: Block, targets: list[Block], merge: Block) -> list[list[int]]:
    """Runs of case labels of which each one's construct branches to the next, by index into `targets`. A label that
    several fall through to, which is not valid, is in none."""
    falls: dict[int, int] = {}
    index_of = {target: index for index, target in enumerate(targets)}
    for index, target in enumerate(targets):
        if target is merge:
            continue
        seen: dict[Block, None] = {target: None}
        work = [target]
        while work:
            for following in successors(work.pop()):
                if following is merge or following is switch or following in seen:
                    continue
                other = index_of.get(following)
                if other is not None:
                    falls.setdefault(index, other)
                else:
                    seen[following] = None
                    work.append(following)
    entered: dict[int, int] = {}
    for other in falls.values():
        entered[other] = entered.get(other, 0) + 1
    falls = {index: other for index, other in falls.items() if entered[other] == 1}
    chains: list[list[int]] = []
    for index in range(len(targets)):
        if index in falls and index not in entered:
            chain = [index]
            while chain[-1] in falls and falls[chain[-1]] not in chain:
                chain.append(falls[chain[-1]])
            chains.append(chain)
    return chains


def reachable_blocks(function: Function) -> list[Block]:
    """The blocks that control can come to, in the order they are kept in; islands and dead code are never run."""
    seen: dict[Block, None] = {function.entry(): None}
    work = [function.entry()]
    while work:
        block = work.pop()
        targets = successors(block)
        for target in targets + waiting_points(block):
            if target not in seen:
                seen[target] = None
                work.append(target)
    return [block for block in blocks(function) if block in seen]


def waiting_points(block: Block) -> list[Block]:
    """Merge blocks and continue targets that are named at the end of `block`, whether or not control comes to them."""
    jump = block.jump
    if isinstance(jump, Branch) and jump.merge is not None:
        points = [block_at(jump.merge, 0)]
        if jump.merge.op == op.LoopMerge:
            points.append(block_at(jump.merge, 1))
        return points
    following = block.next
    if jump is None and isinstance(following, Loop):
        return [following.after(), following.continuing.entry()]
    if jump is None and isinstance(following, (If, Switch, Scope)):
        return [following.after()]
    return []


def block_at(instr: Instr, index: int) -> Block:
    operand = instr.operands[index]
    assert isinstance(operand, Block)
    return operand


