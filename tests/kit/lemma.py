"""The lemma that proofs without a run rest on, read off runs: who executes a block together is who comes by it.

    executed together       a `run` event of the machine: a block, and a set of invocations of one subgroup
    come by                 each invocation's own blocks, with the iteration of each loop around that it is in

In a program within the premises the first are exactly the second, for each block and each iterations of the loops
around it. Outside of them are programs in which invocations end, and constructs without a merge instruction whose end
several paths lead to: nobody meets there. Calls are inlined first. Under a policy by which invocations meet at every
label of a switch that leaves it open, choices at labels are within the premises, too.

`python -m kit.lemma FROM TO` goes through random programs by seed.
"""

import sys
from collections import Counter

from kit.random.faults import sample
from reknit.ir import op, traits
from reknit.ir.block import Block
from reknit.ir.function import Function
from reknit.ir.jump import Exit
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.tree import Case, Construct, Loop, Switch
from reknit.ir.walk import blocks, constructs, instructions
from reknit.passes.manager import run_passes
from reknit.sim.policy import Policy
from reknit.sim.run import prepare
from reknit.sim.trace import RUN
from reknit.source.diagnostic import InputError

SIZES = (4, 8, 32, 64)
MEETING = Policy("label", "always", "lifo")
OTHER = Policy("value", "never", "fifo")
"""Another way to use the freedoms of switches: where there are none, it makes no difference."""
STEPS = 200_000
_HELPER = op.DemoteToHelperInvocation
FAMILIES = ("generated", "effects", "generated", "odd", "tree")
Iterations = tuple[int, ...]


def loops_around(block: Block) -> list[Loop]:
    """Outermost first."""
    found: list[Loop] = []
    region = block.region
    while region is not None and not isinstance(region.owner, Function):
        owner = region.owner
        node = owner.switch if isinstance(owner, Case) else owner
        assert isinstance(node, Construct)
        if isinstance(node, Loop):
            found.append(node)
        region = node.region
    return found[::-1]


def outside(module: Module) -> str:
    """Why a program is outside of the premises, or ""."""
    for function in module.functions:
        jumps = [block.jump.instr for block in blocks(function) if isinstance(block.jump, Exit)]
        if any(instr.op in traits.KILLS or instr.op == _HELPER for instr in [*instructions(function), *jumps]):
            return "invocations that end"
        if any(not node.merged and paths_to_end(node) > 1 for node in constructs(function)):
            return "an end without a merge that several paths lead to"
    return ""


def paths_to_end(node: Construct) -> int:
    ends = [] if isinstance(node, Loop) else [region.end() for region in node.regions()]
    return len(node.breaks) + sum(end.jump is None for end in ends)


def has_switches(module: Module) -> bool:
    """Whether anything is left open at labels."""
    return any(isinstance(node, Switch) for function in module.functions for node in constructs(function))


def differing(module: Module, size: int, policy: Policy) -> tuple[int, int]:
    """How many (block, iterations, subgroup) were come by, and how many of them not by all at once."""
    program = prepare(module, module.entry_points[0].text(2), subgroup_size=size)
    trace = program.run(policy=policy, trace=True, max_steps=STEPS).trace
    assert trace is not None
    around = {code.number: loops_around(code.block) for code in program.code}
    where: dict[int, list[tuple[Loop, int]]] = {}
    previous: dict[int, Block] = {}
    together: dict[tuple[int, Iterations, int], list[int]] = {}
    wrong = 0
    for event in trace.events:
        if event.kind != RUN:
            continue
        code = program.code[event.block]
        loops = around[event.block]
        keys: dict[tuple[int, Iterations, int], None] = {}
        for lane in range(trace.lanes):
            if not event.mask >> lane & 1:
                continue
            now = [(loop, 0) for loop in loops]
            for at, (loop, iteration) in enumerate(where.get(lane, [])[: len(now)]):
                if now[at][0] is not loop:
                    break
                now[at] = (loop, iteration)
            if loops and code.block is loops[-1].body.entry() and event.block == code.header:
                again = previous[lane] is not loops[-1].before()
                now[-1] = (loops[-1], now[-1][1] + 1 if again else 0)
            where[lane] = now
            previous[lane] = code.block
            keys[event.block, tuple(iteration for _, iteration in now), lane // size] = None
        wrong += len({iterations for _, iterations, _ in keys}) > 1
        for key in keys:
            together.setdefault(key, []).append(event.mask)
    wrong += sum(len(masks) > 1 for masks in together.values())
    return len(together), wrong


def checked(module: Module) -> Counter[str]:
    """What became of the runs of a program at all sizes: executions of blocks, and runs in which any differs."""
    totals: Counter[str] = Counter()
    try:
        run_passes(module, "inline")
    except InputError:
        return Counter({"not inlined": 1})
    why = outside(module)
    policies = [MEETING] if has_switches(module) else [MEETING, OTHER]
    totals[f"programs {'outside: ' + why if why else 'within the premises'}"] += 1
    for size in SIZES:
        for each in policies:
            try:
                executions, wrong = differing(module, size, each)
            except InputError:
                totals["runs that fail"] += 1
                continue
            kind = "outside" if why else "within"
            totals[f"{kind}: runs"] += 1
            totals[f"{kind}: executions of blocks"] += executions
            totals[f"{kind}: runs that differ"] += wrong > 0
    return totals


def of_seed(seed: int) -> Counter[str]:
    return checked(parse(sample(seed, FAMILIES[seed % len(FAMILIES)]).text))


if __name__ == "__main__":
    sums: Counter[str] = Counter()
    for number in range(int(sys.argv[1]), int(sys.argv[2])):
        found = of_seed(number)
        if found["within: runs that differ"]:
            print(f"seed {number}: {dict(found)}", flush=True)
        sums.update(found)
    print("\n".join(f"{count:>9}  {what}" for what, count in sorted(sums.items())))
