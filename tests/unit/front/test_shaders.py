"""Shading languages through outside compilers: glslang itself where it is installed, others as programs like them."""

import os
import sys
from pathlib import Path

import pytest
from kit import ROOT, oracles

import reknit
from reknit.checks.lint.api import lint_input
from reknit.checks.lint.config import Config
from reknit.cli.main import main

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


def test_a_name_is_no_option_of_the_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`lint .` of a folder from elsewhere names what lies in it without the folder."""
    glslang(tmp_path, monkeypatch)
    monkeypatch.chdir(tmp_path)
    Path("-o.comp").write_text("#version 450\nlayout(local_size_x = 7) in;\nvoid main() {}\n")
    assert [mode.word(2) for mode in reknit.load("-o.comp").execution_modes] == [7]
    Path("-o.comp").write_text("#version 450\nvoid main() { nowhere; }\n")
    with pytest.raises(reknit.InputError) as caught:
        reknit.load("-o.comp")
    assert str(caught.value.diagnostics[0].place) == "-o.comp:2:15"


def test_what_glslang_refuses_is_reported_with_line_and_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    glslang(tmp_path, monkeypatch)
    path = tmp_path / "bad.comp"
    path.write_text("#version 450\nvoid main() {\n    int a = nowhere;\n}\n")
    with pytest.raises(reknit.InputError) as caught:
        reknit.load(path)
    first = caught.value.diagnostics[0]
    assert (first.code, str(first.place)) == ("RK0004", f"{path}:3:13")  # `nowhere` starts in column 13
    assert "undeclared identifier" in first.message


# --- the stage that the text says: glslc's README, "Shader stage specification" ---------------------------------------

PRAGMA = "#pragma shader_stage(fragment)\n"
FRAGMENT = "layout(location = 0) out vec4 c;\nvoid main() { c = gl_FragCoord; }\n"
TWO = "#ifdef A\n  #  pragma  shader_stage ( vertex )\n#else\n" + PRAGMA + "#endif\n"


@pytest.mark.parametrize("name", ["a.glsl", "a.comp", "a.vert.glsl"])
@pytest.mark.parametrize("text", [PRAGMA, PRAGMA * 2, "#if 0\nint a;\n#endif\n" + PRAGMA, "/* int b; */" + PRAGMA, TWO])
def test_the_text_tells_the_stage(name: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It "overrides the file extension"."""
    glslang(tmp_path, monkeypatch)
    path = tmp_path / name
    path.write_text(f"#version 450\n{text}{FRAGMENT}")
    assert reknit.load(path).entry_points[0].word(0) == 4  # Fragment
    assert reknit.lint(path) == []


def test_an_option_overrules_what_the_text_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    glslang(tmp_path, monkeypatch)
    monkeypatch.chdir(tmp_path)
    Path("a.glsl").write_text(f"#version 450\n{PRAGMA}void main() {{ gl_Position = vec4(0); }}\n")
    assert main(["check", "a.glsl", "--stage", "vertex"]) == 0
    Path("b.glsl").write_text(f"#version 450\n{TWO}void main() {{ gl_Position = vec4(0); }}\n")
    assert main(["check", "b.glsl", "-D", "A"]) == 0
    capsys.readouterr()
    assert main(["check", "b.glsl"]) == 1
    assert "'gl_Position' : undeclared identifier" in capsys.readouterr().out  # of a fragment shader


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("#pragma shader_stage(superstage)\n", 2, "names no stage: 'superstage'"),
        ("#pragma shader_stage()\n", 2, "names no stage: ''"),
        ("#pragma shader_stage\n", 2, "names no stage: ''"),
        ("int a;\n" + PRAGMA, 3, "must come before all that is no directive"),
        (PRAGMA + "int a;\n#pragma shader_stage(vertex)\n", 4, "names 'vertex', and 'fragment' before"),
        ("#line 20\n#pragma shader_stage(x)\n", 20, "names no stage: 'x'"),
    ],
)
def test_a_stage_that_the_text_says_wrongly(
    text: str, line: int, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    glslang(tmp_path, monkeypatch)
    path = tmp_path / "a.glsl"
    path.write_text(f"#version 450\n{text}{FRAGMENT}")
    with pytest.raises(reknit.InputError) as caught:
        reknit.load(path)
    (fault,) = caught.value.diagnostics
    assert fault.place is not None and (fault.code, fault.place.line) == ("RK0004", line)
    assert reason in fault.message


# --- glslang as a library ---------------------------------------------------------------------------------------------


@pytest.fixture
def packaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package slangpy with Slang's glslang, which fails where it is imported; no glslang is on PATH."""
    library = oracles.need("slang-glslang")[0]
    folder = tmp_path / "site" / "slangpy"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("raise AssertionError('imported')\n")
    (folder / "libslang-glslang-1.so").symlink_to(library)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "path", [str(tmp_path / "site"), *sys.path])
    return folder


def test_the_library_compiles_as_the_program_does(packaged: Path) -> None:
    module = reknit.load(EXAMPLES / "waterfall.comp")
    result = reknit.run(module, subgroup_size=8, buffers={"values": [1, 2, 1, 2, 3, 3, 3, 3]})
    assert result.buffers["result"].words == [2, 4, 2, 4] + [12] * 4  # as with the program, above


def test_the_library_knows_maximal_reconvergence_and_lines(packaged: Path, tmp_path: Path) -> None:
    text = (EXAMPLES / "break_ballot.comp").read_text()
    (tmp_path / "a.comp").write_text(text)
    (one,) = reknit.lint(tmp_path / "a.comp")
    assert one.code == "RK3003" and one.place is not None
    assert "subgroupBallot(true)" in text.splitlines()[one.place.line - 1]
    declared = text.replace("#extension", "#extension GL_EXT_maximal_reconvergence : require\n#extension", 1)
    (tmp_path / "b.comp").write_text(declared.replace("main()", "main() [[maximally_reconverges]]"))
    assert reknit.lint(tmp_path / "b.comp") == []


# The execution models of SPIR-V 1.6, 3.3.
MODELS = {"vert": 0, "tesc": 1, "tese": 2, "geom": 3, "frag": 4, "comp": 5, "rgen": 5313, "rmiss": 5317}
LAYOUTS = {
    "tesc": "layout(vertices = 3) out;",
    "tese": "layout(triangles) in;",
    "geom": "layout(triangles) in; layout(points, max_vertices = 1) out;",
    "rgen": "#extension GL_EXT_ray_tracing : require",
    "rmiss": "#extension GL_EXT_ray_tracing : require",
}


@pytest.mark.parametrize("stage", MODELS)
def test_stages_of_the_library(stage: str, packaged: Path, tmp_path: Path) -> None:
    path = tmp_path / f"a.{stage}.glsl"
    path.write_text(f"#version 460\n{LAYOUTS.get(stage, '')}\nvoid main() {{}}\n")
    assert reknit.load(path).entry_points[0].word(0) == MODELS[stage]


def test_what_the_library_refuses_is_reported_with_line_and_word(packaged: Path, tmp_path: Path) -> None:
    path = tmp_path / "bad.comp"
    path.write_text("#version 450\nvoid main() {\n    int a = nowhere;\n}\n")
    with pytest.raises(reknit.InputError) as caught:
        reknit.load(path)
    first = caught.value.diagnostics[0]
    assert (first.code, str(first.place)) == ("RK0004", f"{path}:3:13")
    assert first.message.startswith("glslang: 'nowhere' : undeclared identifier")


def test_the_library_has_no_preprocessor_to_ask(packaged: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.glsl"
    path.write_text(f"#version 450\n{PRAGMA}{FRAGMENT}")
    assert reknit.load(path).entry_points[0].word(0) == 4
    path.write_text(f"#version 450\n{TWO}{FRAGMENT}")
    with pytest.raises(reknit.InputError, match="decided by a condition"):
        reknit.load(path)


def test_a_library_that_is_none_is_refused(packaged: Path) -> None:
    (packaged / "libslang-glslang-1.so").unlink()
    (packaged / "libslang-glslang-1.so").write_bytes(b"no library")
    with pytest.raises(reknit.InputError, match="glslang ended with exit code 1") as caught:
        reknit.load(EXAMPLES / "waterfall.comp")
    assert "the library can't be used" in caught.value.diagnostics[0].notes[0].message


def test_the_program_on_path_goes_first(packaged: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path, "glslang", "exit 3", monkeypatch)
    with pytest.raises(reknit.InputError, match="glslang ended with exit code 3"):
        reknit.load(EXAMPLES / "waterfall.comp")


@pytest.mark.parametrize("entry", ["", ".", "site", "absolute"])
def test_no_library_is_taken_from_the_current_folder(
    entry: str, packaged: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(packaged.parent.parent if entry == "site" else packaged.parent)
    monkeypatch.setattr(sys, "path", [str(packaged.parent) if entry == "absolute" else entry, *sys.path[1:]])
    with pytest.raises(reknit.InputError, match="RK0003"):
        reknit.load(EXAMPLES / "waterfall.comp")


@pytest.mark.parametrize("path", ["", ".", ":", "tools"])
def test_no_compiler_is_taken_from_the_current_folder(
    path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tools").mkdir()
    for name in ("glslangValidator", "dxc", "slangc"):
        for folder in (tmp_path, tmp_path / "tools"):
            program(folder, name, f"touch {tmp_path}/sprung", monkeypatch)
    monkeypatch.setenv("PATH", path)
    for format in ("glsl", "dxc", "slangc"):
        with pytest.raises(reknit.InputError, match="RK0003"):
            reknit.load(b"", format=format)
    assert not (tmp_path / "sprung").exists()


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
