"""Shading languages through outside compilers: glslang itself where it is installed, others as programs like them."""

import os
import sys
from pathlib import Path

import pytest
from kit import ROOT, oracles

import reknit
from reknit.checks.lint.api import lint_input
from reknit.checks.lint.config import Config

EXAMPLES = ROOT / "examples"


def program(folder: Path, name: str, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program on PATH, and nothing else of that kind."""
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}/usr/bin{os.pathsep}/bin")


def glslang(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = " ".join(f"'{word}'" for word in oracles.need("glslangValidator"))
    program(folder, "glslangValidator", f'exec {words} "$@"', monkeypatch)


def test_glsl_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    glslang(tmp_path, monkeypatch)
    values = {"values": [1, 2, 1, 2, 3, 3, 3, 3]}  # by hand: 1 + 1, 2 + 2, and 3 four times
    for source in (EXAMPLES / "waterfall.comp", (EXAMPLES / "waterfall.comp").read_bytes()):
        module = reknit.load(source, format="glsl")
        assert reknit.run(module, subgroup_size=8, buffers=values).buffers["result"].words == [2, 4, 2, 4] + [12] * 4


@pytest.mark.parametrize("name", ["shader.vert", "shader.vert.glsl"])
def test_the_ending_tells_the_stage(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    glslang(tmp_path, monkeypatch)
    path = tmp_path / name
    path.write_text("#version 450\nvoid main() { gl_Position = vec4(0); }\n")
    assert reknit.load(path).entry_points[0].word(0) == 0  # execution model Vertex


def test_what_glslang_refuses_is_reported_with_line_and_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    glslang(tmp_path, monkeypatch)
    path = tmp_path / "bad.comp"
    path.write_text("#version 450\nvoid main() {\n    int a = nowhere;\n}\n")
    with pytest.raises(reknit.InputError) as caught:
        reknit.load(path)
    first = caught.value.diagnostics[0]
    assert (first.code, str(first.place)) == ("RK0004", f"{path}:3:13")  # `nowhere` starts in column 13
    assert "undeclared identifier" in first.message


@pytest.mark.parametrize(
    "name, format, missing",
    [("a.comp", None, "glslangValidator"), ("a.hlsl", "dxc", "dxc"), ("a.slang", "slangc", "slangc")],
)
def test_a_compiler_that_is_missing_is_named(
    name: str, format: str | None, missing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / name
    path.write_text("")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(reknit.InputError) as caught:
        reknit.load(path, format=format)
    (fault,) = caught.value.diagnostics
    assert fault.code == "RK0003"
    assert missing in fault.message and "not on PATH" in fault.message


@pytest.mark.parametrize(
    "compiler, name, words",
    [
        ("dxc", "a.hlsl", "-spirv -fspv-target-env=vulkan1.3 -T cs_6_6 -E main {path} -Fo"),
        ("slangc", "a.hlsl", "{path} -target spirv -profile spirv_1_6 -o"),
        ("slangc", "a.slang", "{path} -target spirv -profile spirv_1_6 -o"),
    ],
)
def test_how_other_compilers_are_called(
    compiler: str, name: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The option names are those of the compilers' own help; the compilers are not run here."""
    module = tmp_path / "made.spv"
    reknit.save(reknit.load(EXAMPLES / "fallthrough.spvasm"), module)
    for_last = 'for product in "$@"; do :; done'
    program(tmp_path, compiler, f'echo "$@" > {tmp_path}/called\n{for_last}\ncp {module} "$product"', monkeypatch)
    path = tmp_path / name
    path.write_text("")
    assert reknit.load(path, format=compiler).entry_points[0].text(2) == "main"
    called = (tmp_path / "called").read_text().rpartition(" ")[0]
    assert called == words.format(path=path)


BEHIND = """RWStructuredBuffer<uint> o;
[numthreads(64, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
  if (id.x % 5 < 3) {
    if (id.x % 5 < 2) o[64] = 1;
    o[id.x] = WaveActiveSum(id.x);
  }
}
"""
"""The sum is behind an `if` to which only a part of the workgroup comes, so that its merge block is no place of uniform
control flow (SPIR-V 1.6, 2.2.5)."""


def test_lint_judges_what_dxc_emits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By default it declares no mode. The program here is a script over the same compiler's library."""
    library = oracles.need("dxc")[0]
    given = "-spirv -fspv-target-env=vulkan1.3 -T cs_6_6 -E main"
    words = f"'{sys.executable}' '{ROOT}/tools/dxc.py' '{library}' \"$source\" \"$product\" {given}"
    find = 'for word in "$@"; do case "$word" in *.hlsl) source="$word";; esac; product="$word"; done'
    program(tmp_path, "dxc", f"{find}\nexec {words}", monkeypatch)
    (one,) = lint_input(BEHIND.encode(), "dxc", "a.hlsl", "", None, Config())
    assert one.code == "RK3001" and "OpGroupNonUniformIAdd" in one.message
    assert "dxc: -fspv-enable-maximal-reconvergence, which is off by default" in one.help


def test_a_mode_that_dxc_declares_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program here gives a module that declares maximal reconvergence, and needs it."""
    reknit.save(reknit.load(EXAMPLES / "break_ballot.spvasm"), tmp_path / "made.spv")
    program(tmp_path, "dxc", f"for product in \"$@\"; do :; done\ncp {tmp_path}/made.spv \"$product\"", monkeypatch)
    assert lint_input(b"", "dxc", "a.hlsl", "", None, Config()) == []
    assert [one.code for one in lint_input(b"", "dxc", "a.hlsl", "", "base", Config())] == ["RK3003"]


def test_a_compiler_that_fails_without_a_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path, "slangc", "exit 3", monkeypatch)
    path = tmp_path / "a.slang"
    path.write_text("")
    with pytest.raises(reknit.InputError, match="slangc ended with exit code 3"):
        reknit.load(path, format="slangc")
