"""Write all iterations of a loop out, by request, where their number is known.

    loop @l { if i >= 2 nojoin { break @l } A } continuing { i += 1 }      =>      A; i += 1; A; i += 1

The number comes from a counter that starts, steps and ends at constants (`counted`); other exits may be in the
loop. `copies` says which regions stand around the iterations, and why no tangle changes. The test that ends the loop is
known in each copy and goes; nothing else is simplified. Loops without a loop inside come first, and what they leave
behind may let the one around them follow, up to four levels a run. A loop stays, with a note (RK2212), if its count is
not known, if the copies would have more than `limit` instructions, or if a value that is used behind it fits no phi.
Counters must be phis: run `promote-variables` before.
"""

from typing import Final

from reknit.ir.block import Block
from reknit.ir.edit import retarget_phis
from reknit.ir.function import Function
from reknit.ir.outward import nodes_after
from reknit.ir.tree import If, Loop
from reknit.passes.contract import NO_PHIS, SINGLE_LEVEL, STRUCTURED, Context, Option, Pass
from reknit.passes.loops.copies import Copy, Iterations, goes_back, settle, why_not
from reknit.passes.loops.counted import Test, counted
from reknit.passes.loops.peel_loops import LOOP, chosen, shown, size_of
from reknit.passes.tidy.dead import erase_dead, erase_islands
from reknit.passes.tidy.fold_constructs import inline_scope

LEVELS: Final = 4  # of nested loops in one run, since each costs another look at the whole function


def unroll_loops(function: Function, context: Context) -> bool:
    """Unroll what can be. Costs the copies, and the function once a level."""
    limit = context.options["limit"]
    assert isinstance(limit, int)
    changed = False
    stay: dict[Loop, None] = {}
    for _ in range(LEVELS):
        done: list[Iterations] = []
        for loop in chosen(function, context):
            if loop in stay or not goes_back(loop):  # what runs once is written out, as are the regions that copies get
                continue
            test = counted(loop)
            reason = "the number of its iterations is not known" if test is None else why_not(loop, context)
            if test is not None and not reason and size_of(loop) * (test.trips + 1) > limit:
                reason = f"the copies would have more than {limit} instructions"
            if test is None or reason:
                context.decline("RK2212", f"{shown(loop)} is not unrolled: {reason}", at=loop)
                stay[loop] = None
                continue
            if not done:
                erase_islands(function, context.module)
            done.append(_write_out(function, context, loop, test))
        if not done:
            break
        settle(function, context, done)
        changed = True
    return changed


def _write_out(function: Function, context: Context, loop: Loop, test: Test) -> Iterations:
    iterations = Iterations(function, context, loop)
    for number in range(test.trips + 1):
        copy = iterations.add()
        if number < test.trips:
            _stay(copy, test, context)
        else:
            _leave(copy, test, iterations, context)
    iterations.drop_loop()
    return iterations


def _stay(copy: Copy, test: Test, context: Context) -> None:
    """The test lets all stay: what it chooses between goes."""
    choice = copy.new[test.choice]
    other = copy.new[test.stay.entry()]
    assert isinstance(choice, If) and isinstance(other, Block)
    retarget_phis(choice.after(), other, choice.before())
    erase_dead([choice], context.module)


def _leave(copy: Copy, test: Test, iterations: Iterations, context: Context) -> None:
    """The test lets no lane stay: what follows it goes, and the end of what is left leads behind the loop."""
    choice = copy.new[test.choice]
    leaving = copy.new[test.leave.entry()]
    assert isinstance(choice, If) and isinstance(leaving, Block)
    before = choice.before()
    retarget_phis(iterations.after, leaving, before)
    dead = nodes_after(before)
    if before.region is copy.scope.body:
        dead.extend(nodes_after(copy.scope))
    erase_dead(dead, context.module)
    if before.region is copy.scope.body:
        inline_scope(copy.scope)


UNROLL_LOOPS: Final = Pass(
    "unroll-loops",
    "write all iterations of a loop out",
    unroll_loops,
    needs=(STRUCTURED,),
    loses=(NO_PHIS, SINGLE_LEVEL),
    keeps=("call-graph", "tangled"),
    options=(Option("limit", 256, "instructions that the copies of one loop may have"), LOOP),
)
