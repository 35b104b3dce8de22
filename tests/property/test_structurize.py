"""Structurizing random graphs and random programs.

    any graph            a valid module, in which every lane takes the way that it took before
    a flat program       with hints: everyone runs everything with the same others as in the program it was made of
                         without: the same, or it was told (RK2501)
"""

import pytest
from flat_programs import program
from graph_runs import Targets, check_ways, module_for, random_graph, reached, structured
from oracles import need

from reknit.ir.module import Module
from reknit.passes.structurize.summary import Summary
from reknit.prove.unstructured import flatten
from reknit.sim.run import run

GRAPHS = 160
GRAPHS_FULL = 20_000
PROGRAMS = 70
PROGRAMS_FULL = 5_000
SIZES = (4, 16)


def test_lanes_keep_their_ways(full: bool, capsys: pytest.CaptureFixture[str]) -> None:
    need("slang-glslang")
    growth: list[float] = []
    jumps = flags = 0
    for seed in range(GRAPHS_FULL if full else GRAPHS):
        targets = random_graph(seed)
        try:
            function = check_ways(targets, seed, nesting=(128, 128, 12, 3)[seed % 4], verify=seed % 10 == 0)
        except AssertionError as fault:
            raise AssertionError(f"seed {seed}: {fault}") from fault
        growth.append(Summary(function).blocks / len(reached(targets)))
        if seed % 10 == 0:
            tree = cost(targets)
            jumps += tree.jumps
            flags += tree.flags
    with capsys.disabled():
        median = sorted(growth)[len(growth) // 2]
        print(f"\n{len(growth)} graphs: median {median:.2f} blocks out a block in; {flags / jumps:.3f} flags a jump")
    assert sorted(growth)[len(growth) // 2] < 2


def cost(targets: Targets) -> Summary:
    """The tree before jumps over several levels are lowered."""
    from reknit.passes.manager import run_passes

    module = module_for(targets)
    run_passes(module, "structurize")
    return Summary(module.functions[0])


@pytest.mark.parametrize("blocks", [1_000, 5_000])
@pytest.mark.parametrize("near", [True, False])
def test_large_graphs(blocks: int, near: bool, full: bool) -> None:
    if blocks > 1_000 and not full:
        pytest.skip("needs --full")
    need("slang-glslang")
    import random

    rng = random.Random(blocks)
    targets: Targets = []
    for block in range(blocks):
        width = rng.choice((1, 2, 2, 2, 3)) if block < blocks - 5 else 0
        low, high = (block - 4, block + 9) if near else (block - blocks // 50, block + blocks // 25)
        targets.append([max(0, min(blocks - 1, rng.randint(low, high))) for _ in range(width)])
    check_ways(targets)


def seen(module: Module) -> list[list[int]]:
    found: list[list[int]] = []
    for size in SIZES:
        result = run(module, subgroup_size=size)
        assert not result.failed(), [str(fault) for fault in result.diagnostics]
        found.append(list(result.buffers["out"].words))
    return found


def test_membership_is_all_that_a_graph_lacks(full: bool, capsys: pytest.CaptureFixture[str]) -> None:
    """Hints make ballots what they were; where they are not without, a note says so."""
    need("slang-glslang")
    differs = told = 0
    count = PROGRAMS_FULL if full else PROGRAMS
    for seed in range(count):
        meant = seen(program(seed))
        module = program(seed)
        flatten(module.functions[0], hints=True)
        _, report = structured(module, verify=seed % 10 == 0)
        assert report.notes() == [], f"seed {seed}"
        assert seen(module) == meant, f"seed {seed}: with hints"
        module = program(seed)
        flatten(module.functions[0], hints=False)
        _, report = structured(module)
        notes = [note for note in report.notes() if note.code == "RK2501"]
        told += bool(notes)
        if seen(module) != meant:
            differs += 1
            assert notes, f"seed {seed}: the difference was not told"
    with capsys.disabled():
        print(f"\n{count} programs: with hints all as they were; without, {differs} differ, {told} told")
    assert differs > count // 20, "the programs tell nothing apart"
