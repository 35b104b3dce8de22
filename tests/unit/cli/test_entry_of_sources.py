"""`--entry NAME` of commands that run nothing: of a source with several entry points one alone is compiled."""

from pathlib import Path

import pytest

from reknit.cli.main import main

SOURCE = """RWStructuredBuffer<uint> o;
[shader("compute")] [numthreads(4, 1, 1)] void plain(uint3 t : SV_DispatchThreadID) { o[t.x] = 1; }
[shader("compute")] [numthreads(4, 1, 1)] void counts(uint3 t : SV_DispatchThreadID) {
    if (t.x > 1) { if (o[t.x] > 2) o[t.x] = 3; o[t.x] = WaveActiveCountBits(true); }
}
"""


@pytest.fixture
def source(tmp_path: Path) -> str:
    path = tmp_path / "two.hlsl"
    path.write_text(SOURCE)
    return str(path)


def test_show_has_the_one_function(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", source, "--entry", "plain"]) == 0
    out = capsys.readouterr().out
    assert "plain" in out and "counts" not in out


def test_lint_looks_at_the_one_entry_point(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The count is behind an inner branch of a divergent one: RK3001."""
    assert main(["lint", source, "--entry", "plain"]) == 0
    assert main(["lint", source, "--entry", "counts", "--format", "concise"]) == 1
    assert "RK3001" in capsys.readouterr().out
    assert main(["check", source, "--entry", "counts"]) == 0
    assert main(["check", source, "--entry", "absent", "--format", "concise"]) == 1
    assert "absent" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["check", "lint", "show"])
def test_what_is_no_source_has_no_choice(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.rk"
    path.write_text("Capability Shader\nMemoryModel Logical GLSL450\n")
    assert main([command, str(path), "--entry", "main"]) == 2
    assert "--entry main chooses what of Slang or HLSL is compiled" in capsys.readouterr().err
