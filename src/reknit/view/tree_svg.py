"""A function's control-flow tree as an SVG picture.

    blocks        white boxes; tangled instructions in orange, jumps in red
    constructs    coloured frames; a dashed one has no merge, so no lane waits at its end

The picture needs no outside program and no font beyond a monospaced one.
"""

from typing import Final

from reknit.ir.function import Function
from reknit.ir.tree import Construct, If, Loop, Switch
from reknit.view.layout import LINE, PADDING, Box, Layout
from reknit.view.mark_svg import block_lines, details_svg
from reknit.view.marks import Marks, marks_of
from reknit.view.svg_text import number as _n
from reknit.view.svg_text import text_at

GAP_BETWEEN_FUNCTIONS: Final = 16.0

COLOURS: Final = {"if": "#e8f0fe", "loop": "#e6f4ea", "switch": "#fef7e0", "scope": "#f3e8fd"}
EDGES: Final = {"if": "#4a74c9", "loop": "#3c8f57", "switch": "#b08900", "scope": "#8a4fc0"}

_STYLE: Final = (
    "text{font:12px monospace;white-space:pre;fill:#202124}"
    ".t{fill:#b35900;font-weight:bold}.j{fill:#b3261e}.n{font-weight:bold}.m{fill:#5f6368}.h{font-weight:bold}"
    ".b{fill:#fff;stroke:#9aa0a6}.r{fill:#fff;fill-opacity:.55;stroke:none}"
)


def functions_svg(functions: list[Function], marks: Marks | None = None, beside: bool = False) -> str:
    """The trees below each other, and below them the details of `marks`, unless that stands `beside` the picture."""
    parts: list[str] = []
    width = 0.0
    y = 0.0
    for function in functions:
        layout = Layout(function, marks)
        parts.append(f'<g transform="translate(0 {_n(y)})">\n{_body(layout)}</g>')
        width = max(width, layout.width)
        y += layout.height + GAP_BETWEEN_FUNCTIONS
    below, box = details_svg({} if beside else marks_of(functions, marks), PADDING, y)
    parts.extend(below)
    width = max(width, box[0] + PADDING)
    y += box[1]
    size = f'width="{_n(width)}" height="{_n(y)}" viewBox="0 0 {_n(width)} {_n(y)}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size}>\n<style>{_STYLE}</style>\n'
    return head + '<rect width="100%" height="100%" fill="#fff"/>\n' + "\n".join(parts) + "\n</svg>\n"


def _body(layout: Layout) -> str:
    out = [text_at(PADDING, PADDING + LINE - 5, layout.words.title(), "h")]
    # Constructs were measured from the inside out; what is outside is drawn first.
    for construct in reversed(list(layout.constructs)):
        out.append(_frame(construct, layout.constructs[construct]))
        for region in construct.regions():
            inner = layout.regions.get(region)
            if inner is not None and inner.title:
                out.append(_rectangle(inner, "r"))
                out.append(text_at(inner.x + PADDING, inner.y + LINE - 2, inner.title, "n"))
    for block, box in layout.blocks.items():
        said = layout.said[block]
        out.append(_rectangle(box, "b"))
        width = box.width - 2 * PADDING
        out.extend(block_lines(box.x + PADDING, box.y + PADDING, width, box.lines, said.kinds(), said.by_line()))
    return "\n".join(out) + "\n"


def _frame(construct: Construct, box: Box) -> str:
    kind = kind_of(construct)
    dash = "" if construct.merged else ' stroke-dasharray="5 4"'
    style = f'fill="{COLOURS[kind]}" stroke="{EDGES[kind]}"{dash}'
    title = text_at(box.x + PADDING, box.y + PADDING + LINE - 6, box.title, "h")
    return f'<rect {_place(box)} rx="4" {style}/>\n{title}'


def kind_of(construct: Construct) -> str:
    """The key of its colours."""
    if isinstance(construct, Switch):
        return "switch"
    return "if" if isinstance(construct, If) else "loop" if isinstance(construct, Loop) else "scope"


def _rectangle(box: Box, kind: str) -> str:
    return f'<rect class="{kind}" {_place(box)} rx="3"/>'


def _place(box: Box) -> str:
    return f'x="{_n(box.x)}" y="{_n(box.y)}" width="{_n(box.width)}" height="{_n(box.height)}"'
