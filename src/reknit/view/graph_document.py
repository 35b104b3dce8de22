"""Graphs of functions as a document for the viewer: boxes and lines as they are laid out, and blocks' instructions.

    {"format": "reknit-graph", "functions": [{"name": "main", "graph": ..., "code": [[...], ...], "tangled": [3, 8]}]}
"""

from typing import Final

from reknit.ir import traits
from reknit.ir.function import Function
from reknit.view.graph_svg import Drawing
from reknit.view.program_document import graph_of, tree_rows

FORMAT: Final = "reknit-graph"
VERSION: Final = 1


def graphs_document(title: str, functions: list[Function]) -> dict[str, object]:
    return {
        "format": FORMAT,
        "version": VERSION,
        "title": title,
        "functions": [function_document(function) for function in functions if not function.is_declaration()],
    }


def function_document(function: Function) -> dict[str, object]:
    """A block's number is that of its box; `tangled` are those with operations that depend on which invocations run
    them."""
    drawing = Drawing(function, False)
    blocks = drawing.edges.blocks
    numbers = drawing.edges.number
    return {
        "name": function.name or f"%{function.id}",
        "title": drawing.words.title(),
        "graph": graph_of(drawing, numbers),
        "tree": tree_rows(function, drawing.words, numbers),
        "code": [[drawing.words.writer.instruction(instr) for instr in block] for block in blocks],
        "tangled": [
            number for number, block in enumerate(blocks) if any(instr.op in traits.TANGLED for instr in block)
        ],
    }
