"""Graphs without a tangled operation, by family, and their modules: nothing there tells which invocations run together.

    acyclic      edges lead on, mostly nearby          cases        switches whose targets go on to each other
    near, far    any edges, nearby or anywhere         endless      parts that no edge leads out of
    entrances    loops that are entered in several places

The structurizer may write more forms for such functions than for those with a ballot in them, so that graphs of
`graph_runs`, which all have one, say nothing about these forms.
"""

import random
from typing import Final

from kit.oracles.graph_runs import LANES, Targets, lead_everywhere

from reknit.front.cfg_module import module_of_graph, module_variable
from reknit.ir import enums, op
from reknit.ir.edit import erase, set_jump
from reknit.ir.instr import Instr
from reknit.ir.jump import Exit
from reknit.ir.module import Module, annotation

FAMILIES: Final = ("acyclic", "cases", "near", "far", "endless", "entrances")
MIN_BLOCKS: Final = 10
MAX_BLOCKS: Final = 70


def silent_graph(family: str, seed: int) -> Targets:
    """The graph of this family and seed, of 10 to 70 blocks. Some blocks may be unreachable."""
    rng = random.Random(f"{family} {seed}")
    if family == "cases":
        return _falling(rng)
    count = rng.randint(MIN_BLOCKS, MAX_BLOCKS)
    targets: Targets = [_row(family, rng, block, count) for block in range(count)]
    if family == "entrances":
        for _ in range(rng.randint(1, 4)):
            _add_entrances(targets, rng)
    if family != "endless" and rng.random() < 0.7:
        lead_everywhere(targets, rng)
    return targets


def _row(family: str, rng: random.Random, block: int, count: int) -> list[int]:
    last = count - 1
    if family == "acyclic":
        if block == last:
            return []
        reach = rng.choice((3, 6, 12))
        return [min(last, block + rng.randint(1, reach)) for _ in range(rng.choice((0, 1, 1, 2, 2, 2, 3, 4)))]
    ways = rng.choice((1, 1, 2, 2, 2, 3) if family == "endless" else (0, 1, 1, 2, 2, 2, 3, 5))
    if family == "far":
        return [rng.randrange(count) for _ in range(ways)]
    return [max(0, min(last, block + rng.randint(-3, 6))) for _ in range(ways)]


def _falling(rng: random.Random) -> Targets:
    """Nested parts, of which each goes on to what is behind it, to the next case of a switch around it or to what is
    behind that; any of these from anywhere inside."""
    targets: Targets = []

    def new() -> int:
        targets.append([])
        return len(targets) - 1

    work: list[tuple[int, list[int], int]] = []  # a block to be given edges, where it may go on to, its depth
    first, end = new(), new()
    work.append((first, [end], 0))
    while work:
        block, outs, depth = work.pop(rng.randrange(len(work)))
        kind = rng.random()
        if len(targets) > MAX_BLOCKS - 8 or depth > 4 or (kind < 0.25 and depth > 1):
            targets[block] = [rng.choice(outs)] if rng.random() < 0.6 else [rng.choice(outs), rng.choice(outs)]
        elif kind < 0.5:
            arms = [new(), new()] if rng.random() < 0.6 else [new(), rng.choice(outs)]
            rng.shuffle(arms)
            targets[block] = list(arms)
            work.extend((arm, outs, depth + 1) for arm in arms if not targets[arm] and arm not in outs)
        elif kind < 0.8:
            behind = new()
            cases = [new() for _ in range(rng.randint(2, 4))]
            labels = cases + [rng.choice([*cases, behind]) for _ in range(rng.randint(0, 3))]
            rng.shuffle(labels)
            targets[block] = labels
            for place, case in enumerate(cases):
                follow = cases[place + 1 : place + 2] * 3 + [behind] + outs[:1] * (rng.random() < 0.2)
                work.append((case, follow, depth + 1))
            work.append((behind, outs, depth + 1))
        elif kind < 0.9:
            body, behind = new(), new()
            targets[block] = [body]
            work.append((body, [block, behind, behind, *outs[:1]], depth + 1))
            work.append((behind, outs, depth + 1))
        else:
            behind = new()
            targets[block] = [behind]
            work.append((behind, outs, depth))
    return targets


def _add_entrances(targets: Targets, rng: random.Random) -> None:
    """Let a block lead to two that lead to each other."""
    last = len(targets) - 1
    one = rng.randint(1, last - 1)
    other = min(last, one + rng.randint(1, 5))
    targets[one].append(other)
    targets[other].append(one)
    targets[rng.randrange(one)] += [one, other]


def silent_module(targets: Targets, lanes: int = LANES) -> Module:
    """The module of `module_of_graph`, without the ballots of its blocks."""
    module = module_of_graph([f"n{index}" for index in range(len(targets))], targets, lanes)
    visit = next(function for function in module.functions if function.name == "visit")
    tail: list[Instr] = []
    for instr in visit.body.entry():
        if tail or instr.op == op.GroupNonUniformBallot:
            tail.append(instr)
    for instr in reversed(tail):
        erase(instr)
    return module


def end_otherwise(module: Module, seed: int) -> None:
    """Let some blocks that return kill their invocation, or be never reached; a fragment shader may do so."""
    rng = random.Random(seed)
    for block in module.functions[0].blocks:
        if isinstance(block.jump, Exit) and rng.random() < 0.6:
            code = rng.choice((op.Kill, op.TerminateInvocation, op.Unreachable))
            set_jump(block, Exit(Instr(code, None, [], "", False)))


def as_fragment(module: Module) -> None:
    """Make the compute shader of `silent_module` one for fragments, which may kill."""
    entry = module.entry_points[0]
    module.entry_points[0] = annotation(op.EntryPoint, [enums.ExecutionModelFragment, *entry.operands[1:]])
    main = module.functions[0]
    module.execution_modes = [
        mode for mode in module.execution_modes if mode.word(1) != enums.ExecutionModeLocalSize
    ]
    module.execution_modes.append(annotation(op.ExecutionMode, [main, enums.ExecutionModeOriginUpperLeft]))
    index = module_variable(module, "index")
    kept = [decoration for decoration in module.decorations if decoration.operands[0] is not index]
    kept.append(annotation(op.Decorate, [index, enums.DecorationLocation, 0]))
    kept.append(annotation(op.Decorate, [index, enums.DecorationFlat]))
    module.decorations = kept
