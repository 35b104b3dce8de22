"""`--baseline`: what is known stays known where lines move, what is new is reported, what is gone is said."""

import json
import shutil
import zipfile
from pathlib import Path

import pytest
from kit import ROOT

from reknit.checks.baseline import Baseline, read_baseline
from reknit.cli.main import main
from reknit.source.diagnostic import Diagnostic
from reknit.source.place import Place


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("fallthrough", "default_case"):
        shutil.copy(ROOT / "examples" / f"{name}.spvasm", tmp_path / f"{name}.spvasm")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def lint(capsys: pytest.CaptureFixture[str], *words: str) -> list[tuple[str, str]]:
    """(file, code) of each that is reported."""
    capsys.readouterr()
    main(["lint", *words, "--baseline", "known.json", "--json"])
    return [(each["file"], each["code"]) for each in json.loads(capsys.readouterr().out)]


FILES = ("default_case.spvasm", "fallthrough.spvasm")


@pytest.mark.parametrize("words", [FILES, (".", "-j", "1")], ids=["files", "a folder"])
def test_what_is_known_is_not_reported(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lint", *words, "--baseline", "known.json", "--write-baseline"]) == 0
    assert "known.json has 2 findings" in capsys.readouterr().err
    assert main(["lint", *words, "--baseline", "known.json"]) == 0
    text = Path("fallthrough.spvasm").read_text()
    Path("fallthrough.spvasm").write_text("; one line more\n" + text.replace("  OpStore", "    OpStore"))
    assert lint(capsys, *words) == []
    line = next(line for line in text.splitlines() if "%tens =" in line)
    again = line.replace("%tens", "%more")
    Path("fallthrough.spvasm").write_text(text.replace(line, f"{line}\n{again}"))
    assert lint(capsys, *words) == [("fallthrough.spvasm", "RK3004")]
    Path("fallthrough.spvasm").write_text(text.replace(line, line.replace("%uint_10", "%uint_1")))
    assert lint(capsys, *words) == [("fallthrough.spvasm", "RK3004"), ("known.json", "RK3024")]


def test_two_alike_are_two(capsys: pytest.CaptureFixture[str]) -> None:
    """Of two lines with the same words the second is new."""
    text = Path("fallthrough.spvasm").read_text()
    line = next(line for line in text.splitlines() if "%tens =" in line)
    other = "%again = OpGroupNonUniformIAdd %uint %uint_3 Reduce %uint_10"
    Path("fallthrough.spvasm").write_text(text.replace(line, f"{line}\n{other}"))
    main(["lint", "fallthrough.spvasm", "--baseline", "known.json", "--write-baseline"])
    assert len(json.loads(Path("known.json").read_text())["findings"]) == 2
    assert lint(capsys, "fallthrough.spvasm") == []


def test_another_folder_and_other_files(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["lint", *FILES, "--baseline", "known.json", "--write-baseline"])
    main(["lint", FILES[0], "--baseline", "known.json", "--write-baseline"])  # keeps what it has of the other
    assert len(json.loads(Path("known.json").read_text())["findings"]) == 2
    (project / "inner").mkdir()
    (project / ".git").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(project / "inner")
        assert main(["lint", f"../{FILES[0]}", f"{project}/{FILES[1]}", "--baseline", "../known.json"]) == 0
    Path("reknit.toml").write_text('[lint]\nbaseline = "known.json"\n')
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(project / "inner")
        assert main(["lint", f"../{FILES[0]}"]) == 0
        assert main(["lint", f"../{FILES[0]}", "--no-config"]) == 1


def test_check_has_one_too(capsys: pytest.CaptureFixture[str]) -> None:
    Path("bad.spvasm").write_text("OpNonsense\n")
    assert main(["check", "bad.spvasm", "--baseline", "known.json", "--write-baseline"]) == 0
    assert main(["check", "bad.spvasm", "--baseline", "known.json"]) == 0
    Path("bad.spvasm").write_text("OpOther\n")
    assert main(["check", "bad.spvasm", "--baseline", "known.json"]) == 1


def test_a_file_that_is_renamed(capsys: pytest.CaptureFixture[str]) -> None:
    """Its findings are new under the new name, and those of the old one are gone; a member of an archive is there."""
    row = {"fingerprint": "f", "code": "RK3004", "input": "old.zip/a.spv", "file": "old.zip/a.spv", "message": "m"}
    Path("known.json").write_text(json.dumps({"version": 1, "findings": [row]}))
    with zipfile.ZipFile("old.zip", "w") as archive:
        archive.writestr("a.spv", "")
    words = ("lint", *FILES, "--baseline", "known.json", "--write-baseline")
    main(list(words))
    Path(FILES[1]).rename("new.spvasm")
    assert lint(capsys, FILES[0], "new.spvasm") == [("new.spvasm", "RK3004"), ("known.json", "RK3024")]
    main(["lint", FILES[0], "new.spvasm", *words[3:]])
    inputs = [row["input"] for row in json.loads(Path("known.json").read_text())["findings"]]
    assert inputs == [FILES[0], "new.spvasm", "old.zip/a.spv"]


def test_a_finding_in_no_file_is_known_too() -> None:
    found = Diagnostic("RK3007", "a barrier", Place("", 3, 1))
    baseline = Baseline("known.json", {})
    assert baseline.left([found], {}, "a.spv") == [found]
    baseline.write()
    assert read_baseline("known.json").left([found], {}, "a.spv") == []


NONE = ["", "[]", "{", '{"version": 2, "findings": []}', '{"version": 1, "findings": [1]}', "[" * 100_000]


@pytest.mark.parametrize("text", NONE)
def test_what_is_no_baseline(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("known.json").write_text(text)
    assert main(["lint", FILES[0], "--baseline", "known.json"]) == 2
    assert "RK3023" in capsys.readouterr().err
    assert main(["lint", FILES[0], "--baseline", "missing.json"]) == 2
    assert main(["lint", FILES[0], "--write-baseline"]) == 2


def test_a_file_that_no_compiler_was_found_for_keeps_its_findings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a machine lacks is no finding of the project, and nothing is gone for its sake."""
    Path("a.comp").write_text("#version 450\nvoid main() {}\n")
    row = {"fingerprint": "f", "code": "RK3007", "input": "a.comp", "file": "a.comp", "message": "m"}
    before = {"version": 1, "findings": [row]}
    Path("known.json").write_text(json.dumps(before))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert lint(capsys, "a.comp") == [("a.comp", "RK0003")]
    assert main(["lint", "a.comp", "--baseline", "known.json", "--write-baseline"]) == 1
    assert json.loads(Path("known.json").read_text()) == before
