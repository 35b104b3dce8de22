"""The page about the text form: its example is a module that prints as it stands there."""

import re
from pathlib import Path

from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_module
from reknit.ir.verify import verify

PAGE = Path(__file__).resolve().parents[3] / "docs" / "text-form.md"


def test_the_example_reads_verifies_and_prints_as_it_stands() -> None:
    (example,) = re.findall(r"```rk\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
    module = parse(example)
    assert verify(module) == []
    assert print_module(module) == re.sub(r" +;.*", "", example)


def test_its_table_of_constants_and_types() -> None:
    text = PAGE.read_text(encoding="utf-8")
    rows = re.search(r"\| constants.*?\n\n", text, re.S)
    assert rows is not None
    written = [part for part in re.findall(r"`([^`]+)`", rows.group(0)) if "T" not in part]
    assert len(written) > 20
    parse("".join([f"declare {part}\n" for part in written]))
