"""Graphs of functions as a document for the viewer, which lays them out: boxes, edges, constructs, instructions.

    {"format": "reknit-graph", "functions": [{"name": "main", "boxes": [["%entry", ...], ...], "edges": ..., ...}]}

What can be folded: the constructs of a tree; of a function without a tree its natural loops. docs/viewer.md has the
document.
"""

from collections.abc import Sequence
from typing import Final

from reknit.analysis.manager import Analyses
from reknit.analysis.natural_loops import natural_loops
from reknit.analysis.uniformity.uniformity import FunctionUniformity, Uniformity
from reknit.ir import traits
from reknit.ir.block import Block
from reknit.ir.cfg import edge_rows
from reknit.ir.function import Function
from reknit.ir.module import Module
from reknit.ir.tree import Construct
from reknit.ir.value import Node
from reknit.ir.walk import constructs
from reknit.view.edges import Edges
from reknit.view.layout import cut
from reknit.view.program_document import tree_rows
from reknit.view.words import Words

FORMAT: Final = "reknit-graph"
VERSION: Final = 2
SCOPES: Final = ("subgroup", "workgroup", "quad")


def graphs_document(title: str, module: Module, functions: Sequence[Function]) -> dict[str, object]:
    analyses = Analyses(module)
    uniformity = {scope: analyses.of_module_with(Uniformity, scope) for scope in SCOPES}
    return {
        "format": FORMAT,
        "version": VERSION,
        "title": title,
        "functions": [
            function_document(function, {scope: answer.of(function) for scope, answer in uniformity.items()})
            for function in functions
            if not function.is_declaration()
        ],
    }


def function_document(function: Function, uniformity: dict[str, FunctionUniformity]) -> dict[str, object]:
    words = Words(function)
    edges = Edges(function, words)
    blocks = edges.blocks
    folds, within, numbers = _loops(edges, words) if function.blocks else _constructs(function, words, blocks)
    for block, number in edges.number.items():
        numbers[block] = number
    return {
        "name": function.name or f"%{function.id}",
        "title": words.title(),
        "boxes": [[cut(line) for line in words.in_graph(block)] for block in blocks],
        "edges": [[edge.source, edge.target, edge.look(), cut(edge.title)] for edge in edges.all],
        "constructs": folds,
        "within": within,
        "tree": tree_rows(function, words, numbers),
        "code": [[words.writer.instruction(instr) for instr in block] for block in blocks],
        "tangled": [
            number for number, block in enumerate(blocks) if any(instr.op in traits.TANGLED for instr in block)
        ],
        "uniformity": {scope: [_uniform(of, block) for block in blocks] for scope, of in uniformity.items()},
    }


def _constructs(
    function: Function, words: Words, blocks: list[Block]
) -> tuple[list[list[object]], list[int], dict[Node, int]]:
    """[text, parent] by number, the innermost one of each block, and their numbers in the rows of the tree."""
    number = {construct: at for at, construct in enumerate(constructs(function))}
    folds: list[list[object]] = [[words.head(one), _around(one, number)] for one in number]
    return folds, [_around(block, number) for block in blocks], {one: -2 - at for one, at in number.items()}


def _around(node: Node, number: dict[Construct, int]) -> int:
    construct = node.region.construct() if node.region is not None else None
    return -1 if construct is None else number[construct]


def _loops(edges: Edges, words: Words) -> tuple[list[list[object]], list[int], dict[Node, int]]:
    """The same of natural loops."""
    loops = natural_loops(edge_rows(edges.blocks))
    heads = [words.writer.names.of(edges.blocks[header]) for header in loops.header]
    return [[f"loop at {head}", parent] for head, parent in zip(heads, loops.parent, strict=True)], loops.innermost, {}


def _uniform(of: FunctionUniformity, block: Block) -> str:
    """T or t: whether the tangle is the one that entered what is around it; L or l: whether all lanes come by. Then a
    sign an instruction: u for uniform, d for what may differ, - for what has no result."""
    lanes = ("T" if of.keeps_tangle(block) else "t") + ("L" if of.keeps_lanes(block) else "l")
    signs = [("u" if of.is_uniform(instr) else "d") if instr.has_result else "-" for instr in block]
    return lanes + "".join(signs)
