"""`reknit lint`: exit codes, forms, configuration, places, and what runs it elsewhere."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from kit import ROOT, oracles

import reknit
from reknit.cli.main import main
from reknit.files.formats import STAGES

EXAMPLES = ROOT / "examples"
SPIN = """#version 460
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) buffer B { uint lock; uint data[]; };
void main() {
  while (true) { if (atomicCompSwap(lock, 0u, 1u) == 0u) break; }
  data[gl_LocalInvocationIndex] = 1u;
}
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a shader that has one finding by SPIR-V alone (RK3003, in @main) and one that has another."""
    for name in ("break_ballot.spvasm", "fallthrough.spvasm"):
        shutil.copy(EXAMPLES / name, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def lint(*words: str) -> int:
    return main(["lint", *words])


def found(capsys: pytest.CaptureFixture[str], *words: str) -> list[dict[str, object]]:
    lint("--format", "json", *words)
    shown: list[dict[str, object]] = json.loads(capsys.readouterr().out)
    return shown


def test_exit_codes(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert lint("break_ballot.spvasm") == 0
    assert capsys.readouterr().out == "no findings in 1 file (rules: maximal)\n"
    assert lint("break_ballot.spvasm", "--target", "base") == 1
    assert lint("missing.spv") == 1
    assert lint("break_ballot.spvasm", "--target", "vulkan") == 2
    assert lint() == 2


def test_the_place_is_the_line_of_the_text(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (one,) = found(capsys, "break_ballot.spvasm", "--target", "base")
    line = (project / "break_ballot.spvasm").read_text().splitlines()[int(str(one["line"])) - 1]
    assert "OpGroupNonUniformBallot" in line
    assert one["code"] == "RK3003" and one["severity"] == "warning"


def test_the_place_in_reknits_own_text(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    module = reknit.load("break_ballot.spvasm")
    reknit.save(module, "a.rk")
    (one,) = found(capsys, "a.rk", "--target", "base")
    line = Path("a.rk").read_text().splitlines()[int(str(one["line"])) - 1]
    assert "GroupNonUniformBallot" in line
    notes = one["notes"]
    assert isinstance(notes, list)
    assert "loop" in Path("a.rk").read_text().splitlines()[notes[0]["line"] - 1]


def test_the_place_in_a_binary(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reknit.save(reknit.load("break_ballot.spvasm"), "a.spv")
    (one,) = found(capsys, "a.spv", "--target", "base")
    word = int(str(one["word"]))
    data = Path("a.spv").read_bytes()
    assert int.from_bytes(data[4 * word : 4 * word + 2], "little") == 339  # OpGroupNonUniformBallot


def test_the_place_in_a_shading_language(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = oracles.find("glslangValidator")
    if words is None:
        pytest.skip("no glslangValidator here: python3 tools/get_oracles.py brings it")
    script = project / "glslangValidator"
    script.write_text("#!/bin/sh\nexec " + " ".join(f"'{word}'" for word in words) + ' "$@"\n')
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{project}:/usr/bin:/bin")
    shutil.copy(EXAMPLES / "break_ballot.comp", project / "break_ballot.comp")
    (one,) = found(capsys, "break_ballot.comp", "--target", "base")
    line = (project / "break_ballot.comp").read_text().splitlines()[int(str(one["line"])) - 1]
    assert Path(str(one["file"])).name == "break_ballot.comp"
    assert "subgroupBallot(true)" in line
    (project / "spin.comp").write_text(SPIN)
    assert main(["run", "spin.comp", "--max-steps", "1000", "--json"]) == 1
    (said,) = json.loads(capsys.readouterr().out)["diagnostics"]
    assert said["line"] == 5
    assert [note["line"] for note in said["notes"]] == [5, 6]  # who runs, and who waits behind the loop


@pytest.mark.parametrize("form", ["full", "concise", "json", "sarif", "github"])
def test_forms(form: str, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert lint("break_ballot.spvasm", "--target", "base", "--format", form) == 1
    out = capsys.readouterr().out
    assert "RK3003" in out
    if form == "sarif":
        assert json.loads(out)["runs"][0]["results"][0]["ruleId"] == "RK3003"
    if form == "github":
        assert out.startswith("::warning file=break_ballot.spvasm,line=")


CONFIGS = [
    'ignore = ["RK3003"]',
    '[per-file-ignores]\n"break_*.spvasm" = ["RK3003"]',
    '[[suppress]]\ncode = "RK3003"\nfunction = "main"\noperation = "who"\nreason = "known"',
    '[[suppress]]\ncode = "RK3003"\noperation = "OpGroupNonUniformBallot"\nfile = "break_ballot.spvasm"',
]


@pytest.mark.parametrize("text", CONFIGS)
def test_what_a_project_does_not_want_to_hear(text: str, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("reknit.toml").write_text(text)
    assert lint("break_ballot.spvasm", "--target", "base") == 0
    assert lint("break_ballot.spvasm", "--target", "base", "--no-config") == 1


@pytest.mark.parametrize(
    "text",
    [
        'ignore = ["RK3001"]',
        '[per-file-ignores]\n"other.spvasm" = ["RK3003"]',
        '[[suppress]]\ncode = "RK3003"\nfunction = "helper"',
        '[[suppress]]\ncode = "RK3003"\noperation = "OpGroupNonUniformElect"',
    ],
)
def test_an_unused_suppression_is_reported(text: str, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("reknit.toml").write_text(text)
    assert [one["code"] for one in found(capsys, "break_ballot.spvasm", "--target", "base")] == ["RK3003", "RK3021"]
    assert lint("break_ballot.spvasm") == 0  # a note is no finding


def test_pyproject(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("pyproject.toml").write_text('[project]\nname = "x"\n')
    assert lint("break_ballot.spvasm") == 0
    Path("pyproject.toml").write_text('[tool.reknit.lint]\ntarget = "base"\n')
    assert lint("break_ballot.spvasm") == 1
    assert lint("break_ballot.spvasm", "--target", "maximal") == 0
    inner = project / "inner"
    inner.mkdir()
    assert reknit.lint(project / "break_ballot.spvasm", config=project / "pyproject.toml")[0].code == "RK3003"


@pytest.mark.parametrize(
    "text, said",
    [
        ("ingore = []", "'ingore' is not known"),
        ('ignore = "RK3003"', "ignore is not a list of codes"),
        ('ignore = ["RK3099"]', "'RK3099', which is no code of lint"),
        ('ignore = ["RK0101"]', "no code of lint"),
        ('target = "best"', "target is 'best'"),
        ("[per-file-ignores]\na = 1", "is not a list of codes"),
        ("per-file-ignores = 1", "per-file-ignores is not a table"),
        ('suppress = ["RK3001"]', "suppress is not a list of tables"),
        ('[[suppress]]\nfunction = "main"', "suppress number 1 has no code"),
        ('[[suppress]]\ncode = "RK3001"\nline = 4', "'line' of suppress number 1 is not known"),
        ('[[suppress]]\ncode = "RK3001"\nfile = 4', "file of suppress number 1 is not a text"),
        ("ignore = [", "it is not TOML"),
        ("a = " + "[" * 10_000, "its values nest too deep"),
    ],
)
def test_a_wrong_configuration(text: str, said: str, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("reknit.toml").write_text(text, errors="surrogateescape")
    assert lint("break_ballot.spvasm") == 2
    err = capsys.readouterr().err
    assert "RK3020" in err and said in err
    assert lint("break_ballot.spvasm", "--config", "nowhere.toml") == 2


@pytest.mark.parametrize("data", [b"\xff", b'target = "base"\0'])
def test_a_configuration_that_is_no_text(data: bytes, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("reknit.toml").write_bytes(data)
    assert lint("break_ballot.spvasm") == 2
    assert "RK0008" in capsys.readouterr().err


@pytest.mark.parametrize("data", [b"", b"\0\1\2\3", b"\x03\x02\x23\x07" + b"\xff" * 64, b"OpNothing\n", b"func @"])
@pytest.mark.parametrize("ending", ["spv", "spvasm", "rk"])
def test_garbage(data: bytes, ending: str, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path(f"a.{ending}").write_bytes(data)
    assert lint(f"a.{ending}") in (0, 1)  # empty text is an empty module
    assert list(project.glob("reknit-crash*")) == []


def test_the_function(project: Path) -> None:
    module = reknit.load("break_ballot.spvasm")
    before = reknit.text(module)
    assert [one.code for one in reknit.lint(module, target="sucf")] == ["RK3003"]
    assert reknit.lint(module) == []
    assert reknit.text(module) == before
    data = (project / "break_ballot.spvasm").read_bytes()
    assert [str(one) for one in reknit.lint(data, target="base")][0].startswith("<bytes>:")
    with pytest.raises(reknit.InputError, match="no target"):
        reknit.lint(module, target="vulkan")


def test_lowering_mends_what_no_mode_does(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The help of RK3004: after `reknit compile` nothing is left of it."""
    assert [one["code"] for one in found(capsys, "fallthrough.spvasm")] == ["RK3004"]
    assert main(["compile", "fallthrough.spvasm", "-o", "b.spv"]) == 0
    assert lint("b.spv") == 0


# --- where others run it ----------------------------------------------------------------------------------------------


def steps() -> list[dict[str, Any]]:
    """Those of the action that are scripts."""
    import yaml

    action = yaml.safe_load((ROOT / "action.yml").read_text())
    assert action["runs"]["using"] == "composite"
    return [step for step in action["runs"]["steps"] if "run" in step]


def test_the_action_quotes_nothing_into_its_scripts_and_installs_this_version() -> None:
    assert all("${{" not in step["run"] and step["shell"] == "bash" for step in steps())
    assert f"default: reknit=={reknit.__version__}\n" in (ROOT / "action.yml").read_text()


def test_the_steps_of_the_action(tmp_path: Path, project: Path) -> None:
    """With an empty HOME and nothing else on PATH: the interpreter of the environment finds reknit as an installed one
    does."""
    place, report = tmp_path / "made", tmp_path / "reknit.sarif"
    (place / "bin").mkdir(parents=True)
    python = place / "bin" / "python"
    python.write_text(
        f"#!/bin/sh\nshift 3\nexec {sys.executable} -c 'import sys; sys.path.insert(0, \"{ROOT}/src\"); "
        f"from reknit.cli.main import program; program()' \"$@\"\n"
    )
    python.chmod(0o755)
    (place / "pyvenv.cfg").touch()
    (tmp_path / "home").mkdir()
    runner = {"BIN": "bin", "GITHUB_OUTPUT": tmp_path / "outputs", "HOME": tmp_path / "home"}
    given = {"PLACE": place, "PACKAGE": "none", "OPTIONS": "--target base", "FILES": "break_ballot.spvasm missing.spv"}
    outputs = {"SARIF": "true", "REPORT": report, "PATH": "/usr/bin:/bin"}
    environment = {name: str(value) for name, value in {**runner, **given, **outputs}.items()}
    ran = [
        subprocess.run(["bash", "-eo", "pipefail", "-c", step["run"]], capture_output=True, text=True, env=environment)
        for step in steps()
    ]
    assert [done.returncode for done in ran[1:]] == [0, 1], [done.stderr for done in ran]
    assert (tmp_path / "outputs").read_text().splitlines()[1] == "bin=bin"
    assert re.search(r"::warning file=break_ballot.spvasm,line=90.*title=RK3003", ran[-1].stdout)
    (run,) = json.loads(report.read_text())["runs"]
    assert [result["ruleId"] for result in run["results"]] == ["RK3003", "RK0001"]
    assert list((tmp_path / "home").iterdir()) == []


def test_the_hook_names_a_command_and_options_that_exist(capsys: pytest.CaptureFixture[str], project: Path) -> None:
    import yaml

    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    program, *words = hook["entry"].split()
    assert program == "reknit" and hook["language"] == "python"
    assert main([*words, "break_ballot.spvasm", "fallthrough.spvasm"]) == 1
    assert "RK3004" in capsys.readouterr().out


def test_pre_commit_gets_a_plain_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its store has its clones beside its database (pre_commit/store.py): there nothing is compiled."""
    from build_hook import why_plain

    monkeypatch.delenv("REKNIT_PURE", raising=False)
    (tmp_path / "repoab12").mkdir()
    assert why_plain(tmp_path / "repoab12") == ""
    (tmp_path / "db.db").touch()
    assert "pre-commit" in why_plain(tmp_path / "repoab12")
    assert why_plain(tmp_path) == ""


def test_the_hook_is_for_what_is_read() -> None:
    pattern = re.findall(r"files: (.*)", (ROOT / ".pre-commit-hooks.yaml").read_text())[0]
    for name in ("a.spv", "a.spvasm", "a.rk", "a.dxil", "b/a.frag", "a.hlsl", "a.slang", *[f"a.{s}" for s in STAGES]):
        assert re.search(pattern, name)
    assert not re.search(pattern, "a.py")
