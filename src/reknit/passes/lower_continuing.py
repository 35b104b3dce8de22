"""Run the code of a loop's continuing part at the end of its body, so that the part is empty.

    loop @l { a; b } continuing { d }                              =>  loop @l { a; b; d }
    loop @l { a; if c { continue @l } b } continuing { d }         =>  loop @l { a; scope @i { if c { break @i } b } d }
    loop @l { a; break @l } continuing { d }                       =>  loop @l { a; break @l }      nothing continues

No tangle changes. An iteration pushes a frame whose target is the continuing part: all that entered the iteration and
have not left it meet there. Where one path leads to the part, and they come by it together, they are that tangle
already. Otherwise a scope replaces the frame: its join is right before the code that moved, `break` of it arrives
there as `continue` arrived at the frame, and what left the iteration escapes the one as it escaped the other. The
part that stays empty is met with what comes out of the code, as the next iteration was before.
Source: specification of tangles, rules 4 (an iteration's frame) and 7 (goto); SPIR-V 1.6, 2.11, continue construct.
"""

from typing import Final

from reknit.ir.build import new_block
from reknit.ir.cfg import predecessors
from reknit.ir.function import Function
from reknit.ir.phis import complete_phis
from reknit.ir.tree import Loop
from reknit.ir.walk import constructs
from reknit.passes.contract import SINGLE_LEVEL, STRUCTURED, Context, Pass
from reknit.passes.one_trip import absorb_continuing, runs_nothing
from reknit.passes.tidy.dead import erase_dead


def lower_continuing(function: Function, context: Context) -> bool:
    """Empty the continuing part of every loop. Costs the size of the function, and the depth of each `continue`."""
    changed = False
    for construct in constructs(function):
        if not isinstance(construct, Loop) or construct.region is None or runs_nothing(construct.continuing):
            continue  # one that stood in a part that nothing reached is gone
        changed = True
        if predecessors(construct.continuing.entry()):
            absorb_continuing(construct)
        else:
            erase_dead(list(construct.continuing), context.module)
            new_block(construct.continuing)
        complete_phis(context.module, construct.body.entry(), construct.continuing.entry())
    return changed


LOWER_CONTINUING: Final = Pass(
    "lower-continuing",
    "run the code of continuing parts at the end of the loop's body",
    lower_continuing,
    needs=(STRUCTURED,),
    loses=(SINGLE_LEVEL,),
)
