"""Write the first iterations of a loop out in front of it, by request.

    loop @l { A } continuing { C }      =>      scope @l_1 { A }  C  loop @l { A } continuing { C }

`copies` says which regions stand around them, and why no tangle changes: lanes that break in a peeled iteration wait
for the others behind the loop, those that continue meet the iteration's others before the next. Without options every
loop that has no loop inside is peeled once; `loop` names one, which may have loops inside. Values that are used behind
the loop come from whichever iteration was left. A loop stays, with a note (RK2210), if such a value fits no phi, if the
copies would have more than `limit` instructions, or if it never goes round.
"""

from typing import Final

from reknit.analysis.loops import LoopForest
from reknit.ir.block import Block
from reknit.ir.function import Function
from reknit.ir.outward import nodes_of
from reknit.ir.tree import Loop
from reknit.passes.contract import NO_PHIS, SINGLE_LEVEL, STRUCTURED, Context, Option, Pass
from reknit.passes.loops.copies import Iterations, settle, why_not
from reknit.passes.tidy.dead import erase_islands


def peel_loops(function: Function, context: Context) -> bool:
    """Peel what the options ask for. Costs the copies, and the function once."""
    count = context.options["count"]
    limit = context.options["limit"]
    assert isinstance(count, int) and isinstance(limit, int)
    done: list[Iterations] = []
    if count < 1:
        return False
    for loop in chosen(function, context):
        reason = why_not(loop, context)
        if not reason and size_of(loop) * count > limit:
            reason = f"the copies would have more than {limit} instructions"
        if reason:
            context.decline("RK2210", f"{shown(loop)} is not peeled: {reason}", at=loop)
            continue
        if not done:
            erase_islands(function, context.module)
        iterations = Iterations(function, context, loop)
        for _ in range(count):
            iterations.add()
        iterations.keep_loop()
        done.append(iterations)
    if done:
        settle(function, context, done)
    return bool(done)


def chosen(function: Function, context: Context) -> list[Loop]:
    """The loop that the option `loop` names, or else those without a loop inside; none contains another."""
    name = context.options["loop"]
    loops: list[Loop] = []
    for info in context.analyses.ask(LoopForest, function).loops:
        loop = info.construct
        if loop is None:
            continue
        if name and loop.name == name:
            return [loop]
        if not name and not info.children:
            loops.append(loop)
    return loops


def size_of(loop: Loop) -> int:
    """Instructions, and one for each block and construct."""
    count = 0
    for node in nodes_of([loop]):
        count += 1
        if isinstance(node, Block):
            for _ in node:
                count += 1
    return count


def shown(loop: Loop) -> str:
    return f"loop @{loop.name}" if loop.name else "a loop"


LOOP: Final = Option("loop", "", "the name of the one loop to take; without it all that have no loop inside")

PEEL_LOOPS: Final = Pass(
    "peel-loops",
    "write the first iterations out in front of a loop",
    peel_loops,
    needs=(STRUCTURED,),
    loses=(NO_PHIS, SINGLE_LEVEL),
    keeps=("call-graph", "tangled"),
    options=(
        Option("count", 1, "iterations to write out"),
        Option("limit", 1000, "instructions that the copies of one loop may have"),
        LOOP,
    ),
)
