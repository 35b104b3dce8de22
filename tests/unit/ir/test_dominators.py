"""Immediate dominators, measured against networkx and against hand-drawn graphs."""

import random

import pytest

from reknit.ir.dominators import immediate_dominators

networkx = pytest.importorskip("networkx")


def test_diamond_with_an_unreachable_way_in() -> None:
    # by hand, the graph of the module's own picture
    assert immediate_dominators(0, [[1, 2], [3], [3], [4], [], [3]]) == [0, 0, 0, 0, 3, -1]


def test_loop_with_two_entries_has_its_fork_as_dominator() -> None:
    # 0 -> 1, 2; 1 <-> 2: neither of the two is on every way to the other
    assert immediate_dominators(0, [[1, 2], [2], [1]]) == [0, 0, 0]


def test_entry_need_not_be_node_zero_and_may_be_a_loop_head() -> None:
    assert immediate_dominators(2, [[2], [0], [1, 2]]) == [1, 2, 2]


@pytest.mark.parametrize("seed", range(150))
def test_random_graphs_agree_with_networkx(seed: int) -> None:
    rng = random.Random(seed)
    count = rng.randint(1, 40)
    successors = [[rng.randrange(count) for _ in range(rng.choice([0, 1, 1, 2, 2, 3]))] for _ in range(count)]
    graph = networkx.DiGraph()
    graph.add_nodes_from(range(count))
    graph.add_edges_from((a, b) for a, targets in enumerate(successors) for b in targets)
    expected = dict(networkx.immediate_dominators(graph, 0))
    expected[0] = 0
    found = immediate_dominators(0, successors)
    assert [found[node] for node in range(count)] == [expected.get(node, -1) for node in range(count)]


def test_long_chain_with_back_edges_is_not_recursive() -> None:
    count = 200_000
    successors = [[at + 1, max(at - 1, 0)] for at in range(count - 1)] + [[0]]
    found = immediate_dominators(0, successors)
    assert found[0] == 0
    assert all(found[at] == at - 1 for at in range(1, count))
