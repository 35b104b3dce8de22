"""Operations whose tangle depends on a choice that a graph doesn't make.

    loop { if c { A; break } }  B          A: reached from the loop, never back
                                           inside:  those who leave in one iteration run A together, by iterations
                                           outside: all run A together, once the last one has left

Both programs have the same graph. Behind a loop and dominated by it, a tangled operation could have stood in it: that
is told once for every loop that the input says nothing of (RK2501). What is taken is the loop as its edges have it
(`outside`, as most compilers do), or with `assume=inside` also what stands between the loop and the place where its
exits meet. Source: SPIRV-Tools issue 4099; rust-gpu issue 944.
"""

from bisect import bisect_left
from typing import Final

from reknit.analysis.natural_loops import NaturalLoops
from reknit.analysis.tangled import Tangled
from reknit.ir.function import Function
from reknit.ir.hint import ASSUMED, Hint
from reknit.ir.instr import Instr
from reknit.ir.opcodes import info
from reknit.passes.contract import Context
from reknit.passes.structurize.flow import Flow
from reknit.passes.structurize.membership import Membership, shown

OUTSIDE: Final = "outside"
INSIDE: Final = "inside"


def tangled_nodes(function: Function, flow: Flow, context: Context) -> dict[int, Instr]:
    """The first tangled operation of each node that has one."""
    found: dict[int, Instr] = {}
    tangled = context.analyses.of_module(Tangled)
    if function not in tangled.functions:
        return found
    for node, block in enumerate(flow.blocks):
        for instr in block:
            if tangled.is_tangled(instr):
                found[node] = instr
                break
    return found


def tell(flow: Flow, loops: NaturalLoops, told: dict[int, None], tangled: dict[int, Instr], context: Context) -> int:
    """A note for every loop with a tangled operation behind it whose place is not told; how many. Near linear."""
    if not tangled or not loops.header:
        return 0
    behind = sorted([(flow.enter[node], node) for node in tangled])
    places = [enter for enter, _ in behind]
    inside = [0] * len(loops.header)
    for node in tangled:
        if loops.innermost[node] >= 0:
            inside[loops.innermost[node]] += 1
    for loop in range(len(inside)):
        if loops.parent[loop] >= 0:
            inside[loops.parent[loop]] += inside[loop]
    count = 0
    for loop, header in enumerate(loops.header):
        first = bisect_left(places, flow.enter[header])
        last = bisect_left(places, flow.leave[header])
        if header in told or last - first == inside[loop]:
            continue
        count += 1
        at = first
        while _is_in(loops, behind[at][1], loop):
            at += 1
        _note(flow, header, behind[at][1], tangled[behind[at][1]], last - first - inside[loop], context)
    return count


def _is_in(loops: NaturalLoops, node: int, loop: int) -> bool:
    around = loops.innermost[node]
    while around >= 0 and around < loop:  # loops are numbered from the inside out
        around = loops.parent[around]
    return around == loop


def _note(flow: Flow, header: int, node: int, instr: Instr, count: int, context: Context) -> None:
    about = info(instr.op)
    name = about.name if about is not None else f"opcode {instr.op}"
    more = f" (and {count - 1} blocks more)" if count > 1 else ""
    loop = f"the loop of {shown(flow.blocks[header])}"
    context.note(
        "RK2501",
        f"convergence is not determined by the input: Op{name.removeprefix('Op')} in {shown(flow.blocks[node])}{more} "
        f"may belong to {loop}, and be run by those who leave it together in one iteration, or stand behind it, and be "
        "run by all together",
        "read as the edges have it; `member` at a block's label puts it into a loop, `member` at the header's own says "
        "that this is all, and structurize{assume=inside} takes what stands before the exits join to be in the loop",
    )


def assumed_hints(flow: Flow, loops: NaturalLoops, membership: Membership) -> list[Hint]:
    """For `assume=inside`: what an exit of a loop dominates, if its exits join behind that; the first block behind it,
    if there is only one exit that leads on. Loops that the input tells of are left out."""
    found: list[Hint] = []
    for loop, edges in enumerate(loops.exits(flow.targets)):
        header = loops.header[loop]
        if header in membership.told:
            continue
        ways = [target for source, target in dict.fromkeys(edges) if flow.forward[target] == 1]
        for way in ways:
            if not flow.dominates(header, way):
                continue
            own: dict[int, None] = {way: None}
            work = [way]
            joins = False
            while work:
                for target in flow.targets[work.pop()]:
                    if target in own:
                        continue
                    if not flow.dominates(way, target):
                        joins = joins or flow.dominates(header, target)
                    else:
                        own[target] = None
                        work.append(target)
            members = list(own) if joins else [way]
            found.extend([Hint(flow.blocks[node], flow.blocks[header], ASSUMED) for node in members])
    return found
