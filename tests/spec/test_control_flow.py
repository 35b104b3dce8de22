"""Runs control-flow.md: each section edits a function, and says what it and its graph must be then.

    ```rk before     a module; its last function is the one that is edited
    ```python        the edits, with the names below and those of TOOLS; its `assert`s hold
    ```edges         the control-flow graph after: blocks in source order are b0, b1 ...; `b1 -> b2 b3`
    ```rk after      the text of the function after
    faults: RK0410   what `verify` says after; nothing without this line
"""

import re
from pathlib import Path

import pytest

from reknit.analysis.dominance import Dominance
from reknit.analysis.manager import Analyses
from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.build import new_block, new_function
from reknit.ir.cfg import predecessors, successors
from reknit.ir.clone import clone, clone_and_reinsert, clone_function, clone_range
from reknit.ir.constants import bool_constant, int_constant, undef
from reknit.ir.cursor import (
    after_instr,
    after_node,
    after_phis,
    at_end,
    at_head,
    before_instr,
    before_node,
    behind_jump,
    function_start,
    region_end,
    region_start,
    same_place,
)
from reknit.ir.extract import delete, extract, list_extract, move, reinsert, remove_node
from reknit.ir.insert import insert_instr, insert_node, remove_instr
from reknit.ir.instr import Instr
from reknit.ir.jump import Break, Continue, Exit, Fallthrough
from reknit.ir.jumps import end_block, insert_jump, split
from reknit.ir.stitch import stitch
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_function
from reknit.ir.tree import If, Loop, Scope, Switch
from reknit.ir.types import bool_type, int_type
from reknit.ir.verify import verify
from reknit.ir.walk import blocks, constructs
from reknit.passes.contract import Context
from reknit.passes.manager import run_passes
from reknit.passes.repair import repair
from reknit.source.diagnostic import EditRefused

TOOLS = [
    Dominance, Analyses, Block, new_block, new_function, predecessors, successors, clone, clone_and_reinsert,
    clone_function, clone_range, bool_constant, int_constant, undef, after_instr, after_node, after_phis, at_end,
    at_head, before_instr, before_node, behind_jump, function_start, region_end, region_start, same_place, delete,
    extract, list_extract, move, reinsert, remove_node, insert_instr, insert_node, remove_instr, Instr, Break, Continue,
    Exit, Fallthrough, end_block, insert_jump, split, stitch, If, Loop, Scope, Switch, bool_type, int_type, verify,
    blocks, constructs, Context, run_passes, repair, print_function,
]  # fmt: skip

DOCUMENT = Path(__file__).parent / "control-flow.md"
SECTIONS = [
    part.partition("\n") for part in re.split(r"^## ", DOCUMENT.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
]


def parts(text: str) -> dict[str, str]:
    return dict(re.findall(r"^```([a-z ]+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))


@pytest.mark.parametrize("title, text", [(title, text) for title, _, text in SECTIONS], ids=[s[0] for s in SECTIONS])
def test_section(title: str, text: str) -> None:
    given = parts(text)
    module = parse(given["rk before"], title)
    main = module.functions[-1]

    def nth(kind: type, number: int = 0) -> object:
        """The construct of a kind with this number, in source order."""
        return [construct for construct in constructs(main) if isinstance(construct, kind)][number]

    def value(name: str) -> Instr:
        """The instruction with this name."""
        return next(instr for block in blocks(main) for instr in block if instr.name == name)

    def refused(code: str, edit: object, *arguments: object) -> bool:
        """Whether an edit is refused with `code`, and changed nothing."""
        before = print_function(main)
        assert callable(edit)
        try:
            edit(*arguments)
        except EditRefused as refusal:
            return refusal.code == code and print_function(main) == before
        return False

    names: dict[str, object] = {getattr(tool, "__name__"): tool for tool in TOOLS}  # noqa: B009
    names |= {"op": op, "module": module, "main": main, "nth": nth, "value": value, "refused": refused}
    names["b"] = blocks(main)
    exec(compile(given.get("python", ""), title, "exec"), names)

    if "rk after" in given:
        assert print_function(main) == given["rk after"]
    if "edges" in given:
        now = blocks(main)
        lines = []
        for at, block in enumerate(now):
            lines.append(" ".join([f"b{at} ->", *[f"b{now.index(to)}" for to in successors(block)]]))
        assert lines == given["edges"].splitlines()
        for block in now:
            assert {source for source in now if block in successors(source)} == set(predecessors(block))
    expected = re.findall(r"^faults: (.*)$", text, re.MULTILINE)
    assert [fault.code for fault in verify(module)] == (expected[0].split() if expected else [])
