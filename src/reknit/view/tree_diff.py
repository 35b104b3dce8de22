"""Control-flow trees before and after, side by side: what stayed, what changed, what came and went.

    func @main() -> void                      func @main() -> void
    ├─ switch %kind                         | ├─ scope @switch
    │  ├─ case 0: fallthrough               < │  ├─ ...
                                            > │  └─ ...

As a picture, the trees stand next to each other; as a page (`view.diff_page`), both. Functions are paired by name, or
by id where they have none.
"""

from collections.abc import Callable
from difflib import SequenceMatcher
from typing import Final

from reknit.ir.function import Function
from reknit.view.layout import Layout
from reknit.view.svg_text import number
from reknit.view.tree_svg import GAP_BETWEEN_FUNCTIONS, functions_svg

WIDEST: Final = 72  # columns of one side; longer lines are cut
SAME: Final = "   "
CHANGED: Final = " | "
GONE: Final = " < "
NEW: Final = " > "
_GAP: Final = 24.0

Row = tuple[str, str, str]
Pair = tuple[Function | None, Function | None]
Shown = Callable[[Function], str]


def pairs_of(before: list[Function], after: list[Function]) -> list[Pair]:
    """Functions of the same name, in the order of `before`; then those that only `after` has."""
    left = {name_of(function): function for function in after}
    pairs: list[Pair] = []
    for function in before:
        pairs.append((function, left.pop(name_of(function), None)))
    return [*pairs, *[(None, function) for function in left.values()]]


def name_of(function: Function) -> str:
    return function.name or f"%{function.id}"


def side_by_side(before: list[Function], after: list[Function], shown: Shown) -> str:
    """The text of each pair, line by line; `shown` gives one function's."""
    return "\n".join([_columns(rows_of(first, other, shown)) for first, other in pairs_of(before, after)])


def _lines(function: Function | None, shown: Shown) -> list[str]:
    return [] if function is None else shown(function).splitlines()


def rows_of(first: Function | None, other: Function | None, shown: Shown) -> list[Row]:
    """(line before, mark, line after): lines that both have are in one row; between those, row by row."""
    before, after = _lines(first, shown), _lines(other, shown)
    rows: list[Row] = []
    for tag, low, high, start, end in SequenceMatcher(None, before, after).get_opcodes():
        left, right = before[low:high], after[start:end]
        mark = SAME if tag == "equal" else CHANGED
        for index in range(max(len(left), len(right))):
            if index >= len(left):
                rows.append(("", NEW, right[index]))
            elif index >= len(right):
                rows.append((left[index], GONE, ""))
            else:
                rows.append((left[index], mark, right[index]))
    return rows


def _columns(rows: list[Row]) -> str:
    width = min(WIDEST, max([len(left) for left, _, _ in rows], default=0))
    lines = [f"{cut(left).ljust(width)}{mark}{cut(right)}".rstrip() for left, mark, right in rows]
    return "".join([line + "\n" for line in lines])


def cut(line: str) -> str:
    return line if len(line) <= WIDEST else line[: WIDEST - 3] + "..."


def side_by_side_svg(before: list[Function], after: list[Function]) -> str:
    """One picture: a row a pair, BEFORE on the left."""
    parts: list[str] = []
    rows = pairs_of(before, after)
    layouts = [Layout(first) for first, _ in rows if first is not None]
    middle = max([layout.width for layout in layouts], default=0.0) + _GAP
    width = middle
    y = 0.0
    for first, other in rows:
        height = 0.0
        for function, x in ((first, 0.0), (other, middle)):
            if function is None:
                continue
            layout = Layout(function)
            place = f'<svg x="{number(x)}" y="{number(y)}" '
            parts.append(functions_svg([function]).replace("<svg ", place, 1))
            width = max(width, x + layout.width)
            height = max(height, layout.height)
        y += height + GAP_BETWEEN_FUNCTIONS
    size = f'width="{number(width)}" height="{number(y)}" viewBox="0 0 {number(width)} {number(y)}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>\n' + "".join(parts) + "</svg>\n"
