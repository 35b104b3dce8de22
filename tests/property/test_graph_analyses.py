"""Random graphs, asked about twice: by reknit and by networkx, or by the definition where networkx has no answer.

    random graph -> flat function -> Dominance, DominanceFrontier, PostDominance  ==  networkx

Frontiers are compared with the definition of Cytron et al. (section 4) over the dominators of networkx, which leaves
the entry out of its own frontiers.
"""

import random

import networkx as nx
import pytest

from reknit.analysis.dominance import Dominance
from reknit.analysis.frontier import DominanceFrontier
from reknit.analysis.loops import LoopForest
from reknit.analysis.manager import Analyses
from reknit.analysis.natural_loops import natural_loops
from reknit.analysis.order import Order
from reknit.analysis.post_dominance import PostDominance, post_dominators
from reknit.analysis.post_frontier import PostDominanceFrontier
from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.edit import set_jump
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.jump import Branch, Exit
from reknit.ir.module import Module
from reknit.ir.types import bool_type, function_type, void_type

BATCH = 100


def random_graph(seed: int) -> list[list[int]]:
    """Successors of 2 to 24 nodes, at most two each, none to node 0; cycles of any kind, parts unreached."""
    chance = random.Random(seed)
    count = chance.randrange(2, 25)
    locality = chance.choice((2, 5, 25))
    found: list[list[int]] = [[] for _ in range(count)]
    for node in range(1, count):
        near = [above for above in range(max(0, node - locality), node) if len(found[above]) < 2]
        if near and chance.random() < 0.95:
            found[chance.choice(near)].append(node)
    for node, row in enumerate(found):
        for _ in range(chance.choice((0, 1, 1, 2))):
            target = min(count - 1, max(1, node + chance.randrange(-locality, locality + 1)))
            if len(row) < 2 and target not in row:
                row.append(target)
    return found


def flat(graph: list[list[int]]) -> tuple[Analyses, Function, list[Block]]:
    module = Module()
    function = Function(function_type(module, void_type(module), []), void_type(module), "f")
    function.structured = False
    blocks = [Block(str(node)) for node in range(len(graph))]
    condition = Instr(op.Undef, bool_type(module), [])
    for block, targets in zip(blocks, graph, strict=True):
        ends = [blocks[target] for target in targets]
        if not ends:
            set_jump(block, Exit(Instr(op.Return, None, [], "", False)))
        elif len(ends) == 1:
            set_jump(block, Branch(Instr(op.Branch, None, [ends[0]], "", False)))
        else:
            set_jump(block, Branch(Instr(op.BranchConditional, None, [condition, *ends], "", False)))
    function.blocks = blocks
    module.functions.append(function)
    return Analyses(module), function, blocks


def digraph(successors: list[list[int]]) -> "nx.DiGraph[int]":
    made: nx.DiGraph[int] = nx.DiGraph()
    made.add_nodes_from(range(len(successors)))
    made.add_edges_from((source, target) for source, row in enumerate(successors) for target in row)
    return made


def idoms(graph: "nx.DiGraph[int]", start: int) -> dict[int, int]:
    """networkx's immediate dominators without the start (some versions give it itself, some None)."""
    return {node: above for node, above in nx.immediate_dominators(graph, start).items() if node != start}


def dominators(tree: dict[int, int], node: int) -> list[int]:
    found = [node]
    while found[-1] in tree:
        found.append(tree[found[-1]])
    return found


def check_dominance(graph: list[list[int]]) -> None:
    analyses, function, blocks = flat(graph)
    tree = idoms(digraph(graph), 0)
    dominance = analyses.ask(Dominance, function)
    for node, block in enumerate(blocks):
        immediate = dominance.immediate(block)
        assert immediate is (blocks[tree[node]] if node in tree else None), node
    reached = [0, *tree]
    frontier = analyses.ask(DominanceFrontier, function).frontier
    number = analyses.ask(Order, function).number
    for node in reached:
        expected = {
            number[blocks[join]]
            for source in reached
            if node in dominators(tree, source)
            for join in graph[source]
            if node == join or node not in dominators(tree, join)
        }
        assert frontier[number[blocks[node]]] == sorted(expected)


def check_back_edges(graph: list[list[int]]) -> None:
    analyses, function, _ = flat(graph)
    order = analyses.ask(Order, function)
    acyclic = digraph(order.successors)
    acyclic.remove_edges_from(natural_loops(order.successors).back_edges)
    assert nx.is_directed_acyclic_graph(acyclic)


def natural(graph: list[list[int]]) -> tuple[dict[int, list[int]], dict[int, set[int]]]:
    """Of a reducible graph, by the definition: by header its latches and its blocks."""
    whole = digraph(graph)
    tree = idoms(whole, 0)
    latches: dict[int, list[int]] = {}
    for source in [0, *tree]:
        for target in graph[source]:
            if target in dominators(tree, source):
                latches.setdefault(target, []).append(source)
    bodies: dict[int, set[int]] = {}
    for header, ends in latches.items():
        without = whole.copy()
        without.remove_node(header)
        body = {header}
        for latch in ends:
            if latch != header:
                body |= {latch} | (nx.ancestors(without, latch) & set(tree))
        bodies[header] = body
    return latches, bodies


def made_reducible(graph: list[list[int]]) -> list[list[int]]:
    """What is left of a graph without what the entry doesn't reach and without an edge of each cycle of two entries."""
    while True:
        whole = digraph(graph)
        tree = idoms(whole, 0)
        kept = [0, *sorted(tree)]
        if len(kept) < len(graph):
            graph = [[kept.index(target) for target in graph[node]] for node in kept]
            continue
        for source, row in enumerate(graph):
            whole.remove_edges_from((source, target) for target in row if target in dominators(tree, source))
        if nx.is_directed_acyclic_graph(whole):
            return graph
        source, target = nx.find_cycle(whole)[0]
        graph[source] = [other for other in graph[source] if other != target]


def check_loops(graph: list[list[int]]) -> bool:
    """Gives whether there is a loop in a loop."""
    latches, bodies = natural(graph)
    analyses, function, blocks = flat(graph)
    forest = analyses.ask(LoopForest, function)
    number = {block: node for node, block in enumerate(blocks)}
    assert {number[loop.header] for loop in forest.loops} == set(latches)
    for loop in forest.loops:
        header = number[loop.header]
        assert not loop.irreducible
        assert sorted(number[latch] for latch in loop.latches) == sorted(latches[header])
        assert {number[block] for block in forest.all_blocks(loop)} == bodies[header]
        edges = {(number[out.source], number[out.target]) for out in loop.exits if out.target is not None}
        assert edges == {(at, to) for at in bodies[header] for to in graph[at] if to not in bodies[header]}
        above = loop.parent
        if above is not None:
            assert bodies[header] < bodies[number[above.header]]
        assert loop.depth == sum(header in body for body in bodies.values())
    return any(loop.parent is not None for loop in forest.loops)


def check_post_dominance(graph: list[list[int]]) -> None:
    """A reducible graph, turned around by hand: a latch goes to a node for its loop, that one to each exit, which gives
    the same closest common post-dominator as an edge to that; an exit that is another loop's back edge goes to that
    loop's node. All that ends goes to EXIT."""
    latches, bodies = natural(graph)
    end = len(graph)
    turned: nx.DiGraph[int] = nx.DiGraph()
    turned.add_node(end)
    for source, row in enumerate(graph):
        for target in row or [end]:
            if not (target in latches and source in latches[target]):
                turned.add_edge(target, source)
    for header, sources in latches.items():
        turned.add_edges_from((-1 - header, latch) for latch in sources)
        exits = [(at, to) for at in bodies[header] for to in graph[at] if to not in bodies[header]]
        for at, to in exits or [(end, end)]:
            turned.add_edge(-1 - to if at in latches.get(to, []) else to, -1 - header)
    tree = idoms(turned, end)
    for node in range(len(graph)):
        while tree[node] < 0:
            tree[node] = tree[tree[node]]
    analyses, function, blocks = flat(graph)
    post = analyses.ask(PostDominance, function)
    tree = {node: above for node, above in tree.items() if node >= 0}
    for node, block in enumerate(blocks):
        assert post.immediate(block) is (None if tree[node] == end else blocks[tree[node]])
        for late in range(len(blocks)):
            assert post.post_dominates(blocks[late], block) == (late in dominators(tree, node))


def check_post_frontier(graph: list[list[int]]) -> None:
    """b is on the frontier of n if n post-dominates a successor of b, but is no strict post-dominator of b."""
    analyses, function, _ = flat(graph)
    post = analyses.ask(PostDominance, function)
    found = analyses.ask(PostDominanceFrontier, function).frontier
    whole = digraph(post.successors)
    assert nx.is_directed_acyclic_graph(whole)
    tree = idoms(whole.reverse(), post.exit)
    assert len(tree) == len(graph), "every block has a way to EXIT"
    assert post.parent == [tree[node] for node in range(len(graph))]
    for node in range(len(graph)):
        expected = [
            branch
            for branch in range(len(graph))
            if any(node in dominators(tree, target) for target in post.successors[branch])
            and (node == branch or node not in dominators(tree, branch))
        ]
        assert found[node] == expected


@pytest.mark.full(when=lambda batch: batch >= 5)
@pytest.mark.parametrize("batch", range(50))
def test_random_graphs(batch: int) -> None:
    nested = 0
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        graph = random_graph(seed)
        check_dominance(graph)
        check_back_edges(graph)
        check_post_frontier(graph)
        graph = made_reducible(graph)
        nested += check_loops(graph)
        check_post_dominance(graph)
    assert nested > BATCH // 20


def test_irreducible_loops_are_marked() -> None:
    """0 -> 1, 2; 1 <-> 2: a cycle with two entries."""
    analyses, function, blocks = flat([[1, 2], [2], [1, 3], []])
    forest = analyses.ask(LoopForest, function)
    assert [loop.irreducible for loop in forest.loops] == [True]
    assert set(forest.loops[0].blocks) <= {blocks[1], blocks[2]}


def test_an_endless_loop_ends_in_exit() -> None:
    """The latch of a loop without exits goes to EXIT, so only the loop's blocks are on the way from before it."""
    parent, graph = post_dominators([[1], [2], [1]])
    assert parent == [1, 2, 3]
    assert graph == [[1], [2], [3], []]


def test_the_latch_goes_to_what_all_exits_come_by() -> None:
    """Seed example: 1 is a header with the exits 3 and 4, which meet in 5; the latch 2 is post-dominated by 5."""
    parent, graph = post_dominators([[1], [2, 3], [1, 4], [5], [5], []])
    assert graph[2] == [4, 5]
    assert parent[2] == 5 and parent[1] == 5 and parent[3] == 5


def walked(graph: list[list[int]]) -> list[list[int]]:
    """By node: it and what is above it in the depth-first walk, outermost first. Parts start from their lowest node."""
    above: dict[int, list[int]] = {}
    for start in range(len(graph)):
        path = [(start, iter(graph[start]))] if start not in above else []
        above.setdefault(start, [start])
        while path:
            node, targets = path[-1]
            target = next((one for one in targets if one not in above), None)
            if target is None:
                path.pop()
            else:
                above[target] = [*above[node], target]
                path.append((target, iter(graph[target])))
    return [above[node] for node in range(len(graph))]


def check_any_loops(graph: list[list[int]]) -> int:
    """By the definition, for any graph: the loop of a header is what reaches a latch among what the walk found below
    the header; it is irreducible if an edge from elsewhere in the same walk ends in it past the header. Gives how many
    are."""
    above = walked(graph)
    edges = [(source, target) for source, row in enumerate(graph) for target in row]
    found = natural_loops(graph)
    headers = [node for node in range(len(graph)) if any(node in above[source] for source, to in edges if to == node)]
    assert sorted(found.header) == headers
    bodies: dict[int, set[int]] = {}
    for loop, header in enumerate(found.header):
        assert found.latches[loop] == [source for source, to in edges if to == header and header in above[source]]
        body, work = {header}, list(found.latches[loop])
        while work:
            node = work.pop()
            if node not in body:
                body.add(node)
                work.extend(source for source, to in edges if to == node and header in above[source])
        bodies[loop] = body
        into = [source for source, to in edges if to in body and to != header and header not in above[source]]
        assert found.irreducible[loop] == any(above[source][0] == above[header][0] for source in into)
    for node in range(len(graph)):
        around = [loop for loop, body in bodies.items() if node in body]
        around.sort(key=lambda loop: len(bodies[loop]))
        chain = [] if found.innermost[node] < 0 else [found.innermost[node]]
        while chain and found.parent[chain[-1]] >= 0:
            chain.append(found.parent[chain[-1]])
        assert chain == around
    return sum(found.irreducible)


def test_loops_of_any_graph() -> None:
    irreducible = 0
    for seed in range(600):
        chance = random.Random(seed)
        count = chance.randrange(1, 24)
        rows = [[chance.randrange(count) for _ in range(chance.choice((0, 1, 2, 2, 3)))] for _ in range(count)]
        irreducible += check_any_loops([list(dict.fromkeys(row)) for row in rows])
        irreducible += check_any_loops(random_graph(seed))
    assert irreducible > 300
