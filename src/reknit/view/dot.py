"""A function's graph or tree as DOT, for Graphviz.

    graph    a box a block, an edge a jump, a frame around each construct
    tree     a node for each construct, region and block, an edge from each to what it holds
"""

from reknit.ir.block import Block
from reknit.ir.cfg import successors
from reknit.ir.function import Function
from reknit.ir.tree import Construct, If, Switch
from reknit.ir.value import Node
from reknit.ir.walk import blocks, nodes
from reknit.view.words import Words

TANGLED_COLOUR = "#b35900"
_HEAD = 'node [shape=box, fontname="monospace", fontsize=10];\nedge [fontname="monospace", fontsize=9];\n'


def graph_dot(function: Function) -> str:
    """The control-flow graph. Frames that nobody waits at (constructs without a merge) are dashed."""
    words = Words(function)
    numbers = {block: index for index, block in enumerate(blocks(function))}
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
    for block in blocks(function):
        titles = _edge_titles(words, block)
        for target in successors(block):
            title = f" [label={_quoted(titles[target])}]" if titles.get(target) else ""
            lines.append(f"b{numbers[block]} -> b{numbers[target]}{title};")
    return "\n".join([*lines, "}"]) + "\n"


def tree_dot(function: Function) -> str:
    """The control-flow tree. A function without one is a node with its blocks."""
    words = Words(function)
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
    lines = [said.name or "(padding)", *said.tangled, said.rest(), said.jump]
    label = "".join(_escaped(line) + "\\l" for line in lines if line)
    return f'{prefix}{number} [label="{label}"{colour}];'


def _edge_titles(words: Words, block: Block) -> dict[Block, str]:
    """What to write on the edges out of a block before a construct."""
    following = block.next
    if block.jump is not None or not isinstance(following, (If, Switch)):
        return {}
    heads = words.region_heads(following)
    entries = [region.entry() for region in following.regions()]
    return {entry: title.rstrip(":") for entry, title in zip(entries, heads, strict=True)}


def _quoted(text: str) -> str:
    return f'"{_escaped(text)}"'


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
