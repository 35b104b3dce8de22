"""What a rule found, and where findings are collected.

    rule ──▶ Findings.add(...) ──▶ Finding: rule, message, function, block, row ──▶ Diagnostic with a word offset

Rules run in stages. A function in which a stage found an error is `broken`: later stages, which rely on what earlier
ones checked, leave it alone, so that one fault is reported once.
"""

from collections.abc import Callable
from typing import Final, final

from reknit.ir import op
from reknit.source.columns import i64
from reknit.spirv.words import Columns, word_at

TextNames = Callable[[Columns], dict[int, str]]
"""Gives the names of ids in the text that a module was assembled from."""

NONE: Final = -1
MAX_FINDINGS: Final = 50  # findings of a module


@final
class Finding:
    """One fault. `rule` is its id ("B14"); `row` the instruction it is at; `block` and `function` numbers, or NONE.

    `edges` are the edges at fault as pairs of blocks, `header` the header of the construct that it is about; `also`
    names rules that the same fault breaks. `notes` are texts with the row that they point to.
    """

    __slots__ = ("rule", "message", "function", "block", "row", "edges", "header", "also", "notes")

    def __init__(self, rule: str, message: str, function: int, block: int, row: int) -> None:
        self.rule = rule
        self.message = message
        self.function = function
        self.block = block
        self.row = row
        self.edges: list[tuple[int, int]] = []
        self.header = NONE
        self.also: list[str] = []
        self.notes: list[tuple[str, int]] = []


@final
class Findings:
    """The findings of one module in the order of their rules, and the names that messages use."""

    __slots__ = ("columns", "findings", "broken", "newly", "names", "named", "in_text")

    def __init__(self, columns: Columns, in_text: TextNames | None = None) -> None:
        self.columns = columns
        self.findings: list[Finding] = []
        self.broken: list[bool] = [False] * len(columns.functions)
        self.newly: list[int] = []  # functions that this stage found an error in
        self.names: dict[int, str] = {}
        self.named = False
        self.in_text = in_text

    def add(self, rule: str, message: str, row: int, block: int = NONE, breaks: bool = True) -> Finding:
        """Note a fault at an instruction. `breaks`: later stages can't judge the function any more."""
        function = int(self.columns.function[row]) if row >= 0 else NONE
        finding = Finding(rule, message, function, block, row)
        if len(self.findings) < MAX_FINDINGS:
            self.findings.append(finding)
        if breaks and function >= 0:
            self.newly.append(function)
        return finding

    def full(self) -> bool:
        """Whether nothing more is noted."""
        return len(self.findings) >= MAX_FINDINGS

    def close_stage(self) -> None:
        """What this stage found errors in is left alone from here on."""
        for function in self.newly:
            self.broken[function] = True
        self.newly = []

    def id(self, number: int) -> str:
        """`%name` where the text that was assembled, or an OpName, gives one, else `%12`."""
        if not self.named:
            self._read_names()
        return f"%{self.names.get(number, str(number))}"

    def at(self, block: int) -> str:
        """The name of a block's label."""
        return self.id(int(self.columns.result[int(self.columns.labels[block])]))

    def function_name(self, function: int) -> str:
        return self.id(int(self.columns.result[int(self.columns.functions[function])]))

    def _read_names(self) -> None:
        self.named = True
        columns = self.columns
        if self.in_text is not None:
            self.names.update(self.in_text(columns))
        for row in range(len(columns.op)):
            code = int(columns.op[row])
            if code == op.Function:
                return
            if code == op.Name and int(columns.size[row]) > 2:
                at: i64 = i64(columns.at[row])
                start = 4 * (at + 2)
                raw = columns.data[start : 4 * (at + i64(columns.size[row]))]
                text = raw.split(b"\0", 1)[0].decode("utf-8", "replace")
                if text:
                    self.names.setdefault(int(word_at(columns.data, at + 1)), text)
