"""A structured function's graph drawn over its control-flow tree: constructs as frames, every edge in its place.

      before                    down         to the block or construct that follows, from arms to what comes after
    +-if %c --------+           right side   a break or continue passes what follows at the right of each region
    | then    else  | :         left side    the back edge of a loop, from the end of continuing to the start of body
    | break @l  x   | :
    +---:-----------+ :         Jumps to the same place share a line. Sizes from the inside out, places from the
        :.............:         outside in, as in `view.layout`; costs the tree, and for each region the different
      after           :         places that jumps in it leave for.
"""

from typing import Final, final

from reknit.ir.block import Block
from reknit.ir.function import Function
from reknit.ir.jump import Break, Continue, Exit, Fallthrough
from reknit.ir.tree import Case, Construct, Loop, Region
from reknit.ir.value import Node, Value
from reknit.ir.walk import nodes
from reknit.view.edges import BACK, BREAK, CONTINUE, FALLTHROUGH, MERGE, STEP
from reknit.view.graph_page import LEGEND_COLUMN, MARGIN, line_svg
from reknit.view.layout import LINE, PADDING, SIGN, cut
from reknit.view.mark_svg import block_lines
from reknit.view.marks import Marks
from reknit.view.svg_text import number as _n
from reknit.view.svg_text import text_at
from reknit.view.tree_svg import COLOURS, EDGES, kind_of
from reknit.view.words import Words

DOWN: Final = 30.0  # between the nodes of a region, px
BESIDE: Final = 18.0  # between the regions of an if or switch
LANE: Final = 12.0
ROW: Final = 8.0
HEAD: Final = 26.0  # from the upper border of a construct to its regions
LEFT: Final = 22.0  # of a loop, for its back edge

# A place that a jump goes to: (what it leaves or continues, the kind).
Goal = tuple[Value, str]


@final
class _Place:
    """Of a node or region: its upper left corner and size, the horizontal middle of what is in it, and the goals of the
    jumps that leave it, each with its number."""

    __slots__ = ("x", "y", "width", "height", "middle", "goals")

    def __init__(self, width: float, height: float) -> None:
        self.x = 0.0
        self.y = 0.0
        self.width = width
        self.height = height
        self.middle = width / 2  # from the left border until it is placed
        self.goals: dict[Goal, int] = {}

    def bottom(self) -> float:
        return self.y + self.height

    def add_goals(self, goals: dict[Goal, int]) -> None:
        for goal in goals:
            self.goals.setdefault(goal, len(self.goals))


@final
class Flow:
    """`out` are the lines of SVG, `looks` the kinds of edge that occur."""

    __slots__ = ("words", "lines", "titles", "places", "regions", "out", "looks", "width", "height")

    def __init__(self, function: Function, marks: Marks | None = None) -> None:
        self.words = Words(function, marks)
        self.lines: dict[Block, list[str]] = {}
        self.places: dict[Node, _Place] = {}
        self.regions: dict[Region, _Place] = {}
        self.out: list[str] = []
        self.looks: dict[str, None] = {}
        order = nodes(function)
        self.titles: dict[Region, str] = {}
        for node in order:
            if isinstance(node, Construct):
                for region, title in zip(node.regions(), self.words.region_heads(node), strict=True):
                    self.titles[region] = cut(title.rstrip(":"))
        for node in reversed(order):
            self._measure(node)
        body = self._measure_region(function.body, False)
        body.x, body.y = MARGIN, MARGIN + LINE + PADDING
        self._place_region(function.body)
        for node in order:
            if isinstance(node, Construct):
                self._place_construct(node)
        title = self.words.title()
        self.width = max(body.width, len(title) * SIGN, LEGEND_COLUMN) + 2 * MARGIN
        self.height = body.bottom() + 2 * MARGIN
        self.out.append(text_at(MARGIN, MARGIN + LINE - 5, title, "h"))
        self._draw(order)

    def parts(self) -> list[str]:
        return self.out

    # --- sizes ----------------------------------------------------------------------------------------------------

    def _measure(self, node: Node) -> None:
        if isinstance(node, Block):
            lines = [cut(line) for line in self._lines(node)]
            self.lines[node] = lines
            small = lines == ["(empty)"]
            width = max(map(len, lines)) * SIGN + 2 * PADDING
            place = _Place(width, len(lines) * LINE + (PADDING if small else 2 * PADDING))
            goal = _goal(node)
            if goal is not None:
                place.goals[goal] = 0
            self.places[node] = place
            return
        assert isinstance(node, Construct)
        inner = [self._measure_region(region, True) for region in node.regions()]
        if isinstance(node, Loop):
            width = LEFT + max(part.width for part in inner) + 2 * PADDING
            height = sum(part.height for part in inner) + DOWN
        else:
            width = sum(part.width for part in inner) + BESIDE * (len(inner) - 1) + 2 * PADDING
            height = max(part.height for part in inner)
        width = max(width, len(self._head(node)) * SIGN + 2 * PADDING)
        place = _Place(width, 0.0)
        if isinstance(node, Loop):
            place.middle = LEFT + PADDING + max(part.middle for part in inner)
        for region, part in zip(node.regions(), inner, strict=True):
            leaving = [goal for goal in part.goals if not _arrives(goal, region) and goal[0] is not node]
            place.add_goals(dict.fromkeys(leaving, 0))
        place.height = HEAD + height + 2 * PADDING + ROW * (len(place.goals) + 1)
        self.places[node] = place

    def _measure_region(self, region: Region, framed: bool) -> _Place:
        inner = [self.places[node] for node in region]
        inset = PADDING if framed else 0.0
        place = _Place(0.0, sum(part.height for part in inner) + DOWN * (len(inner) - 1) + 2 * inset)
        left = max(part.middle for part in inner)
        right = max(part.width - part.middle for part in inner)
        for part in inner:
            place.add_goals(part.goals)
        place.middle = inset + left
        place.width = left + right + 2 * inset + LANE * len(place.goals)
        title = self.titles.get(region, "")
        if title:
            place.width = max(place.width, len(title) * SIGN + 2 * PADDING)
            place.height += LINE
        self.regions[region] = place
        return place

    def _lines(self, block: Block) -> list[str]:
        said = self.words.of_block(block)
        return [line for line in [said.name, *said.tangled, said.rest(), said.jump] if line] or ["(empty)"]

    def _head(self, construct: Construct) -> str:
        return cut(self.words.head(construct))

    # --- places ---------------------------------------------------------------------------------------------------

    def _place_region(self, region: Region) -> None:
        place = self.regions[region]
        place.middle += place.x
        y = place.y + (LINE if self.titles.get(region, "") else 0.0)
        y += PADDING if isinstance(region.owner, (Construct, Case)) else 0.0
        for node in region:
            part = self.places[node]
            part.x = place.middle - part.middle
            part.middle = place.middle
            part.y = y
            y += part.height + DOWN

    def _place_construct(self, construct: Construct) -> None:
        place = self.places[construct]
        x = place.x + PADDING
        y = place.y + HEAD
        for region in construct.regions():
            inner = self.regions[region]
            if isinstance(construct, Loop):
                inner.x = place.middle - inner.middle
                inner.y = y
                y += inner.height + DOWN
            else:
                inner.x, inner.y = x, y
                x += inner.width + BESIDE
            self._place_region(region)

    # --- drawing --------------------------------------------------------------------------------------------------

    def _draw(self, order: list[Node]) -> None:
        for node in order:
            if isinstance(node, Construct):
                self._draw_frame(node)
        for node in order:
            if isinstance(node, Block):
                self._draw_edges(node)
            elif isinstance(node, Construct):
                self._draw_jumps(node)
        for node in order:
            if isinstance(node, Block):
                self._draw_block(node)
            elif isinstance(node, Construct):
                self._draw_titles(node)

    def _draw_frame(self, construct: Construct) -> None:
        place = self.places[construct]
        kind = kind_of(construct)
        dash = "" if construct.merged else ' stroke-dasharray="5 4"'
        style = f'fill="{COLOURS[kind]}" stroke="{EDGES[kind]}"{dash}'
        self.out.append(f'<rect {_at(place)} rx="5" {style}/>')
        for region in construct.regions():
            self.out.append(f'<rect {_at(self.regions[region])} rx="4" fill="#fff" fill-opacity=".6"/>')

    def _draw_titles(self, construct: Construct) -> None:
        place = self.places[construct]
        self.out.append(text_at(place.x + PADDING, place.y + LINE, self._head(construct), "h o"))
        for region in construct.regions():
            title = self.titles.get(region, "")
            if title:
                inner = self.regions[region]
                self.out.append(text_at(inner.x + 5, inner.y + LINE - 3, title, "l"))

    def _draw_block(self, block: Block) -> None:
        place = self.places[block]
        lines = self.lines[block]
        said = self.words.of_block(block)
        empty = lines == ["(empty)"]
        self.out.append(f'<rect class="b" {_at(place)} rx="{12 if empty else 3}"/>')
        inset = PADDING / 2 if empty else PADDING
        kinds = said.kinds() or ["m"]
        width = place.width - 2 * PADDING
        self.out.extend(block_lines(place.x + PADDING, place.y + inset, width, lines, kinds, said.by_line()))

    def _line(self, look: str, path: str, arrow: bool = True) -> None:
        self.looks[look] = None
        drawn = line_svg(look, path)
        self.out.append(drawn if arrow else drawn.replace(f' marker-end="url(#{look})"', ""))

    def _draw_edges(self, block: Block) -> None:
        """What goes on from `block` without a jump."""
        if block.jump is not None:
            return
        place = self.places[block]
        x, y = place.middle, place.bottom()
        following = block.next
        if isinstance(following, Block):
            self._line(STEP, f"M{_n(x)} {_n(y)}V{_n(self.places[following].y - 1)}")
        elif isinstance(following, Construct):
            regions = following.regions()[:1] if isinstance(following, Loop) else following.regions()
            for region in regions:
                entry = self.places[region.entry()]
                top = self.regions[region].y - 2
                self._line(STEP, f"M{_n(x)} {_n(y)}" + _bend(x, y, entry.middle, top) + f"V{_n(entry.y - 1)}")
        elif block.region is not None:
            self._draw_end(block.region, x, y)

    def _draw_end(self, region: Region, x: float, y: float) -> None:
        """From the end of a region to what comes then."""
        owner = region.owner
        if isinstance(owner, Loop) and region is owner.body:
            self._line(STEP, f"M{_n(x)} {_n(y)}V{_n(self.places[owner.continuing.entry()].y - 1)}")
        elif isinstance(owner, Loop):
            side = self.places[owner].x + LEFT / 2
            entry = self.places[owner.body.entry()]
            top = self.regions[owner.body].y - 3
            path = f"M{_n(x)} {_n(y)}V{_n(y + 12)}H{_n(side)}V{_n(top)}H{_n(entry.middle - 14)}V{_n(entry.y - 1)}"
            self._line(BACK, path)
        else:
            construct = region.construct()
            if construct is not None:
                place = self.places[construct]
                after = self.places[construct.after()]
                path = f"M{_n(x)} {_n(y)}V{_n(place.bottom() - 4)}"
                self._line(MERGE, path + _bend(x, place.bottom() - 4, after.middle, after.y - 1))

    def _draw_jumps(self, construct: Construct) -> None:
        """The jumps that leave the regions of `construct`, as far as the region that it stands in."""
        place = self.places[construct]
        home = construct.region
        assert home is not None
        outer = self.regions[home]
        for region in construct.regions():
            inner = self.regions[region]
            self._draw_lanes(region)
            for goal in inner.goals:
                ends = self._ends(region, goal)
                for x, y in ends:
                    start = f"M{_n(x)} {_n(y)}"
                    if _arrives(goal, region):
                        self._draw_arrival(goal, region, x, y)
                    elif goal[0] is construct:
                        after = self.places[construct.after()]
                        row = place.bottom() - ROW
                        target = after.middle + (10 if x > after.middle + 1 else -10 if x < after.middle - 1 else 0)
                        self._line(BREAK, f"{start}V{_n(row)}H{_n(target)}V{_n(after.y - 1)}")
                    else:
                        row = place.bottom() - ROW * (2 + place.goals[goal])
                        lane = outer.x + outer.width - LANE * (outer.goals[goal] + 0.5)
                        self._line(goal[1], f"{start}V{_n(row)}H{_n(lane)}", False)

    def _draw_arrival(self, goal: Goal, region: Region, x: float, y: float) -> None:
        """A continue at the end of its loop's body, or a fallthrough at the end of its case."""
        owner = goal[0]
        if isinstance(owner, Loop):
            entry = self.places[owner.continuing.entry()]
            aside = 10 if x > entry.middle + 1 else -10 if x < entry.middle - 1 else 0
            row = self.regions[region].bottom() + DOWN / 2
            self._line(CONTINUE, f"M{_n(x)} {_n(y)}V{_n(row)}H{_n(entry.middle + aside)}V{_n(entry.y - 1)}")
            return
        assert isinstance(owner, Case)
        target = self.regions[owner.region]
        entry = self.places[owner.region.entry()]
        row = self.places[owner.switch].bottom() - ROW
        side = target.x - BESIDE / 2
        end = f"V{_n(target.y - 4)}H{_n(entry.middle - 14)}V{_n(entry.y - 1)}"
        self._line(FALLTHROUGH, f"M{_n(x)} {_n(y)}V{_n(row)}H{_n(side)}{end}")

    def _draw_lanes(self, region: Region) -> None:
        """Down the right side of `region`, from where the first jump for each goal comes in."""
        place = self.regions[region]
        known: dict[Goal, None] = {}
        for node in region:
            part = self.places[node]
            for goal in part.goals:
                if goal in known or isinstance(node, Block) and node.next is None:
                    continue
                known[goal] = None
                lane = place.x + place.width - LANE * (place.goals[goal] + 0.5)
                if isinstance(node, Construct):
                    row = part.bottom() - ROW * (2 + part.goals[goal])
                    self._line(goal[1], f"M{_n(lane)} {_n(row)}V{_n(place.bottom())}", False)
                else:
                    start = f"M{_n(part.middle)} {_n(part.bottom())}V{_n(part.bottom() + ROW)}"
                    self._line(goal[1], f"{start}H{_n(lane)}V{_n(place.bottom())}", False)

    def _ends(self, region: Region, goal: Goal) -> list[tuple[float, float]]:
        """Where jumps for `goal` come to the end of `region`: from its last block, and on the line at its side."""
        place = self.regions[region]
        ends: list[tuple[float, float]] = []
        last = region.end()
        if goal in self.places[last].goals:
            ends.append((self.places[last].middle, self.places[last].bottom()))
        if any(goal in self.places[node].goals and node is not last for node in region):
            ends.append((place.x + place.width - LANE * (place.goals[goal] + 0.5), place.bottom()))
        return ends


def _goal(block: Block) -> Goal | None:
    jump = block.jump
    if isinstance(jump, Break):
        return (jump.target, BREAK)
    if isinstance(jump, Continue):
        return (jump.target, CONTINUE)
    if isinstance(jump, Fallthrough):
        return (jump.target, FALLTHROUGH)
    assert jump is None or isinstance(jump, Exit)
    return None


def _arrives(goal: Goal, region: Region) -> bool:
    """Whether a jump for `goal` has only the end of `region` before it."""
    if goal[1] == CONTINUE:
        return goal[0] is region.owner
    if goal[1] == FALLTHROUGH:
        owner = region.owner
        return isinstance(owner, Case) and isinstance(goal[0], Case) and goal[0].switch is owner.switch
    return False


def _bend(x0: float, y0: float, x1: float, y1: float) -> str:
    if abs(x0 - x1) < 0.1:
        return f"V{_n(y1)}"
    half = (y1 - y0) / 2
    return f"C{_n(x0)} {_n(y0 + half)} {_n(x1)} {_n(y1 - half)} {_n(x1)} {_n(y1)}"


def _at(place: _Place) -> str:
    return f'x="{_n(place.x)}" y="{_n(place.y)}" width="{_n(place.width)}" height="{_n(place.height)}"'
