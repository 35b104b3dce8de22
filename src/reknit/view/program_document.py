"""The program of a document for the viewer: blocks with their lines and instructions, control-flow tree, graph.

    {"functions": [...], "blocks": [{"name": "%then", "function": 0, "places": [[0, 12, 5, 3], ...], ...}, ...]}

Blocks are the simulator's code blocks, by their numbers. docs/viewer.md has the whole.
"""

from typing import final

from reknit.ir import traits
from reknit.ir.block import Block
from reknit.ir.function import Function
from reknit.ir.locate import place_of, place_of_jump
from reknit.ir.module import Module
from reknit.ir.tree import Construct, Region
from reknit.ir.value import Node
from reknit.sim.code import CodeBlock
from reknit.sim.trace import block_name
from reknit.source.place import Place
from reknit.view.graph_svg import Drawing
from reknit.view.layout import cut
from reknit.view.words import NOT_COUNTED, Words


@final
class Files:
    """The files that places name, by number; `lines` gives a file's lines."""

    def __init__(self, texts: dict[str, str]) -> None:
        self.texts = texts
        self.numbers: dict[str, int] = {}

    def place(self, place: Place) -> list[int] | None:
        """[file, line, column, length]; None where no line is known."""
        if place.line <= 0 or place.word >= 0:
            return None
        number = self.numbers.setdefault(place.file, len(self.numbers))
        return [number, place.line, place.column, place.length]

    def to_json(self) -> list[dict[str, object]]:
        """`text` is null where the file could not be read."""
        return [{"name": name, "text": self.texts.get(name)} for name in self.numbers]


def program_document(code: list[CodeBlock], module: Module, files: Files) -> dict[str, object]:
    functions = list(dict.fromkeys(block.function for block in code))
    numbers = {function: at for at, function in enumerate(functions)}
    words = [Words(function) for function in functions]
    first: dict[Node, int] = {}
    calling: dict[Block, bool] = {}
    for block in code:
        first.setdefault(block.block, block.number)
    return {
        "functions": [
            {
                "name": function.name or f"%{function.id}",
                "title": said.title(),
                "tree": tree_rows(function, said, first),
                "graph": graph_document(function, first),
            }
            for function, said in zip(functions, words, strict=True)
        ],
        "blocks": [
            block_document(block, numbers[block.function], words[numbers[block.function]], module, files, calling)
            for block in code
        ],
    }


def block_document(
    block: CodeBlock, function: int, words: Words, module: Module, files: Files, calling: dict[Block, bool]
) -> dict[str, object]:
    """`header` is the number of the first code block of the same block; parts after a call come after it. `calling` is
    what is known of blocks: whether there are calls in them, so that they are several code blocks."""
    places: dict[tuple[int, ...], None] = {}
    if block.block not in calling:
        calling[block.block] = any(instr.op in traits.CALLS for instr in block.block)
    instrs = block.instrs
    if not calling[block.block]:
        instrs = [instr for instr in block.block if instr.op not in NOT_COUNTED]
    for instr in instrs:
        place = files.place(place_of(instr, module))
        if place is not None:
            places[tuple(place)] = None
    last = block.block
    ends = last.jump is None and isinstance(last.next, Construct)
    following = last.next
    place = files.place(place_of(following, module) if ends and following is not None else place_of_jump(last, module))
    if place is not None:
        places[tuple(place)] = None
    document: dict[str, object] = {
        "name": block_name(block),
        "function": function,
        "header": block.header,
        "places": [list(place) for place in places],
        "code": [words.writer.instruction(instr) for instr in instrs],
    }
    if last.padding and last.is_empty():
        document["idle"] = True
    return document


def tree_rows(function: Function, words: Words, numbers: dict[Node, int]) -> list[list[object]]:
    """[depth, text, number]: a row a block, construct or region; number is -1 for what `numbers` has not."""
    rows: list[list[object]] = []
    top: list[Node | tuple[str, Region]] = list(function.body)
    top.extend(function.blocks)
    work: list[tuple[int, Node | tuple[str, Region]]] = [(0, item) for item in reversed(top)]
    while work:
        depth, item = work.pop()
        inside: list[Node | tuple[str, Region]] = []
        if isinstance(item, tuple):
            rows.append([depth, item[0], -1])
            inside = list(item[1])
        elif isinstance(item, Construct):
            rows.append([depth, words.head(item), numbers.get(item, -1)])
            for title, region in zip(words.region_heads(item), item.regions(), strict=True):
                if title and not words.is_nothing(region):
                    inside.append((title, region))
                elif not title:
                    inside.extend(region)
        else:
            assert isinstance(item, Block)
            said = words.of_block(item)
            if not said.is_nothing():
                rows.append([depth, said.line(), numbers.get(item, -1)])
        work.extend([(depth + 1, child) for child in reversed(inside)])
    return rows


def graph_document(function: Function, numbers: dict[Node, int]) -> dict[str, object]:
    """Boxes and lines where `view.graph_layout` puts them, px: nodes [x, y, width, height, block, lines], edges
    [source, target, kind, path as in SVG, label, the label's x and y]."""
    return graph_of(Drawing(function, False), numbers)


def graph_of(drawing: Drawing, numbers: dict[Node, int]) -> dict[str, object]:
    """The graph of a drawing that was laid out."""
    nodes: list[list[object]] = []
    for node, (x, y, width, height) in enumerate(drawing.layout.boxes):
        block = drawing.edges.blocks[node] if node != drawing.edges.end else None
        number = numbers.get(block, -1) if block is not None else -1
        nodes.append([round(x), round(y), round(width), round(height), number, drawing.lines[node]])
    edges: list[list[object]] = []
    for index, edge in enumerate(drawing.edges.all):
        row: list[object] = [edge.source, edge.target, edge.look(), drawing.layout.path(index), cut(edge.title)]
        label = drawing.layout.labels[index]
        edges.append(row if label is None else [*row, round(label[0]), round(label[1])])
    return {"width": round(drawing.width), "height": round(drawing.height), "nodes": nodes, "edges": edges}
