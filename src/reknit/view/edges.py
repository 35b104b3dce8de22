"""The edges of a function, each with its kind: what pictures of the graph are drawn from.

    if c { break @l }       step (into the arm), break        loop { ... }        back
    } else { }              step, merge (to what follows)     return              return, to an invented end

In a tree the jumps say what an edge is. In a flat graph the merge instructions do: what goes to a loop's merge block is
a break, to its continue target a continue, to a selection's merge block a merge; without a merge instruction an edge
out of a natural loop is a break. Apart from its kind, an edge is *critical* if its source has other successors and its
target other predecessors: there is no block where code could stand that belongs to this edge alone.

*Fake* edges are none: post-dominance invents them from the back edges to where a loop's exits meet
(`analysis.post_dominance`). Everything here is linear, fake edges near linear.
"""

from typing import Final, final

from reknit.analysis.natural_loops import NaturalLoops, natural_loops
from reknit.analysis.post_dominance import post_dominators
from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.cfg import edge_rows
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.jump import Branch, Break, Continue, Exit, Fallthrough
from reknit.ir.tree import If, Loop, Switch
from reknit.ir.walk import blocks
from reknit.view.words import Words

STEP: Final = "step"
MERGE: Final = "merge"
BREAK: Final = "break"
CONTINUE: Final = "continue"
BACK: Final = "back"
FALLTHROUGH: Final = "fallthrough"
RETURN: Final = "return"
FAKE: Final = "fake"
CRITICAL: Final = "critical"  # no kinds of their own, but drawn as such
CRITICAL_BACK: Final = "critical-back"


@final
class Style:
    """How a kind is drawn. `dash` is as in SVG ("" is a line without gaps), `width` in pixels; the kinds differ without
    colour too. `says` explains it."""

    __slots__ = ("colour", "dash", "width", "says")

    def __init__(self, colour: str, dash: str, width: float, says: str) -> None:
        self.colour = colour
        self.dash = dash
        self.width = width
        self.says = says

    def dot(self) -> str:
        """The style as Graphviz knows it: it has two patterns."""
        pattern = "" if not self.dash else ", style=dotted" if self.dash.startswith("1 ") else ", style=dashed"
        width = "" if self.width == 1.2 else f", penwidth={self.width:g}"
        return f'color="{self.colour}"{pattern}{width}'


STYLES: Final = {
    STEP: Style("#3c4043", "", 1.2, "goes on"),
    MERGE: Style("#8a9099", "", 1.2, "meets again after a construct"),
    BREAK: Style("#b06000", "7 3", 1.6, "leaves a construct"),
    CONTINUE: Style("#00796b", "7 3 1 3", 1.6, "ends an iteration"),
    BACK: Style("#1a56c4", "12 3", 2.0, "goes back to a loop's start"),
    FALLTHROUGH: Style("#7b1fa2", "3 3", 1.6, "goes on in the next case"),
    RETURN: Style("#8a9099", "3 3", 1.2, "leaves the function"),
    FAKE: Style("#9c27b0", "1 4", 1.4, "invented for post-dominance"),
    CRITICAL: Style("#c5221f", "", 3.0, "has no block of its own"),
    CRITICAL_BACK: Style("#1a56c4", "12 3", 3.4, "is both"),
}


@final
class Edge:
    """From block number `source` to block number `target`, the number of blocks being that of the function's end.
    `title` is what chooses it: `case 2`, `then`, `true`; "" if nothing does."""

    __slots__ = ("source", "target", "kind", "critical", "title")

    def __init__(self, source: int, target: int, kind: str, title: str = "") -> None:
        self.source = source
        self.target = target
        self.kind = kind
        self.critical = False
        self.title = title

    def look(self) -> str:
        """The key of its style."""
        if not self.critical:
            return self.kind
        return CRITICAL_BACK if self.kind == BACK else CRITICAL


@final
class Edges:
    """`blocks` by number, in the order of the text; `all` edges by source, fake ones last; `end` is the number of the
    invented end. `ends`: whether an edge goes there."""

    __slots__ = ("blocks", "number", "all", "end", "ends", "back")

    def __init__(self, function: Function, words: Words, returns: bool = False, fake: bool = False) -> None:
        self.blocks = blocks(function)
        self.number: dict[Block, int] = {block: index for index, block in enumerate(self.blocks)}
        self.end = len(self.blocks)
        rows = edge_rows(self.blocks)
        loops = natural_loops(rows)
        self.back: dict[tuple[int, int], None] = dict.fromkeys(loops.back_edges)
        self.all: list[Edge] = []
        flat = dict.fromkeys(function.blocks)
        kinds = _FlatKinds(self.blocks, self.number, rows, loops) if flat else None
        for source, block in enumerate(self.blocks):
            titles = _titles(words, block)
            for target in rows[source]:
                if kinds is not None and block in flat:
                    kind = BACK if (source, target) in self.back else kinds.of(source, target)
                else:
                    kind = BACK if (source, target) in self.back else _kind_in_tree(block)
                self.all.append(Edge(source, target, kind, titles.get(self.blocks[target], "")))
            if isinstance(block.jump, Exit) and returns:
                self.all.append(Edge(source, self.end, RETURN))
        incoming = [0] * (self.end + 1)
        for edge in self.all:
            incoming[edge.target] += 1
        for edge in self.all:
            if edge.kind != RETURN:
                edge.critical = len(rows[edge.source]) > 1 and incoming[edge.target] > 1
        if fake:
            for source, row in enumerate(post_dominators(rows)[1]):
                if source < self.end and rows[source]:
                    real = dict.fromkeys(rows[source])
                    self.all.extend([Edge(source, target, FAKE) for target in row if target not in real])
        self.ends = any(edge.target == self.end for edge in self.all)

    def looks(self) -> list[str]:
        """The keys of the styles that occur, in the order of STYLES: what a legend has to explain."""
        looks = dict.fromkeys([edge.look() for edge in self.all])
        return [key for key in STYLES if key in looks]


def _kind_in_tree(block: Block) -> str:
    """What an edge is that doesn't go back, by how its source ends."""
    jump = block.jump
    if isinstance(jump, Break):
        return BREAK
    if isinstance(jump, Continue):
        return CONTINUE
    if isinstance(jump, Fallthrough):
        return FALLTHROUGH
    region = block.region
    if block.next is not None or region is None:
        return STEP
    return STEP if isinstance(region.owner, Loop) else MERGE


@final
class _FlatKinds:
    """What the merge instructions, or the loops where there are none, say of an edge."""

    __slots__ = ("merges", "breaks", "continues", "loops", "depth")

    def __init__(
        self, in_order: list[Block], number: dict[Block, int], rows: list[list[int]], loops: NaturalLoops
    ) -> None:
        self.merges: dict[int, None] = {}
        self.breaks: dict[int, None] = {}
        self.continues: dict[int, None] = {}
        self.loops = loops
        self.depth = loops.depths()
        for block in in_order:
            jump = block.jump
            if not isinstance(jump, Branch) or jump.merge is None:
                continue
            merge = jump.merge.operands[0]
            if isinstance(merge, Block) and merge in number:
                kind = self.breaks if jump.merge.op == op.LoopMerge else self.merges
                kind[number[merge]] = None
            if jump.merge.op == op.LoopMerge:
                target = jump.merge.operands[1]
                if isinstance(target, Block) and target in number:
                    self.continues[number[target]] = None

    def of(self, source: int, target: int) -> str:
        if target in self.breaks:
            return BREAK
        if target in self.continues:
            return CONTINUE
        if target in self.merges:
            return MERGE
        left = self.loops.innermost[source]
        if left < 0 or self.breaks or self.merges:
            return STEP
        entered = self.loops.innermost[target]
        while entered >= 0 and self.depth[entered] > self.depth[left]:
            entered = self.loops.parent[entered]
        return STEP if entered == left else BREAK


def _titles(words: Words, block: Block) -> dict[Block, str]:
    """What chooses the edges out of a block."""
    following = block.next
    if block.jump is None and isinstance(following, (If, Switch)):
        heads = words.region_heads(following)
        entries = [region.entry() for region in following.regions()]
        return {entry: title.rstrip(":") for entry, title in zip(entries, heads, strict=True)}
    if isinstance(block.jump, Branch):
        return _branch_titles(block.jump.instr)
    return {}


def _branch_titles(instr: Instr) -> dict[Block, str]:
    title_of: dict[Block, str] = {}
    if instr.op == op.BranchConditional:
        for index, title in ((1, "true"), (2, "false")):
            target = instr.operands[index]
            assert isinstance(target, Block)
            title_of[target] = "" if target in title_of else title
    elif instr.op == op.Switch:
        literal: list[str] = []
        for operand in instr.operands[1:]:
            if isinstance(operand, Block):
                title = literal[0] if literal else "default"  # the low word distinguishes cases in a picture
                title_of[operand] = f"{title_of[operand]}, {title}" if operand in title_of else title
                literal = []
            elif isinstance(operand, int):
                literal.append(str(operand))
    return title_of
