"""`--dispatch` of the commands that run passes: lower-dispatch in that mode, whatever pipeline it is in.

A waterfall is a loop around OpGroupNonUniformBroadcastFirst (docs/dispatch.md, C5); a switch has neither.
"""

from pathlib import Path

import pytest
from kit.programs.dispatch import PROGRAMS

from reknit.cli.main import main
from reknit.passes.catalog import catalog
from reknit.passes.pipeline_text import parse_pipeline, pipeline_text


@pytest.fixture
def source(tmp_path: Path) -> str:
    file = tmp_path / "phi.rk"
    file.write_text(PROGRAMS["phi"][0])
    return str(file)


@pytest.mark.parametrize("passes", [[], ["-p", "specialize-dispatch, lower-dispatch{inline=never}"]])
def test_the_pipeline_lowers_in_that_mode(source: str, passes: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    for mode, loops in (("switch", False), ("waterfall", True)):
        assert main(["compile", source, "-o", "-", "--to", "rk", *passes, "--dispatch", mode]) == 0
        assert ("BroadcastFirst" in capsys.readouterr().out) == loops


def test_opt_has_it_too(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["opt", source, "-p", "specialize-dispatch, lower-dispatch", "--dispatch", "waterfall"]) == 0
    assert "BroadcastFirst" in capsys.readouterr().out


def test_without_a_pass_that_lowers_it_is_refused(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["opt", source, "-p", "specialize-dispatch", "--dispatch", "switch"]) == 2
    said = capsys.readouterr().err
    assert "RK0010" in said and "there is no `lower-dispatch` among the passes" in said


def test_a_pipeline_reads_back() -> None:
    text = "structurize, lower-dispatch{mode=waterfall,inline=never}, simplify-ifs{limit=7}"
    assert pipeline_text(parse_pipeline(text, catalog())) == text
    assert pipeline_text(parse_pipeline("lower-dispatch{mode=switch}", catalog())) == "lower-dispatch"
