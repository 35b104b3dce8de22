"""A function's control-flow graph as an SVG picture, made without any other program.

    boxes      blocks: name, tangled instructions in orange, how many others, what is tested; a return in red
    lines      edges from the lower border of a box to the upper border of another; colour, dashes and width tell the
               kind (`view.edges`)

Layout: `view.layers`.
"""

from typing import final

from reknit.ir.function import Function
from reknit.ir.jump import Exit
from reknit.view.drawing_order import drawing_order
from reknit.view.edges import CRITICAL, FAKE, Edge, Edges
from reknit.view.graph_page import LEGEND_COLUMN, MARGIN, line_svg
from reknit.view.layers import LANE, Layers
from reknit.view.layout import LINE, PADDING, SIGN, cut
from reknit.view.mark_svg import block_lines
from reknit.view.marks import Mark, Marks
from reknit.view.svg_text import number as _n
from reknit.view.svg_text import text_at
from reknit.view.words import Words


@final
class Drawing:
    """One function's graph, with its layout. `lines[n]` are the lines of text of box n."""

    __slots__ = (
        "words", "edges", "looks", "lines", "boxes", "layers", "width", "height", "top", "ports_out", "ports_in",
    )  # fmt: skip

    def __init__(self, function: Function, fake: bool, marks: Marks | None = None) -> None:
        self.words = Words(function, marks)
        edges = Edges(function, self.words, fake, fake)
        self.edges = edges
        self.looks: dict[str, None] = dict.fromkeys(edges.looks())
        self.lines = [[cut(line) for line in self.words.in_graph(block)] for block in edges.blocks]
        if edges.ends:
            self.lines.append(["(end)"])
        self.boxes = [(max(map(len, rows)) * SIGN + 2 * PADDING, len(rows) * LINE + 2 * PADDING) for rows in self.lines]
        titled = [0.0] * len(self.lines)
        for edge in edges.all:
            titled[edge.source] = max(titled[edge.source], (2 * len(cut(edge.title)) + 3) * SIGN)
        # A node takes the room that the words at the edges out of it need on both sides.
        sizes = [(max(width, titled[node]), height) for node, (width, height) in enumerate(self.boxes)]
        every = [(edge.source, edge.target) for edge in edges.all]
        real = [(edge.source, edge.target) for edge in edges.all if edge.kind != FAKE]
        order, back = drawing_order(len(self.lines), real, every)
        pairs = [(edge.source, edge.target) for edge in edges.all]
        self.layers = Layers(sizes, pairs, back, order)
        self.top = LINE + 2 * MARGIN
        self.ports_out: list[float] = [0.0] * len(pairs)
        self.ports_in: list[float] = [0.0] * len(pairs)
        self._assign_ports()
        self.width = max(self.layers.width, len(self.words.title()) * SIGN) + 2 * MARGIN
        self.width = max(self.width, LEGEND_COLUMN + 2 * MARGIN)
        self.height = self.top + self.layers.height + 2 * MARGIN + 12.0

    def _assign_ports(self) -> None:
        """Where along a border each edge starts and ends, from left to right as the other ends stand."""
        layers = self.layers
        out: list[list[tuple[float, int]]] = [[] for _ in self.lines]
        into: list[list[tuple[float, int]]] = [[] for _ in self.lines]
        for index, edge in enumerate(self.edges.all):
            side = layers.lane[index]
            chain = layers.chains[index]
            far = layers.width + 1e6 - side if side >= 0 else 0.0
            out[edge.source].append((far or layers.x[chain[0] if chain else edge.target], index))
            into[edge.target].append((far or layers.x[chain[-1] if chain else edge.source], index))
        for rows, ports in ((out, self.ports_out), (into, self.ports_in)):
            for node, ends in enumerate(rows):
                ends.sort()
                step = min(22.0, (self.boxes[node][0] - 2 * PADDING) / max(1, len(ends)))
                for place, (_, index) in enumerate(ends):
                    ports[index] = layers.x[node] + (place - (len(ends) - 1) / 2) * step

    def rectangles(self) -> list[tuple[float, float, float, float]]:
        """x, y, width and height of each box."""
        rectangles: list[tuple[float, float, float, float]] = []
        for node, (width, height) in enumerate(self.boxes):
            rectangles.append((MARGIN + self.layers.x[node] - width / 2, self.top + self.layers.y[node], width, height))
        return rectangles

    def parts(self) -> list[str]:
        out = [text_at(MARGIN, MARGIN + LINE - 5, self.words.title(), "h")]
        # Kinds that the eye looks for are drawn above the others.
        drawn = sorted(range(len(self.edges.all)), key=lambda index: self.edges.all[index].look() == CRITICAL)
        for index in drawn:
            edge = self.edges.all[index]
            out.append(line_svg(edge.look(), self.path(index, edge)))
        for node, (x, y, width, height) in enumerate(self.rectangles()):
            lines = self.lines[node]
            place = f'x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}"'
            out.append(f'<rect class="b" {place} rx="{12 if node == self.edges.end else 3}"/>')
            inner = width - 2 * PADDING
            out.extend(
                block_lines(x + PADDING, y + PADDING, inner, lines, self._classes(node, lines), self._marks(node))
            )
        for titled in self._titled():
            for rank, index in enumerate(titled):
                out.append(self._title(index, rank == len(titled) - 1, len(titled) > 2))
        return out

    def _titled(self) -> list[list[int]]:
        """By source: its edges that have a word, from left to right."""
        rows: list[list[int]] = [[] for _ in self.lines]
        for index, edge in enumerate(self.edges.all):
            if edge.title:
                rows[edge.source].append(index)
        for row in rows:
            row.sort(key=lambda index: self.ports_out[index])
        return rows

    def _title(self, index: int, last: bool, many: bool) -> str:
        """The word at an edge: where it starts, left of it or, of the last one, right; one of many where it arrives."""
        edge = self.edges.all[index]
        text = cut(edge.title)
        if many:
            return text_at(MARGIN + self.ports_in[index] + 5, self.top + self.layers.y[edge.target] - 12, text, "l")
        x = MARGIN + self.ports_out[index] + (5 if last else -5 - len(text) * 6.7)
        return text_at(x, self.top + self.layers.y[edge.source] + self.boxes[edge.source][1] + 13, text, "l")

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

    def path(self, index: int, edge: Edge) -> str:
        """From the lower border of the source to the upper border of the target."""
        layers = self.layers
        x0 = MARGIN + self.ports_out[index]
        y0 = self.top + layers.y[edge.source] + layers.heights[edge.source]
        x1 = MARGIN + self.ports_in[index]
        y1 = self.top + layers.y[edge.target] - 1
        lane = layers.lane[index]
        if lane >= 0:
            under = self.top + layers.tops[layers.layer[edge.source]] + layers.row_heights[layers.layer[edge.source]]
            down = under + 22 + 5 * lane
            up = self.top + layers.tops[layers.layer[edge.target]] - 14 - 5 * lane
            side = MARGIN + layers.inner + (lane + 1) * LANE
            return _rounded([(x0, y0), (x0, down), (side, down), (side, up), (x1, up), (x1, y1)])
        path = f"M{_n(x0)} {_n(y0)}"
        x, y = x0, y0
        for node in layers.chains[index]:
            row = layers.layer[node]
            top = self.top + layers.tops[row]
            bottom = top + layers.row_heights[row]
            path += _curve(x, y, MARGIN + layers.x[node], top) + f"V{_n(bottom)}"
            x, y = MARGIN + layers.x[node], bottom
        return path + _curve(x, y, x1, y1)


def _curve(x0: float, y0: float, x1: float, y1: float) -> str:
    if abs(x0 - x1) < 0.1:
        return f"V{_n(y1)}"
    half = (y1 - y0) / 2
    return f"C{_n(x0)} {_n(y0 + half)} {_n(x1)} {_n(y1 - half)} {_n(x1)} {_n(y1)}"


def _rounded(points: list[tuple[float, float]]) -> str:
    """Straight lines with round corners, each along an axis."""
    path = f"M{_n(points[0][0])} {_n(points[0][1])}"
    for index in range(1, len(points) - 1):
        before, here, after = points[index - 1], points[index], points[index + 1]
        first = _toward(here, before)
        second = _toward(here, after)
        path += f"L{_n(first[0])} {_n(first[1])}Q{_n(here[0])} {_n(here[1])} {_n(second[0])} {_n(second[1])}"
    return path + f"L{_n(points[-1][0])} {_n(points[-1][1])}"


def _toward(here: tuple[float, float], there: tuple[float, float]) -> tuple[float, float]:
    """The point up to 6 px from `here` towards `there`, at most half of it."""
    length = abs(there[0] - here[0]) + abs(there[1] - here[1])
    part = min(6.0, length / 2) / length if length else 0.0
    return here[0] + (there[0] - here[0]) * part, here[1] + (there[1] - here[1]) * part
