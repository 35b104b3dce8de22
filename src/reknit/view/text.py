"""A function's control-flow tree, or its graph, as text for a terminal.

    func @main() -> void
    |-- %5: 6 instructions
    |-- switch %23
    |   |-- case 0:
    |   |   `-- %24: %29 = GroupNonUniformIAdd Subgroup Reduce 1u; 3 more instructions; fallthrough
    |   `-- default: ...
    `-- %26: 4 instructions; return
"""

from typing import Final

from reknit.ir.block import Block
from reknit.ir.cfg import successors
from reknit.ir.function import Function
from reknit.ir.tree import Construct, Region
from reknit.ir.value import Node
from reknit.ir.walk import blocks
from reknit.view.marks import Marks
from reknit.view.words import Words

Rails = tuple[str, str, str, str]

MAX_DEPTH: Final = 40  # levels that are indented; beyond them deep nesting would make the text's length quadratic

LINES: Final[Rails] = ("├─ ", "└─ ", "│  ", "   ")
ASCII: Final[Rails] = ("|- ", "`- ", "|  ", "   ")


def tree_text(function: Function, rails: Rails = LINES, marks: Marks | None = None) -> str:
    """The tree, a line a block or construct; a function without a tree is a list of blocks."""
    words = Words(function, marks)
    lines = [words.title()]
    # A work item is what stands before the line, what it says, and what is below it.
    work: list[tuple[str, str, list[Node | tuple[str, Region]]]] = []

    def push(margin: str, items: list[Node | tuple[str, Region]]) -> None:
        shown = [item for item in items if not (isinstance(item, Block) and words.of_block(item).is_nothing())]
        for index in range(len(shown) - 1, -1, -1):
            item = shown[index]
            last = index == len(shown) - 1
            corner = margin + (rails[1] if last else rails[0])
            below = margin + (rails[3] if last else rails[2]) if len(margin) < 3 * MAX_DEPTH else margin
            if isinstance(item, tuple):
                work.append((corner + item[0], below, list(item[1])))
            elif isinstance(item, Construct):
                work.append((corner + words.head(item), below, _inside(words, item)))
            else:
                assert isinstance(item, Block)
                work.append((corner + words.of_block(item).line(), below, []))

    top: list[Node | tuple[str, Region]] = list(function.body)
    top.extend(function.blocks)
    push("", top)
    while work:
        line, margin, items = work.pop()
        lines.append(line)
        push(margin, items)
    return "\n".join(lines) + "\n"


def _inside(words: Words, construct: Construct) -> list[Node | tuple[str, Region]]:
    """The regions of a construct; one without a title is its nodes."""
    items: list[Node | tuple[str, Region]] = []
    for title, region in zip(words.region_heads(construct), construct.regions(), strict=True):
        if title.startswith(("else", "continuing", "then")) and words.is_nothing(region):
            continue
        if title:
            items.append((title, region))
        else:
            items.extend(region)
    return items


def graph_text(function: Function, marks: Marks | None = None) -> str:
    """The graph: each block, and where control can go after it; below a block its marks."""
    words = Words(function, marks)
    rows: list[tuple[str, str, list[str]]] = []
    for block in blocks(function):
        targets = ", ".join([_target(words, target) for target in successors(block)])
        said = words.of_block(block)
        marked = [said.tangled[index] for index in said.marks]
        rows.append((_target(words, block), targets or said.jump or "the end", marked))
    width = max((len(name) for name, _, _ in rows), default=0)
    lines = [words.title()]
    for name, targets, marked in rows:
        lines.append(f"  {name:<{width}} -> {targets}")
        lines.extend([f"  {'':<{width}}    {line}" for line in marked])
    return "\n".join(lines) + "\n"


def _target(words: Words, block: Block) -> str:
    return words.writer.names.of(block)
