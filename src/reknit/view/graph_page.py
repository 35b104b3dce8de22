"""What pictures of graphs have in common: the page, arrows in the style of their kind, and the legend.

    +---------------------------+
    | drawings, one a function  |
    | --> step   goes on        |   a line for each kind of edge that occurs
    +---------------------------+
"""

from typing import Final

from reknit.view.edges import STYLES
from reknit.view.layout import LINE, SIGN
from reknit.view.svg_text import number as _n
from reknit.view.svg_text import text_at

MARGIN: Final = 14.0
LEGEND_COLUMN: Final = 300.0
FONT: Final = "text{font:12px monospace;white-space:pre;fill:#202124}"
STYLE: Final = (
    FONT + ".t{fill:#b35900;font-weight:bold}.j{fill:#b3261e}.n{font-weight:bold}.m{fill:#5f6368}.h{font-weight:bold}"
    ".b{fill:#fff;stroke:#5f6368;stroke-width:1.2}.e{fill:none}.l{font-size:11px;fill:#3c4043;"
    "paint-order:stroke;stroke:#fff;stroke-width:3px}"
    ".o{paint-order:stroke;stroke:#fff;stroke-opacity:.85;stroke-width:4px}"
)


def svg_page(width: float, height: float, parts: list[str]) -> str:
    """A whole document, with an arrow head for each kind of edge."""
    size = f'width="{_n(width)}" height="{_n(height)}" viewBox="0 0 {_n(width)} {_n(height)}"'
    heads = "".join([
        f'<marker id="{look}" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="9" markerHeight="9" '
        f'markerUnits="userSpaceOnUse" orient="auto"><path d="M0 1 10 5 0 9z" fill="{style.colour}"/></marker>'
        for look, style in STYLES.items()
    ])  # fmt: skip
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size}>\n<style>{STYLE}</style>\n<defs>{heads}</defs>\n'
    return head + '<rect width="100%" height="100%" fill="#fff"/>\n' + "\n".join(parts) + "\n</svg>\n"


def line_svg(look: str, path: str) -> str:
    """A line with an arrow head, in the style of `look`."""
    style = STYLES[look]
    dash = f' stroke-dasharray="{style.dash}"' if style.dash else ""
    return (
        f'<path class="e" d="{path}" stroke="{style.colour}" stroke-width="{_n(style.width)}"{dash} '
        f'marker-end="url(#{look})"/>'
    )


def legend_svg(looks: list[str], y: float, width: float) -> tuple[list[str], float]:
    """A line for each kind of edge from `y` on, in as many columns as fit in `width`; and how high it is."""
    if not looks:
        return [], 0.0
    columns = max(1, int((width - MARGIN) // LEGEND_COLUMN))
    parts: list[str] = []
    for index, look in enumerate(looks):
        x = MARGIN + index % columns * LEGEND_COLUMN
        at = y + LINE * (index // columns) + LINE / 2
        parts.append(line_svg(look, f"M{_n(x)} {_n(at)}H{_n(x + 38)}"))
        parts.append(text_at(x + 46, at + 4, look, "n"))
        parts.append(text_at(x + 46 + (len(look) + 1) * SIGN, at + 4, STYLES[look].says, "m"))
    return parts, LINE * ((len(looks) + columns - 1) // columns) + MARGIN
