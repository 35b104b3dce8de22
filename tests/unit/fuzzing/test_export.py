"""Exported programs, each format read by another: glslang, slangc, our Amber runner; and what can't be said."""

import json
import re
import subprocess
from pathlib import Path

import pytest
from kit import oracles
from kit.oracles import need

from reknit.cli.main import main
from reknit.front.load import load_file
from reknit.fuzzing.export.formats import FORMATS, MODULES, ending, export, exportable
from reknit.fuzzing.export.hlsl import hlsl, shader_model
from reknit.fuzzing.features import ALL, CLUSTERS, ENTRIES, KILLS, PLAIN, VOTES
from reknit.fuzzing.generate import generate
from reknit.fuzzing.meaning import meaning_of
from reknit.fuzzing.outcome_sets import MEANING
from reknit.fuzzing.program import Program
from reknit.ir.module import Module
from reknit.sim.run import prepare
from reknit.source.diagnostic import InputError
from reknit.spirv.read import read_module

pytestmark = pytest.mark.once

FIRST_SEED = 95_000


def programs(format: str, count: int) -> list[Program]:
    return [generate(seed, 0, exportable(format)) for seed in range(FIRST_SEED, FIRST_SEED + count)]


def stores(module: Module, subgroup_size: int) -> list[int]:
    """What the only buffer holds after a run."""
    result = prepare(module, subgroup_size=subgroup_size).run(MEANING)
    assert result.diagnostics == []
    (buffer,) = result.buffers.values()
    return buffer.words


def test_glsl_through_glslang(full: bool) -> None:
    need("glslangValidator")
    for program in programs("glsl", 200 if full else 5):
        module = read_module(oracles.glslang(export(program, "glsl", "").decode()))
        assert stores(module, program.subgroup_size) == meaning_of(program), f"seed {program.seed}"


@pytest.mark.parametrize("language", ["slang", "hlsl"])
def test_slang_and_hlsl_through_slangc(language: str, tmp_path: Path, full: bool) -> None:
    compiler = need("slangc")
    source, product = tmp_path / f"a.{language}", tmp_path / "a.spv"
    options = ["-target", "spirv", "-entry", "main", "-stage", "compute", "-profile", "sm_6_6", "-O0"]
    for program in programs(language, 200 if full else 4):
        source.write_bytes(export(program, language, ""))
        done = subprocess.run([*compiler, str(source), *options, "-o", str(product)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        module = read_module(product.read_bytes())
        assert stores(module, program.subgroup_size) == meaning_of(program), f"seed {program.seed}"


def test_amber_through_our_runner(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for program in programs("amber", 6):
        path = tmp_path / "a.amber"
        path.write_bytes(export(program, "amber", "reconverge"))
        assert main(["run", str(path)]) == 0, capsys.readouterr().out
        lines = -(-program.lanes // 8)
        assert f"{lines} of {lines} expectation" in capsys.readouterr().out


@pytest.mark.parametrize("format", MODULES)
def test_modules(format: str, tmp_path: Path) -> None:
    for program in programs(format, 4):
        path = tmp_path / f"a.{format}"
        path.write_bytes(export(program, format, "reconverge"))
        assert stores(load_file(str(path)), program.subgroup_size) == meaning_of(program), f"seed {program.seed}"


def test_offload_tests() -> None:
    """By what llvm/offload-test-suite's own tests look like: source, pipeline, who is needed, how it is run."""
    for program in programs("offload", 6):
        text = export(program, "offload", "").decode()
        empty, source, pipeline, rest = re.split(r"^#--- (?:source\.hlsl|pipeline\.yaml|end)\n", text, flags=re.M)
        assert empty == ""
        assert source == hlsl(program).rstrip() + "\n"
        keys = re.findall(r"^(\w+):$", pipeline, flags=re.M)
        assert keys == ["Shaders", "Buffers", "Results", "DescriptorSets"]
        assert pipeline.startswith("---\n") and pipeline.endswith("...\n")
        data = re.findall(r"Data: (\[.*\])", pipeline)
        assert json.loads(data[0]) == meaning_of(program)
        assert f"FillSize: {4 * program.lanes}\n" in pipeline
        assert f"# REQUIRES: WaveSize_{program.subgroup_size}\n" in rest
        assert [line.split()[2] for line in rest.splitlines() if line.startswith("# RUN:")] == [
            "split-file", "%dxc_target", "%offloader",
        ]  # fmt: skip
        assert f"-T {shader_model(program)} " in rest
        assert f"[WaveSize({program.subgroup_size})]\n[numthreads({program.lanes}, 1, 1)]" in source


@pytest.mark.parametrize(
    ("format", "features", "what"),
    [
        ("glsl", (KILLS, PLAIN), "it is a fragment shader"),
        ("amber", (KILLS,), "it is a fragment shader"),
        ("glsl", (VOTES, PLAIN), "has no quad-a"),
        ("hlsl", (CLUSTERS, "operations", PLAIN), "HLSL has no cluster"),
        ("slang", (ENTRIES,), "a jump leaves more than the innermost loop, switch or scope"),
        ("glsl", (), "a jump goes on with a loop that is not the innermost"),
    ],
)
def test_what_a_format_can_not_say(format: str, features: tuple[str, ...], what: str) -> None:
    said: list[str] = []
    for seed in range(60):
        try:
            export(generate(seed, 0, features), format, "reconverge")
        except InputError as fault:
            assert fault.diagnostics[0].code == "RK0013"
            said.append(fault.diagnostics[0].message)
    assert any(what in message for message in said), said


@pytest.mark.parametrize("format", FORMATS)
def test_from_the_command_line(format: str, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    options = ["--to", format, "--seed", "5", "--count", "2", "--subgroup-size", "16"]
    assert main(["generate", str(folder), *options]) == 0
    end = ending(format)
    expected = [f"seed-{seed}.{name}" for seed in (5, 6) for name in (end, "json")]
    assert sorted(path.name for path in folder.iterdir()) == sorted(expected)
    told = json.loads((folder / "seed-6.json").read_text())
    assert told["subgroup_size"] == 16
    assert len(told["out"]) == told["lanes"]
    program = generate(6, 0, exportable(format))
    program.resize(16)
    assert told["out"] == meaning_of(program)


@pytest.mark.parametrize("options", [["--features", "x"], ["--count", "0"], ["-p", "none-such"], ["--to", "wgsl"]])
def test_wrong_options(options: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        code = main(["generate", str(tmp_path), *options])
    except SystemExit as stop:  # argparse's way to say no
        code = int(str(stop.code))
    assert code == 2
    assert list(tmp_path.iterdir()) == []


def test_all_is_what_all_formats_have_together() -> None:
    assert {name for format in FORMATS for name in exportable(format)} == {*ALL, PLAIN}


def test_a_program_without_a_fitting_merge_is_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An unstructured construct after the passes, of whose two ways SPIR-V would make one: the others are written."""
    assert main(["generate", "--to", "spv", "--seed", "5004766", "--count", "2", str(tmp_path)]) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["seed-5004767.json", "seed-5004767.spv"]
    assert "seed 5004766 is left out: SPIR-V needs a merge instruction" in capsys.readouterr().err
    assert main(["generate", "--to", "spv", "--seed", "5004766", "--count", "1", str(tmp_path)]) == 1
