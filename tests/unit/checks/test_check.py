"""Checking: reading's faults, and spirv-val's verdict as a diagnostic."""

import json
import os
import re
from pathlib import Path

import pytest
from kit import oracles

import reknit
from reknit.checks.spirv_val import judge
from reknit.cli.main import main
from reknit.spirv.asm import assemble
from reknit.spirv.environment import environment_of
from reknit.spirv.words import swapped

EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "fallthrough.spvasm"


def with_validator(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = " ".join(f"'{word}'" for word in oracles.need("spirv-val"))
    path = folder / "spirv-val"
    path.write_text(f'#!/bin/sh\nexec {words} "$@"\n')
    path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}/usr/bin{os.pathsep}/bin")


def test_without_the_validator_a_note_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    found = reknit.check(EXAMPLE)
    assert [(one.code, one.severity) for one in found] == [("RK0006", "note")]
    assert "spirv-val not found" in found[0].message
    assert main(["check", str(EXAMPLE)]) == 0


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("echo '/lib/libstdc++.so.6: version GLIBCXX_3.4.32 not found' >&2; exit 1", "could not be run"),
        ("exit 127", "could not be run"),
        # What the validator of 2023 says of a module with the mode, which is right and newer than it.
        ("echo 'error: 12: Invalid execution mode operand: 6023' >&2; exit 1", "too old"),
    ],
)
def test_a_validator_that_cannot_judge_gives_no_verdict(
    script: str, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "spirv-val"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}/usr/bin{os.pathsep}/bin")
    found = reknit.check(EXAMPLE)
    assert [(one.code, one.severity) for one in found] == [("RK0006", "note")]
    assert expected in found[0].message


OLD = """#!/bin/sh
case "$1" in
--version) echo 'SPIRV-Tools v2023.2 unknown hash, 2023-04-01' ;;
*) echo 'error: 12: {}' >&2; exit 1 ;;
esac
"""


@pytest.mark.parametrize(
    ("said", "unknown"),
    # Numbers of the grammar: an execution mode, a capability, an instruction; then what nobody has heard of.
    [
        ("Invalid execution mode operand: 6023", "MaximallyReconvergesKHR"),
        ("Invalid capability operand: 6026", "GroupNonUniformRotateKHR"),
        ("Invalid opcode: 4431", "OpGroupNonUniformRotateKHR"),
        ("Invalid capability operand: 99999", ""),  # nobody knows it: the module is at fault
        ("Invalid opcode: 65000", ""),
    ],
)
def test_a_validator_that_is_too_old_says_which_it_is(
    said: str, unknown: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "spirv-val"
    path.write_text(OLD.format(said))
    path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}/usr/bin{os.pathsep}/bin")
    (found,) = reknit.check(EXAMPLE)
    if unknown:
        assert found.code == "RK0006"
        assert found.message.startswith("spirv-val of SPIRV-Tools v2023.2 is too old to judge the module")
        assert found.message.endswith(f"it doesn't know {unknown}")
    else:
        assert found.code == "RK0005"
        assert found.notes[-1].message == "judged for vulkan1.3 by spirv-val of SPIRV-Tools v2023.2"


def test_a_fault_that_spirv_val_reports_has_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line of assembly, a word of a binary of either endianness; what was made of another format has neither."""
    with_validator(tmp_path, monkeypatch)
    faulty = "OpTypeInt 33 0"  # "Invalid number of bits (33) used for OpTypeInt."
    text = EXAMPLE.read_text().replace("OpTypeInt 32 0", faulty)
    path = tmp_path / "a.spvasm"
    path.write_text(text)
    (found,) = reknit.check(path)
    assert found.code == "RK0005" and found.place is not None
    assert text.splitlines()[found.place.line - 1][found.place.column - 1 :].endswith(faulty)
    data = assemble(text)
    (tmp_path / "a.spv").write_bytes(data)
    (found,) = reknit.check(tmp_path / "a.spv")
    assert found.place is not None
    assert data[4 * found.place.word :][:4] == bytes([21, 0, 4, 0])  # OpTypeInt, four words
    (tmp_path / "a.rk").write_text(reknit.text(reknit.load(EXAMPLE)).replace("BuiltIn SubgroupLocal", "BuiltIn Point"))
    for found in reknit.check(tmp_path / "a.rk"):
        assert found.place is not None and found.place.word < 0


def test_a_module_of_the_other_endianness_that_spirv_val_refuses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SPIR-V 1.6, 2.2.1: "the first octet is in the lowest-order 8 bits of the word", which spirv-val takes as
    the first byte of a file of either endianness."""
    path = tmp_path / "spirv-val"
    path.write_text("#!/bin/sh\necho \"error: line 2: Invalid extended instruction import 'LSLGdts.054.'\"\nexit 1\n")
    path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}/usr/bin{os.pathsep}/bin")
    data = assemble(EXAMPLE.read_text())
    big = tmp_path / "big.spv"
    big.write_bytes(swapped(data))
    (found,) = reknit.check(big)
    assert "SPIRV-Tools takes them byte by byte" in found.notes[-1].message
    assert reknit.load(big).entry_points[0].operands[2] == "main"


TWO_ENTRIES = """
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%bool = OpTypeBool
%true = OpConstantTrue %bool
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%entry = OpLabel
OpBranchConditional %true %then %else
%then = OpLabel
OpBranch %else
%else = OpLabel
OpBranchConditional %true %then %end
%end = OpLabel
OpReturn
OpFunctionEnd
"""


def test_what_a_pass_has_mended_is_not_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading says that the function is no tree; after structurize it is one."""
    monkeypatch.setenv("PATH", str(tmp_path))
    module = reknit.load(assemble(TWO_ENTRIES))
    (note,) = module.notes
    assert note.code.startswith("RK05")
    assert [one.code for one in reknit.check(module)][-1] == "RK0006"
    reknit.compile(module, "restructure")
    assert [one.code for one in reknit.check(module)] == ["RK0006"]
    assert module.notes == [note]  # what reading said stays there


def test_a_valid_module_has_no_findings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_validator(tmp_path, monkeypatch)
    assert reknit.check(EXAMPLE) == []
    module = reknit.load(EXAMPLE)
    reknit.compile(module)
    assert reknit.check(module) == []


def test_what_the_validator_refuses_is_an_error_in_every_format(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with_validator(tmp_path, monkeypatch)
    path = tmp_path / "a.spvasm"
    # A decoration that Vulkan asks for is missing: reading has nothing to say against it.
    path.write_text(EXAMPLE.read_text().replace("OpDecorate %Result Block", ""))
    assert main(["check", str(path), "--json"]) == 1
    (fault,) = json.loads(capsys.readouterr().out)
    assert (fault["code"], fault["severity"], fault["file"]) == ("RK0005", "error", str(path))
    (judged,) = [note["message"] for note in fault["notes"] if note["message"].startswith("judged for")]
    assert re.fullmatch(r"judged for vulkan1\.3 by spirv-val of SPIRV-Tools v[\w.]+", judged)
    assert main(["check", str(path), "--format", "sarif"]) == 1
    assert json.loads(capsys.readouterr().out)["runs"][0]["results"][0]["ruleId"] == "RK0005"
    assert main(["check", str(path), "--format", "github"]) == 1
    assert capsys.readouterr().out.startswith(f"::error file={path}")
    assert main(["check", str(path), "--format", "concise"]) == 1
    said = capsys.readouterr().out
    assert re.match(rf"{re.escape(str(path))}:\d+:\d+: error\[RK0005\]: spirv-val: ", said)


def test_a_source_with_interfaces_is_judged_as_compile_writes_it(capsys: pytest.CaptureFixture[str]) -> None:
    """SPIR-V has no call through an interface; what is judged is the switch that it becomes."""
    assert main(["check", str(EXAMPLE.with_name("shapes.slang"))]) == 0
    assert "RK0514" not in capsys.readouterr().err


def test_the_target_environment_can_be_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_validator(tmp_path, monkeypatch)
    binary = assemble(EXAMPLE.read_text())  # SPIR-V 1.6, which vulkan1.2 does not take
    assert judge(binary, "a.spv") == []
    (fault,) = judge(binary, "a.spv", "vulkan1.2")
    assert fault.code == "RK0005"


def test_several_files_are_one_list(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.spv").write_bytes(b"")
    assert main(["check", str(tmp_path / "a.spv"), str(tmp_path / "b.spv"), "--json"]) == 1
    assert [one["code"] for one in json.loads(capsys.readouterr().out)] == ["RK0101", "RK0001"]


@pytest.mark.parametrize(
    "version, memory_model, expected",
    # https://registry.khronos.org/vulkan: 1.0 takes SPIR-V 1.0, 1.1 up to 1.3, 1.2 up to 1.5, 1.3 up to 1.6
    [
        (0x10000, 1, "vulkan1.0"),
        (0x10300, 1, "vulkan1.1"),
        (0x10500, 1, "vulkan1.2"),
        (0x10600, 1, "vulkan1.3"),
        (0x10200, 2, "spv1.2"),
    ],
)
@pytest.mark.parametrize("order", ["<", ">"])
def test_the_version_tells_the_environment(version: int, memory_model: int, expected: str, order: str) -> None:
    import struct

    words = [0x07230203, version, 0, 1, 0, 3 << 16 | 14, 0, memory_model]
    assert environment_of(struct.pack(f"{order}8I", *words)) == expected


TWICE = """OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%u32 = OpTypeInt 32 0
%two = OpConstant %u32 2
%type = OpTypeFunction %void
%main = OpFunction %void None %type
%entry = OpLabel
OpSelectionMerge %merge None
OpSwitch %two %merge 0 %body 0 %body
%body = OpLabel
OpBranch %merge
%merge = OpLabel
OpReturn
OpFunctionEnd
"""
"""Breaks B30 and nothing else: two literals of its OpSwitch are equal."""


def test_messages_have_the_names_of_the_assembly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "a.spvasm").write_text(TWICE)
    (one,) = [one for one in reknit.check(tmp_path / "a.spvasm") if one.severity == "error"]
    assert one.code == "RK0630"  # said once: not by the rules of the tree too
    assert "%entry" in one.message and "function %main" in one.message
    assert one.place is not None and one.place.line == 12


def test_a_fault_of_types_has_the_line_of_the_assembly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """RK0417 is found in the tree, which is read from the words."""
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "a.spvasm").write_text(ROOT_OF_AN_INTEGER)
    (one,) = [one for one in reknit.check(tmp_path / "a.spvasm") if one.severity == "error"]
    assert one.code == "RK0417" and one.place is not None and one.place.line == 13


ROOT_OF_AN_INTEGER = """OpCapability Shader
%extended = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%type = OpTypeFunction %void
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%three = OpConstant %uint 3
%main = OpFunction %void None %type
%entry = OpLabel
%root = OpExtInst %float %extended Sqrt %three
OpReturn
OpFunctionEnd
"""


def test_the_validator_s_words_have_the_names_of_the_assembly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_validator(tmp_path, monkeypatch)
    text = TWICE.replace("0 %body 0 %body", "0 %body").replace("%body = OpLabel\nOpBranch %merge", BACK)
    (tmp_path / "a.spvasm").write_text(text)
    (one,) = reknit.check(tmp_path / "a.spvasm")
    assert any("'%body'" in note.message for note in one.notes if note.message.startswith("spirv-val"))


BACK = "%body = OpLabel\nOpBranch %body"
"""A block that goes back to itself without an OpLoopMerge."""
