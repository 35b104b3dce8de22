"""Runs verify.md: each row breaks a function by hand, and says what `verify` and `faulty_text` make of it.

    ```rk                     a module; its last function is `main`
    ```python                 what is done to a fresh copy of it, with the names below and those of TOOLS
    ```shown RK0401 RK0402    the codes of all faults then, and lines of the text that shows them; without it: none
    ```python repaired        done after that to the same module, which has no faults then
"""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from reknit.analysis.manager import Analyses
from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.cfg import predecessors, successors
from reknit.ir.constants import int_constant, undef
from reknit.ir.cursor import after_instr, after_node, at_end, before_instr, before_node, region_start
from reknit.ir.edit import append, clear_jump, set_condition, set_jump, set_selector
from reknit.ir.extract import extract, move, reinsert
from reknit.ir.function import Function
from reknit.ir.insert import insert_node
from reknit.ir.instr import Instr
from reknit.ir.jump import Branch, Break, Continue, Exit, Fallthrough, Jump
from reknit.ir.jumps import end_block
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_function
from reknit.ir.tree import Construct, If, Loop, Region, Scope, Switch
from reknit.ir.types import int_type
from reknit.ir.verify import verify
from reknit.ir.verify.dump import faulty_text
from reknit.ir.walk import blocks, constructs
from reknit.passes.contract import Context
from reknit.passes.repair import repair
from reknit.source.diagnostic import EditRefused

TOOLS = [
    Analyses, predecessors, successors, int_constant, undef, after_instr, after_node, at_end, before_instr, before_node,
    region_start, append, clear_jump, set_condition, set_jump, set_selector, extract, move, reinsert, insert_node,
    Instr, Branch, Break, Continue, Exit, Fallthrough, Jump, end_block, parse, If, Loop, Scope, Switch, int_type,
    blocks, constructs, Context, repair,
]  # fmt: skip

DOCUMENT = Path(__file__).parent / "verify.md"
SECTIONS = [
    part.partition("\n") for part in re.split(r"^## ", DOCUMENT.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
]
FENCE = re.compile(r"^```(\w+) ?([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Row:
    """One fresh copy of a row's module, and the names that its Python knows."""

    def __init__(self, title: str, text: str) -> None:
        self.module = parse(text, title)
        self.main = self.module.functions[-1]
        self.names: dict[str, object] = {getattr(tool, "__name__"): tool for tool in TOOLS}  # noqa: B009
        self.names |= {"op": op, "module": self.module, "main": self.main, "b": blocks(self.main)}
        for name in (self.nth, self.value, self.named, self.flat_of, self.refused, empty):
            self.names[name.__name__] = name

    def run(self, code: str) -> None:
        exec(compile(code, self.module.path, "exec"), self.names)

    def nth(self, kind: type[Construct], number: int = 0) -> Construct:
        """The construct of a kind with this number, in source order."""
        return [construct for construct in constructs(self.main) if isinstance(construct, kind)][number]

    def value(self, name: str) -> Instr:
        return next(instr for block in blocks(self.main) for instr in block if instr.name == name)

    def named(self, name: str) -> Block:
        return next(block for block in blocks(self.main) if block.name == name)

    def flat_of(self, body: str) -> Function:
        """A flat function %c: bool, %a: u32 in place of what the module has."""
        module = parse(f"func @main(%c: bool, %a: u32) -> void flat {{\n{body}}}\n")
        self.module.functions, self.module.globals = module.functions, module.globals
        return module.functions[0]

    def refused(self, code: str, edit: Callable[..., object], *arguments: object) -> bool:
        """Whether an edit is refused with `code`, and changed nothing."""
        before = print_function(self.main)
        try:
            edit(*arguments)
        except EditRefused as refusal:
            return refusal.code == code and print_function(self.main) == before
        return False


def empty(region: Region) -> None:
    region.first = region.last = None


def codes(row: Row) -> list[str]:
    return [fault.code for fault in verify(row.module)]


@pytest.mark.parametrize("title, text", [(title, text) for title, _, text in SECTIONS], ids=[s[0] for s in SECTIONS])
def test_row(title: str, text: str) -> None:
    fences = FENCE.findall(text)
    assert fences[0][0] == "rk" and fences[1][:2] == ("python", "")
    source: str = fences[0][2]
    assert codes(Row(title, source)) == []
    row = Row(title, source)
    for place, (kind, more, body) in enumerate(fences[1:], 1):
        if kind == "python":
            row = row if more else Row(title, source)
            row.run(body)
            if place + 1 == len(fences) or fences[place + 1][0] != "shown":
                assert codes(row) == [] and faulty_text(row.module) == ""
        else:
            assert kind == "shown"
            shown = faulty_text(row.module)
            assert codes(row) == more.split(), shown
            assert body in shown, shown


def test_there_are_all_rows() -> None:
    numbers = [number for title, _, _ in SECTIONS for number in re.findall(r"V(\d\d)", title.partition(":")[0])]
    assert numbers == [f"{number:02}" for number in range(31)]
