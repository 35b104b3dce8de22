"""`prove`, `opt --prove`, `opt --bisect`, `reduce` and `fuzz` as a shell sees them."""

import json
import shlex
import sys
from pathlib import Path

import pytest
from kit import ROOT
from kit.programs.miscompiles import plants

import reknit.passes.manager as manager
from reknit.cli.main import main
from reknit.files.save import save_file
from reknit.passes.catalog import catalog
from reknit.passes.contract import Pass
from reknit.passes.manager import run_passes
from reknit.passes.pipeline_text import PassSpec

EXAMPLE = str(ROOT / "examples" / "fallthrough.spvasm")


@pytest.fixture
def broken(tmp_path: Path) -> tuple[str, str]:
    """A shader and what a pass that drops a merge makes of it; lanes 0 and 1 store 15 and 15, then 5 and 10."""
    entry = plants()["drop-merge"]
    before, after = str(tmp_path / "before.rk"), str(tmp_path / "after.rk")
    save_file(entry.module, before)
    run_passes(entry.module, [PassSpec(entry.transform)])
    save_file(entry.module, after)
    return before, after


def test_a_refutation_is_exit_code_1_and_shows_the_lanes(
    broken: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["prove", *broken, "--subgroup-sizes", "4", "--set", "out=zeros:32"]) == 1
    out = capsys.readouterr().out.splitlines()
    assert out[0] == "refuted: the second version has a result that the first does not allow (rules: maximal)"
    assert "  entry point main, subgroup size 4, workgroups 1x1x1" in out
    rows = [line.split("|")[1].split()[:4] for line in out if line.startswith(("  before |", "  after  |"))]
    assert rows == [["15", "15", "15", "15"], ["5", "10", "5", "10"]]
    assert "lane 0 is the first to differ, at its tangled operation 1" in out


def test_json(broken: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prove", *broken, "--subgroup-sizes", "4", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["verdict"] == "refuted"
    example = found["counterexample"]
    assert example["subgroup_size"] == 4
    assert example["divergence_point"]["before"]["mask"] == 15
    assert {"buffer": "out", "word": 1, "before": 15, "after": 10} in example["differences"]
    assert main(["prove", broken[0], broken[0], "--json"]) == 0
    same = json.loads(capsys.readouterr().out)
    assert same["verdict"] == "proved" and same["counterexample"] is None
    assert same["coverage"]["inputs_exhaustive"] and same["coverage"]["policies_exhaustive"]
    assert main(["prove", broken[0], EXAMPLE, "--json"]) == 1
    apart = json.loads(capsys.readouterr().out)
    assert apart["verdict"] is None and apart["diagnostics"][0]["code"] == "RK1301"


@pytest.mark.parametrize(
    "words, said",
    [
        (["prove", EXAMPLE], "required: AFTER"),
        (["prove", "-", "-"], "standard input"),
        (["prove", EXAMPLE, EXAMPLE, "--subgroup-sizes", "4,6"], "powers of two"),
        (["prove", EXAMPLE, EXAMPLE, "--domain", "kinds"], "NAME=0..3"),
        (["prove", EXAMPLE, EXAMPLE, "--domain", "kinds=3..1"], "1 to 65536 numbers"),
        (["prove", EXAMPLE, EXAMPLE, "--domain", "kinds=0..99999999999"], "1 to 65536 numbers"),
        (["prove", EXAMPLE, EXAMPLE, "--domain", "kinds=0..1", "--set", "kinds=1"], "both --set and --domain"),
        (["prove", EXAMPLE, EXAMPLE, "--inputs", "0"], "at least 1"),
        (["opt", EXAMPLE, "-p", "reconverge", "--bisect", "--bisect-if", "true"], "leave one out"),
        (["reduce", EXAMPLE, "-o", "x.rk"], "required: --if"),
        (["reduce", EXAMPLE, "--if", "true", "-o", "x.png"], ".spvasm"),
        (["reduce", EXAMPLE, "--if", "true", "-o", "x.rk", "--time-limit", "0"], "seconds above 0"),
        (["fuzz", "--count", "0"], "at least 1"),
        (["fuzz", "-p", "lower-swiches"], "did you mean 'lower-switches'"),
        (["fuzz", "--on", "cuda"], "vulkan"),
    ],
)
def test_misuse_is_exit_code_2(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    assert said in capsys.readouterr().err


def with_plant(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong pass under the name of an honest one."""
    honest = catalog()["simplify-cfg"]
    wrong = plants()["drop-merge"].transform
    swapped = Pass(honest.name, honest.summary, wrong.run, honest.needs, honest.gives, honest.loses)
    known = {**catalog(), honest.name: swapped}
    monkeypatch.setattr(manager, "catalog", lambda: known)
    monkeypatch.setattr("reknit.reduction.bisect.catalog", lambda: known)


PASSES = ["-p", "promote-variables, simplify-cfg, promote-variables"]


def test_opt_prove_names_the_pass(
    broken: tuple[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["opt", broken[0], *PASSES, "--prove", "--subgroup-sizes", "4"]) == 0
    assert "pass 1, promote-variables: " in capsys.readouterr().err
    with_plant(monkeypatch)
    assert main(["opt", broken[0], *PASSES, "--prove", "--subgroup-sizes", "4"]) == 1
    done = capsys.readouterr()
    assert "pass 2, simplify-cfg: refuted: the second version has a result that the first does not allow" in done.err
    assert done.out == ""  # nothing is written
    assert main(["opt", broken[0], *PASSES, "--prove", "--json", "-o", "x.rk"]) == 1
    proof = json.loads(capsys.readouterr().out)["proofs"][0]
    assert (proof["pass"], proof["number"], proof["verdict"]) == ("simplify-cfg", 2, "refuted")


def test_bisect_names_the_pass_and_shows_the_change(
    broken: tuple[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["opt", broken[0], *PASSES, "--bisect", "--subgroup-sizes", "4"]) == 0
    assert capsys.readouterr().out == "no run of a pass breaks the module\n"
    with_plant(monkeypatch)
    assert main(["opt", broken[0], *PASSES, "--bisect", "--subgroup-sizes", "4"]) == 1
    out = capsys.readouterr().out
    assert out.startswith("run 2 of 3 breaks the module: simplify-cfg on @main\nrefuted: ")
    assert "\n-  if %odd {\n+  if %odd nojoin {\n" in out
    command = "grep -q nojoin {}"
    assert main(["opt", broken[0], *PASSES, "--bisect-if", command, "--bisect-format", "rk", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["run"], found["runs"], found["pass"], found["function"]) == (2, 3, "simplify-cfg", "@main")


def test_bisect_tells_of_an_input_that_is_broken_already(
    broken: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["opt", broken[0], *PASSES, "--bisect-if", "true"]) == 1
    assert "RK1313" in capsys.readouterr().err


def test_reduce_keeps_what_the_command_finds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    small = tmp_path / "small.spvasm"
    assert main(["reduce", EXAMPLE, "--if", "grep -q OpGroupNonUniformIAdd {}", "-o", str(small), "--json"]) == 0
    done = json.loads(capsys.readouterr().out)
    assert done["finished"] and done["after"] == 3  # a function, the addition, and how it ends
    assert small.read_text().count("OpGroupNonUniformIAdd") == 1
    assert main(["opt", str(small)]) == 0
    assert main(["reduce", EXAMPLE, "--if", "grep -q OpImageFetch", "-o", str(small)]) == 1
    assert "RK1312" in capsys.readouterr().err


def test_fuzz_prints_how_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["fuzz", "--count", "2", "-p", "simplify-cfg"]) == 0
    assert capsys.readouterr().out == "2 programs, 0 failures\n"
    assert list(tmp_path.iterdir()) == []


CRASHES = """
import sys
import reknit.view.picture
from reknit.cli.main import main
import reknit.cli.show as command
from reknit.ir.tree import Switch
from reknit.ir.walk import constructs

shown = command._shown

def broken(module, functions, *rest):
    if any(isinstance(construct, Switch) for function in functions for construct in constructs(function)):
        raise ZeroDivisionError("on purpose")
    return shown(module, functions, *rest)

command._shown = broken
sys.exit(main(sys.argv[1:]))
"""


def test_a_crash_can_be_reduced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A command that fails on every switch: what it leaves says how to make the input smaller, and that works."""
    import subprocess

    script = tmp_path / "broken.py"
    script.write_text(CRASHES)
    work = tmp_path / "work"
    work.mkdir()
    done = subprocess.run([sys.executable, str(script), "show", EXAMPLE], cwd=work, capture_output=True, text=True)
    assert done.returncode == 2 and "the command that makes the input smaller" in done.stderr
    (details,) = work.glob("reknit-crash-*.txt")
    again, smaller = details.read_text().splitlines()[:2]
    assert shlex.split(again) == ["reknit", "show", details.with_suffix(".spvasm").name]
    words = shlex.split(smaller)
    assert words[:3] == ["reknit", "reduce", details.with_suffix(".spvasm").name]
    words[-1] = words[-1].replace("reknit show", f"{sys.executable} {script} show")
    monkeypatch.chdir(work)
    assert main([*words[1:], "--time-limit", "3"]) == 0  # each try is two processes
    (small,) = work.glob("*-small.spvasm")
    assert "OpSwitch" in small.read_text()  # which is what it fails on
    assert len(list(work.iterdir())) == 3  # what the tries left behind went with their folders


def test_a_crash_with_two_inputs_keeps_both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("on purpose")

    other = str(ROOT / "examples" / "waterfall.spvasm")
    monkeypatch.setattr("reknit.proof.prove.prove", broken)
    monkeypatch.chdir(tmp_path)
    assert main(["prove", EXAMPLE, other]) == 2
    (details,) = tmp_path.glob("reknit-crash-*.txt")
    names = [f"{details.stem}-1.spvasm", f"{details.stem}-2.spvasm"]
    assert shlex.split(details.read_text().splitlines()[0]) == ["reknit", "prove", *names]
    assert [(tmp_path / name).read_bytes() for name in names] == [Path(EXAMPLE).read_bytes(), Path(other).read_bytes()]
