"""What a command is about to write is judged by the rules of control flow first.

The module here declares MaximallyReconvergesKHR, which needs the extension SPV_KHR_maximal_reconvergence ("Validation
rules: ... if the extension is not declared", M01): without that line it is broken, whoever left it out.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from kit import ROOT
from kit.planted import planted

import reknit
from reknit.cli.main import main
from reknit.files.judging import BrokenOutput, EachPass, judge_module
from reknit.ir import op
from reknit.ir.function import Function
from reknit.ir.module import annotation
from reknit.ir.text.printer import print_module
from reknit.passes.contract import Context, Pass
from reknit.passes.manager import Hooks, run_passes
from reknit.reduction.bisect import bisect
from reknit.source.diagnostic import InputError
from reknit.spirv.write import words_of, write_module

pytestmark = pytest.mark.breaks_rules

FINE = """
OpCapability Shader
OpExtension "SPV_KHR_maximal_reconvergence"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
OpExecutionMode %main MaximallyReconvergesKHR
%void = OpTypeVoid
%bool = OpTypeBool
%true = OpConstantTrue %bool
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%entry = OpLabel
OpSelectionMerge %end None
OpBranchConditional %true %then %end
%then = OpLabel
OpBranch %end
%end = OpLabel
OpReturn
OpFunctionEnd
"""
BROKEN = FINE.replace('OpExtension "SPV_KHR_maximal_reconvergence"\n', "")
GRAPH = "a -> b c\nb -> d\nc -> b d\nd ret\n"


def _drop(function: Function, context: Context) -> bool:
    context.module.extensions.clear()
    return True


@pytest.fixture
def dropping() -> Iterator[str]:
    """A pass that leaves out what the mode needs."""
    with planted(Pass("drop-extensions", "leave out what execution modes need", _drop)) as name:
        yield name


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fine.spvasm").write_text(FINE)
    (tmp_path / "broken.spvasm").write_text(BROKEN)
    (tmp_path / "graph.cfg").write_text(GRAPH)
    return tmp_path


def left(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.suffix != ".spvasm" or "crash" in path.name)


@pytest.mark.parametrize("out", ["out.spv", "new.spvasm", "out.rk"])
@pytest.mark.parametrize("command", ["compile", "opt"])
def test_a_pass_that_breaks_a_rule_is_named(
    command: str, out: str, folder: Path, dropping: str, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [command, "fine.spvasm", "-o", out, "-p", f"simplify-cfg, {dropping}, cse"]
    assert main(arguments) == 2
    err = capsys.readouterr().err
    assert "RK0009" in err and f"pass 2, {dropping}, made a module that breaks the rule RK0641" in err
    assert "nothing was written" in err and "--no-check writes the module" in err
    names = left(folder)
    assert out not in names and len(names) == 3  # the graph, the report and the input's copy
    (report,) = folder.glob("reknit-crash-*.txt")
    again = report.read_text().splitlines()[0]
    assert again.split()[:2] == ["reknit", command] and report.with_suffix(".spvasm").name in again
    assert report.with_suffix(".spvasm").read_text() == FINE
    assert main([*arguments, "--no-check"]) == 0
    assert (folder / out).exists()


def test_verify_each_stops_at_the_pass(folder: Path, dropping: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["opt", "fine.spvasm", "-p", f"{dropping}, cse", "--verify-each", "--no-check"]) == 2
    assert f"pass 1, {dropping}, made a module" in capsys.readouterr().err
    with pytest.raises(BrokenOutput):
        reknit.compile(reknit.load("fine.spvasm"), dropping, verify_each=True)


def test_prove_stops_at_the_pass(folder: Path, dropping: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Though a later pass mends it: what the proof is of is no module that SPIR-V has."""

    def mend(function: Function, context: Context) -> bool:
        context.module.extensions.append(annotation(op.Extension, ["SPV_KHR_maximal_reconvergence"]))
        return True

    mends = Pass("mend-extensions", "bring it back", mend)
    with planted(mends):
        shader = str(ROOT / "examples" / "break_ballot.spvasm")
        arguments = ["opt", shader, "-p", f"{dropping}, mend-extensions", "-o", "out.spv"]
        assert main([*arguments, "--prove"]) == 2
        assert f"pass 1, {dropping}, made a module that breaks the rule RK0641" in capsys.readouterr().err
        assert main(arguments) == 0


def test_show_warns_of_what_it_writes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "broken.spvasm", "-o", "out.rk"]) == 0
    assert "warning[RK0516]: the module breaks the rule RK0641 of SPIR-V, and did so when" in capsys.readouterr().err
    assert main(["show", "broken.spvasm", "-o", "out.txt"]) == 0
    assert main(["show", "fine.spvasm", "-o", "fine.rk"]) == 0
    assert capsys.readouterr().err == ""


def test_reduce_warns_of_what_it_writes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, warned in (("broken", True), ("fine", False)):
        arguments = ["reduce", f"{name}.spvasm", "--if", "grep -q OpSelectionMerge", "-o", "out.spvasm"]
        assert main([*arguments, "--quiet"]) == 0
        assert ("warning[RK0516]: the module breaks the rule RK0641 of SPIR-V" in capsys.readouterr().err) == warned


def test_bisection_takes_it_for_broken(folder: Path, dropping: str) -> None:
    found = bisect(reknit.load("fine.spvasm"), f"simplify-cfg, {dropping}, cse", lambda module: "")
    assert found is not None and found.name() == dropping and "rule of control flow" in found.reason


@pytest.mark.parametrize("to", ["spv", "spvasm"])
def test_what_the_input_breaks_is_no_fault_of_a_pass(
    to: str, folder: Path, dropping: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = left(folder)
    arguments = ["opt", "broken.spvasm", "-p", dropping, "-o", f"out.{to}"]
    assert main(arguments) == 1
    err = capsys.readouterr().err
    assert "error[RK0516]: the module was not written: it breaks the rule RK0641 of SPIR-V, and did so when" in err
    assert left(folder) == before and not (folder / f"out.{to}").exists()
    assert main([*arguments, "--no-check"]) == 0
    assert main(["check", f"out.{to}"]) == 1  # as it was


def test_what_nests_too_deep_is_no_fault_of_a_pass(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """600 constructs around a call, and 600 in the function: 1,023 is the limit (SPIR-V 1.6, 2.17)."""
    test = "%c = INotEqual 0u, 1u : bool\n"
    nest, close = test + "if %c {\n" * 600, "}\n" * 600
    (folder / "deep.rk").write_text(
        'Capability Shader\nMemoryModel Logical GLSL450\nEntryPoint GLCompute @main "main"\n'
        "ExecutionMode @main LocalSize 1 1 1\n"
        f"func @main() -> void {{\n{nest}%x = FunctionCall @g : void\n{close}return\n}}\n"
        f"func @g() -> void {{\n{nest}MemoryBarrier 1u, 0u\n{close}return\n}}\n"
    )
    assert main(["opt", "deep.rk", "-o", "out.spv"]) == 0
    assert main(["opt", "deep.rk", "-p", "inline", "-o", "deeper.spv"]) == 1
    said = capsys.readouterr().err
    assert "error[RK0516]: the module was not written: it breaks the rule RK0635, a limit of SPIR-V" in said
    assert not (folder / "deeper.spv").exists()
    assert main(["opt", "deep.rk", "-p", "inline", "-o", "deeper.rk"]) == 0
    assert "warning[RK0516]: the module breaks the rule RK0635, a limit of SPIR-V" in capsys.readouterr().err


def test_a_source_that_nests_too_deep_is_no_fault_of_its_reader(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each `else if` is a construct in the one before: 1,100 of them, where 1,023 is the limit."""
    chain = "".join([f"if (o[0] == {at}) o[1] = {at}; else " for at in range(1100)])
    source = f'RWStructuredBuffer<int> o;\n[shader("compute")] [numthreads(1, 1, 1)] void main() {{ {chain}o[1] = 9; }}'
    (folder / "deep.slang").write_text(source)
    assert main(["opt", "deep.slang", "-o", "out.rk"]) == 0
    assert "warning[RK0516]: the module breaks the rule RK0635, a limit of SPIR-V" in capsys.readouterr().err
    assert main(["compile", "deep.slang", "-o", "out.spv"]) == 1
    assert "error[RK0516]: the module was not written" in capsys.readouterr().err


def test_rk_is_written_with_a_warning(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is what broken modules are looked at, reduced and mended in."""
    assert main(["opt", "broken.spvasm"]) == 0
    shown = capsys.readouterr()
    assert "ExecutionMode @1 MaximallyReconvergesKHR" in shown.out
    assert "warning[RK0516]: the module breaks the rule RK0641 of SPIR-V, and did so when it was read" in shown.err
    assert main(["reduce", "broken.spvasm", "--if", "grep -q MaximallyReconverges", "-o", "small.rk", "--quiet"]) == 0
    assert "MaximallyReconvergesKHR" in (folder / "small.rk").read_text()


def test_reduce_breaks_no_rule_that_the_input_keeps(folder: Path) -> None:
    """The smallest text with the mode would leave out the extension."""
    assert main(["reduce", "fine.spvasm", "--if", "grep -q MaximallyReconverges", "-o", "small.rk", "--quiet"]) == 0
    assert judge_module(reknit.load("small.rk")).broken == []


@pytest.mark.parametrize("name", ["graph.cfg", "flat.rk"])
def test_functions_without_structure_are_not_written_as_spirv(
    name: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["opt", "graph.cfg", "-o", "flat.rk"]) == 0  # they are nothing wrong there
    assert capsys.readouterr().err == ""
    for out in ("out.spv", "out.spvasm"):
        assert main(["opt", name, "-o", out]) == 1
        err = capsys.readouterr().err
        assert "error[RK0515]: @main has no structure, which SPIR-V demands of modules with the capability Sh" in err
        assert "structurize" in err and not (folder / out).exists()
        assert main(["opt", name, "-o", out, "--no-check"]) == 0
        (folder / out).unlink()
        assert main(["opt", name, "-p", "restructure", "-o", out]) == 0
        assert main(["structurize", name, "-o", out]) == 0


def test_json_says_so_too(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["opt", "graph.cfg", "-o", "out.spv", "--json"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert said["output"] is None and [one["code"] for one in said["diagnostics"]] == ["RK0515"]


def test_save_refuses(folder: Path) -> None:
    broken = reknit.load("broken.spvasm")
    for out in ("out.spv", "out.spvasm", "out.rk"):
        with pytest.raises(InputError) as caught:
            reknit.save(broken, out)
        assert [fault.code for fault in caught.value.diagnostics] == ["RK0516"]
        assert not (folder / out).exists()
        reknit.save(broken, out, check=False)
        assert (folder / out).exists()
    graph = reknit.load("graph.cfg")
    with pytest.raises(InputError) as caught:
        reknit.save(graph, "graph.spv")
    assert [fault.code for fault in caught.value.diagnostics] == ["RK0515"]
    reknit.save(graph, "graph.rk")


def test_dispatch_is_written_as_text(folder: Path) -> None:
    """SPIR-V has no words for it, so that there is nothing to judge."""
    reknit.save(reknit.load(ROOT / "examples" / "shapes.slang"), "shapes.rk")
    assert "MakeExistential" in (folder / "shapes.rk").read_text()


def test_judging_leaves_the_module_as_it_is() -> None:
    """Writing gives values ids and adds the constant that one-trip regions switch on; judging takes both back."""
    module = reknit.load(ROOT / "examples" / "fallthrough.spvasm")
    run_passes(module, "reconverge", Hooks(dump=EachPass()))
    text, known = print_module(module), len(module.interned)
    binary = words_of(module)
    assert print_module(module) == text and len(module.interned) == known
    assert words_of(module) == binary == write_module(module)


@pytest.mark.parametrize("name", ["empty.spvasm", "empty.rk"])
def test_what_has_no_memory_model_is_no_spirv(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The specification wants one (2.4). Reknit's own text may hold a part of a module."""
    path = tmp_path / name
    path.write_text("")
    for out in ("out.spv", "out.spvasm"):
        assert main(["compile", str(path), "-o", str(tmp_path / out)]) == 1
        assert "error[RK0518]: the module has no OpMemoryModel" in capsys.readouterr().err
        assert not (tmp_path / out).exists()
    assert main(["compile", str(path), "-o", str(tmp_path / "out.rk")]) == 0
