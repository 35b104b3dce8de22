"""Modules that load but break a rule of the IR: every command names the rule and the line, none crashes."""

from pathlib import Path

import pytest

from reknit.cli.main import main

NO_DEFAULT = """Capability Shader
MemoryModel Logical GLSL450
EntryPoint GLCompute @main "main"
ExecutionMode @main LocalSize 4 1 1
func @main() -> void {
  switch 1u {
    case 0: {
    }
  }
  return
}
"""
# OpSwitch has a default (SPIR-V 1.6, 3.42.17), so this can't be written as SPIR-V.


@pytest.mark.parametrize(
    "words",
    [["check"], ["compile", "-o", "a.spv", "-p", ""], ["opt", "--to", "spvasm"], ["structurize", "-o", "a.spv"]],
    ids=lambda words: words[0],
)
def test_a_switch_without_a_default_is_reported(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.rk").write_text(NO_DEFAULT)
    assert main([words[0], "a.rk", *words[1:]]) == 1
    captured = capsys.readouterr()
    said = captured.out + captured.err
    assert "error[RK0413]: @main, b1: the switch after this block has no default among its cases" in said
    assert "--> a.rk:6:3" in said
    assert list(tmp_path.iterdir()) == [tmp_path / "a.rk"]


SHADER = """
OpCapability Shader
OpCapability GroupNonUniformVote
OpMemoryModel Logical GLSL450
OpEntryPoint {stage} %main "main"
{mode}
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%v2u = OpTypeVector %uint 2
%v2b = OpTypeVector %bool 2
%pair = OpTypeStruct %uint %uint
%c3 = OpConstant %uint 3
%c1 = OpConstant %uint 1
%v = OpConstantComposite %v2u %c1 %c3
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%entry = OpLabel
{code}
OpReturn
OpFunctionEnd
"""
# OpGroupNonUniformAllEqual gives one Boolean, OpCompositeConstruct takes a constituent for each member, a shift has an
# amount for each component (SPIR-V 1.6, 3.52): SPIRV-Tools refuses all three.
BROKEN_CODE = [
    "%x = OpGroupNonUniformAllEqual %v2b %c3 %v\n%y = OpCompositeExtract %bool %x 0",
    "%x = OpCompositeConstruct %pair\n%y = OpCompositeExtract %uint %x 1",
    "%x = OpShiftLeftLogical %v2u %v %c1\n%y = OpCompositeExtract %uint %x 1",
]
RUNS = ["run", "outcomes", "trace", "compare"]


@pytest.mark.parametrize("code", BROKEN_CODE)
@pytest.mark.parametrize("command", RUNS)
def test_what_breaks_a_rule_is_not_run(
    command: str, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    mode = "OpExecutionMode %main LocalSize 4 1 1"
    Path("a.spvasm").write_text(SHADER.format(stage="GLCompute", mode=mode, code=code))
    assert main([command, "a.spvasm"]) == 1
    err = capsys.readouterr().err
    assert "error[RK0417]" in err and "a.spvasm:19:1" in err
    assert list(tmp_path.iterdir()) == [tmp_path / "a.spvasm"]


@pytest.mark.parametrize("command", RUNS)
def test_fragment_shaders_are_run_over_a_drawing_alone(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import reknit
    from reknit.source.diagnostic import InputError

    monkeypatch.chdir(tmp_path)
    text = SHADER.format(stage="Fragment", mode="OpExecutionMode %main OriginUpperLeft", code="")
    Path("a.spvasm").write_text(text)
    assert main([command, "a.spvasm"]) == 1
    said = "error[RK1020]: entry point 'main' is a fragment shader, which needs a drawing to run"
    assert said in capsys.readouterr().err
    assert main(["lint", "a.spvasm"]) == 0 and main(["compile", "a.spvasm", "-o", "b.spv"]) == 0
    for ask in (reknit.run, reknit.outcomes):
        with pytest.raises(InputError, match="RK1020"):
            ask(reknit.load("a.spvasm"))


def test_a_phi_without_a_value_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The back edge comes from the block after the `if`, not from %la."""
    import reknit
    from reknit.source.diagnostic import InputError

    path = tmp_path / "a.rk"
    text = NO_DEFAULT.partition("func")[0] + (
        "func @main() -> void {\n%pre:\n  loop @l {\n  %h:\n    %i = Phi 0u %pre, 1u %la : u32\n  } continuing {\n"
        "  %la:\n    if true nojoin {\n      break @l\n    }\n  }\n  return\n}\n"
    )
    path.write_text(text)
    assert main(["run", str(path)]) == 1
    err = capsys.readouterr().err
    assert "error[RK04" in err and "%i" in err
    with pytest.raises(InputError) as caught:
        reknit.run(reknit.load(path))
    (fault,) = caught.value.diagnostics
    assert fault.message.startswith("can't run OpPhi %i: it has no value for invocations that come from")
