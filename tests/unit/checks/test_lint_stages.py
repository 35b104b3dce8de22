"""Lint of ray tracing stages: what follows a call that repacks is judged as if nothing had, and a note says so."""

from pathlib import Path

import pytest

import reknit
from reknit.checks.lint.api import lint_input
from reknit.checks.lint.config import read_config

SHADER = """
OpCapability RayTracingKHR
OpCapability GroupNonUniformBallot
OpExtension "SPV_KHR_ray_tracing"
OpMemoryModel Logical GLSL450
OpEntryPoint {stage} %main "begin" %data
%void = OpTypeVoid
%bool = OpTypeBool
%true = OpConstantTrue %bool
%uint = OpTypeInt 32 0
%v4uint = OpTypeVector %uint 4
%uint_0 = OpConstant %uint 0
%uint_3 = OpConstant %uint 3
%pointer = OpTypePointer CallableDataKHR %uint
%data = OpVariable %pointer CallableDataKHR
%signature = OpTypeFunction %void
%main = OpFunction %void None %signature
%start = OpLabel
{calls}
OpReturn
OpFunctionEnd
"""
CALL = "OpExecuteCallableKHR %uint_0 %data"
BALLOT = "%who = OpGroupNonUniformBallot %v4uint %uint_3 %true"


def module(stage: str, *calls: str) -> str:
    return SHADER.format(stage=stage, calls="\n".join(calls)).replace("\n\n", "\n").lstrip()


@pytest.mark.parametrize("form", ["spvasm", "spv", "rk"])
@pytest.mark.parametrize("stage", ["RayGenerationKHR", "ClosestHitKHR", "MissKHR", "CallableKHR"])
def test_the_note(stage: str, form: str, tmp_path: Path) -> None:
    (tmp_path / "a.spvasm").write_text(module(stage, CALL, BALLOT))
    reknit.save(reknit.load(tmp_path / "a.spvasm"), tmp_path / f"b.{form}")
    (one,) = reknit.lint(tmp_path / f"b.{form}")
    assert (one.code, one.severity) == ("RK3010", "note")
    assert one.message == (
        "OpExecuteCallableKHR may change which invocations are in a subgroup: entry point 'begin' of the stage "
        f"{stage} is judged as if the same ones went on together"
    )
    assert one.place is not None and (one.place.line > 0 or one.place.word > 0)


@pytest.mark.parametrize(
    "text",
    [module("RayGenerationKHR", CALL), module("RayGenerationKHR", BALLOT), module("RayGenerationKHR", CALL, CALL)],
    ids=["no operation that is judged", "no call", "calls alone"],
)
def test_there_is_nothing_to_say(text: str) -> None:
    assert reknit.lint(text.encode()) == []


def test_it_can_be_ignored(tmp_path: Path) -> None:
    (tmp_path / "reknit.toml").write_text('ignore = ["RK3010"]')
    text = module("RayGenerationKHR", CALL, BALLOT).encode()
    config = read_config(str(tmp_path / "reknit.toml"))
    assert lint_input(text, "spvasm", "a.spvasm", "", None, config) == []
