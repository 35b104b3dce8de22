"""The graph in columns and its depth-first walk, beside networkx and the definitions."""

import random

import networkx as nx
import pytest

from reknit.ir.flat_graph import components, flat_graph, graph_of_edges, reverse_postorder, subtree_intervals, walked
from reknit.source.columns import i64, vec


def random_rows(seed: int) -> list[list[int]]:
    """A graph of up to 12 nodes, with repeated edges and edges to itself."""
    draw = random.Random(seed)
    count = draw.randrange(1, 13)
    return [[draw.randrange(count) for _ in range(draw.choice((0, 1, 2, 2, 3)))] for _ in range(count)]


def as_networkx(rows: list[list[int]]) -> "nx.DiGraph[int]":
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(range(len(rows)))
    graph.add_edges_from((source, target) for source, row in enumerate(rows) for target in row)
    return graph


def test_the_example_of_the_module() -> None:
    walk = walked(flat_graph([[1, 2], [3], [3], []]))
    assert list(walk.order) == [0, 1, 3, 2]
    assert list(walk.finished) == [3, 1, 2, 0]
    assert list(walk.above) == [0, 0, 0, 1]
    assert list(walk.enter) == [0, 1, 3, 2]
    assert list(walk.leave) == [4, 3, 4, 3]


@pytest.mark.parametrize("seed", range(60))
def test_preorder_and_postorder_are_those_of_networkx(seed: int) -> None:
    rows = random_rows(seed)
    walk = walked(flat_graph(rows))
    graph = as_networkx(rows)
    preorder: list[int] = []
    postorder: list[int] = []
    for root in range(len(rows)):
        if root not in preorder:
            rest = graph.subgraph([node for node in graph if node not in preorder])
            # networkx's own order of successors is that of insertion, as in `rows`
            ordered: nx.DiGraph[int] = nx.DiGraph()
            ordered.add_nodes_from(rest)
            ordered.add_edges_from((a, b) for a, row in enumerate(rows) for b in row if a in rest and b in rest)
            preorder += list(nx.dfs_preorder_nodes(ordered, root))
            postorder += list(nx.dfs_postorder_nodes(ordered, root))
    assert list(walk.order) == preorder
    assert list(walk.finished) == postorder
    for source, row in enumerate(rows):
        for target in row:
            above = [source]
            while walk.above[above[-1]] != above[-1]:
                above.append(int(walk.above[above[-1]]))
            assert walk.goes_back(source, target) == (target in above)


@pytest.mark.parametrize("seed", range(60))
def test_components_are_those_of_networkx_and_follow_what_they_reach(seed: int) -> None:
    rows = random_rows(seed)
    found = components(flat_graph(rows))
    assert sorted(map(sorted, found)) == sorted(
        sorted(part) for part in nx.strongly_connected_components(as_networkx(rows))
    )
    place = {node: index for index, part in enumerate(found) for node in part}
    assert all(place[target] <= place[source] for source, row in enumerate(rows) for target in row)


@pytest.mark.parametrize("seed", range(30))
def test_a_graph_turned_around_has_the_same_edges(seed: int) -> None:
    rows = random_rows(seed)
    back = flat_graph(rows).reversed()
    edges = [(source, target) for source, row in enumerate(rows) for target in row]
    turned = [
        (int(back.targets[edge]), target)
        for target in range(len(rows))
        for edge in range(int(back.starts[target]), int(back.starts[target + 1]))
    ]
    assert sorted(turned) == sorted(edges)
    assert turned == sorted(turned, key=lambda edge: (edge[1], edge[0]))
    sources = vec[i64]([source for source, _ in edges])
    targets = vec[i64]([target for _, target in edges])
    again = graph_of_edges(len(rows), sources, targets)
    assert list(again.starts) == list(flat_graph(rows).starts)
    assert list(again.targets) == list(flat_graph(rows).targets)


def test_reverse_postorder_leaves_out_what_is_not_reached() -> None:
    assert reverse_postorder([]) == []
    assert reverse_postorder([[1, 2], [3], [3], [1], [0]]) == [0, 2, 1, 3]


@pytest.mark.parametrize("seed", range(30))
def test_intervals_hold_what_is_below(seed: int) -> None:
    """A random forest: node n hangs below a lower one, is a root, or is in no tree."""
    draw = random.Random(seed)
    above = [draw.choice([node, -1, *range(node)]) for node in range(14)]
    above = [
        -1 if parent >= 0 and parent != node and above[parent] < 0 else parent for node, parent in enumerate(above)
    ]
    inside = [False] * 14
    for node, parent in enumerate(above):
        inside[node] = parent == node or (parent >= 0 and inside[parent])
    above = [parent if inside[node] else -1 for node, parent in enumerate(above)]
    enter, leave = subtree_intervals(above)
    for high in range(14):
        for low in range(14):
            at = low
            while inside[at] and at != high and above[at] != at:
                at = above[at]
            below = inside[high] and inside[low] and at == high
            assert (enter[high] <= enter[low] < leave[high]) == below
