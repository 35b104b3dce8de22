"""Where each box of a tree's picture goes: sizes from the inside out, places from the outside in, both linear.

    +- switch %kind ------------------+        regions of an If or Switch stand side by side,
    | +- case 0: --+ +- default: ---+ |        those of a Loop below each other
    | | block      | | block        | |
    | +------------+ +--------------+ |        a region's nodes stand below each other
    +---------------------------------+
"""

from typing import Final, final

from reknit.ir.block import Block
from reknit.ir.function import Function
from reknit.ir.tree import Construct, If, Region, Switch
from reknit.ir.value import Node
from reknit.ir.walk import nodes
from reknit.view.marks import Marks
from reknit.view.words import BlockWords, Words

SIGN: Final = 7.25  # the width of a sign, in the font and size of the picture
LINE: Final = 17.0
PADDING: Final = 8.0
GAP: Final = 8.0
MAX_LENGTH: Final = 72  # signs of a line; more are cut


@final
class Box:
    """A rectangle with lines of text at its top. `x`, `y` are of its upper left corner; unit: px."""

    __slots__ = ("x", "y", "width", "height", "lines", "title")

    def __init__(self, lines: list[str], title: str = "") -> None:
        self.x = 0.0
        self.y = 0.0
        self.lines = lines
        self.title = title
        longest = max((len(line) for line in [*lines, title]), default=0)
        self.width = longest * SIGN + 2 * PADDING
        self.height = (len(lines) + (1 if title else 0)) * LINE + 2 * PADDING


@final
class Layout:
    """`blocks`, `constructs` and `regions` have the boxes of what is shown, `words` their texts."""

    __slots__ = ("words", "said", "blocks", "constructs", "regions", "width", "height")

    def __init__(self, function: Function, marks: Marks | None = None) -> None:
        self.words = Words(function, marks)
        self.said: dict[Block, BlockWords] = {}
        self.blocks: dict[Block, Box] = {}
        self.constructs: dict[Construct, Box] = {}
        self.regions: dict[Region, Box] = {}
        order = nodes(function)
        for block in function.blocks:
            self.measure_block(block)
        for node in reversed(order):  # inner before outer
            if isinstance(node, Block):
                self.measure_block(node)
            elif isinstance(node, Construct):
                self.measure_construct(node)
        body = self.measure_region(function.body, "")
        self.place_region(function.body, PADDING, 2 * PADDING + LINE)
        for node in order:
            if isinstance(node, Construct):
                self.place_construct(node)
        self.width = max(body.width + 2 * PADDING, len(self.words.title()) * SIGN + 2 * PADDING)
        self.height = body.y + body.height + PADDING
        for block in function.blocks:
            self.place_below(block)

    def place_below(self, block: Block) -> None:
        """A block that is in no tree: below all that came before."""
        box = self.blocks.get(block)
        if box is not None:
            box.x = PADDING
            box.y = self.height
            self.height += box.height + GAP
            self.width = max(self.width, box.width + 2 * PADDING)

    def measure_block(self, block: Block) -> None:
        said = self.words.of_block(block)
        self.said[block] = said
        if said.is_nothing():
            return
        lines = [cut(line) for line in [said.name, *said.tangled, said.rest(), said.jump] if line]
        self.blocks[block] = Box(lines)

    def measure_construct(self, construct: Construct) -> None:
        box = Box([], cut(self.words.head(construct)))
        inner = [
            self.measure_region(region, title)
            for region, title in zip(construct.regions(), self.words.region_heads(construct), strict=True)
            if isinstance(construct, Switch) or not self.words.is_nothing(region)
        ]
        if inner:
            if side_by_side(construct):
                width = sum(part.width for part in inner) + GAP * (len(inner) - 1)
                height = max(part.height for part in inner)
            else:
                width = max(part.width for part in inner)
                height = sum(part.height for part in inner) + GAP * (len(inner) - 1)
            box.width = max(box.width, width + 2 * PADDING)
            box.height += height
        self.constructs[construct] = box

    def measure_region(self, region: Region, title: str) -> Box:
        box = Box([], title)
        shown = [part for part in (self.box_of(node) for node in region) if part is not None]
        box.width = max([box.width, *[part.width + (2 * PADDING if title else 0) for part in shown]])
        heights = sum(part.height for part in shown)
        box.height = (LINE + PADDING if title else 0) + heights + GAP * max(0, len(shown) - 1)
        box.height += PADDING if title else 0
        self.regions[region] = box
        return box

    def place_construct(self, construct: Construct) -> None:
        """Put the regions into their construct, which has its place."""
        box = self.constructs[construct]
        x = box.x + PADDING
        y = box.y + PADDING + LINE
        for region in construct.regions():
            inner = self.regions.get(region)
            if inner is None:
                continue
            self.place_region(region, x, y)
            if side_by_side(construct):
                x += inner.width + GAP
            else:
                inner.width = box.width - 2 * PADDING
                y += inner.height + GAP

    def place_region(self, region: Region, x: float, y: float) -> None:
        box = self.regions[region]
        box.x = x
        box.y = y
        inset = PADDING if box.title else 0.0
        y += LINE + PADDING if box.title else 0.0
        for node in region:
            inner = self.box_of(node)
            if inner is not None:
                inner.x = x + inset
                inner.y = y
                y += inner.height + GAP

    def box_of(self, node: Node) -> Box | None:
        """The box of a node that is shown."""
        if isinstance(node, Block):
            return self.blocks.get(node)
        return self.constructs.get(node) if isinstance(node, Construct) else None


def side_by_side(construct: Construct) -> bool:
    return isinstance(construct, (If, Switch))


def cut(text: str) -> str:
    return text if len(text) <= MAX_LENGTH else text[: MAX_LENGTH - 1] + "\N{HORIZONTAL ELLIPSIS}"
