"""`--report-dispatch` of the commands that run passes: text or JSON on standard error, the result as ever."""

import json
from pathlib import Path

import pytest
from dispatch_programs import PROGRAMS

from reknit.cli.main import main

PASSES = "specialize-dispatch, lower-dispatch"


def report(tmp_path: Path, capsys: pytest.CaptureFixture[str], *options: str) -> str:
    source = tmp_path / "phi.rk"
    source.write_text(PROGRAMS["phi"][0])
    assert main(["compile", "-p", PASSES, str(source), "-o", str(tmp_path / "out.spv"), *options]) == 0
    assert (tmp_path / "out.spv").stat().st_size > 0
    return capsys.readouterr().err


def test_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = report(tmp_path, capsys, "--report-dispatch")
    assert "IFoo.foo in main: A, B   (switch of 2, payload 8 bytes)" in said
    assert "  A: made in main (" in said


def test_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sites = json.loads(report(tmp_path, capsys, "--report-dispatch", "json"))
    assert [(site["requirement"], site["types"]) for site in sites] == [("foo", ["A", "B"])]


def test_nothing_is_said_unasked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert report(tmp_path, capsys) == ""
