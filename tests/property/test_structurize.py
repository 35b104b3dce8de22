"""Structurizing random graphs and random programs.

any graph            a valid module, in which every lane takes the way that it took before
a flat program       with hints: everyone runs everything with the same others as in the program it was made of
                     without: the same, or it was told (RK2501)
"""

import pytest
from kit.oracles import need, validate
from kit.oracles.graph_runs import (
    Targets,
    by_rules,
    check_ways,
    large_graph,
    module_for,
    random_graph,
    reached,
    structured,
)
from kit.random.flat import program

from reknit.analysis.natural_loops import natural_loops
from reknit.fuzzing.unstructured import flatten
from reknit.ir.module import Module
from reknit.passes.structurize.summary import Summary
from reknit.sim.run import run

GRAPHS = 1_500
GRAPHS_FULL = 20_000
LARGE = 8
LARGE_FULL = 200
SMALL = 4  # so many of the large graphs are judged by spirv-val
PROGRAMS = 1_200
PROGRAMS_FULL = 5_000
SIZES = (4, 16)


def test_lanes_keep_their_ways(full: bool, capsys: pytest.CaptureFixture[str]) -> None:
    need("slang-glslang")
    growth: list[float] = []
    jumps = flags = irreducible = 0
    count = GRAPHS_FULL if full else GRAPHS
    for seed in range(count):
        targets = random_graph(seed)
        try:
            function = check_ways(targets, seed, nesting=(128, 128, 12, 3, 1)[seed % 5], verify=seed % 10 == 0)
        except AssertionError as fault:
            raise AssertionError(f"seed {seed}: {fault}") from fault
        irreducible += True in natural_loops(targets).irreducible
        if seed % 5 < 2:
            growth.append(Summary(function).blocks / len(reached(targets)))
        if seed % 10 == 0:
            tree = cost(targets)
            jumps += tree.jumps
            flags += tree.flags
    with capsys.disabled():
        median = sorted(growth)[len(growth) // 2]
        print(
            f"\n{count} graphs, {irreducible} irreducible: median {median:.2f} blocks out a block in; "
            f"{flags / jumps:.3f} flags a jump"
        )
    assert irreducible > count // 3
    assert median < 2.1


def cost(targets: Targets) -> Summary:
    """The tree before jumps over several levels are lowered."""
    from reknit.passes.manager import run_passes

    module = module_for(targets)
    run_passes(module, "structurize")
    return Summary(module.functions[0])


def test_large_graphs(full: bool) -> None:
    """Of 1,000 to 5,000 blocks; spirv-val judges small ones here, since its time grows with the square."""
    need("slang-glslang")
    for seed in range(LARGE_FULL if full else LARGE):
        blocks = 1_000 + 4_000 * seed // LARGE_FULL
        try:
            verdict = validate if seed < SMALL else by_rules
            check_ways(large_graph(seed, blocks), seed, (128, 128, 40)[seed % 3], verdict=verdict)
        except AssertionError as fault:
            raise AssertionError(f"seed {seed}: {fault}") from fault


def seen(module: Module) -> list[list[int]]:
    found: list[list[int]] = []
    for size in SIZES:
        result = run(module, subgroup_size=size)
        assert not result.failed(), [str(fault) for fault in result.diagnostics]
        found.append(list(result.buffers["out"].words))
    return found


def read(seed: int, assume: str) -> tuple[list[list[int]], list[str]]:
    """What is seen of a program without its structure, and what was told."""
    module = program(seed)
    flatten(module.functions[0], hints=False)
    _, report = structured(module, assume=assume)
    return seen(module), [note.message for note in report.notes() if note.code == "RK2501"]


def test_membership_is_all_that_a_graph_lacks(full: bool, capsys: pytest.CaptureFixture[str]) -> None:
    """Hints make ballots what they were; where they are not without, a note says so."""
    need("slang-glslang")
    differs = told = same = 0
    count = PROGRAMS_FULL if full else PROGRAMS
    for seed in range(count):
        meant = seen(program(seed))
        module = program(seed)
        flatten(module.functions[0], hints=True)
        _, report = structured(module, verify=seed % 10 == 0)
        assert report.notes() == [], f"seed {seed}"
        assert seen(module) == meant, f"seed {seed}: with hints"
        outside, notes = read(seed, "outside")
        inside, others = read(seed, "inside")
        assert bool(notes) == bool(others) or outside == inside
        told += bool(notes)
        same += bool(notes) and outside == inside
        if outside != meant or inside != outside:
            assert notes, f"seed {seed}: the difference was not told"
        differs += outside != meant
    with capsys.disabled():
        print(
            f"\n{count} programs: with hints all as they were; without, {differs} differ, {told} told, of which {same} "
            "run the same in both readings"
        )
    assert same < 0.12 * count, "many are told where it doesn't matter"
    assert differs > count // 20, "the programs tell nothing apart"
