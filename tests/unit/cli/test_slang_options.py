"""What a Slang source is compiled with can be said to every command that reads one."""

from pathlib import Path

import pytest

from reknit.cli.main import main

SOURCE = """#include "size.slang"
RWStructuredBuffer<uint> result;
[numthreads(SIZE, 1, 1)]
void go(uint i : SV_DispatchThreadID) { result[i] = WaveActiveSum(N); }
"""

COMMANDS = [
    ["check", "a.slang"],
    ["lint", "a.slang"],
    ["run", "a.slang"],
    ["outcomes", "a.slang", "--subgroup-size", "4"],
    ["show", "a.slang"],
    ["opt", "a.slang"],
    ["prove", "a.slang", "a.slang", "--subgroup-sizes", "4"],
]


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
def test_macros_and_folders_are_taken(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc" / "size.slang").write_text("#define SIZE 4\n")
    (tmp_path / "a.slang").write_text(SOURCE)
    assert main([*words, "-D", "N=2u", "-I", "inc"]) == 0
    capsys.readouterr()
    assert main([*words, "-D", "N=2u"]) == 1
    captured = capsys.readouterr()
    assert "E15300" in captured.out + captured.err  # the included file isn't found
    assert main([*words, "-D", "N=2u", "--conformance", "N"]) == 2
    assert "it is TYPE:INTERFACE" in capsys.readouterr().err
