"""How deep constructs come to stand in each other: loops that do so anyway, and what else `nesting` allows."""

import pytest
from kit.oracles import need
from kit.oracles.graph_runs import Targets, check_ways, module_for

from reknit.ir.module import Module
from reknit.ir.tree import Construct
from reknit.passes.manager import run_passes


def nested_loops(deep: int) -> Targets:
    """Header i goes on inwards or to its exit, which goes to the header around it."""
    headers = [[place + 1 if place < deep else place, deep + place] for place in range(1, deep + 1)]
    exits = [[place - 1 if place > 1 else 2 * deep + 1] for place in range(1, deep + 1)]
    return [[1], *headers, *exits, []]


def tower(half: int) -> Targets:
    """Ifs in each other, with a block behind each."""
    count = 2 * half
    return [
        *[[at + 1, count - 1 - at] if at + 1 < count - 1 - at else [at + 1] for at in range(half)],
        *[[at + 1] if at < count - 1 else [] for at in range(half, count)],
    ]


def deepest(module: Module) -> int:
    most = 0
    work = [(module.functions[0].body, 0)]
    while work:
        region, depth = work.pop()
        most = max(most, depth)
        for node in region:
            if isinstance(node, Construct):
                work.extend((inner, depth + 1) for inner in node.regions())
    return most


@pytest.mark.parametrize("deep, told", [(200, False), (1022, False), (1024, True)])
def test_loops_nest_by_one_each(deep: int, told: bool) -> None:
    """And one for the innermost test, whose arm leaves; SPIR-V allows 1,023."""
    module = module_for(nested_loops(deep))
    report = run_passes(module, "structurize")
    assert deepest(module) == deep + 1
    assert [note.code for note in report.notes() if note.code == "RK2504"] == (["RK2504"] if told else [])


@pytest.mark.parametrize("nesting", [1, 3, 20, 128])
def test_a_tower_of_ifs_stays_below_what_is_allowed(nesting: int) -> None:
    """Levels are a scope and an if."""
    need("slang-glslang")
    targets = tower(100)
    module = module_for(targets)
    run_passes(module, f"structurize{{nesting={nesting}}}")
    assert deepest(module) <= nesting + 2
    check_ways(targets, nesting=nesting)


def test_loops_below_levels() -> None:
    """A tower whose blocks are loops too, with levels of all that would nest."""
    need("slang-glslang")
    targets = tower(20)
    for at in range(1, len(targets) - 1, 3):
        targets[at] = [*targets[at], at]
    for nesting in (1, 2, 5):
        for seed in range(3):
            check_ways(targets, seed, nesting=nesting, verify=True)
