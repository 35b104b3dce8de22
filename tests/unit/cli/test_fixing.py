"""`lint --fix` and `--diff`: what is written has fewer findings, is valid, and no comment is lost unasked."""

import json
import os
import shutil
from pathlib import Path

import pytest
from kit import ROOT, oracles

import reknit
from reknit.cli.main import main
from reknit.editor import fixes as fixing

EXAMPLES = ROOT / "examples"
SPIN = """#version 460
// void main() {}
#extension GL_KHR_shader_subgroup_ballot : enable
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) buffer B { uint data[]; };
void main() {
  while (true) {
    uint first = subgroupBroadcastFirst(data[gl_LocalInvocationIndex]);
    if (first == data[gl_LocalInvocationIndex]) { data[0] = subgroupBallot(true).x; break; }
  }
}
"""


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A module without the mode that it needs, and one whose switch no mode helps."""
    lines = (EXAMPLES / "break_ballot.spvasm").read_text().splitlines(keepends=True)
    left = [line for line in lines if "MaximallyReconvergesKHR" not in line and "maximal_reconvergence" not in line]
    (tmp_path / "mode.spvasm").write_text("".join(left))
    text = (EXAMPLES / "fallthrough.spvasm").read_text()
    bare = [f"{line.partition(';')[0].rstrip()}\n" for line in text.splitlines()]
    (tmp_path / "switch.spvasm").write_text("".join(bare))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def found(capsys: pytest.CaptureFixture[str], *words: str) -> list[str]:
    capsys.readouterr()
    main(["lint", *words, "--json"])
    return [each["code"] for each in json.loads(capsys.readouterr().out)]


@pytest.mark.parametrize("words", [["mode.spvasm", "switch.spvasm"], [".", "-j", "1"]], ids=["files", "a folder"])
def test_what_is_fixed_is_valid_and_has_no_findings(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    before = {name: Path(name).read_bytes() for name in ("mode.spvasm", "switch.spvasm")}
    assert found(capsys, *words) == ["RK3003", "RK3004"]
    assert main(["lint", *words, "--diff"]) == 1
    shown = capsys.readouterr().out
    assert "+OpExecutionMode %main MaximallyReconvergesKHR" in shown and "RK300" not in shown
    assert {name: Path(name).read_bytes() for name in before} == before
    assert main(["lint", *words, "--fix"]) == 0
    said = capsys.readouterr().err
    assert "fixed mode.spvasm: Declare MaximallyReconvergesKHR" in said and "fixed switch.spvasm: Rewrite" in said
    assert found(capsys, *words) == [] and main(["lint", *words, "--diff"]) == 0
    for name in before:
        assert oracles.spirv_val(reknit.to_bytes(reknit.load(name)))[0]


def test_comments_are_not_lost_unasked(capsys: pytest.CaptureFixture[str]) -> None:
    text = "; why this is so\n" + Path("switch.spvasm").read_text()
    Path("switch.spvasm").write_text(text)
    assert main(["lint", "switch.spvasm", "--fix"]) == 1
    assert "--unsafe-fixes does it" in capsys.readouterr().err and Path("switch.spvasm").read_text() == text
    assert main(["lint", "switch.spvasm", "--fix", "--unsafe-fixes"]) == 0


def test_binaries(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("mode", "switch"):
        reknit.save(reknit.load(f"{name}.spvasm"), f"{name}.spv")
    assert main(["lint", "mode.spv", "switch.spv", "--diff"]) == 1
    assert "Binary files mode.spv and mode.spv differ" in capsys.readouterr().out
    assert main(["lint", "mode.spv", "switch.spv", "--fix"]) == 0
    assert all(oracles.spirv_val(Path(f"{name}.spv").read_bytes())[0] for name in ("mode", "switch"))


def test_lines_end_as_they_did(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("mode.spvasm", "switch.spvasm"):
        Path(name).write_bytes(Path(name).read_bytes().replace(b"\n", b"\r\n"))
        assert main(["lint", name, "--fix"]) == 0
        data = Path(name).read_bytes()
        assert data.count(b"\r\n") == data.count(b"\n") > 20


def test_an_extension_is_declared_before_what_may_be_left_out() -> None:
    """Where Q is not defined, an extension inside of the condition is none."""
    text = "#version 450\n\n#extension GL_A : enable\n#ifdef Q\n#extension GL_B : enable\n#endif\nvoid main() {}\n"
    (declared, attribute) = fixing._declared_in_glsl(text, fixing.MAXIMAL)
    assert (declared.line, attribute.line) == (4, 7)


def test_glsl(project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    words = " ".join(f"'{word}'" for word in oracles.need("glslangValidator"))
    (project / "glslangValidator").write_text(f'#!/bin/sh\nexec {words} "$@"\n')
    (project / "glslangValidator").chmod(0o755)
    monkeypatch.setenv("PATH", f"{project}{os.pathsep}/usr/bin{os.pathsep}/bin")
    Path("a.comp").write_text(SPIN)
    assert found(capsys, "a.comp") != []
    assert main(["lint", "a.comp", "--fix"]) == 0
    extension = "#extension GL_EXT_maximal_reconvergence : require\n"
    want = SPIN.replace(" : enable\n", f" : enable\n{extension}")
    assert Path("a.comp").read_text() == want.replace("\nvoid main", "\n[[maximally_reconverges]]\nvoid main")


def test_what_no_fix_helps_stays(capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copy(EXAMPLES / "stairs.rk", "stairs.rk")
    text = Path("stairs.rk").read_text()
    assert main(["lint", "stairs.rk", "--fix"]) == 1  # RK3009
    assert Path("stairs.rk").read_text() == text
    assert main(["lint", "stairs.rk", "--fix", "--diff"]) == 2
    assert main(["lint", "stairs.rk", "--fix", "--baseline", "b.json", "--write-baseline"]) == 2
    Path("reknit.toml").write_text('ignore = ["RK3003"]\n')
    mode = Path("mode.spvasm").read_text()
    assert main(["lint", "mode.spvasm", "--fix"]) == 0 and Path("mode.spvasm").read_text() == mode  # it is agreed on
