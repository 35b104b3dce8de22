"""A function whose control flow breaks a rule, as an SVG picture: what its words say, with the fault in red.

    white boxes    blocks: label, how many instructions, merge instruction, terminator
    yellow         the blocks of the construct that a finding is about
    red lines      the edges at fault; dashed thin ones are merge and continue edges

Only functions with findings are drawn; below each are its findings. Layout: `view.layers`.
"""

from typing import Final, final

from reknit.ir import op
from reknit.spirv.rules.finding import Finding
from reknit.spirv.rules.subject import Subject
from reknit.view.drawing_order import drawing_order
from reknit.view.graph_page import MARGIN, STYLE
from reknit.view.layers import LANE, Layers
from reknit.view.layout import LINE, PADDING, SIGN, cut
from reknit.view.svg_text import number as _n
from reknit.view.svg_text import text_at

MAX_BLOCKS: Final = 400  # of a larger function, those around the faults
RED: Final = "#c5221f"
GREY: Final = "#5f6368"
FAINT: Final = "#9aa0a6"
INSIDE: Final = "#fef7e0"
BETWEEN_FUNCTIONS: Final = 30.0

ENDS: Final = {
    op.Branch: "branch",
    op.BranchConditional: "if",
    op.Switch: "switch",
    op.Return: "return",
    op.ReturnValue: "return a value",
    op.Kill: "kill",
    op.Unreachable: "unreachable",
    op.TerminateInvocation: "terminate",
}


def faults_svg(case: Subject) -> str:
    """The functions of a module that have findings, below each other."""
    parts: list[str] = []
    y = MARGIN
    width = 0.0
    functions = dict.fromkeys(finding.function for finding in case.out.findings)
    for function in functions:
        findings = [finding for finding in case.out.findings if finding.function == function]
        drawing = _Drawing(case, int(function), findings)
        parts.append(f'<g transform="translate(0 {_n(y)})">')
        parts.extend(drawing.parts())
        parts.append("</g>")
        y += drawing.height + BETWEEN_FUNCTIONS
        width = max(width, drawing.width)
    if not functions:
        parts.append(text_at(MARGIN, MARGIN + LINE, "no findings", "h"))
        y, width = 2 * MARGIN + LINE, 200.0
    heads = "".join([
        f'<marker id="a{colour[1:]}" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="9" markerHeight="9" '
        f'markerUnits="userSpaceOnUse" orient="auto"><path d="M0 1 10 5 0 9z" fill="{colour}"/></marker>'
        for colour in (RED, GREY, FAINT)
    ])  # fmt: skip
    size = f'width="{_n(width)}" height="{_n(y)}" viewBox="0 0 {_n(width)} {_n(y)}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size}>\n<style>{STYLE}</style>\n<defs>{heads}</defs>\n'
    return head + '<rect width="100%" height="100%" fill="#fff"/>\n' + "\n".join(parts) + "\n</svg>\n"


@final
class _Drawing:
    """One function: its blocks as nodes, numbered as they stand."""

    __slots__ = (
        "case",
        "title",
        "findings",
        "blocks",
        "lines",
        "edges",
        "looks",
        "back",
        "layers",
        "width",
        "height",
        "top",
    )

    def __init__(self, case: Subject, function: int, findings: list[Finding]) -> None:
        self.case = case
        self.findings = findings
        self.title = "module" if function < 0 else f"function {case.out.function_name(function)}"
        self.blocks = _shown(case, function, findings)
        numbers = {block: node for node, block in enumerate(self.blocks)}
        self.lines = [self._lines(block) for block in self.blocks]
        self.edges: list[tuple[int, int]] = []
        self.looks: list[tuple[str, bool]] = []  # colour, whether it is a real edge
        bad = {edge for finding in findings for edge in finding.edges}
        flow = case.flow
        for node, block in enumerate(self.blocks):
            real: dict[int, None] = {}
            for edge in range(int(flow.starts[block]), int(flow.starts[block + 1])):
                real[int(flow.targets[edge])] = None
            edges = [(target, True) for target in real]
            edges += [(int(end), False) for end in (flow.merge[block], flow.continues[block]) if int(end) not in real]
            for target, is_real in edges:
                if target in numbers:
                    self.edges.append((node, numbers[target]))
                    colour = RED if (block, target) in bad else GREY if is_real else FAINT
                    self.looks.append((colour, is_real))
        order, self.back = drawing_order(len(self.blocks), self.edges, self.edges)
        sizes = [(max(map(len, rows)) * SIGN + 2 * PADDING, len(rows) * LINE + 2 * PADDING) for rows in self.lines]
        self.layers = Layers(sizes, self.edges, self.back, order, len(sizes))
        self.top = LINE + MARGIN
        said = [f"{finding.rule}: {finding.message}" for finding in findings]
        widest = max([len(text) * SIGN for text in [self.title, *said]], default=0.0)
        self.width = max(self.layers.width, widest) + 2 * MARGIN
        self.height = self.top + self.layers.height + MARGIN + LINE * len(said)

    def _lines(self, block: int) -> list[str]:
        """What stands in a block's box."""
        flow = self.case.flow
        out = self.case.out
        columns = self.case.columns
        row = int(flow.last[block])
        lines = [out.at(block)]
        merge = int(flow.merge_row[block])
        start = int(columns.labels[block])
        others = (merge if merge >= 0 else row) - start - 1
        if row >= 0 and others > 0:
            lines.append(f"{others} instruction{'' if others == 1 else 's'}")
        if flow.merge[block] >= 0:
            kind = "loop" if flow.continues[block] >= 0 else "selection"
            lines.append(f"{kind}: merge {out.at(flow.merge[block])}")
            if flow.continues[block] >= 0:
                lines.append(f"continue {out.at(flow.continues[block])}")
        if row >= 0:
            lines.append(ENDS.get(int(columns.op[row]), f"opcode {int(columns.op[row])}"))
        return [cut(line) for line in lines]

    def parts(self) -> list[str]:
        layers = self.layers
        out = [text_at(MARGIN, LINE, self.title, "h")]
        red_last = sorted(range(len(self.edges)), key=lambda index: self.looks[index][0] == RED)
        for index in red_last:
            colour, is_real = self.looks[index]
            width, dash = ("2.6" if colour == RED else "1.3"), ("" if is_real else ' stroke-dasharray="4 4"')
            style = f'stroke="{colour}" stroke-width="{width}"{dash} marker-end="url(#a{colour[1:]})"'
            out.append(f'<path class="e" d="{self._path(index)}" {style}/>')
        marked = {finding.block for finding in self.findings}
        inside = self._inside()
        for node, block in enumerate(self.blocks):
            width_of, height = layers.widths[node], layers.heights[node]
            x = MARGIN + layers.x[node] - width_of / 2
            y = self.top + layers.y[node]
            fill = f' style="fill:{INSIDE}"' if block in inside else ""
            if block in marked:
                fill = f' style="fill:{INSIDE if block in inside else "#fff"};stroke:{RED};stroke-width:2.4"'
            place = f'x="{_n(x)}" y="{_n(y)}" width="{_n(width_of)}" height="{_n(height)}"'
            out.append(f'<rect class="b" {place} rx="3"{fill}/>')
            for place_of, line in enumerate(self.lines[node]):
                kind = "n" if place_of == 0 else "m"
                out.append(text_at(x + PADDING, y + PADDING + (place_of + 1) * LINE - 5, line, kind))
        y = self.top + layers.height + MARGIN
        for finding in self.findings:
            y += LINE
            out.append(text_at(MARGIN, y - 5, f"{finding.rule}: {finding.message}", "j"))
        return out

    def _inside(self) -> set[int]:
        """The blocks of the constructs that findings are about: what the header dominates and the merge does not."""
        tree = self.case.graph().structural
        flow = self.case.flow
        headers = dict.fromkeys(finding.header for finding in self.findings if finding.header >= 0)
        held: set[int] = set()
        for header in headers:
            merge = int(flow.merge[header])
            for block in self.blocks:
                if tree.over(header, block) and (merge < 0 or merge == header or not tree.over(merge, block)):
                    held.add(block)
        return held

    def _path(self, index: int) -> str:
        """From the lower border of the source to the upper border of the target, or along the side."""
        layers = self.layers
        source, target = self.edges[index]
        x0, y0 = MARGIN + layers.x[source], self.top + layers.y[source] + layers.heights[source]
        x1, y1 = MARGIN + layers.x[target], self.top + layers.y[target] - 1
        lane = layers.lane[index]
        if lane >= 0:
            side = MARGIN + layers.inner + (lane + 1) * LANE
            down, up = self.top + layers.track_out[index], self.top + layers.track_in[index]
            return f"M{_n(x0 + 6)} {_n(y0)}V{_n(down)}H{_n(side)}V{_n(up)}H{_n(x1 + 6)}V{_n(y1)}"
        path = f"M{_n(x0)} {_n(y0)}"
        for node in layers.chains[index]:
            row = layers.layer[node]
            x, y = MARGIN + layers.x[node], self.top + layers.tops[row]
            path += f"L{_n(x)} {_n(y)}V{_n(y + layers.row_heights[row])}"
        return f"{path}L{_n(x1)} {_n(y1)}"


def _shown(case: Subject, function: int, findings: list[Finding]) -> list[int]:
    """The blocks to draw: all of the function, or of a large one those that findings name and their neighbours."""
    if function < 0:
        return []
    flow = case.flow
    first, end = int(flow.first[function]), int(flow.first[function + 1])
    if end - first <= MAX_BLOCKS:
        return list(range(first, end))
    wanted: dict[int, None] = {}
    for finding in findings:
        for block in (finding.block, finding.header, *[block for edge in finding.edges for block in edge]):
            if block >= 0 and len(wanted) < MAX_BLOCKS:
                wanted[block] = None
                for edge in range(int(flow.outs[block]), int(flow.outs[block + 1])):
                    wanted[int(flow.ends[edge])] = None
    return sorted(wanted)
