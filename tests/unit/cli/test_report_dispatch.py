"""`--report-dispatch` of the commands that run passes: text or JSON on standard error, the result as ever."""

import json
from pathlib import Path

import pytest
from kit.programs.dispatch import PROGRAMS

from reknit.cli.main import main

PASSES = "specialize-dispatch, lower-dispatch"


def report(tmp_path: Path, capsys: pytest.CaptureFixture[str], *options: str) -> str:
    source = tmp_path / "phi.rk"
    source.write_text(PROGRAMS["phi"][0])
    assert main(["compile", "-p", PASSES, str(source), "-o", str(tmp_path / "out.spv"), *options]) == 0
    assert (tmp_path / "out.spv").stat().st_size > 0
    return capsys.readouterr().err


def test_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The call is the value %r, in the line of the source that has CallDynamic."""
    said = report(tmp_path, capsys, "--report-dispatch").split("\n")
    lines = PROGRAMS["phi"][0].split("\n")
    number = next(number for number, line in enumerate(lines, 1) if "CallDynamic" in line)
    gutter = " " * len(str(number))
    assert said[:5] == [
        "note[E50102]: generated dynamic dispatch code for this site. 2 possible types: 'A, B'",
        f"{gutter}--> {tmp_path / 'phi.rk'}:{number}:3",
        f"{gutter} |",
        f"{number} | {lines[number - 1]}",
        f"{gutter} |   ^^",
    ]
    assert said[5] == "note: IFoo.foo in main: switch of 2, payload 8 bytes"
    assert said[6].startswith("note: A: made in main (") and said[7].startswith("note: B: made in main (")
    assert said[8:] == ["(explain: reknit explain E50102)", "", "1 note", ""]


def test_what_the_passes_do_is_what_it_costs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "phi.rk"
    source.write_text(PROGRAMS["phi"][0])
    passes = "specialize-dispatch, lower-dispatch{mode=waterfall}"
    assert main(["opt", "-p", passes, str(source), "--report-dispatch", "-o", str(tmp_path / "o.rk")]) == 0
    assert "note: IFoo.foo in main: waterfall over 2, payload 8 bytes\n" in capsys.readouterr().err


def test_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (site,) = json.loads(report(tmp_path, capsys, "--report-dispatch", "json"))
    assert (site["code"], site["requirement"], site["types"]) == ("E50102", "foo", ["A", "B"])
    assert site["file"] == str(tmp_path / "phi.rk") and site["column"] == 3


def test_a_module_without_sites_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "none.rk"
    source.write_text("func @main() -> void {\n  return\n}\n")
    assert main(["opt", str(source), "--report-dispatch"]) == 0
    assert "there are no dispatch sites" in capsys.readouterr().err
    assert main(["opt", str(source), "--report-dispatch", "json"]) == 0
    assert json.loads(capsys.readouterr().err) == []


def test_nothing_is_said_unasked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert report(tmp_path, capsys) == ""


@pytest.mark.parametrize("words", [["structurize", "-o", "x.rk"], ["run"], ["check"], ["lint"], ["trace"]])
def test_a_command_without_passes_does_not_take_it(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "phi.rk"
    source.write_text(PROGRAMS["phi"][0])
    assert main([words[0], str(source), *words[1:], "--report-dispatch"]) == 2
    assert "--report-dispatch" in capsys.readouterr().err


def test_it_is_reported_before_a_bisection_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "phi.rk"
    source.write_text(PROGRAMS["phi"][0])
    words = ["opt", "--bisect-if", "false", "-p", PASSES, str(source), "--bisect-format", "rk", "--report-dispatch"]
    assert main(words) == 0
    assert "note[E50102]" in capsys.readouterr().err
