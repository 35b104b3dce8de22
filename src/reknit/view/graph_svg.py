"""A function's control-flow graph as an SVG picture, made without any other program.

    boxes      blocks: name, tangled instructions in orange, how many others, what is tested; a return in red
    lines      edges from the lower border of a box to the upper border of another; colour, dashes and width tell the
               kind (`view.edges`)

Layout: `view.graph_layout`.
"""

from typing import final

from reknit.ir.function import Function
from reknit.ir.jump import Exit
from reknit.view.edges import CRITICAL, FAKE, Edges
from reknit.view.graph_layout import GraphLayout
from reknit.view.graph_page import LEGEND_COLUMN, MARGIN, line_svg
from reknit.view.layout import LINE, PADDING, SIGN, cut
from reknit.view.mark_svg import block_lines
from reknit.view.marks import Mark, Marks
from reknit.view.svg_text import number as _n
from reknit.view.svg_text import text_at
from reknit.view.words import Words


@final
class Drawing:
    """One function's graph, with its layout. `lines[n]` are the lines of text of box n."""

    __slots__ = ("words", "edges", "looks", "lines", "layout", "width", "height")

    def __init__(self, function: Function, fake: bool, marks: Marks | None = None) -> None:
        self.words = Words(function, marks)
        edges = Edges(function, self.words, fake, fake)
        self.edges = edges
        self.looks: dict[str, None] = dict.fromkeys(edges.looks())
        self.lines = [[cut(line) for line in self.words.in_graph(block)] for block in edges.blocks]
        if edges.ends:
            self.lines.append(["(end)"])
        sizes = [(max(map(len, rows)) * SIGN + 2 * PADDING, len(rows) * LINE + 2 * PADDING) for rows in self.lines]
        every = [(edge.source, edge.target, cut(edge.title)) for edge in edges.all]
        self.layout = GraphLayout(sizes, every, [edge.kind != FAKE for edge in edges.all], LINE + 2 * MARGIN)
        self.width = max(self.layout.width, len(self.words.title()) * SIGN + 2 * MARGIN, LEGEND_COLUMN + 2 * MARGIN)
        self.height = self.layout.height + 2 * MARGIN + 12.0

    def parts(self) -> list[str]:
        out = [text_at(MARGIN, MARGIN + LINE - 5, self.words.title(), "h")]
        # Kinds that the eye looks for are drawn above the others.
        drawn = sorted(range(len(self.edges.all)), key=lambda index: self.edges.all[index].look() == CRITICAL)
        for index in drawn:
            edge = self.edges.all[index]
            out.append(line_svg(edge.look(), self.layout.path(index)))
        for node, (x, y, width, height) in enumerate(self.layout.boxes):
            lines = self.lines[node]
            place = f'x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}"'
            out.append(f'<rect class="b" {place} rx="{12 if node == self.edges.end else 3}"/>')
            inner = width - 2 * PADDING
            out.extend(
                block_lines(x + PADDING, y + PADDING, inner, lines, self._classes(node, lines), self._marks(node))
            )
        for edge, label in zip(self.edges.all, self.layout.labels, strict=True):
            if label is not None:
                out.append(text_at(label[0] + 4, label[1] + 11, cut(edge.title), "l"))
        return out

    def _classes(self, node: int, lines: list[str]) -> list[str]:
        if node == self.edges.end:
            return ["m"]
        block = self.edges.blocks[node]
        said = self.words.of_block(block)
        kinds = [kind for kind in said.kinds() if kind != "j"]
        last = "j" if isinstance(block.jump, Exit) else ""
        return (kinds + [last] * len(lines))[: len(lines)] if lines != ["(empty)"] else ["m"]

    def _marks(self, node: int) -> dict[int, Mark]:
        return {} if node == self.edges.end else self.words.of_block(self.edges.blocks[node]).by_line()
