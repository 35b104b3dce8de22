"""GLSL through includes: what is found, places in every file, conditions, circles; the compiler is glslang itself."""

import os
import time
from pathlib import Path

import pytest
from kit import oracles

from reknit.cli.main import main
from reknit.front.glsl_includes import expanded

HEAD = "#version 460\n#extension GL_KHR_shader_subgroup_ballot : enable\n"
BODY = """layout(local_size_x = 4) in;
layout(set = 0, binding = 0) buffer B { uint data[]; };
void main() {
  switch (data[gl_LocalInvocationIndex]) {
  case 0u: case 1u: data[gl_LocalInvocationIndex] = vote(VALUE);
  }
}
"""
VOTE = """#ifndef VOTE
#define VOTE
#include "deep/value.glsl"
uint vote(uint x) {
  /* #include "nowhere.glsl"
  */ return x + bitCount(subgroupBallot(true).x) + DEEP;
}
#endif
"""


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    words = " ".join(f"'{word}'" for word in oracles.need("glslangValidator"))
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "glslangValidator").write_text(f'#!/bin/sh\nulimit -v 4000000\nexec {words} "$@"\n')
    (programs / "glslangValidator").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}/usr/bin{os.pathsep}/bin")
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "a.comp": f'{HEAD}#include "vote.glsl"\n{BODY}',
        "headers/vote.glsl": VOTE,
        "headers/deep/value.glsl": '#include "../vote.glsl"\n#define DEEP 3u\n',  # a circle, which the guard ends
    }.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text)
    return tmp_path


def said(capsys: pytest.CaptureFixture[str], *words: str) -> list[str]:
    capsys.readouterr()
    main(["lint", "a.comp", *words, "--format", "concise", "--target", "base"])
    return capsys.readouterr().out.splitlines()


def test_a_finding_in_an_included_file_has_its_line_and_column(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (finding,) = said(capsys, "-I", "headers", "-D", "VALUE=7u")
    assert finding.startswith("headers/vote.glsl:6:26: warning[RK3004]: OpGroupNonUniformBallot")


def test_what_it_computes(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings = ["-I", "headers", "-D", "VALUE=7u", "--subgroup-size", "4", "--set", "B.data=0,0,0,0"]
    assert main(["run", "a.comp", *settings]) == 0
    assert "14 14 14 14" in capsys.readouterr().out  # four lanes vote, so by hand: 7 + 4 + 3


def test_what_is_wrong_is_reported_in_its_own_file(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (first, *_) = said(capsys, "-I", "headers")
    assert first.startswith("a.comp:8:58: error[RK0004]") and "'VALUE' : undeclared" in first
    (first, *_) = said(capsys, "-D", "VALUE=1u")
    assert first.startswith("a.comp:3:") and "vote.glsl is not found in .: name its folder with -I" in first
    Path("headers/deep/value.glsl").write_text("#define DEEP 3u\n\nuint x() { return nope; }\n")
    (first, *_) = said(capsys, "-I", "headers", "-D", "VALUE=1u")
    assert first.startswith("headers/deep/value.glsl:3:19: error[RK0004]") and "'nope'" in first


@pytest.mark.parametrize("text", ['#include "vote.glsl"', '#include "value.glsl"'])
def test_a_circle_without_an_end_is_refused(text: str, files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("headers/vote.glsl").write_text('#include "deep/value.glsl"\n')
    Path("headers/deep/value.glsl").write_text(text.replace("vote", "../vote"))
    begun = time.monotonic()
    (first, *_) = said(capsys, "-I", "headers")
    assert "headers/deep/value.glsl:1:" in first and "includes itself, and has no guard" in first
    assert time.monotonic() - begun < 60


def test_files_that_double(files: Path) -> None:
    for number in range(40):
        Path(f"headers/h{number}.glsl").write_text(f'#include "h{number + 1}.glsl"\n' * 2)
    Path("headers/h40.glsl").write_text("// " + "x" * 10_000)
    text, (fault,) = expanded('#version 460\n#include "h0.glsl"\n', "headers/a.comp", {}, [])
    assert len(text) < 40 << 20 and fault == "what is included has more than 16 MiB in all"


def test_conditions_are_the_compilers(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.comp").write_text(
        HEAD + '#ifdef HLSL\n#include "nowhere.h"\n#else\n#include <once.glsl>\n#include "once.glsl"\n#endif\n' + BODY
    )
    Path("headers/once.glsl").write_text(f"#pragma once\nconst int once = 1;\n{VOTE}".replace('deep/value', 'v'))
    Path("headers/v.glsl").write_text("#define DEEP 3u\n")
    (finding,) = said(capsys, "-I", "headers", "-D", "VALUE=7u")
    assert finding.startswith("headers/once.glsl:8:26: warning[RK3004]")
    (first, *_) = said(capsys, "-I", "headers", "-D", "VALUE=7u", "-D", "HLSL")
    assert first.startswith("a.comp:4:") and "nowhere.h is not found" in first


def test_line_directives(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("made.glsl").write_text("\n" * 41 + "  uvec4 b = subgroupBallot(true); data[1] = b.x;\n")
    made = '#line 42 "made.glsl"\n  uvec4 b = subgroupBallot(true); data[1] = b.x;'
    text = BODY.replace("vote(VALUE);", f"vote(VALUE);\n{made}")
    Path("a.comp").write_text(f'{HEAD}#include "vote.glsl"\n{text}')
    places = [line.partition(": ")[0] for line in said(capsys, "-I", "headers", "-D", "VALUE=7u")]
    assert places == ["made.glsl:42:13", "headers/vote.glsl:6:26"]


def test_hostile_includes(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo("headers/pipe.glsl")
    for name in ("pipe.glsl", "/dev/zero", ".", "x" * 5000, "\u00e4\\.glsl"):
        Path("a.comp").write_text(f'{HEAD}#include "{name}"\n{BODY}')
        (first, *_) = said(capsys, "-I", "headers")
        assert first.startswith("a.comp:3:") and "RK0004" in first
    assert main(["lint", "a.comp", "--sandbox"]) == 1
    assert "RK0023" in capsys.readouterr().out


def test_the_cache_knows_what_was_included(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def places() -> list[str]:
        return [line.partition(": ")[0] for line in said(capsys, ".", "-I", "headers", "-D", "VALUE=7u")]

    assert places() == ["headers/vote.glsl:6:26"]
    state = Path(".reknit/lint.sqlite").stat().st_ino
    Path("headers/vote.glsl").write_text("\n" + VOTE)
    assert places() == ["headers/vote.glsl:7:26"]
    Path("deep").mkdir()
    Path("vote.glsl").write_text(VOTE.replace("#include", "// ").replace("DEEP", "0"))  # looked for first
    assert places() == ["vote.glsl:6:26"]
    assert Path(".reknit/lint.sqlite").stat().st_ino == state


def test_what_the_linker_says_is_the_message(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.comp").write_text("#version 450\nint twice(int x) { return 2 * x; }\n")
    (first, *_) = said(capsys)
    assert first.startswith("a.comp: error[RK0004]: glslangValidator: Linking compute stage: Missing entry point")


@pytest.mark.parametrize("words", [["-D", "GREEN=1"], ["-I", "headers"]])
def test_the_ending_before_glsl_says_the_stage_of_what_includes(words: list[str], files: Path) -> None:
    fragment = '#version 460\n#include "headers/plain.glsl"\nlayout(location = 0) out vec4 c;\n'
    Path("headers/plain.glsl").write_text("#define COLOR vec4(0)\n")
    Path("tone.frag.glsl").write_text(fragment + "void main() { c = COLOR; }\n")
    assert main(["lint", "tone.frag.glsl", *words]) == 0


def test_an_option_says_the_stage(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("tone.glsl").write_text("#version 460\nlayout(location = 0) out vec4 c;\nvoid main() { c = vec4(0); }\n")
    assert main(["lint", "tone.glsl", "--stage", "pixel"]) == 0
    assert main(["lint", "tone.glsl"]) == 1
    assert "compiled as a compute shader: --stage names another" in capsys.readouterr().out


def test_an_included_file_may_begin_with_a_mark_and_have_other_letters(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As glslang has it, of a source by itself."""
    Path("headers/deep/value.glsl").write_bytes(b"\xef\xbb\xbf#define DEEP 3u // \xa9 2020\n")
    (finding,) = said(capsys, "-I", "headers", "-D", "VALUE=7u")
    assert finding.startswith("headers/vote.glsl:6:26: warning[RK3004]: OpGroupNonUniformBallot")
