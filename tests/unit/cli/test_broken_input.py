"""Modules that load but break a rule of the IR: every command names the rule and the line, none crashes."""

from pathlib import Path

import pytest

from reknit.cli.main import main

NO_DEFAULT = """Capability Shader
MemoryModel Logical GLSL450
EntryPoint GLCompute @main "main"
ExecutionMode @main LocalSize 4 1 1
func @main() -> void {
  switch 1u {
    case 0: {
    }
  }
  return
}
"""
# OpSwitch has a default (SPIR-V 1.6, 3.42.17), so this can't be written as SPIR-V.


@pytest.mark.parametrize(
    "words",
    [["check"], ["compile", "-o", "a.spv", "-p", ""], ["opt", "--to", "spvasm"], ["structurize", "-o", "a.spv"]],
    ids=lambda words: words[0],
)
def test_a_switch_without_a_default_is_told_of(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.rk").write_text(NO_DEFAULT)
    assert main([words[0], "a.rk", *words[1:]]) == 1
    captured = capsys.readouterr()
    said = captured.out + captured.err
    assert "error[RK0413]: @main, b1: the switch after this block has no default among its cases" in said
    assert "--> a.rk:6:3" in said
    assert list(tmp_path.iterdir()) == [tmp_path / "a.rk"]
