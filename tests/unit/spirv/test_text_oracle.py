"""Our assembler and disassembler against SPIRV-Tools': the same words, the same text to the letter.

The generator word is not compared: spirv-as registers itself there, reknit writes 0.
"""

import gzip
import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from kit import oracles
from kit.random import spirv_samples

from reknit.source.diagnostic import InputError
from reknit.spirv.asm import assemble
from reknit.spirv.dis import disassemble

pytestmark = pytest.mark.once

VERSIONS = {
    "opencl1.2": (1, 0),
    "vulkan1.0": (1, 0),
    "vulkan1.1": (1, 3),
    "vulkan1.3": (1, 6),
    **{f"spv1.{minor}": (1, minor) for minor in range(7)},
}
SHADER = """#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 8) in;
layout(constant_id = 3) const int SIZE = 5;
layout(constant_id = 4) const double SCALE = 1.25lf;
layout(binding = 0) buffer A { uint count; float x[]; } a;
layout(binding = 1) uniform sampler2D image;
float f(float x, inout vec2 y) { y *= sin(x) * 1e-40; return inversesqrt(abs(x)) + 3.14159265358979; }
void main() {
    vec2 uv = vec2(gl_GlobalInvocationID.xy);
    float16_t half_ = float16_t(a.x[1]) * 1.0009765625hf + 5.96e-8hf;
    uint64_t wide = 0xFFFFFFFFFFFFFFFFul; int64_t low = -0x7FFFFFFFFFFFFFFFl;
    int8_t byte = int8_t(-5); int16_t short_ = int16_t(-32768);
    float inf = 1.0 / 0.0; float big = 3.4028234e38; float tiny = 1.17549435e-38;
    switch (int(a.count)) { case -1: uv.x += 1; case 5: uv.y += 2; break; default: uv *= SIZE + 2; }
    for (int i = 0; i < SIZE; ++i) { if (uv.x > 3) break; a.x[i] += f(float(i), uv); }
    a.x[0] = textureLod(image, uv, 0.5).x + float(half_) + float(wide) + float(low) + float(byte) + float(short_)
        + inf + big + tiny + float(SCALE);
}
"""


def spirv_dis(module: bytes, folder: Path, *options: str) -> str:
    path = folder / "module.spv"
    path.write_bytes(module)
    done = subprocess.run([*oracles.need("spirv-dis"), *options, str(path)], capture_output=True, check=True)
    return done.stdout.decode("utf-8", "surrogateescape")


def same_text(module: bytes, folder: Path) -> None:
    assert disassemble(module) == spirv_dis(module, folder)
    assert disassemble(module, friendly=False) == spirv_dis(module, folder, "--raw-id")


def same_words(text: str, environment: str) -> bytes:
    theirs = oracles.assemble(text, environment)
    ours = assemble(text, version=VERSIONS[environment])
    assert ours[:8] + ours[12:] == theirs[:8] + theirs[12:]
    return theirs


def cases(path: Path, step: int) -> list[tuple[str, str]]:
    with gzip.open(path, "rt") as file:
        rows = [json.loads(line) for line in file]
    return [(row["asm"], row.get("asm_env", "vulkan1.3")) for row in rows[::step]]


@pytest.mark.parametrize(("name", "step"), [("spirv_val_cases.jsonl.gz", 8), ("spirv_val_fuzz.jsonl.gz", 80)])
def test_validator_cases(name: str, step: int, conformance: Callable[[str], Path], tmp_path: Path, full: bool) -> None:
    oracles.need("spirv-as")
    compared = 0
    for text, environment in cases(conformance(name), 1 if full else step):
        module = same_words(text, environment)
        try:
            ours = disassemble(module)
        except InputError as fault:
            # Three cases are about this: an id at or above the bound (which spirv-dis prints), an id defined twice.
            assert fault.diagnostics[0].code in ("RK0105", "RK0106")
            continue
        assert ours == spirv_dis(module, tmp_path)
        compared += 1
    assert compared > 15


@pytest.mark.parametrize("seed", range(4))
def test_every_instruction(seed: int, tmp_path: Path) -> None:
    oracles.need("spirv-dis")
    same_text(spirv_samples.every_instruction(seed), tmp_path)


@pytest.mark.parametrize("options", [[], ["-g"], ["-gVS"]], ids=["plain", "names", "debug information"])
def test_compiled_shader(options: list[str], tmp_path: Path) -> None:
    source, product = tmp_path / "a.comp", tmp_path / "a.spv"
    source.write_text(SHADER)
    command = [*oracles.need("glslangValidator"), "-V", "--target-env", "vulkan1.2", *options]
    subprocess.run([*command, str(source), "-o", str(product)], check=True, capture_output=True)
    module = product.read_bytes()
    same_text(module, tmp_path)
    same_words(disassemble(module), "spv1.5")
    again = assemble(disassemble(module, friendly=False), preserve_numeric_ids=True)
    assert again[:8] + again[20:] == module[:8] + module[20:]


@pytest.mark.parametrize(
    ("kind", "literal"),
    [
        ("OpTypeFloat 32", "1.00000005960464477540"),
        ("OpTypeFloat 32", "3.4028235677973366e38"),
        ("OpTypeFloat 32", "1e-45"),
        ("OpTypeFloat 32", "0x1.1p+128"),
        ("OpTypeFloat 32", "-0x0.8p-149"),
        ("OpTypeFloat 32", "0x1p+129"),
        ("OpTypeFloat 16", "65519"),
        ("OpTypeFloat 16", "5.97e-8"),
        ("OpTypeFloat 16", "-0x1.ffcp+15"),
        ("OpTypeFloat 64", "1e-320"),
        ("OpTypeFloat 64", "0x1.921fb54442d18p+1"),
        ("OpTypeFloat 16 BFloat16KHR", "3.14159"),
        ("OpTypeFloat 8 Float8E4M3EXT", "-448"),
        ("OpTypeFloat 8 Float8E5M2EXT", "0x1.8p-3"),
        ("OpTypeInt 8 1", "0xff"),
        ("OpTypeInt 16 1", "-32768"),
        ("OpTypeInt 32 0", "017"),
        ("OpTypeInt 64 1", "-9223372036854775808"),
        ("OpTypeInt 64 0", "0xffffffffffffffff"),
    ],
)
def test_numbers(kind: str, literal: str) -> None:
    same_words(f"%1 = {kind}\n%2 = OpConstant %1 {literal}", "spv1.6")


@pytest.mark.parametrize(
    ("kind", "literal"),
    [
        ("OpTypeFloat 32", "3.4028235677973367e38"),
        ("OpTypeFloat 32", "1.5f"),
        ("OpTypeFloat 32", "0x1.8"),
        ("OpTypeFloat 32", "nan"),
        ("OpTypeFloat 16", "65536"),
        ("OpTypeFloat 8", "1"),
        ("OpTypeInt 32 0", "-1"),
        ("OpTypeInt 32 0", "08"),
        ("OpTypeInt 32 1", "2147483648"),
        ("OpTypeInt 8 1", "0x100"),
        ("OpTypeInt 64 0", "18446744073709551616"),
        ("OpTypeInt 128 0", "1"),
    ],
)
def test_refused_numbers(kind: str, literal: str) -> None:
    text = f"%1 = {kind}\n%2 = OpConstant %1 {literal}"
    with pytest.raises(ValueError, match="error"):
        oracles.assemble(text, "spv1.6")
    with pytest.raises(Exception, match="RK0207"):
        assemble(text)


@pytest.mark.parametrize(
    "text",
    [
        "%1 = OpTypeVoid %2 = OpTypeBool",
        "OpSource !7 450 %file \"x\" 2.5 -1",
        "!0x00020011 1\nOpNop",
        "OpUnknown(5999, 4) 1 %x \"ab\"\n%x = OpTypeVoid",
        "%f = OpTypeFloat 32 %c = OpConstant !1 1.5 ",
        "OpName %a \"x\\\"y\\\\z\"; comment \"\n%a = OpTypeVoid",
        "OpName %a \"two\nlines; no comment\" %a = OpTypeVoid",
        "%10 = OpTypeInt 32 0 %named = OpUndef %10 %3 = OpUndef %10",
        "OpExecutionMode %m LocalSize 1 2 3",
        "OpDecorate %m LinkageAttributes \"f\" Export",
        "%1 = OpExtInstImport \"NonSemantic.Unheard\" %2 = OpTypeVoid %3 = OpExtInst %2 %1 77 %2 %2",
        "%i = OpTypeInt 64 1 %s = OpUndef %i OpSwitch %s %d -1 %a 0x7fffffffffffffff %b",
        "%i = OpTypeInt 32 1 %a = OpSpecConstantOp %i IAdd %a %a %b = OpSpecConstantOp %i CompositeExtract %a 1 2",
    ],
)  # fmt: skip
def test_notation(text: str) -> None:
    same_words(text, "spv1.6")


def test_numeric_ids_are_kept() -> None:
    text = "%10 = OpTypeInt 32 0 %named = OpUndef %10 %1 = OpUndef %10 %0x3 = OpUndef %10"
    theirs = oracles.assemble(text, "spv1.6", "--preserve-numeric-ids")
    ours = assemble(text, version=(1, 6), preserve_numeric_ids=True)
    assert ours[:8] + ours[12:] == theirs[:8] + theirs[12:]
