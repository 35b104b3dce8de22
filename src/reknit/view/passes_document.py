"""A pipeline as one document for the viewer: each function's text and graph after each pass, and what differs.

    explored = Explored(); run_passes(module, "reconverge", Hooks(dump=explored)); explored.document(...)

Names that the text makes up (%_7, b3) are given once, to the value or block, and stay: a pass that puts something
before them renumbers nothing. docs/viewer.md has the document.
"""

import re
from collections.abc import Callable, Sequence
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Final, final

from reknit.ir.function import Function
from reknit.ir.module import Module
from reknit.ir.text.line import Writer
from reknit.ir.text.tree import write_function
from reknit.ir.value import Value
from reknit.view.graph_svg import Drawing
from reknit.view.program_document import graph_of, tree_rows
from reknit.view.words import Words

if TYPE_CHECKING:
    from reknit.passes.manager import Report
    from reknit.proof.verdict import Verdict

FORMAT: Final = "reknit-passes"
VERSION: Final = 1
MAX_BLOCKS: Final = 2000  # of a function whose graph is drawn

_MADE_UP: Final = re.compile(r'"(?:\\.|[^"\\])*"|%_\d+\b|\bb\d+\b')
"""Strings, which stay, and names that the text makes up."""


@final
class Explored:
    """A watcher of passes: called with the input and after each pass."""

    __slots__ = ("steps", "texts", "graphs", "trees", "_numbers", "_names", "_counts")

    def __init__(self) -> None:
        self.steps: list[tuple[str, dict[Function, int]]] = []
        self.texts: list[list[str]] = []
        self.graphs: list[dict[str, object] | None] = []
        self.trees: list[list[list[object]]] = []
        self._numbers: dict[tuple[Function, tuple[str, ...]], int] = {}
        self._names: dict[Value, str] = {}
        self._counts = {"%_": 0, "b": 0}

    def __call__(self, number: int, name: str, module: Module) -> None:
        defined = [function for function in module.functions if not function.is_declaration()]
        self.steps.append((name, {function: self.text_of(function) for function in defined}))

    def text_of(self, function: Function) -> int:
        """The number of a function's text as it is now; the same text of a function is kept once."""
        writer = Writer(None)
        write_function(writer, function)
        made_up = {text: value for value, text in writer.names.texts.items() if _MADE_UP.fullmatch(text)}

        def lasting(match: re.Match[str]) -> str:
            value = made_up.get(match[0])
            return match[0] if value is None else self.name_of(value, match[0])

        lines = [_MADE_UP.sub(lasting, line) for line in writer.lines]
        key = (function, tuple(lines))
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.texts)
            self.texts.append(lines)
            self.graphs.append(self.graph_of(function, lasting))
            rows = tree_rows(function, Words(function), {})
            self.trees.append([[depth, _MADE_UP.sub(lasting, str(text))] for depth, text, _ in rows])
        return number

    def graph_of(self, function: Function, lasting: Callable[[re.Match[str]], str]) -> dict[str, object] | None:
        drawing = Drawing(function, False)
        if len(drawing.lines) > MAX_BLOCKS:
            return None
        drawing.lines = [[_MADE_UP.sub(lasting, line) for line in lines] for lines in drawing.lines]
        return graph_of(drawing, {})

    def name_of(self, value: Value, text: str) -> str:
        name = self._names.get(value)
        if name is None:
            sign = text.rstrip("0123456789")
            self._counts[sign] += 1
            name = self._names[value] = f"{sign}{self._counts[sign]}"
        return name

    def document(
        self, title: str, passes: str, summaries: dict[str, str], report: "Report | None",
        proofs: "Sequence[tuple[int, str, Verdict]]",
    ) -> dict[str, object]:  # fmt: skip
        """`summaries` says what each pass does; `report` is None where the pipeline did not come to its end."""
        verdicts = {number: verdict.verdict for number, _, verdict in proofs}
        numbers: dict[Function, int] = {}
        steps: list[dict[str, object]] = []
        changes: dict[str, list[list[object]]] = {}
        last: dict[Function, int] = {}
        for number, (name, texts) in enumerate(self.steps):
            step: dict[str, object] = {
                "number": number,
                "name": name,
                "does": summaries.get(name, ""),
                "functions": [[numbers.setdefault(function, len(numbers)), text] for function, text in texts.items()],
            }
            if report is not None and 0 < number <= len(report.passes):
                step["notes"] = [f"{note.place or ''}: {note.message}" for note in report.passes[number - 1].notes]
            if number in verdicts:
                step["proof"] = verdicts[number]
            steps.append(step)
            for function, text in texts.items():
                before = last.get(function, text)
                if before != text:
                    changes[f"{before}-{text}"] = differences(self.texts[before], self.texts[text])
            last = texts
        return {
            "format": FORMAT,
            "version": VERSION,
            "title": title,
            "passes": passes,
            "functions": [function.name or f"%{function.id}" for function in numbers],
            "steps": steps,
            "texts": [
                {"lines": lines, "tree": tree, "graph": graph}
                for lines, tree, graph in zip(self.texts, self.trees, self.graphs, strict=True)
            ],
            "changes": changes,
        }


def differences(before: list[str], after: list[str]) -> list[list[object]]:
    """[what, low, high, start, end]: lines low to high became start to end; what is same, changed, gone or new."""
    words = {"equal": "same", "replace": "changed", "delete": "gone", "insert": "new"}
    first = 0
    while first < min(len(before), len(after)) and before[first] == after[first]:
        first += 1
    last = 0
    while last < min(len(before), len(after)) - first and before[-1 - last] == after[-1 - last]:
        last += 1
    rows: list[list[object]] = [["same", 0, first, 0, first]] if first else []
    middle = SequenceMatcher(None, before[first : len(before) - last], after[first : len(after) - last], False)
    for tag, low, high, start, end in middle.get_opcodes():
        rows.append([words[tag], low + first, high + first, start + first, end + first])
    if last:
        rows.append(["same", len(before) - last, len(before), len(after) - last, len(after)])
    return rows
