"""`reknit check` in full format: faults of a module's form stand in the text of its function, where they are."""

import json
from pathlib import Path

import pytest

from reknit.cli.main import main

SHADER = """func @main(%c: bool, %a: u32) -> void {
%start:
  if %c as @i {
  %then:
    %x = IAdd %a, 1u : u32
  }
%end:
  %y = IAdd %x, 2u : u32
  return
}
"""


def test_a_fault_stands_under_its_instruction(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.rk"
    path.write_text(SHADER)
    assert main(["check", str(path)]) == 1
    out = capsys.readouterr().out
    told, _, shown = out.partition("\nfunc @main")
    assert "error[RK0410]" in told and "a.rk:8" in told
    assert (
        shown
        == """(%c: bool, %a: u32) -> void {
%start:
  if %c as @i {
  %then:
    %x = IAdd %a, 1u : u32
  } else {
  }
%end:
  %y = IAdd %x, 2u : u32
  // RK0410: %x is defined in %then, which is not on every path here
  return
}
"""
    )


def test_other_formats_and_other_faults_show_no_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.rk"
    path.write_text(SHADER)
    for format in ("concise", "github", "json", "sarif"):
        assert main(["check", str(path), "--format", format]) == 1
        assert "func @main" not in capsys.readouterr().out
    assert main(["check", str(path), "--json"]) == 1
    assert [one["code"] for one in json.loads(capsys.readouterr().out)].count("RK0410") == 1
    path.write_text("func @main() -> void {\n  %x = NoSuch\n}\n")
    assert main(["check", str(path)]) == 1
    assert "// RK" not in capsys.readouterr().out
