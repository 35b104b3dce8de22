"""Out of a switch that will be split, an iteration ends by leaving a region.

    loop @l { switch v { case 0: continue @l }; b } continuing { d }
        =>
    loop @l { scope @i { switch v { case 0: break @i }; b } } continuing { d }

Only loops with such a `continue` change, all of them with `all`. Where `continuing` has nothing to run the continue
target is as good as the start of the next iteration, and where nothing continues it is not one: both stay. See
one_trip for why no tangle changes. Source: specification of reconverged switches, "Around it"; the scope is written
as a default-only OpSwitch.
"""

from typing import Final

from reknit.analysis.tangled import Tangled
from reknit.ir.function import Function
from reknit.ir.tree import Case, Loop, Switch
from reknit.ir.value import Node
from reknit.ir.walk import constructs
from reknit.passes.contract import NO_CONTINUES, NO_PHIS, SINGLE_LEVEL, STRUCTURED, Context, Option, Pass
from reknit.passes.one_trip import runs_nothing, wrap_iteration
from reknit.passes.switches.shapes import AUTO, POLICIES, needs_lowering

KEEPS: Final = ("call-graph", "tangled")


def eliminate_continues(function: Function, context: Context) -> bool:
    """Wrap the iteration of each loop that has a `continue` in a switch to be lowered."""
    if bool(context.options["all"]):
        loops = [loop for loop in constructs(function) if isinstance(loop, Loop) and loop.continues]
    else:
        loops = loops_to_wrap(function, context.analyses.of_module(Tangled), str(context.options["policy"]))
    changed = False
    for loop in loops:
        changed |= wrap_iteration(loop) is not None
    return changed


def loops_to_wrap(function: Function, tangled: Tangled, policy: str) -> list[Loop]:
    """The loops with a `continue`, to a part with code, in a switch that is to be lowered."""
    all_constructs = constructs(function)
    doomed: dict[Switch, None] = {}
    for construct in all_constructs:
        if isinstance(construct, Switch) and needs_lowering(construct, tangled.is_tangled, policy):
            doomed[construct] = None
    loops: list[Loop] = []
    for loop in all_constructs:
        if not isinstance(loop, Loop) or runs_nothing(loop.continuing):
            continue
        if any(_stands_in(source, loop, doomed) for source in loop.continues):
            loops.append(loop)
    return loops


def _stands_in(source: Node, loop: Loop, doomed: dict[Switch, None]) -> bool:
    """Whether one of `doomed` stands around `source`, inside `loop`."""
    node = source
    while doomed and node.region is not None:
        owner = node.region.owner
        if isinstance(owner, Case):
            owner = owner.switch
            if owner in doomed:
                return True
        if owner is loop or not isinstance(owner, Node):
            return False
        node = owner
    return False


ELIMINATE_CONTINUES: Final = Pass(
    "eliminate-continues",
    "turn a continue out of a switch that will be lowered into leaving a region",
    eliminate_continues,
    needs=(STRUCTURED, NO_PHIS),
    gives=(NO_CONTINUES,),
    loses=(SINGLE_LEVEL,),
    keeps=KEEPS,
    options=(
        Option("policy", AUTO, "which switches will be lowered: that of lower-switches", POLICIES),
        Option("all", False, "every continue, also at the level of its loop"),
    ),
)
