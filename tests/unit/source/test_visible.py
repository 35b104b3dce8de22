"""Names, paths and lines from outside can't steer the terminal that a message is shown on.

Which signs do: ECMA-48 (C0 and C1 controls), Unicode's UAX #9 (marks of direction).
"""

import json
from pathlib import Path

import pytest

from reknit.cli.main import main
from reknit.source.diagnostic import Diagnostic, InputError, Note
from reknit.source.place import Place
from reknit.source.report import FORMATS, report
from reknit.source.visible import visible, visible_line

NASTY = "a\x1b[2Jb\x07\x9b1mc\u202egnp\u2066d\r"
SHOWN = r"a\x1b[2Jb\x07\x9b1mc\u202egnp\u2066d\x0d"
STEERING = [chr(code) for code in (*range(0x09), *range(0x0B, 0x20), *range(0x7F, 0xA0), *range(0x202A, 0x202F))]


def steers(text: str) -> list[str]:
    return [sign for sign in text if sign in STEERING or "\u2066" <= sign <= "\u2069"]


def test_what_steers_is_written_as_a_number() -> None:
    assert visible(NASTY) == SHOWN
    assert visible("tab\tline\nend é 日本 ✓") == "tab\tline\nend é 日本 ✓"
    assert visible_line("two\nlines") == r"two\nlines"
    assert visible("\U000e0041\udc80") == r"\U000e0041\udc80"


@pytest.mark.parametrize("form", FORMATS)
def test_every_form_of_a_report(form: str) -> None:
    place = Place(f"{NASTY}.spv", 1, 1, 3)
    one = Diagnostic("RK0001", f"message {NASTY}", place, notes=[Note(f"note {NASTY}", place)], help=f"help {NASTY}")
    text = report([one], form, lambda file: [f"{NASTY} line"])
    assert steers(text) == []
    if form == "json":
        assert json.loads(text)[0]["message"] == f"message {NASTY}"
    elif form == "sarif":
        assert json.loads(text)["runs"][0]["results"][0]["message"]["text"].startswith(f"message {NASTY}")
    else:
        assert rf"message {SHOWN}" in text
    assert steers(str(InputError([one]))) == []


MODULE = f"""
; SPIR-V
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %out
OpExecutionMode %main LocalSize 4 1 1
OpName %main "ma{NASTY}in"
OpName %out "o{NASTY}ut"
OpName %block "b{NASTY}lock"
OpMemberName %struct 0 "m{NASTY}ember"
OpDecorate %array ArrayStride 4
OpDecorate %struct Block
OpMemberDecorate %struct 0 Offset 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%one = OpConstant %u32 1
%zero = OpConstant %u32 0
%four = OpConstant %u32 4
%array = OpTypeArray %u32 %four
%struct = OpTypeStruct %array
%pointer = OpTypePointer StorageBuffer %struct
%element = OpTypePointer StorageBuffer %u32
%out = OpVariable %pointer StorageBuffer
%main = OpFunction %void None %fn
%block = OpLabel
%slot = OpAccessChain %element %out %zero %one
OpStore %slot %one
OpReturn
OpFunctionEnd
""".replace("\r", "")


@pytest.mark.parametrize(
    "command",
    [
        ["show"],
        ["show", "--cfg"],
        ["run"],
        ["outcomes"],
        ["trace"],
        ["opt"],
        ["lint"],
        ["opt", "-p", "simplify-cfg", "--print-changed", "--print-after"],
        ["run", "--entry", f"no{NASTY}ne"],
        ["opt", "-p", f"no{NASTY}ne"],
        ["show", "--function", f"no{NASTY}ne"],
        ["run", f"--no{NASTY}option"],
    ],
)
def test_what_commands_print(command: list[str], tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    from reknit.spirv.asm import assemble

    path = tmp_path / "named\x1b[31m.spv"
    path.write_bytes(assemble(MODULE, "module"))
    main([*command[:1], str(path), *command[1:]])
    out, err = capfd.readouterr()
    assert steers(out) == [] and steers(err) == []
    if command != ["lint"]:  # which finds nothing
        assert r"\x1b" in out + err or r"\u{1b}" in out + err


def test_an_unknown_command(capfd: pytest.CaptureFixture[str]) -> None:
    assert main([NASTY]) == 2
    assert SHOWN in capfd.readouterr().err


def test_json_keeps_the_name(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.spvasm"
    path.write_text(MODULE)
    assert main(["run", str(path), "--json"]) == 0
    out = capfd.readouterr().out
    assert steers(out) == []
    assert list(json.loads(out)["buffers"]) == [f"o{NASTY}ut".replace("\r", "")]
