"""What invocations that a tree keeps apart behind a construct would run together if they met there.

    if %c nojoin { A } else { B }             tangles of A and of B execute it, each for itself
    %all = GroupNonUniformBallot ...          with a merge it is one tangle
"""

from reknit.analysis.tangled import Tangled
from reknit.ir.block import Block
from reknit.ir.cfg import successors
from reknit.ir.crossing import have_two
from reknit.ir.instr import Instr
from reknit.ir.tree import Construct, Loop
from reknit.source.meter import spend


def runs_together(construct: Construct, tangled: Tangled) -> Instr | None:
    """The first tangled instruction that invocations from several paths of an unmerged construct execute apart in the
    tree, and together if they meet behind it. Costs the blocks up to where they meet in any case."""
    if not have_two(construct.after()):
        return None
    seen = _meetings(construct)
    work = [construct.after()]
    while work:
        spend(1)
        block = work.pop()
        if block in seen:
            continue
        seen[block] = None
        for instr in block:
            if tangled.is_tangled(instr):
                return instr
        work.extend(reversed(successors(block)))
    return None


def _meetings(construct: Construct) -> dict[Block, None]:
    """The blocks that the lanes which entered what is around `construct` together reach together, in whatever state."""
    meeting_blocks: dict[Block, None] = {}
    region = construct.region
    while region is not None:
        around = region.construct()
        if around is None:
            break
        if around.merged:
            meeting_blocks[around.after()] = None
        if isinstance(around, Loop) and region is around.body:
            meeting_blocks[around.continuing.entry()] = None
        region = around.region
    return meeting_blocks
