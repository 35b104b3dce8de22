"""A graph's boxes and lines in a plane: nothing lies over a box or over the word at a line.

      +--------+           a word at a line takes a place of its own in a layer, as a box does
      |  if %c |
      +--------+           between layers: curves, and lines to and from the side, each on a track
       |       |
      then    else         within a layer: straight down
       |       |

`view.layers` gives the places. Lines at the side that lead to the same box share a lane and a track. The viewer does
the same in viewer/layout.mjs, for graphs in which constructs are folded; a test holds both to the same picture.
"""

from typing import Final, final

from reknit.view.drawing_order import drawing_order
from reknit.view.layers import LANE, Layers
from reknit.view.svg_text import number as _n

MARGIN: Final = 14.0
LABEL_SIGN: Final = 6.7  # the width of a sign of a word at a line, px
LABEL_HEIGHT: Final = 15.0
INSET: Final = 8.0  # from a box's corner to the outermost line


@final
class GraphLayout:
    """`boxes` and `labels` have x, y, width and height; `labels[e]` is None where edge e has no word. The picture
    begins at (0, 0); above its boxes is `top`."""

    __slots__ = (
        "edges", "sizes", "layers", "first", "second", "boxes", "labels", "width", "height", "top", "_out", "_in",
    )  # fmt: skip

    def __init__(
        self, sizes: list[tuple[float, float]], edges: list[tuple[int, int, str]], real: list[bool], top: float
    ) -> None:
        """`edges` are source, target and word; `real` tells whether an edge counts for the order of boxes."""
        self.edges = edges
        count = len(sizes)
        walked = [(source, target) for (source, target, _), counts in zip(edges, real, strict=True) if counts]
        order, back = drawing_order(count, walked, [(source, target) for source, target, _ in edges])
        self.sizes = list(sizes)
        self.first: list[int] = []  # by edge: the line from its source, to its word where it has one
        self.second: list[int] = []  # the line that arrives at its target
        lines: list[tuple[int, int]] = []
        goes_back: list[bool] = []
        words: list[list[int]] = [[] for _ in sizes]
        for (source, target, word), returns in zip(edges, back, strict=True):
            self.first.append(len(lines))
            if word:
                words[source].append(len(self.sizes))
                lines.append((source, len(self.sizes)))
                goes_back.append(False)
                source = len(self.sizes)
                self.sizes.append((len(word) * LABEL_SIGN + 8.0, LABEL_HEIGHT))
            self.second.append(len(lines))
            lines.append((source, target))
            goes_back.append(returns)
        with_words = [node for box in order for node in (box, *words[box])]
        self.layers = Layers(self.sizes, lines, goes_back, with_words, count)
        self.top = top
        self._out = [0.0] * len(lines)
        self._in = [0.0] * len(lines)
        self._assign_ports()
        self.boxes = [self._box(node) for node in range(count)]
        self.labels = [
            self._box(self.layers.edges[first][1]) if first != second else None
            for first, second in zip(self.first, self.second, strict=True)
        ]
        self.width = self.layers.width + 2 * MARGIN
        self.height = top + self.layers.height

    def _box(self, node: int) -> tuple[float, float, float, float]:
        width, height = self.sizes[node]
        return (MARGIN + self.layers.x[node] - width / 2, self.top + self.layers.y[node], width, height)

    def _assign_ports(self) -> None:
        """Where along a border each line starts and ends, from left to right as the other ends stand."""
        layers = self.layers
        out: list[list[tuple[float, int]]] = [[] for _ in self.sizes]
        into: list[list[tuple[float, int]]] = [[] for _ in self.sizes]
        for index, (source, target) in enumerate(layers.edges):
            side = layers.lane[index]
            chain = layers.chains[index]
            far = layers.width + 1e6 - side if side >= 0 else 0.0
            out[source].append((far or layers.x[chain[0] if chain else target], index))
            into[target].append((far or layers.x[chain[-1] if chain else source], index))
        for rows, ports in ((out, self._out), (into, self._in)):
            for node, ends in enumerate(rows):
                ends.sort()
                step = min(22.0, (self.sizes[node][0] - 2 * INSET) / max(1, len(ends)))
                for place, (_, index) in enumerate(ends):
                    ports[index] = layers.x[node] + (place - (len(ends) - 1) / 2) * step

    def path(self, edge: int) -> str:
        """From the lower border of the source to the upper border of the target, past the word."""
        second = self._line(self.second[edge], 1.0)
        return second if self.first[edge] == self.second[edge] else self._line(self.first[edge], 0.0) + second

    def _line(self, index: int, short: float) -> str:
        layers = self.layers
        source, target = layers.edges[index]
        x = MARGIN + self._out[index]
        y = self.top + layers.y[source] + layers.heights[source]
        x1 = MARGIN + self._in[index]
        y1 = self.top + layers.y[target] - short
        lane = layers.lane[index]
        if lane >= 0:
            down = self.top + layers.track_out[index]
            up = self.top + layers.track_in[index]
            side = MARGIN + layers.inner + (lane + 1) * LANE
            return _rounded([(x, y), (x, down), (side, down), (side, up), (x1, up), (x1, y1)])
        path = f"M{_n(x)} {_n(y)}"
        row = layers.layer[source]
        y = self.top + layers.tops[row] + layers.row_heights[row]
        path += f"V{_n(y)}"
        for node in layers.chains[index]:
            row = layers.layer[node]
            top = self.top + layers.tops[row]
            path += _curve(x, y, MARGIN + layers.x[node], top)
            x, y = MARGIN + layers.x[node], top + layers.row_heights[row]
            path += f"V{_n(y)}"
        return path + _curve(x, y, x1, self.top + layers.tops[layers.layer[target]]) + f"V{_n(y1)}"


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
