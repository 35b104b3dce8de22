"""A trace names the line of every block, also of one that holds a branch alone."""

from pathlib import Path

import pytest
from kit.text.flat_texts import flat

from reknit.cli.main import main
from reknit.ir.text.printer import print_module

BRANCHES = """
  %c = IEqual %lane 1u : bool
  BranchConditional %c %a %b
%a:
  Branch %last
%b:
  Store %slot 7u
  Branch %last
%last:
  return
"""


def lines_of(words: str) -> dict[str, int]:
    """By block: its line in the trace."""
    found: dict[str, int] = {}
    for row in words.splitlines()[2:]:
        _, block, line, _ = row.split()
        found[block] = int(line)
    return found


def test_blocks_with_a_branch_alone_have_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = print_module(flat(BRANCHES))
    path = tmp_path / "a.rk"
    path.write_text(text)
    assert main(["trace", str(path), "--subgroup-size", "32"]) == 0
    found = lines_of(capsys.readouterr().out)
    rows = text.splitlines()
    assert list(found) == ["%first", "%a", "%last", "%b"]
    for block, line in (("%a", "Branch %last"), ("%b", "Store %slot"), ("%last", "return")):
        assert rows[found[block] - 1].strip().startswith(line)
        assert rows.index(f"{block}:") < found[block]
