"""Order, Dominance and DominanceFrontier against their definitions, taken literally."""

import pytest
from kit.random.trees import program
from kit.text.pass_texts import body

from reknit.analysis.dominance import Dominance
from reknit.analysis.frontier import DominanceFrontier
from reknit.analysis.manager import Analyses
from reknit.analysis.order import Order
from reknit.ir.cfg import predecessors, successors
from reknit.ir.walk import blocks

SEEDS = range(5)


def reached(order: Order, without: int = -1) -> set[int]:
    """The blocks that a path from the entry leads to, if none passes through `without`."""
    found: set[int] = set()
    work = [0]
    while work:
        number = work.pop()
        if number != without and number not in found:
            found.add(number)
            work.extend(order.successors[number])
    return found


def dominators(order: Order) -> list[set[int]]:
    """For each block those that dominate it: without them it is not reached."""
    everything = reached(order)
    above: list[set[int]] = [{number} for number in range(len(order.blocks))]
    for high in everything:
        for low in everything - reached(order, high):
            above[low].add(high)
    return above


@pytest.mark.parametrize("seed", SEEDS)
def test_order_is_the_graph_of_the_tree(seed: int) -> None:
    module = program(seed)
    function = module.functions[0]
    order = Analyses(module).ask(Order, function)
    assert order.blocks == blocks(function)
    for number, block in enumerate(order.blocks):
        assert order.number[block] == number
        assert [order.blocks[target] for target in order.successors[number]] == successors(block)
        assert {order.blocks[source] for source in order.predecessors[number]} == set(predecessors(block))
    assert {number for number, flag in enumerate(order.reached) if flag} == reached(order)


@pytest.mark.parametrize("seed", SEEDS)
def test_dominance(seed: int) -> None:
    module = program(seed)
    dominance = Analyses(module).ask(Dominance, module.functions[0])
    order = dominance.order
    above = dominators(order)
    for low in reached(order):
        for high in range(len(order.blocks)):
            assert dominance.dominates(order.blocks[high], order.blocks[low]) == (high in above[low])
        if low:
            parent = dominance.parent[low]
            assert above[low] == above[parent] | {low}, "the closest one: all others dominate it"
            assert parent < low, "in source order what dominates comes first"


@pytest.mark.parametrize("seed", SEEDS)
def test_frontier(seed: int) -> None:
    """n is on the frontier of m if m dominates a predecessor of n, but not n itself, or is n."""
    module = program(seed)
    analyses = Analyses(module)
    order = analyses.ask(Order, module.functions[0])
    above = dominators(order)
    expected: list[set[int]] = [set() for _ in order.blocks]
    for join in reached(order):
        for source in order.predecessors[join]:
            if order.reached[source]:
                for number in above[source]:
                    if number == join or number not in above[join]:
                        expected[number].add(join)
    found = analyses.ask(DominanceFrontier, module.functions[0]).frontier
    for number in reached(order):
        assert found[number] == sorted(expected[number])


def test_a_loop_is_on_its_own_frontier() -> None:
    module = body("loop @l {\nhead:\n%c = ULessThan %lane, 4u : bool\nif %c nojoin { break @l }\n}\nreturn")
    analyses = Analyses(module)
    order = analyses.ask(Order, module.functions[0])
    head = next(number for number, block in enumerate(order.blocks) if block.name == "head")
    assert analyses.ask(DominanceFrontier, module.functions[0]).frontier[head] == [head]


def test_everything_dominates_what_cannot_be_reached() -> None:
    """SPIR-V 1.6, 2.11: A dominates B if every path from the entry to B includes A; here there is no path."""
    module = body("return\npad dead:\nreturn")
    dominance = Analyses(module).ask(Dominance, module.functions[0])
    entry, dead = dominance.order.blocks
    assert dominance.dominates(entry, dead) and dominance.dominates(dead, dead)
    assert not dominance.dominates(dead, entry)
    assert dominance.immediate(dead) is None and dominance.immediate(entry) is None
