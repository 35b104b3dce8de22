"""A run that takes long says so on a terminal, and how it ends."""

import io
import sys
from pathlib import Path

import pytest
from kit.text.pass_texts import body

from reknit.cli import waiting
from reknit.cli.main import main
from reknit.ir.text.printer import print_module
from reknit.source.interrupt import LISTENERS, OFTEN

LONG = """
%i = Variable Function : ptr<Function, u32>
Store %i, 0u
loop @l {
  %n = Load %i : u32
  %enough = UGreaterThan %n, 9000u : bool
  if %enough nojoin { break @l } else { }
  %m = IAdd %n, 1u : u32
  Store %i, %m
}
return
"""


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("command", ["run", "outcomes"])
@pytest.mark.parametrize("stream", [Terminal, io.StringIO])
def test_a_long_run_says_that_it_goes_on(
    command: str, stream: type[io.StringIO], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert 2 * OFTEN < 9000, "it looks twice at least"
    (tmp_path / "long.rk").write_text(print_module(body(LONG)))
    shown = stream()
    monkeypatch.setattr(sys, "stderr", shown)
    monkeypatch.setattr(waiting, "AFTER", (0,))
    assert main([command, str(tmp_path / "long.rk")]) == 0
    line = "still running after 0 seconds; Ctrl-C ends it, --max-steps N gives it up sooner\n"
    assert shown.getvalue().count(line) == (stream is Terminal)
    assert LISTENERS == []
