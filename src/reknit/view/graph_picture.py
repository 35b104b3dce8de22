"""Control-flow graphs of functions as one SVG picture.

    structured     the edges over the control-flow tree: `view.flow_svg`
    flat           layers: `view.graph_svg`; also for trees with islands, and where fake edges are wanted
"""

from reknit.ir.function import Function
from reknit.view.edges import STYLES
from reknit.view.flow_svg import Flow
from reknit.view.graph_page import MARGIN, legend_svg, svg_page
from reknit.view.graph_svg import Drawing
from reknit.view.mark_svg import details_svg
from reknit.view.marks import Marks, marks_of
from reknit.view.svg_text import number


def graphs_svg(functions: list[Function], fake: bool = False, marks: Marks | None = None, beside: bool = False) -> str:
    """The graphs below each other, and the details of `marks`, unless that stands `beside` the picture. `fake`: with
    the edges that post-dominance invents from the back edges of loops."""
    drawings: list[Flow | Drawing] = []
    for function in functions:
        in_tree = function.structured and not function.blocks and not fake
        drawings.append(Flow(function, marks) if in_tree else Drawing(function, fake, marks))
    looks: dict[str, None] = {}
    parts: list[str] = []
    width = 2 * MARGIN
    y = 0.0
    for drawing in drawings:
        parts.extend([f'<g transform="translate(0 {number(y)})">', *drawing.parts(), "</g>"])
        looks.update(drawing.looks)
        width = max(width, drawing.width)
        y += drawing.height
    mark_parts, box = details_svg({} if beside else marks_of(functions, marks), MARGIN, y)
    parts.extend(mark_parts)
    width = max(width, box[0] + MARGIN)
    y += box[1]
    legend, below = legend_svg([look for look in STYLES if look in looks], y, width)
    return svg_page(width, y + below, [*parts, *legend])
