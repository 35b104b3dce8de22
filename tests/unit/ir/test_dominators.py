"""Immediate dominators, held to their definition: d dominates n if every way from the entry to n goes through d."""

import random

import pytest

from reknit.ir.dominators import immediate_dominators


def reached(successors: list[list[int]], without: int) -> set[int]:
    """What node 0 reaches when `without` is taken out of the graph."""
    found = {0} - {without}
    work = list(found)
    while work:
        for target in successors[work.pop()]:
            if target != without and target not in found:
                found.add(target)
                work.append(target)
    return found


def by_definition(successors: list[list[int]]) -> list[int]:
    """a dominates b if b can't be reached without a; the immediate one is dominated by all other strict dominators."""
    count = len(successors)
    everything = reached(successors, -1)
    dominators = {node: {node} for node in everything}
    for candidate in everything:
        for node in everything - reached(successors, candidate):
            dominators[node].add(candidate)
    result = [-1] * count
    for node in everything:
        strict = dominators[node] - {node}
        result[node] = max(strict, key=lambda other: len(dominators[other])) if strict else node
    return result


def test_diamond_with_an_unreachable_way_in() -> None:
    # by hand, the graph of the module's own picture
    assert immediate_dominators(0, [[1, 2], [3], [3], [4], [], [3]]) == [0, 0, 0, 0, 3, -1]


def test_loop_with_two_entries_has_its_fork_as_dominator() -> None:
    # 0 -> 1, 2; 1 <-> 2: neither of the two is on every way to the other
    assert immediate_dominators(0, [[1, 2], [2], [1]]) == [0, 0, 0]


def test_entry_need_not_be_node_zero_and_may_be_a_loop_head() -> None:
    assert immediate_dominators(2, [[2], [0], [1, 2]]) == [1, 2, 2]


@pytest.mark.parametrize("seed", range(150))
def test_random_graphs_agree_with_the_definition(seed: int) -> None:
    rng = random.Random(seed)
    count = rng.randint(1, 40)
    successors = [[rng.randrange(count) for _ in range(rng.choice([0, 1, 1, 2, 2, 3]))] for _ in range(count)]
    assert immediate_dominators(0, successors) == by_definition(successors)


def test_long_chain_with_back_edges_is_not_recursive() -> None:
    count = 200_000
    successors = [[at + 1, max(at - 1, 0)] for at in range(count - 1)] + [[0]]
    found = immediate_dominators(0, successors)
    assert found[0] == 0
    assert all(found[at] == at - 1 for at in range(1, count))
