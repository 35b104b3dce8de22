"""Groupings to whose end SPIR-V can't write a jump get a merge: what waits nowhere has no label that may be left for.

    scope @g nojoin {                                  scope @g {
      loop @l { if c nojoin { break @g } A }    =>       loop @l { if c nojoin { break @g } A }
      B                                                  B
    }                                                  }

With one of its paths, a conditional branch without a merge instruction leaves for a merge block, a continue target or
the next case (SPIR-V 1.6, 2.11), and the end of a grouping is none of these. A jump out of a loop or a switch to the
end of an if goes through their merge block, where invocations meet. Without MaximallyReconvergesKHR, nothing says
whether they meet behind the grouping. With it they don't, so a grouping stays where an operation depends on it.
"""

from reknit.analysis.callgraph import CallGraph
from reknit.analysis.meetings import runs_together
from reknit.analysis.tangled import Tangled
from reknit.analysis.tangles.declared import maximally_reconverging
from reknit.ir.block import Block
from reknit.ir.function import Function
from reknit.ir.jump import Break
from reknit.ir.selections import has_no_exit, leaving_arms
from reknit.ir.tree import Construct, If, Scope
from reknit.ir.walk import constructs, nodes
from reknit.passes.contract import Context
from reknit.passes.crossed import around, crossed_construct
from reknit.passes.structurize.join_ifs import join_ifs


def merge_groupings(function: Function, context: Context) -> bool:
    """Give a merge to the groupings of which SPIR-V can't write a jump to the end; says whether there were any.
    Declines where the mode is declared and invocations would then run something together."""
    changed = False
    while wanted := groupings_left(function):
        maximal = function in maximally_reconverging(context.module, context.analyses.of_module(CallGraph))
        tangled = context.analyses.of_module(Tangled)
        together = {grouping: runs_together(grouping, tangled) for grouping in wanted}
        for grouping, instr in together.items():
            if maximal and instr is not None:
                reason = "SPIR-V has no branch for the jumps to the end of a grouping: jumps over several levels stay"
                context.decline("RK2202", reason, "give it a merge if invocations may meet there", at=grouping)
                return changed
        changed = True
        for grouping in [construct for construct in constructs(function) if construct in wanted]:
            if together[grouping] is not None:
                message = "the grouping gets a merge, since SPIR-V has no branch for the jumps to its end; without "
                message += "MaximallyReconvergesKHR nothing says whether its invocations meet there"
                context.note("RK2203", message, at=grouping)
            grouping.merged = True
            if isinstance(grouping, Scope):
                join_ifs([grouping])
        function.touch()
    return changed


def groupings_left(function: Function) -> dict[Construct, None]:
    """The groupings to whose end a jump leads over several constructs, or under a condition of which no path leads to a
    merge block, a continue target or the next case."""
    groupings: dict[Construct, None] = {}
    for node in nodes(function):
        if isinstance(node, Block):
            jump = node.jump
            if isinstance(jump, Break) and not jump.target.merged and crossed_construct(node) is not None:
                groupings[jump.target] = None
        elif isinstance(node, If) and has_no_exit(node):
            for arm in leaving_arms(node):
                jump = arm.entry().jump
                left = jump.target if isinstance(jump, Break) else around(node.region)
                if left is not None and not left.merged:
                    groupings[left] = None
    return groupings
