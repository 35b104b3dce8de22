"""Integers in text from outside, and that no reader trips over digits that Python's own int() takes or refuses."""

from pathlib import Path

import pytest

import reknit
from reknit.cli.main import main
from reknit.source.digits import BEYOND, integer, is_decimal, is_signed_decimal, saturated

ODD = ("²", "١٢", "1" * 5000, "1_0", "१")
"""A superscript, for which str.isdigit() holds and int() fails; Arabic and Devanagari digits, which int() takes; more
digits than int() converts; Python's own separator."""


@pytest.mark.parametrize("text", [*ODD, "", " 1", "1 ", "+", "0x"])
def test_what_is_no_integer(text: str) -> None:
    assert not is_decimal(text) and not is_signed_decimal(text)
    with pytest.raises(ValueError):
        integer(text, 0)


def test_what_is_an_integer() -> None:
    assert (integer("-12"), integer("0x1f", 0), integer("ff", 16), integer("007")) == (-12, 31, 255, 7)
    assert is_decimal("007") and is_signed_decimal("-12") and not is_decimal("-12")
    assert saturated("4096") == 4096 and saturated("9" * 20) == saturated("1" * 5000) == BEYOND


AMBER = """#!amber
SHADER compute s SPIRV-ASM
OpCapability Shader
END
STRUCT t
 uint32[{odd}]
END
BUFFER {odd} DATA_TYPE uint32 SIZE {odd} FILL {odd}
PIPELINE compute p
 ATTACH s SPECIALIZE {odd} AS uint32 {odd}
 BIND BUFFER b AS storage DESCRIPTOR_SET {odd} BINDING {odd}
END
RUN p {odd} {odd} {odd}
EXPECT b IDX {odd} EQ {odd}
"""
VKSCRIPT = "[compute shader]\nvoid main() {{}}\n[test]\nssbo {odd}:{odd} {odd}\nssbo {odd} subdata int {odd} {odd}\n"
LLVM = """target datalayout = "e-i{odd}:{odd}-p{odd}:{odd}:{odd}"
declare i{odd} @"_Z{odd}get_global_idj"(i32)
declare <4 x float> @"_Z6vload{odd}mPU3AS1Kf"(i64, ptr addrspace(1))
declare ptr @"clspv.resource.{odd}"()
define spir_kernel void @main(ptr addrspace(1) %o) "hlsl.numthreads"="{odd},1,1" {{
  %a = call <4 x float> @"_Z6vload{odd}mPU3AS1Kf"(i64 0, ptr addrspace(1) %o)
  %b = call ptr @"clspv.resource.{odd}"()
  %c = add i32 {odd}, {odd}
  ret void
}}
"""
SLANG = """#line {odd}
#version {odd}
struct S {{ uint a : {odd}; }}
RWStructuredBuffer<uint> o : register(u{odd}, space{odd});
[shader("compute")] [numthreads({odd}, 1, 1)]
void main(uint i : SV_DispatchThreadID) {{
    Tuple<uint, uint> t; o[{odd}] = t._{odd} + {odd}u + uint({odd}.5);
    spirv_asm {{ OpStore $o {odd}; result:$$uint = OpConstant {odd}; }};
}}
"""
ASSEMBLY = "OpCapability {odd}\n%a = OpTypeInt {odd} {odd}\n%b = OpConstant %a {odd}\n%c = OpTypeFloat {odd}\n"
TEXT = "spirv {odd}.{odd}\n%a = TypeInt {odd} {odd}\n%b = Op{odd} !{odd} {odd}u{odd} : vec{odd}<u{odd}>\n"
GRAPH = "{odd} -> {odd} a\na -> {odd}\n"
GLSL = "#version {odd}\n#line {odd} {odd}\n#pragma shader_stage(compute)\nvoid main() {{ int a = {odd}; }}\n"


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize(
    ("ending", "text"),
    [
        ("ll", LLVM),
        ("slang", SLANG),
        ("hlsl", SLANG),
        ("spvasm", ASSEMBLY),
        ("rk", TEXT),
        ("cfg", GRAPH),
        ("comp", GLSL),
    ],
)
def test_no_reader_has_a_fault_of_its_own(ending: str, text: str, odd: str) -> None:
    for one in range(text.count("{odd}") + 1):  # all of them, and each alone
        parts = text.split("{odd}")
        filled = parts[0] + "".join(
            ("2" if one and place != one else odd) + part for place, part in enumerate(parts[1:], 1)
        )
        try:
            reknit.load(filled.replace("{{", "{").replace("}}", "}").encode(), format=ending)
        except reknit.InputError as error:
            assert all(each.code != "RK0009" for each in error.diagnostics)


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize(("name", "text"), [("a.amber", AMBER), ("a.vk_shader_test", VKSCRIPT)])
def test_no_script_has(name: str, text: str, odd: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = text.replace("{{", "{").replace("}}", "}").splitlines()
    for at, line in enumerate(lines):
        if "{odd}" in line:
            rest = [other.replace("{odd}", "2") for other in lines]
            rest[at] = line.replace("{odd}", odd)
            (tmp_path / name).write_text("\n".join(rest))
            assert main(["run", str(tmp_path / name)]) == 1
            assert "RK0009" not in capsys.readouterr().err


def test_a_configuration_and_a_baseline_say_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Python's own advice, to raise a limit of its interpreter, is no help to who writes such a file."""
    (tmp_path / "a.slang").write_bytes(SHADER)
    (tmp_path / "reknit.toml").write_text(f"[run]\nmax-steps = {'9' * 5000}\n")
    (tmp_path / "known.json").write_text(f'{{"version": {"9" * 5000}}}')
    (tmp_path / "scene.json").write_text(f'{{"size": [{"9" * 5000}, 4]}}')
    shader = str(tmp_path / "a.slang")
    for words in (
        ["run", shader, "--config", str(tmp_path / "reknit.toml")],
        ["lint", shader, "--baseline", str(tmp_path / "known.json")],
        ["run", shader, "--scene", str(tmp_path / "scene.json")],
    ):
        assert main(words) in (1, 2)
        said = capsys.readouterr().err
        assert "error[RK0026]: a number has more than 4300 digits\n" in said and "set_int_max_str_digits" not in said


SHADER = b"""[shader("compute")] [numthreads(1, 1, 1)]
void main() {}
"""
OPTIONS = (
    ["run", "--groups", "{}"], ["run", "--groups", "1,{}"], ["run", "--set", "o={}"], ["run", "--set", "o=zeros:{}"],
    ["run", "--spec", "{}=1"], ["run", "--spec", "1={}"], ["run", "--subgroup-size", "{}"], ["run", "--push", "{}"],
    ["run", "--set", "o=image:{}x2"], ["run", "--set", "o=2x2:levels={}"], ["run", "--schedule", "random:{}"],
    ["run", "--max-memory", "{}"], ["run", "--max-seconds", "{}"], ["run", "--subgroups", "{}"],
    ["outcomes", "--domain", "o={}..{}"], ["outcomes", "--subgroup-sizes", "{}"], ["lint", "--subgroup-sizes", "{}"],
    ["run", "--draw", "{}x{}"], ["compile", "-o", "-", "-p", "inline{{limit={}}}"], ["explain", "{}"],
    ["compile", "--conformance", "A:B={}", "-o", "-"], ["trace", "--lane", "{}"], ["trace", "--groups", "{}"],
    ["check", "--jobs", "{}"], ["show", "--entry", "{}"], ["run", "--entry", "%{}"],
)  # fmt: skip


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("words", OPTIONS, ids=" ".join)
def test_no_option_has(words: list[str], odd: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.slang"
    path.write_bytes(SHADER)
    command, *options = [word.replace("{}", odd).replace("{{", "{").replace("}}", "}") for word in words]
    try:
        main([command, *([] if command == "explain" else [str(path)]), *options])
    except SystemExit as leaving:
        assert leaving.code in (0, 1, 2)
    assert "RK0009" not in capsys.readouterr().err
