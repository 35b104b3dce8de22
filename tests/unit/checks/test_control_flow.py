"""Checking control flow: each fault once, with its place in the text, with and without spirv-val, and as a drawing."""

import os
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from kit import oracles

import reknit
from reknit.cli.main import main
from reknit.spirv.asm import assemble

BREAK_OF_TWO_LOOPS = """\
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint GLCompute %main "main"
               OpExecutionMode %main LocalSize 1 1 1
               OpName %main "main"
               OpName %outer_merge "outer_merge"
       %void = OpTypeVoid
       %bool = OpTypeBool
       %cond = OpConstantTrue %bool
         %fn = OpTypeFunction %void
       %main = OpFunction %void None %fn
      %entry = OpLabel
               OpBranch %outer
      %outer = OpLabel
               OpLoopMerge %outer_merge %outer_next None
               OpBranch %inner
      %inner = OpLabel
               OpLoopMerge %inner_merge %inner_next None
               OpBranch %body
       %body = OpLabel
               OpBranchConditional %cond %outer_merge %inner_next
 %inner_next = OpLabel
               OpBranchConditional %cond %inner %inner_merge
%inner_merge = OpLabel
               OpBranch %outer_next
 %outer_next = OpLabel
               OpBranch %outer
%outer_merge = OpLabel
               OpReturn
               OpFunctionEnd
"""
LINE = 21  # of the branch out of both loops


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    path = tmp_path / "loops.spvasm"
    path.write_text(BREAK_OF_TWO_LOOPS)
    return path


def without_validator(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(folder))


def test_a_fault_is_reported_once_at_its_line(broken: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without_validator(tmp_path, monkeypatch)
    found = reknit.check(broken)
    assert [one.code for one in found] == ["RK0615", "RK0006"]
    assert found[0].place is not None
    assert (found[0].place.line, found[0].place.word) == (LINE, -1)
    assert "%outer_merge" in found[0].message
    assert "%main" in found[0].message


def test_the_place_in_a_binary_is_a_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without_validator(tmp_path, monkeypatch)
    binary = assemble(BREAK_OF_TWO_LOOPS)
    found = reknit.check(binary)
    assert found[0].code == "RK0615"
    assert found[0].place is not None
    at = 4 * found[0].place.word
    assert int.from_bytes(binary[at : at + 4], "little") == 4 << 16 | 250  # OpBranchConditional of four words


def test_what_the_validator_says_too_is_a_note(broken: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = " ".join(f"'{word}'" for word in oracles.need("spirv-val"))
    path = tmp_path / "spirv-val"
    path.write_text(f'#!/bin/sh\nexec {words} "$@"\n')
    path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}/usr/bin{os.pathsep}/bin")
    found = reknit.check(broken)
    assert [one.code for one in found] == ["RK0615"]
    assert any(note.message.startswith("spirv-val: block") for note in found[0].notes)


def test_a_module_that_cannot_be_read_is_judged_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reader refuses a branch to what is no label; the rules name it, and the fault of another function as well."""
    without_validator(tmp_path, monkeypatch)
    text = BREAK_OF_TWO_LOOPS + (
        "%other = OpFunction %void None %fn\n%start = OpLabel\nOpBranch %cond\nOpFunctionEnd\n"
    )
    found = reknit.check(assemble(text))
    assert sorted(one.code for one in found if one.severity == "error") == ["RK0602", "RK0615"]


def test_a_drawing_has_the_bad_edge_in_red(broken: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without_validator(tmp_path, monkeypatch)
    drawn = tmp_path / "fault.svg"
    assert main(["check", str(broken), "--svg", str(drawn)]) == 1
    text = drawn.read_text()
    ElementTree.fromstring(text)
    assert len(re.findall(r'<path class="e" [^>]*stroke="#c5221f"', text)) == 1
    assert len(re.findall(r"<rect class=.b.", text)) == 8  # the blocks of the function, counted above
    assert len(re.findall(r'<rect class="b"[^>]*fill:#fef7e0', text)) == 3  # inner, body, inner_next
    assert "B15" in text
    assert main(["check", str(broken), str(broken), "--svg", str(drawn)]) == 2


def test_a_sound_module_is_drawn_without_faults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without_validator(tmp_path, monkeypatch)
    drawn = tmp_path / "fault.svg"
    example = Path(__file__).resolve().parents[3] / "examples" / "fallthrough.spvasm"
    assert main(["check", str(example), "--svg", str(drawn)]) == 0
    assert "no findings" in drawn.read_text()
