"""Which cases fall through to which: SPIR-V 1.6, 2.11, the rules for OpSwitch, on graphs without a tangled operation.

Graphs are rows of targets: of two the first is taken if a condition holds, of more the first is the default and the
others are taken for 1, 2, ...
"""

import pytest
from kit.oracles import need, validate
from kit.oracles.graph_runs import LANES, Targets, by_rules, trace
from kit.random.silent_graphs import silent_module

from reknit.ir.function import Function
from reknit.ir.jump import Fallthrough
from reknit.ir.tree import If, Loop, Scope, Switch
from reknit.ir.walk import blocks, nodes
from reknit.passes.manager import Hooks, run_passes
from reknit.spirv.write import write_module

# switch 0: 1 and 2 are cases. 1 chooses between 4 and 5, and both may go on to 2; 5 may go behind the switch, to 3.
FROM_INSIDE: Targets = [[3, 1, 2], [4, 5], [3], [], [2], [3, 2]]


def structured(targets: Targets) -> Function:
    """The tree of a graph, after all lanes take the same edges in what is written, which is valid."""
    need("slang-glslang")
    module = silent_module(targets)
    runs = [trace(module, seed, LANES, 10_000) for seed in range(8)]
    module = silent_module(targets)
    run_passes(module, "structurize", Hooks(verify_each=True))
    tree = module.functions[0]
    copy = silent_module(targets)
    run_passes(copy, "restructure", Hooks(verify_each=True))
    assert [trace(copy, seed, LANES, 10_000) for seed in range(8)] == runs
    binary = write_module(copy)
    assert validate(binary) == (True, "") and by_rules(binary)[0]
    return tree


def falls(function: Function) -> list[tuple[str, str]]:
    """(what it falls from, what it falls through to), by the first named block of the cases."""
    found: list[tuple[str, str]] = []
    for node in nodes(function):
        if isinstance(node, Switch):
            for case in node.cases:
                for block in case.fallthroughs:
                    region = block.region
                    assert region is not None and region is not node.region
                    before = node.cases[node.cases.index(case) - 1]
                    assert region is before.region and region.end() is block  # in no construct of the case
                    found.append((first_name(before.region), first_name(case.region)))
                assert len(case.fallthroughs) < 2
    return found


def first_name(region: object) -> str:
    work = [region]
    while work:
        at = work.pop()
        for node in at:  # type: ignore[attr-defined]
            if getattr(node, "name", "") and not isinstance(node, (If, Loop, Scope, Switch)):
                return str(node.name)
            if isinstance(node, (If, Loop, Scope)):
                work.append(node.regions()[0])
                break
    return ""


def test_a_case_falls_through_at_its_end() -> None:
    assert falls(structured([[3, 1, 2], [2], [3], []])) == [("n1", "n2")]


def test_edges_from_inside_a_case_meet_before_it_falls_through() -> None:
    """4 stands in a selection: it has no branch to 2 of its own (2.11: a selection is left by structured exits)."""
    function = structured(FROM_INSIDE)
    assert falls(function) == [("n1", "n2")]
    assert sum(isinstance(block.jump, Fallthrough) for block in blocks(function)) == 1


def test_one_edge_from_inside_a_loop() -> None:
    """1 is a loop with 4, left for 2 from 4; 5 behind 1 leaves the switch."""
    assert falls(structured([[3, 1, 2], [4, 5], [3], [], [1, 2], [3]])) == [("n1", "n2")]


def test_a_chain() -> None:
    assert falls(structured([[4, 1, 2, 3], [2], [3], [4], []])) == [("n1", "n2"), ("n2", "n3")]


def test_the_default_is_fallen_through_to_or_falls_through_not_both() -> None:
    """Of 1, the default 2 and 3 in a row: 2.11 wants 1 right before 3 among the targets, as if 2 were not there."""
    assert falls(structured([[2, 1, 3], [2], [3], [4], []])) == [("n1", "n2")]
    assert falls(structured([[1, 2, 3], [2], [4], [4], []])) == [("n1", "n2")]


def test_a_default_that_ends_the_switch_stands_behind_it() -> None:
    """`switch (x) { case 1: a; case 2: b } rest`: the default is the rest, which no case falls through to."""
    function = structured([[3, 1, 2], [2], [3], []])
    switch = next(node for node in nodes(function) if isinstance(node, Switch))
    assert falls(function) == [("n1", "n2")] and switch.after().name == "n3"


def test_two_that_go_on_to_one_case_do_not_fall_through() -> None:
    assert falls(structured([[4, 1, 2, 3], [3], [3], [4], []])) == []


def test_one_that_goes_on_to_two_cases_falls_through_to_one() -> None:
    assert len(falls(structured([[4, 1, 2, 3], [2, 3], [4], [4], []]))) == 1


@pytest.mark.parametrize("row", [[3, 1, 2, 1, 2], [3, 2, 1, 2], [2, 1, 2, 3], [1, 2, 1, 3, 2]])
def test_literals_of_one_case_stand_together(row: list[int]) -> None:
    """2.11: the literals that lead to one label are listed next to each other, and a case before the one it falls
    through to."""
    function = structured([row, [2], [3], []])
    switch = next(node for node in nodes(function) if isinstance(node, Switch))
    order = [switch.cases.index(case) for _, case in switch.targets]
    assert order == sorted(order)
