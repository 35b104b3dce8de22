"""exit=merge: lanes that leave the old switch leave the second one, straight from where they are.

    if stage <= 0 { if c { break s } a2 }     =>     if stage <= 0 { if c { break roads } a2; }
    fallthrough, in the middle of a stage     =>     break of the stage's own guard

Branching to the merge block of the innermost switch is a structured exit from any depth of selections (SPIR-V 1.6,
2.11.1), and in tangles it escapes every frame up to the switch's, where those that left otherwise arrive too. No stage
after it sees them, so no variable has to be set. Out of inner loops and switches it is a jump over several levels.
"""

from reknit.ir.block import Block
from reknit.ir.edit import clear_jump, set_jump
from reknit.ir.jump import Break, Fallthrough
from reknit.ir.walk import nodes_in
from reknit.passes.switches.split import Split


def leave_by_merge(split: Split) -> None:
    """Settle the jumps out of every moved stage. Costs the blocks in them."""
    for stage in split.stages:
        end = stage.region.end()
        if end.jump is None and not stage.last:
            set_jump(end, Break(split.roads))
        for node in nodes_in(stage.region):
            if not isinstance(node, Block):
                continue
            jump = node.jump
            if isinstance(jump, Fallthrough) and jump.target.switch is split.dispatch and not stage.last:
                assert stage.guard is not None
                if node is end:
                    clear_jump(node)
                else:
                    set_jump(node, Break(stage.guard))
            elif leaves(split, jump):
                if node is end and stage.last:
                    clear_jump(node)
                else:
                    set_jump(node, Break(split.roads))


def leaves(split: Split, jump: object) -> bool:
    """Whether a jump out of a stage leaves the old switch: by `break`, or by falling into what has nothing to run."""
    if isinstance(jump, Break):
        return jump.target is split.dispatch
    return isinstance(jump, Fallthrough) and jump.target.switch is split.dispatch
