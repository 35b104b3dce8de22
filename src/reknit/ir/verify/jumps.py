"""Jumps: each is registered at its target, leaves only what it stands in, and control never runs off the end.

    Break(C)         inside C                  in C.breaks
    Continue(L)      inside L's body           in L.continues
    Fallthrough(k)   inside the case before k  in k.fallthroughs
    continuing       is left by its own end, or by `break` of its loop in an arm of its last `if`, the conditional
                     back edge

Source: SPIR-V 1.6, 2.11 "Structured Control Flow".
"""


from reknit.ir import op, traits
from reknit.ir.block import Block
from reknit.ir.function import Function
from reknit.ir.jump import Branch, Break, Continue, Exit, Fallthrough
from reknit.ir.tree import Case, Construct, If, Loop, Switch
from reknit.ir.value import Value
from reknit.ir.verify.constructs import type_of
from reknit.ir.verify.links import Tree
from reknit.ir.verify.report import Report


def check_jumps(report: Report, function: Function, tree: Tree) -> None:
    """What each block's jump may do, and whether the registers at the targets say the same."""
    inside = dict.fromkeys(tree.constructs)
    before: dict[Case, Case] = {}
    for construct in tree.constructs:
        _registers(report, construct, tree)
        if isinstance(construct, Switch):
            for index in range(1, len(construct.cases)):
                before[construct.cases[index]] = construct.cases[index - 1]
    in_tree = len(tree.blocks) - len(function.blocks)
    for index, block in enumerate(tree.blocks):
        jump = block.jump
        if index >= in_tree:
            _flat_end(report, function, tree, block)
        elif isinstance(jump, Branch):
            report.fault("RK0418", "a plain branch ends a block of the control-flow tree", block)
        elif isinstance(jump, Exit):
            if jump.instr.op not in traits.EXITS:
                report.fault("RK0418", "this instruction does not leave the function", block, jump.instr)
            elif block.region in tree.continuing and jump.instr.op in traits.LEAVES_INVOCATION:
                report.fault("RK0406", "the function is left inside `continuing`", block, jump.instr)
        elif isinstance(jump, Break):
            if jump.target not in inside or not tree.holds(jump.target, block):
                report.fault("RK0404", "`break` of a construct that the block is not in", block)
            elif not _may_leave(tree, block, jump.target):
                report.fault("RK0406", "`break` leaves `continuing`, and is not its conditional back edge", block)
            if block not in jump.target.breaks:
                report.fault("RK0403", "a `break` is not registered at its target", block)
        elif isinstance(jump, Continue):
            if jump.target not in inside or not tree.holds(jump.target, block):
                report.fault("RK0404", "`continue` of a loop that the block is not in", block)
            elif not tree.holds(jump.target.body, block) or not _may_leave(tree, block, jump.target):
                report.fault("RK0406", "`continue` inside `continuing`", block)
            if block not in jump.target.continues:
                report.fault("RK0403", "a `continue` is not registered at its target", block)
        elif isinstance(jump, Fallthrough):
            source = before.get(jump.target)
            if source is None or not tree.holds(source.region, block):
                report.fault("RK0405", "`fallthrough` to a case that is not the next one", block)
            elif not _may_leave(tree, block, jump.target.switch):
                report.fault("RK0406", "`fallthrough` leaves `continuing`", block)
            if block not in jump.target.fallthroughs:
                report.fault("RK0403", "a `fallthrough` is not registered at its target", block)
        elif jump is not None:
            report.fault("RK0418", "a block ends in a jump of no known kind", block)


def _may_leave(tree: Tree, block: Block, target: Construct) -> bool:
    """Whether the jump stays inside the innermost `continuing`, or is its conditional back edge."""
    region = block.region
    loop = tree.continuing.get(region) if region is not None else None
    if loop is None or region is None:
        return True
    first = tree.first[loop.continuing]
    last = tree.last[loop.continuing]
    if first <= tree.first[target] and tree.last[target] <= last and target is not loop:
        return True
    arm = region.owner
    return target is loop and isinstance(arm, If) and arm.region is loop.continuing and arm.next is loop.continuing.last


def _registers(report: Report, construct: Construct, tree: Tree) -> None:
    """Every registered jump must be there."""
    for block in construct.breaks:
        if not isinstance(block.jump, Break) or block.jump.target is not construct or block not in tree.number:
            report.fault("RK0403", "a `break` is registered that is none, or not in this function", block)
    if isinstance(construct, Loop):
        for block in construct.continues:
            if not isinstance(block.jump, Continue) or block.jump.target is not construct or block not in tree.number:
                report.fault("RK0403", "a `continue` is registered that is none, or not in this function", block)
    elif isinstance(construct, Switch):
        for case in construct.cases:
            for block in case.fallthroughs:
                if not isinstance(block.jump, Fallthrough) or block.jump.target is not case or block not in tree.number:
                    report.fault("RK0403", "a `fallthrough` is registered that is none, or not in this function", block)


def _flat_end(report: Report, function: Function, tree: Tree, block: Block) -> None:
    """A block outside of the tree ends in a plain branch to blocks of this function, or leaves it."""
    jump = block.jump
    if isinstance(jump, Exit):
        if jump.instr.op not in traits.EXITS:
            report.fault("RK0418", "this instruction does not leave the function", block, jump.instr)
        return
    if not isinstance(jump, Branch):
        report.fault("RK0418", "a block outside of the tree does not end in a branch, return or the like", block)
        return
    if jump.instr.op not in traits.BRANCHES:
        report.fault("RK0418", "this instruction is no branch", block, jump.instr)
    elif jump.instr.op != op.Branch and jump.instr.operands:
        asked = jump.instr.operands[0]
        type = type_of(asked) if isinstance(asked, Value) else None
        wanted = op.TypeBool if jump.instr.op == op.BranchConditional else op.TypeInt
        if type is None or type.op != wanted:
            what = "condition of the branch is not a bool" if wanted == op.TypeBool else "selector is not an integer"
            report.fault("RK0414", f"the {what}", block, jump.instr)
    if jump.merge is not None and jump.merge.op not in traits.MERGES:
        report.fault("RK0418", "this is no merge instruction", block, jump.merge)
    for instr in (jump.instr, jump.merge) if jump.merge is not None else (jump.instr,):
        for operand in instr.operands:
            if isinstance(operand, Block) and operand not in tree.number:
                report.fault("RK0418", "the target of a branch is not in this function", block, instr)
    if function.blocks[0] in _targets(jump) and not function.structured:
        report.fault("RK0418", "nothing may branch to the first block of a function", block, jump.instr)


def _targets(jump: Branch) -> list[Block]:
    return [operand for operand in jump.instr.operands if isinstance(operand, Block)]
