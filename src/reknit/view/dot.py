"""A function's graph or tree as DOT, for Graphviz.

    graph    a box a block, an edge a jump, a frame around each construct, a legend of the kinds of edge that occur
    tree     a node for each construct, region and block, an edge from each to what it holds

Edges are coloured, dashed and thick by their kind (`view.edges`), so that they differ in print too.
"""

from reknit.ir.block import Block
from reknit.ir.function import Function
from reknit.ir.tree import Construct
from reknit.ir.value import Node
from reknit.ir.walk import nodes
from reknit.view.edges import BACK, FAKE, STYLES, Edge, Edges
from reknit.view.marks import Marks
from reknit.view.words import Words

TANGLED_COLOUR = "#b35900"
_HEAD = 'node [shape=box, fontname="monospace", fontsize=10];\nedge [fontname="monospace", fontsize=9];\n'


def graph_dot(function: Function, fake: bool = False, marks: Marks | None = None) -> str:
    """The control-flow graph. Frames at which no lane waits (constructs without a merge) are dashed.

    `fake`: with the edges that post-dominance invents from the back edges of loops.
    """
    words = Words(function, marks)
    edges = Edges(function, words, True, fake)
    numbers = edges.number
    lines = [f"digraph {_quoted(words.title())} {{", _HEAD.rstrip()]
    # A work item is a node with those after it, or a line that closes a frame.
    work: list[tuple[Node | None, str]] = [(function.body.first, "")]
    while work:
        node, text = work.pop()
        if node is None:
            if text:
                lines.append(text)
            continue
        if node.next is not None:
            work.append((node.next, ""))
        if isinstance(node, Block):
            lines.append(_box(words, node, numbers[node]))
            continue
        assert isinstance(node, Construct)
        style = "solid" if node.merged else "dashed"
        frame = f"subgraph cluster_{numbers[node.before()]} {{ label={_quoted(words.head(node))}; style={style};"
        lines.append(f'{frame} fontname="monospace"; fontsize=10;')
        work.append((None, "}"))
        for region in reversed(node.regions()):
            work.append((region.first, ""))
    lines.extend([_box(words, block, numbers[block]) for block in function.blocks])
    if edges.ends:
        lines.append('end [label="(end)", shape=ellipse];')
    lines.extend([_edge(edge, edges.end) for edge in edges.all])
    lines.extend(_legend(edges))
    return "\n".join([*lines, "}"]) + "\n"


def _edge(edge: Edge, end: int) -> str:
    said = [f"label={_quoted(edge.title)}"] if edge.title else []
    style = STYLES[edge.look()].dot()
    if edge.kind == BACK or edge.kind == FAKE:
        style += ", constraint=false"  # the layers follow the real edges that go on
    target = "end" if edge.target == end else f"b{edge.target}"
    return f"b{edge.source} -> {target} [{', '.join([*said, style])}];"


def _legend(edges: Edges) -> list[str]:
    """A frame with a line for each kind of edge that occurs."""
    looks = edges.looks()
    if not looks:
        return []
    lines = ['subgraph cluster_legend { label="edges"; style=dotted; fontname="monospace"; fontsize=9;']
    for look in looks:
        name = "legend_" + look.replace("-", "_")
        lines.append(f'{name} [label={_quoted(look)}, shape=plaintext]; {name}_to [label="", shape=point];')
        lines.append(f"{name} -> {name}_to [{STYLES[look].dot()}];")
    lines.append("}")
    return lines


def tree_dot(function: Function, marks: Marks | None = None) -> str:
    """The control-flow tree. A function without one is a node with its blocks."""
    words = Words(function, marks)
    lines = [f"digraph {_quoted(words.title())} {{", _HEAD.rstrip(), f"root [label={_quoted(words.title())}];"]
    numbers: dict[object, str] = {function.body: "root"}
    held: list[Node] = [*nodes(function), *function.blocks]
    for index, node in enumerate(held):
        name = f"n{index}"
        parent = numbers.get(node.region, "root")
        if isinstance(node, Block):
            if words.of_block(node).is_nothing():
                continue
            lines.append(_box(words, node, index, "n"))
        elif isinstance(node, Construct):
            style = "rounded" if node.merged else '"rounded,dashed"'
            lines.append(f"{name} [label={_quoted(words.head(node))}, style={style}];")
            for at, (title, region) in enumerate(zip(words.region_heads(node), node.regions(), strict=True)):
                numbers[region] = name
                if title and not words.is_nothing(region):
                    numbers[region] = f"{name}_{at}"
                    lines.append(f"{name}_{at} [label={_quoted(title)}, shape=plaintext];")
                    lines.append(f"{name} -> {name}_{at};")
        lines.append(f"{parent} -> {name};")
    return "\n".join([*lines, "}"]) + "\n"


def _box(words: Words, block: Block, number: int, prefix: str = "b") -> str:
    said = words.of_block(block)
    colour = f', color="{TANGLED_COLOUR}", penwidth=2' if said.tangled else ""
    tip = "\n".join([line for mark in said.marks.values() for line in mark.tip()])
    colour += f", tooltip={_quoted(tip)}" if tip else ""
    lines = words.in_graph(block) if prefix == "b" else words.in_tree(block)
    label = "".join(_escaped(line) + "\\l" for line in lines)
    return f'{prefix}{number} [label="{label}"{colour}];'


def _quoted(text: str) -> str:
    return f'"{_escaped(text)}"'


def _escaped(text: str) -> str:
    """Inside of quotes; what doesn't print is replaced, since a file is to be text."""
    safe = "".join(sign if sign.isprintable() or sign == "\n" else "\N{REPLACEMENT CHARACTER}" for sign in text)
    return safe.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
