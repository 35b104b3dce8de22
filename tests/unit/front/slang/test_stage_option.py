"""`--stage` says what entry points are, as slangc's -stage and the first half of dxc's -T do."""

from pathlib import Path

import pytest

from reknit.cli.main import main
from reknit.front.slang.compile import Settings, compile_slang
from reknit.front.slang.stage_names import stage_named
from reknit.ir.enums import ExecutionModelFragment, ExecutionModelGLCompute, ExecutionModelVertex
from reknit.source.diagnostic import InputError

VERTEX = "float4 vs(float3 at : POSITION) : SV_Position { return float4(at, 1); }\n"
PIXEL = "float4 ps(float2 uv : UV) : SV_Target { return uv.xyxy; }\n"
PLAIN = "void main() { }\n"
MODELS = {"vertex": ExecutionModelVertex, "fragment": ExecutionModelFragment, "compute": ExecutionModelGLCompute}


def shown(source: str, stage: str, entries: list[str] | None = None, name: str = "a.hlsl") -> list[tuple[str, int]]:
    module = compile_slang(source, name, Settings(entries=entries, stage=stage))
    return [(point.text(2), point.word(0)) for point in module.entry_points]


@pytest.mark.parametrize(
    ("given", "stage"),
    [
        ("vertex", "vertex"), ("pixel", "fragment"), ("fragment", "fragment"), ("ps_6_0", "fragment"), ("vs", "vertex"),
        ("cs_6_x", "compute"), ("lib_6_3", ""), ("px", ""), ("", ""), ("vertex_6_0", ""),
    ],
)  # fmt: skip
def test_names(given: str, stage: str) -> None:
    assert stage_named(given) == stage


@pytest.mark.parametrize(("stage", "entry"), [("vertex", "vs"), ("fragment", "ps")])
def test_the_stage_chooses_among_functions_without_attributes(stage: str, entry: str) -> None:
    assert shown(VERTEX + PIXEL, stage) == [(entry, MODELS[stage])]


@pytest.mark.parametrize("stage", ["vertex", "fragment"])
def test_attributes_come_first(stage: str) -> None:
    marked = f'[shader("{stage}")] {PIXEL if stage == "fragment" else VERTEX}'.replace("s(", "s2(")
    assert [name for name, _ in shown(VERTEX + PIXEL + marked, stage)] == ["ps2" if stage == "fragment" else "vs2"]


def test_main_is_of_the_stage_that_is_said() -> None:
    for stage, model in MODELS.items():
        source = PLAIN if stage != "compute" else "[numthreads(1, 1, 1)] " + PLAIN
        assert shown(source, stage, name="blur.frag.hlsl") == [("main", model)]


@pytest.mark.parametrize(
    ("source", "stage", "entries", "said"),
    [
        (VERTEX, "fragment", [], "the source has no fragment shader"),
        ('[shader("vertex")] ' + VERTEX, "fragment", ["vs"], r"declared as \[shader\(\"vertex\"\)\], and fragment was"),
        (PLAIN, "geometry", [], "'main' is a geometry shader; compute, vertex and fragment shaders are read"),
    ],
)
def test_what_is_refused(source: str, stage: str, entries: list[str], said: str) -> None:
    with pytest.raises(InputError, match=said):
        shown(source, stage, entries)


@pytest.mark.parametrize("command", ["show", "check", "lint", "opt"])
def test_commands(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.hlsl"
    file.write_text(VERTEX + PIXEL)
    assert main([command, str(file), "--stage", "vs_6_0"]) == 0
    assert main([command, str(file), "--stage", "tessellate"]) == 2
    assert "--stage tessellate: it is one of compute, vertex" in capsys.readouterr().err


def test_it_is_configured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "reknit.toml").write_text('stage = "pixel"\n')
    file = tmp_path / "a.hlsl"
    file.write_text(VERTEX)
    monkeypatch.chdir(tmp_path)
    assert main(["check", "a.hlsl"]) == 1
    file.write_text(PIXEL)
    assert main(["check", "a.hlsl"]) == 0
