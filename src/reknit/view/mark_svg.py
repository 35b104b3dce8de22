"""Marked lines in an SVG picture, and the details of them below it.

+-------------------------------+
| (1) %r = IFoo.foo -> A, B     |     on a coloured ground, with all details as a tooltip; it leads to
+-------------------------------+
+- dispatch -----------------------------------------------------+
| [1] IFoo.foo in main (12:9): switch of 2, payload 8 bytes      |   and back
|       A: made in main (8:5) -> read from f (12:9)              |
+----------------------------------------------------------------+
"""

from typing import Final

from reknit.view.layout import LINE, PADDING, SIGN
from reknit.view.marks import Mark, Marks
from reknit.view.svg_text import escaped, text_at
from reknit.view.svg_text import number as _n

MARK_STYLE: Final = (
    ".d{fill:#5e2b97;font-weight:bold}.p{fill:#efe5fb;stroke:#b79be0}.q{fill:#faf7fe;stroke:#b79be0}"
    ".s{fill:#5e2b97;font-weight:bold}.w{fill:#3c4043}a:hover .p,a:hover .d{fill-opacity:.75}"
)
WIDEST: Final = 110  # signs of a line of details; longer ones go on below
MAX_TYPES: Final = 24  # ways of a site that are shown

Rows = list[tuple[str, str]]
"""Lines, each with its kind."""


def block_lines(
    x: float, y: float, width: float, lines: list[str], kinds: list[str], marks: dict[int, Mark]
) -> list[str]:
    """The lines of a block from (x, y) on, `width` of them."""
    out: list[str] = []
    for row, (line, kind) in enumerate(zip(lines, kinds, strict=True)):
        base = y + (row + 1) * LINE - 5
        mark = marks.get(row)
        if mark is None:
            out.append(text_at(x, base, line, kind))
            continue
        ground = f'<rect class="p" x="{_n(x - 4)}" y="{_n(base - 12)}" width="{_n(width + 8)}" height="16" rx="4"/>'
        tip = "\n".join([escaped(line) for line in mark.tip()])
        text = text_at(x, base, line, kind)
        out.append(f'<a id="mark-{mark.number}" href="#note-{mark.number}"><title>{tip}</title>{ground}{text}</a>')
    return out


def details_svg(marks: Marks, x: float, y: float) -> tuple[list[str], tuple[float, float]]:
    """A frame with the details of each mark, and how far to the right and down it goes. Nothing for none."""
    if not marks:
        return [], (0.0, 0.0)
    groups = [(mark, detail_rows(mark)) for mark in marks.values()]
    longest = max(len(line) for _, rows in groups for line, _ in rows)
    count = 1 + sum(len(rows) for _, rows in groups)
    width = longest * SIGN + 2 * PADDING
    height = count * LINE + 2 * PADDING
    frame = f'x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}"'
    out = [f"<style>{MARK_STYLE}</style>", f'<rect class="q" {frame} rx="5"/>']
    at = y + PADDING + LINE - 5
    out.append(text_at(x + PADDING, at, "where types are dispatched on", "m"))
    for mark, rows in groups:
        lines: list[str] = []
        for line, kind in rows:
            at += LINE
            bare = line.lstrip()
            lines.append(text_at(x + PADDING + (len(line) - len(bare)) * SIGN, at, bare, kind))
        out.append(f'<a id="note-{mark.number}" href="#mark-{mark.number}">{"".join(lines)}</a>')
    return out, (x + width, height + 2 * PADDING)


def detail_rows(mark: Mark) -> Rows:
    """The details of a mark, in lines that are not too long."""
    margin = " " * (len(str(mark.number)) + 3)
    rows: Rows = []
    for index, (head, lines) in enumerate(mark.details):
        first = f"[{mark.number}] " if index == 0 else margin
        rows.extend([(line, "s") for line in folded(first + head, margin + "  ")])
        for line in lines[:MAX_TYPES]:
            rows.extend([(row, "w") for row in folded(f"{margin}  {line}", margin + "      ")])
        if len(lines) > MAX_TYPES:
            rows.append((f"{margin}  and {len(lines) - MAX_TYPES} more", "m"))
    return rows


def folded(line: str, margin: str) -> list[str]:
    """A line, broken before arrows and after commas where it is too long."""
    out = [""]
    for part in line.replace(" -> ", "\n -> ").replace(", ", ", \n").split("\n"):
        if len(out[-1]) + len(part) > WIDEST and out[-1].strip():
            out.append(margin + part.lstrip())
        else:
            out[-1] += part
    return [row.rstrip() for row in out]
