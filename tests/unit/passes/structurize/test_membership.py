"""Which loop a block is said to belong to: `membership` against its definition, on random graphs with random hints.

declared_hints    what a loop's header dominates, and reaches without the merge block
resolve           a hint holds if the header dominates the block, and nothing on a path between them is said to be
                  outside of the loop: to belong to a loop that is not around it, and not to it
"""

import random

import networkx as nx
from kit.text.flat_texts import flat

from reknit.analysis.flat.flow import Flow
from reknit.analysis.manager import Analyses
from reknit.analysis.natural_loops import natural_loops
from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.edit import set_jump
from reknit.ir.function import Function
from reknit.ir.hint import MARK, Hint
from reknit.ir.instr import Instr, Operand
from reknit.ir.jump import Branch, Exit
from reknit.ir.module import Module
from reknit.ir.types import bool_type, function_type, void_type
from reknit.passes.contract import Context
from reknit.passes.structurize.membership import declared_hints, resolve

Rows = list[list[int]]


def reducible_graph(chance: random.Random) -> Rows | None:
    """Successors of some nodes, all reached from node 0, to which nothing goes back; None where it isn't reducible."""
    count = chance.randrange(3, 12)
    rows: Rows = [[] for _ in range(count)]
    for node in range(1, count):
        near = [above for above in range(max(0, node - 4), node) if len(rows[above]) < 2]
        rows[chance.choice(near or [node - 1])].append(node)
    for row in rows:
        target = chance.randrange(1, count)
        if len(row) < 2 and target not in row and chance.random() < 0.7:
            row.append(target)
    return None if any(len(row) > 2 for row in rows) or True in natural_loops(rows).irreducible else rows


def function_of(rows: Rows, merges: dict[int, int]) -> tuple[Function, list[Block], Context]:
    """A flat function with those edges; by header the merge block of its OpLoopMerge."""
    module = Module()
    function = Function(function_type(module, void_type(module), []), void_type(module), "f")
    function.structured = False
    blocks = [Block(str(node)) for node in range(len(rows))]
    condition = Instr(op.Undef, bool_type(module), [])
    for node, targets in enumerate(rows):
        ends = [blocks[target] for target in targets]
        if not ends:
            set_jump(blocks[node], Exit(Instr(op.Return, None, [], "", False)))
            continue
        operands: list[Operand] = [*ends] if len(ends) == 1 else [condition, *ends]
        branch = Branch(Instr(op.Branch if len(ends) == 1 else op.BranchConditional, None, operands, "", False))
        if node in merges:
            branch.merge = Instr(op.LoopMerge, None, [blocks[merges[node]], blocks[node], 0], "", False)
        set_jump(blocks[node], branch)
    function.blocks = blocks
    module.functions.append(function)
    return function, blocks, Context(module, Analyses(module), {})


def digraph(rows: Rows) -> "nx.DiGraph[int]":
    made: nx.DiGraph[int] = nx.DiGraph()
    made.add_nodes_from(range(len(rows)))
    made.add_edges_from((source, target) for source, row in enumerate(rows) for target in row)
    return made


def dominated(graph: "nx.DiGraph[int]", above: int) -> set[int]:
    """What can't be reached without `above`."""
    without = graph.copy()
    without.remove_node(above)
    return set(graph) - (nx.descendants(without, 0) | {0} if above != 0 else set())


def test_what_merge_instructions_say() -> None:
    """Of blocks that nothing reaches nothing is said."""
    members = 0
    for seed in range(300):
        chance = random.Random(seed)
        rows = reducible_graph(chance)
        if rows is None:
            continue
        headers = [node for node, row in enumerate(rows) if row and chance.random() < 0.4]
        dead = len(rows)
        rows.append([chance.randrange(1, dead)])
        merges = {header: chance.randrange(1, dead + 1) for header in [*headers, dead]}
        function, blocks, _ = function_of(rows, merges)
        graph = digraph(rows[:dead])
        expected: set[tuple[int, int]] = set()
        for header in headers:
            without = graph.copy()
            without.remove_nodes_from({merges[header]} - {header})
            reached = nx.descendants(without, header) | {header}
            expected |= {(node, header) for node in reached & dominated(graph, header)}
        found = [(blocks.index(hint.block), blocks.index(hint.header)) for hint in declared_hints(function)]
        assert sorted(found) == sorted(expected), seed
        members += len(found) - len(headers)
    assert members > 300


def test_which_hints_hold() -> None:
    kept = fell = 0
    for seed in range(600):
        chance = random.Random(seed)
        rows = reducible_graph(chance)
        loops = natural_loops(rows) if rows is not None else None
        if rows is None or loops is None or not loops.header:
            continue
        function, blocks, context = function_of(rows, {})
        flow = Flow(blocks)
        flow.find_order()
        nodes = range(len(rows))
        hints: dict[tuple[int, int], Hint] = {}
        for _ in range(chance.randrange(1, 7)):
            header = chance.choice([*loops.header, *loops.header, chance.choice(nodes)])
            member = chance.choice([*sorted(dominated(digraph(rows), header)), chance.choice(nodes)])
            hints[member, header] = Hint(blocks[member], blocks[header], MARK)
        elsewhere = Block("elsewhere")
        strange = [Hint(elsewhere, blocks[loops.header[0]], MARK), Hint(blocks[0], elsewhere, MARK)]
        found = resolve(flow, [*strange, *hints.values()], context)
        edges, dropped, told = by_definition(rows, loops.header, list(hints))
        assert sorted(found.edges) == sorted(edges) and found.dropped == dropped and set(found.hinted) == told, seed
        assert [note.code for note in context.notes] == ["RK2502"] * dropped
        with_members = [
            [*row, *[to for member, to in edges if member == node and to not in row]] for node, row in enumerate(rows)
        ]
        assert sorted(found.loops(flow).header) == sorted(natural_loops(with_members).header)
        kept += len(edges)
        fell += dropped
    assert kept > 150 and fell > 50, (kept, fell)


def by_definition(
    rows: Rows, headers: list[int], hints: list[tuple[int, int]]
) -> tuple[list[tuple[int, int]], int, set[int]]:
    graph = digraph(rows)
    possible = [(member, header) for member, header in hints if member in dominated(graph, header)]
    dropped = len(hints) - len(possible)
    told = {header for _, header in possible if header in headers}
    said = [(member, header) for member, header in possible if header in headers and member != header]
    edges: list[tuple[int, int]] = []
    for member, header in said:
        without = graph.copy()
        without.remove_node(header)
        between = nx.ancestors(without, member) | {member}
        around = {outer for outer in headers if outer != header and header in body(graph, outer)}
        outside = {node for node, _ in said if {other for one, other in said if one == node} <= around}
        if between & outside:
            dropped += 1
        else:
            edges.append((member, header))
    return edges, dropped, told


def body(graph: "nx.DiGraph[int]", header: int) -> set[int]:
    """The natural loop of a header: what reaches one of its latches without it."""
    inside = dominated(graph, header)
    without = graph.copy()
    without.remove_node(header)
    found = {header}
    for latch in graph.predecessors(header):
        if latch in inside and latch != header:
            found |= nx.ancestors(without, latch) | {latch}
    return found


def test_a_hint_says_where_it_is_from() -> None:
    module = flat("  Branch %head\n%head:\n  return\n%gone: member %head\n  Branch %head\n")
    assert [(hint.block.name, hint.header.name, hint.origin) for hint in module.functions[0].hints] == [
        ("gone", "head", MARK)
    ]
