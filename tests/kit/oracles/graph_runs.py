"""Graphs run flat and with structure: every lane must take the same way.

    targets by block ──▶ flat module ──run──▶ trace
                    └──▶ restructure ──validate──run──▶ trace

A graph may have parts that nobody gets out of: then one lane runs alone, and the traces agree as far as both go.
"""

import random
from collections.abc import Callable
from typing import Final

from kit.oracles import validate
from reknit.front.cfg_module import DECISIONS, ROW, VISITS, module_of_graph
from reknit.ir.function import Function
from reknit.ir.module import Module
from reknit.passes.manager import Hooks, Report, run_passes
from reknit.sim.policy import GRAPH, Policy
from reknit.sim.run import run
from reknit.spirv.rules.judge import judge
from reknit.spirv.words import parse
from reknit.spirv.write import write_module

Targets = list[list[int]]
Verdict = Callable[[bytes], tuple[bool, str]]
LANES: Final = 4
PIPELINE: Final = (
    "structurize{{nesting={}, assume={}}}, eliminate-phis, eliminate-multi-level-breaks, promote-variables"
)


def random_graph(seed: int, most: int = 40) -> Targets:
    """Blocks with 0 to 4 ways out: anywhere, or mostly nearby; often irreducible, with self loops and endless parts. Of
    two graphs, the one has a way to every block; in the other, a return near the entry may cut most of them off."""
    rng = random.Random(seed)
    count = rng.randint(2, most)
    near = rng.random() < 0.5
    plain = rng.random() < 0.3
    targets: Targets = []
    for block in range(count):
        ways = rng.choice((1, 2)) if plain else rng.choice((0, 1, 1, 2, 2, 2, 2, 3, 4))
        row: list[int] = []
        for _ in range(ways):
            if near and rng.random() < 0.9:
                row.append(max(0, min(count - 1, block + rng.randint(-3, 5))))
            else:
                row.append(rng.randrange(count))
        targets.append(row)
    if rng.random() < 0.5:
        lead_everywhere(targets, rng)
    return targets


def lead_everywhere(targets: Targets, rng: random.Random) -> None:
    """Give every block a way from one before it that has fewer than four."""
    for block in range(1, len(targets)):
        before = [other for other in range(max(0, block - 6), block) if len(targets[other]) < 4]
        if before:
            targets[rng.choice(before)].append(block)


def large_graph(seed: int, blocks: int) -> Targets:
    """As a large shader is, with ways mostly nearby; or all over the place. The last few blocks return."""
    rng = random.Random(seed)
    near = seed % 2 == 0
    targets: Targets = []
    for block in range(blocks):
        width = rng.choice((1, 2, 2, 2, 3)) if block < blocks - 5 else 0
        low, high = (block - 4, block + 9) if near else (block - blocks // 50, block + blocks // 25)
        targets.append([max(0, min(blocks - 1, rng.randint(low, high))) for _ in range(width)])
    return targets


def reached(targets: Targets) -> list[int]:
    seen = {0: None}
    work = [0]
    while work:
        for target in targets[work.pop()]:
            if target not in seen:
                seen[target] = None
                work.append(target)
    return sorted(seen)


def always_ends(targets: Targets) -> bool:
    """Whether a way leads out of every block that is reached."""
    sources: Targets = [[] for _ in targets]
    for block, row in enumerate(targets):
        for target in row:
            sources[target].append(block)
    work = [block for block, row in enumerate(targets) if not row]
    ends = dict.fromkeys(work)
    while work:
        for source in sources[work.pop()]:
            if source not in ends:
                ends[source] = None
                work.append(source)
    return all(block in ends for block in reached(targets))


def module_for(targets: Targets, lanes: int = LANES) -> Module:
    return module_of_graph([f"n{index}" for index in range(len(targets))], targets, lanes)


def by_rules(binary: bytes) -> tuple[bool, str]:
    """The verdict of reknit's own rules: near linear, where spirv-val takes minutes for a graph of 5,000 blocks.
    Elsewhere they are compared with spirv-val's on thousands of modules."""
    found = judge(parse(binary, "graph"))
    return not found, found[0].message if found else ""


def structured(
    module: Module, nesting: int = 128, verify: bool = False, assume: str = "outside", verdict: Verdict = validate
) -> tuple[bytes, Report]:
    """Structurize in place; the binary, which `verdict` accepted."""
    report = run_passes(module, PIPELINE.format(nesting, assume), Hooks(verify_each=verify))
    assert all(function.structured for function in module.functions)
    binary = write_module(module)
    accepted, message = verdict(binary)
    assert accepted, message
    return binary, report


def trace(module: Module, seed: int, lanes: int, steps: int) -> tuple[bool, list[int]]:
    """(whether it ended, the words of `trace`). A graph is run as it stands, and not as what is judged makes of it."""
    rng = random.Random(seed)
    decisions = [rng.randrange(12) for _ in range(DECISIONS * lanes)]
    result = run(
        module,
        subgroup_size=lanes,
        buffers={"decisions": decisions, "trace": [0] * (ROW * lanes), "seen": [0] * (ROW * lanes)},
        max_steps=steps,
        policy=Policy(assume=GRAPH),
    )
    return result.finished, list(result.buffers["trace"].words)


def check_ways(
    targets: Targets,
    seed: int = 0,
    nesting: int = 128,
    verify: bool = False,
    verdict: Verdict = validate,
    make: Callable[[Targets, int], Module] = module_for,
) -> Function:
    """Structurize a graph, and compare the ways of its lanes with those in the graph; gives the tree."""
    ends = always_ends(targets)
    lanes = LANES if ends else 1
    module = make(targets, lanes)
    finished, before = trace(module, seed, lanes, 60_000 if ends else 8_000)
    structured(module, nesting, verify, verdict=verdict)
    finished_too, after = trace(module, seed, lanes, 400_000 if ends else 24_000)
    if ends:
        assert finished and finished_too
        assert before == after
    else:
        common = min(before[0], after[0], VISITS)
        assert before[1 : 1 + common] == after[1 : 1 + common]
        assert common > 15 or finished == finished_too
    return module.functions[0]
