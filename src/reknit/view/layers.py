"""Where the boxes of any graph go: in layers from the entry down, with long edges through gaps or at the side.

          entry             layer 0      a node's layer is the longest path to it without a back edge
         /     \\
      then     else         layer 1      within a layer, nodes stand near those that they are joined to (barycentre)
         \\     /  .                      an edge over several layers keeps a gap free in each
          after   . side                 back edges run at the right side, the shorter the closer

Sources: K. Sugiyama et al., Methods for Visual Understanding of Hierarchical System Structures, 1981; places in a layer
are the closest ones to the wished for that keep the order, by pooling neighbours that would overlap. Linear in nodes,
edges and gaps, up to sorting; edges that would need too many gaps run at the side, so there are at most GAPS of them
for each edge.
"""

from typing import Final, final

SPACE: Final = 26.0  # between neighbours of a layer, px
BETWEEN: Final = 46.0  # between layers, px
CLOSE: Final = 26.0  # between layers of which one has nothing but words and lines, px
LANE: Final = 14.0  # between lines at the side, px
TRACK: Final = 6.0  # between the stretches that lead to and from the side, px
GAPS: Final = 4
SWEEPS: Final = 6
PLACINGS: Final = 10


@final
class Layers:
    """`x`, `y` are the middle of the upper border of each node, `width`, `height` its size; unit: px.

    `chains[e]` lists the gaps that edge e passes through between its ends. `lane[e]` is the number of the line at the
    side that it runs on, or -1; edges to one node share it. `track_out[e]` and `track_in[e]` are how far down it leaves
    for there and comes back.
    """

    __slots__ = (
        "widths", "heights", "edges", "layer", "rows", "x", "y", "tops", "row_heights", "chains", "lane",
        "track_out", "track_in", "width", "height", "inner", "boxes",
    )  # fmt: skip

    def __init__(
        self,
        sizes: list[tuple[float, float]],
        edges: list[tuple[int, int]],
        goes_back: list[bool],
        order: list[int],
        boxes: int,
    ) -> None:
        """`order`: all nodes, each before those that edges which don't go back lead to. The first `boxes` nodes are
        boxes, the others words at lines."""
        self.boxes = boxes
        self.widths = [size[0] for size in sizes]
        self.heights = [size[1] for size in sizes]
        self.edges = edges
        self.layer = _longest_ways(len(sizes), edges, goes_back, order)
        self.lane = [-1] * len(edges)
        self.chains: list[list[int]] = [[] for _ in edges]
        above, below = self._thread(goes_back)
        self.rows = _rows(self.layer, order, len(sizes))
        _sort_rows(self.rows, above, below)
        self.x = self._place(above, below)
        self.row_heights = [max(self.heights[node] for node in row) for row in self.rows]
        self._assign_lanes()
        self.track_out = [0.0] * len(edges)
        self.track_in = [0.0] * len(edges)
        self.tops: list[float] = []
        self.height = 0.0
        self._place_rows()
        left = min((self.x[node] - self.widths[node] / 2 for node in range(len(self.x))), default=0.0)
        self.x = [x - left for x in self.x]
        self.y = [
            self.tops[layer] + (self.row_heights[layer] - self.heights[node]) / 2
            for node, layer in enumerate(self.layer)
        ]
        self.inner = max((self.x[node] + self.widths[node] / 2 for node in range(len(self.x))), default=0.0)
        lanes = max(self.lane, default=-1) + 1
        self.width = self.inner + (lanes + 1) * LANE if lanes else self.inner

    def _thread(self, goes_back: list[bool]) -> tuple[list[list[int]], list[list[int]]]:
        """Give each edge over several layers a node without size in every layer between; say which node is above
        which."""
        spans = [
            self.layer[target] - self.layer[source] if not goes_back[index] else 0
            for index, (source, target) in enumerate(self.edges)
        ]
        room = GAPS * len(self.edges)
        limit = 0
        for span in sorted(spans):
            room -= max(0, span - 1)
            if room < 0:
                break
            limit = max(limit, span)
        above: list[list[int]] = [[] for _ in self.layer]
        below: list[list[int]] = [[] for _ in self.layer]
        for index, (source, target) in enumerate(self.edges):
            if goes_back[index] or spans[index] > limit:
                self.lane[index] = 0
                continue
            last = source
            for layer in range(self.layer[source] + 1, self.layer[target]):
                node = len(self.layer)
                self.layer.append(layer)
                self.widths.append(0.0)
                self.heights.append(0.0)
                above.append([last])
                below.append([])
                below[last].append(node)
                self.chains[index].append(node)
                last = node
            above[target].append(last)
            below[last].append(target)
        return above, below

    def _place(self, above: list[list[int]], below: list[list[int]]) -> list[float]:
        """Horizontal middles: neighbours pull, the order within a layer stays."""
        x = [0.0] * len(self.layer)
        for row in self.rows:
            at = 0.0
            for node in row:
                x[node] = at + self.widths[node] / 2
                at += self.widths[node] + SPACE
            for node in row:
                x[node] -= (at - SPACE) / 2
        for turn in range(PLACINGS):
            down = turn % 2 == 0
            for row in self.rows if down else reversed(self.rows):
                wished: list[float] = []
                for node in row:
                    near = (above[node] if down else below[node]) or (below[node] if down else above[node])
                    if turn >= PLACINGS - 2:
                        near = above[node] + below[node]
                    wished.append(sum(x[other] for other in near) / len(near) if near else x[node])
                widths = [self.widths[node] for node in row]
                # A line is kept straight sooner than a box in the middle.
                weights = [4.0 if node >= self.boxes else 1.0 for node in row]
                for node, place in zip(row, closest_places(wished, widths, weights), strict=True):
                    x[node] = place
        return x

    def _assign_lanes(self) -> None:
        """What leads to one node shares a lane. Short ones first; each right of all that are there already between its
        layers."""
        spans: dict[int, tuple[int, int]] = {}
        for index, (source, target) in enumerate(self.edges):
            if self.lane[index] >= 0:
                ends = (self.layer[source] + 1, self.layer[target])
                low, high = spans.get(target, ends)
                spans[target] = (min(low, *ends), max(high, *ends))
        highest = _Highest(len(self.rows) + 1)
        lanes: dict[int, int] = {}
        for _, low, high, target in sorted([(high - low, low, high, target) for target, (low, high) in spans.items()]):
            lanes[target] = highest.within(low, high + 1)
            highest.raise_to(low, high + 1, lanes[target] + 1)
        for index, (_, target) in enumerate(self.edges):
            if self.lane[index] >= 0:
                self.lane[index] = lanes[target]

    def _place_rows(self) -> None:
        """The space above each layer has room for the stretches to and from the side, each on its own track; those to
        one node share theirs."""
        tracks: list[list[tuple[bool, int]]] = [[] for _ in range(len(self.rows) + 1)]
        arrived: dict[int, None] = {}
        for index, (source, target) in enumerate(self.edges):
            if self.lane[index] >= 0:
                tracks[self.layer[source] + 1].append((True, index))
                if target not in arrived:
                    arrived[target] = None
                    tracks[self.layer[target]].append((False, target))
        ins = [0.0] * len(self.widths)
        at = 0.0
        bare = [all(node >= self.boxes for node in row) for row in self.rows]
        for layer in range(len(self.rows) + 1):
            for place, (leaves, number) in enumerate(tracks[layer]):
                (self.track_out if leaves else ins)[number] = at + 10.0 + TRACK * place
            if layer == len(self.rows):
                at += TRACK * len(tracks[layer]) + (10.0 if tracks[layer] else 0.0)
                break
            if layer:
                at += CLOSE if bare[layer - 1] or bare[layer] else BETWEEN
            at += TRACK * len(tracks[layer]) + (12.0 if tracks[layer] else 0.0)
            self.tops.append(at)
            at += self.row_heights[layer]
        self.height = at
        for index, (_, target) in enumerate(self.edges):
            self.track_in[index] = ins[target]


@final
class _Highest:
    """The highest number so far in a stretch of places, starting from 0: a segment tree, logarithmic to read and to
    write."""

    __slots__ = ("size", "all", "some")

    def __init__(self, count: int) -> None:
        self.size = 1
        while self.size < count:
            self.size *= 2
        self.all = [0] * (2 * self.size)  # what was set for a node's whole stretch
        self.some = [0] * (2 * self.size)  # the highest anywhere in it

    def within(self, start: int, stop: int) -> int:
        highest = 0
        work = [(1, 0, self.size)]
        while work:
            node, low, high = work.pop()
            if stop <= low or high <= start:
                continue
            if start <= low and high <= stop:
                highest = max(highest, self.some[node])
                continue
            highest = max(highest, self.all[node])
            middle = (low + high) // 2
            work += [(2 * node, low, middle), (2 * node + 1, middle, high)]
        return highest

    def raise_to(self, start: int, stop: int, value: int) -> None:
        work = [(1, 0, self.size)]
        while work:
            node, low, high = work.pop()
            if stop <= low or high <= start:
                continue
            self.some[node] = max(self.some[node], value)
            if start <= low and high <= stop:
                self.all[node] = max(self.all[node], value)
                continue
            middle = (low + high) // 2
            work += [(2 * node, low, middle), (2 * node + 1, middle, high)]


def _longest_ways(count: int, edges: list[tuple[int, int]], goes_back: list[bool], order: list[int]) -> list[int]:
    targets: list[list[int]] = [[] for _ in range(count)]
    for index, (source, target) in enumerate(edges):
        if not goes_back[index]:
            targets[source].append(target)
    layer = [0] * count
    for node in order:
        for target in targets[node]:
            layer[target] = max(layer[target], layer[node] + 1)
    return layer


def _rows(layer: list[int], order: list[int], real: int) -> list[list[int]]:
    rows: list[list[int]] = [[] for _ in range(max(layer, default=-1) + 1)]
    for node in [*order, *range(real, len(layer))]:
        rows[layer[node]].append(node)
    return rows


def _sort_rows(rows: list[list[int]], above: list[list[int]], below: list[list[int]]) -> None:
    """Sweep down and up, sorting each layer by the middle of the neighbours' places; keep the best order seen."""
    place = [0] * len(above)
    for row in rows:
        for index, node in enumerate(row):
            place[node] = index
    best = [list(row) for row in rows]
    fewest = _bends(rows, below, place)
    for turn in range(SWEEPS):
        down = turn % 2 == 0
        for row in rows if down else reversed(rows):
            keys: dict[int, float] = {}
            for node in row:
                near = above[node] if down else below[node]
                keys[node] = sum(place[other] for other in near) / len(near) if near else float(place[node])
            row.sort(key=lambda node: (keys[node], place[node]))
            for index, node in enumerate(row):
                place[node] = index
        bends = _bends(rows, below, place)
        if bends < fewest:
            fewest = bends
            best = [list(row) for row in rows]
    for index, row in enumerate(best):
        rows[index] = row


def _bends(rows: list[list[int]], below: list[list[int]], place: list[int]) -> int:
    """How often edges between neighbouring layers cross: inversions, counted by merging halves."""
    crossings = 0
    for row in rows:
        ends: list[int] = []
        for node in row:
            ends.extend(sorted(place[other] for other in below[node]))
        crossings += _inversions(ends)
    return crossings


def _inversions(numbers: list[int]) -> int:
    count = 0
    width = 1
    while width < len(numbers):
        merged: list[int] = []
        for start in range(0, len(numbers), 2 * width):
            left = numbers[start : start + width]
            right = numbers[start + width : start + 2 * width]
            at = 0
            for number in right:
                while at < len(left) and left[at] <= number:
                    merged.append(left[at])
                    at += 1
                count += len(left) - at
                merged.append(number)
            merged.extend(left[at:])
        numbers = merged
        width *= 2
    return count


def closest_places(wished: list[float], widths: list[float], weights: list[float]) -> list[float]:
    """Middles closest to `wished` (least weighted squares) of boxes that keep their order and SPACE between them.

    By pooling adjacent violators: linear.
    """
    offsets: list[float] = []
    at = 0.0
    for index, width in enumerate(widths):
        if index > 0:
            at += (widths[index - 1] + width) / 2 + SPACE
        offsets.append(at)
    groups: list[tuple[float, float, int]] = []  # (weight, mean of what is left of the wish, how many)
    for wish, offset, weight in zip(wished, offsets, weights, strict=True):
        total, mean, count = weight, wish - offset, 1
        while groups and groups[-1][1] > mean:
            before = groups.pop()
            mean = (before[0] * before[1] + total * mean) / (before[0] + total)
            total += before[0]
            count += before[2]
        groups.append((total, mean, count))
    places: list[float] = []
    for _, mean, count in groups:
        for _ in range(count):
            places.append(mean + offsets[len(places)])
    return places
