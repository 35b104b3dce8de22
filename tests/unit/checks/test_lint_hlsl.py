"""HLSL in lint: judged by the language's own rules, as by every command, and by what dxc's SPIR-V keeps of them.

"implementations must enforce that the number of active lanes exactly corresponds to the programmer's view of flow
control" (DirectXShaderCompiler's wiki, Wave Intrinsics); dxc declares MaximallyReconvergesKHR only where asked to.
"""

from pathlib import Path

import pytest

from reknit.cli.main import main

BREAKS = """RWStructuredBuffer<uint> o;
[numthreads(8, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
    uint n = 0;
    for (uint k = 0; k < 4; ++k) {
        if (id.x == k) { n = WaveActiveSum(1); break; }
    }
    o[id.x] = n;
}
"""


def said(tmp_path: Path, capsys: pytest.CaptureFixture[str], *words: str, text: str = BREAKS) -> tuple[int, str]:
    file = tmp_path / "a.hlsl"
    file.write_text(text)
    code = main([words[0], str(file), *words[1:]])
    return code, capsys.readouterr().out


def test_what_dxc_loses_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The sum in the block that breaks: SPIR-V alone allows uniting lanes that left in different iterations."""
    code, out = said(tmp_path, capsys, "lint")
    assert code == 1 and "RK3003" in out and "dxc's SPIR-V promises it only with" in out


def test_with_the_mode_nothing_is_lost(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out = said(tmp_path, capsys, "lint", "--target", "maximal")
    assert code == 0 and "no findings in 1 file (rules: maximal)" in out


def test_the_same_rules_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = BREAKS.replace("if (id.x == k) { n = WaveActiveSum(1); break; }", "n += WaveActiveSum(k);")
    assert "rules: maximal" in said(tmp_path, capsys, "lint", text=whole)[1]
    assert said(tmp_path, capsys, "run")[1].startswith("rules: maximal\n")
    assert "(rules: maximal)" in said(tmp_path, capsys, "outcomes")[1].splitlines()[0]
