"""Control-flow trees, or graphs, before and after as a page for a browser.

    @main          2 changed, 1 gone           3 functions: 1 differs
    +------------------+------------------+
    | switch %kind     | scope @switch    |    changed lines are yellow, gone ones red, new ones green
    |   case 0:        |                  |
    +------------------+------------------+
    > the trees as pictures

One file without scripts and without anything from elsewhere. A function without a difference is folded.
"""

from typing import Final

from reknit.ir.function import Function
from reknit.view.page import BODY, PAGE_END, page_head
from reknit.view.svg_text import escaped
from reknit.view.tree_diff import CHANGED, GONE, NEW, SAME, Row, Shown, name_of, pairs_of, rows_of, side_by_side_svg

Side = tuple[str, list[Function]]

_WORDS: Final = {CHANGED: "changed", GONE: "gone", NEW: "new"}
_STYLE: Final = (
    BODY + "main{padding:12px 16px}h1{font-size:16px;margin:0 0 8px}.counts{color:#5f6368;font-weight:normal}"
    "details{border:1px solid #dadce0;border-radius:6px;margin:0 0 12px;overflow:auto}"
    "summary{font:bold 13px/1.4 ui-monospace,monospace;padding:8px 12px;background:#fafafa;cursor:pointer}"
    "table{border-collapse:collapse;width:100%;table-layout:fixed}"
    "th{font-weight:normal;text-align:left;color:#5f6368;padding:4px 12px;border-top:1px solid #dadce0}"
    "td{font:12px/1.5 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere;vertical-align:top;"
    "padding:0 12px}td+td,th+th{border-left:1px solid #dadce0}"
    ".changed td{background:#fff8e1}.gone td:first-child{background:#fce8e6}.new td:last-child{background:#e6f4ea}"
    "figure{margin:0;padding:12px;overflow:auto;border-top:1px solid #dadce0}"
)


def diff_page(before: Side, after: Side, shown: Shown, pictures: bool) -> str:
    """`shown` gives the text of a function; with `pictures`, each pair's trees stand below their text."""
    pairs = pairs_of(before[1], after[1])
    parts: list[str] = []
    differing = 0
    for old, other in pairs:
        rows = rows_of(old, other, shown)
        differs = any(mark != SAME for _, mark, _ in rows)
        differing += differs
        function = old if old is not None else other
        assert function is not None
        name = f"@{function.name}" if function.name else name_of(function)
        folded = ' open=""' if differs else ""
        parts.append(f'<details{folded}><summary>{escaped(name)} <span class="counts">{_counts(rows)}</span></summary>')
        parts.extend(_table(rows, before[0], after[0]))
        if pictures:
            drawn = side_by_side_svg([old] if old is not None else [], [other] if other is not None else [])
            parts.append(f"<figure>{drawn}</figure>")
        parts.append("</details>")
    count = f"{len(pairs)} function{'' if len(pairs) == 1 else 's'}: "
    counts = count + (f"{differing} differ{'s' if differing == 1 else ''}" if differing else "no difference")
    title = f"{before[0]} and {after[0]}"
    heading = f'<h1>{escaped(title)} <span class="counts">{counts}</span></h1>'
    return "\n".join([page_head(title, _STYLE), heading, *parts, PAGE_END])


def _counts(rows: list[Row]) -> str:
    """`2 changed, 1 new`."""
    marks = [mark for _, mark, _ in rows]
    counts = [(marks.count(mark), word) for mark, word in _WORDS.items()]
    return ", ".join([f"{count} {word}" for count, word in counts if count]) or "the same"


def _table(rows: list[Row], before: str, after: str) -> list[str]:
    lines = [f"<table><tr><th>{escaped(before)}</th><th>{escaped(after)}</th></tr>"]
    for left, mark, right in rows:
        look = f' class="{_WORDS[mark]}"' if mark in _WORDS else ""
        lines.append(f"<tr{look}><td>{escaped(left)}</td><td>{escaped(right)}</td></tr>")
    return [*lines, "</table>"]
