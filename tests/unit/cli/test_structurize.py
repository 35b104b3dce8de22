"""The command `structurize`, and graphs through the others."""

from pathlib import Path

import pytest
from kit.oracles import need, validate
from kit.text.flat_texts import flat

from reknit.cli.main import main
from reknit.ir.text.printer import print_module

GRAPH = "e -> a b\na -> b c\nb -> a d\nc -> d\nd ret\n"


@pytest.fixture
def graph(tmp_path: Path) -> str:
    path = tmp_path / "a.cfg"
    path.write_text(GRAPH)
    return str(path)


def test_a_graph_becomes_spirv_and_a_report(graph: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    need("slang-glslang")
    out = tmp_path / "a.spv"
    dots = tmp_path / "dots"
    assert main(["structurize", graph, "-o", str(out), "--report", "--dump-dot", str(dots)]) == 0
    captured = capsys.readouterr()
    first, second = captured.out.splitlines()
    assert first.startswith("@main: 5 blocks in, ")
    assert "1 loop," in first and "0 switches," in first and "1 selector of entrances" in second
    assert "RK2501" in captured.err
    assert validate(out.read_bytes())[0]
    steps = sorted(path.name for path in dots.glob("01-structurize-*.main.*"))
    assert [name.removeprefix("01-structurize-") for name in steps] == [
        "1-plain.main.graph.dot",
        "2-variables.main.graph.dot",
        "3-entrances.main.graph.dot",
        "4-tree.main.graph.dot",
        "4-tree.main.tree.dot",
    ]
    graphs = [(dots / name).read_text() for name in steps[:3]]
    assert graphs[0].count("label=") < graphs[2].count("label="), "the entrance of the loop of a and b is a block more"
    assert (dots / "00-input.main.graph.dot").exists() and (dots / "04-promote-variables.main.tree.dot").exists()


def test_compile_gives_structure_too(graph: str, tmp_path: Path) -> None:
    need("slang-glslang")
    out = tmp_path / "a.spv"
    assert main(["compile", graph, "-o", str(out), "--quiet"]) == 0
    assert validate(out.read_bytes())[0]


def test_quiet_tells_nothing(graph: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["structurize", graph, "-o", str(tmp_path / "a.rk"), "--quiet", "--assume", "inside"]) == 0
    assert capsys.readouterr() == ("", "")


def test_what_has_structure_stays(tmp_path: Path, capsys: pytest.CaptureFixture[str], graph: str) -> None:
    first, second = tmp_path / "a.rk", tmp_path / "b.rk"
    assert main(["structurize", graph, "-o", str(first), "--quiet"]) == 0
    assert main(["structurize", str(first), "-o", str(second), "--report"]) == 0
    assert capsys.readouterr().out == "every function has structure already\n"
    assert first.read_text() == second.read_text()


def test_selectors_are_what_structurize_made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A variable of the program's own that is called `way`, as selectors of entrances are, and a phi called `level`."""
    path = tmp_path / "a.rk"
    path.write_text(print_module(flat(OWN_NAMES)))
    assert main(["structurize", str(path), "-o", str(tmp_path / "b.rk"), "--report"]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("@main: 4 blocks in, ") and ", 1 if, 0 loops, " in first.replace(";", ",")
    assert ", 0 selectors of entrances and levels, 0 flags" in second


OWN_NAMES = """
  %way = Variable Function : ptr<Function, u32>
  %c = IEqual %lane 1u : bool
  BranchConditional %c %a %b
%a:
  Store %way 2u
  Branch %last
%b:
  Branch %last
%last:
  %level = Phi %lane %a 3u %b : u32
  Store %way %level
  return
"""


@pytest.mark.parametrize("options", [["--nesting", "0", "-o", "x.rk"], ["-o", "x.none"], ["--report", "-o", "-"], []])
def test_misuse(graph: str, options: list[str]) -> None:
    assert main(["structurize", graph, *options]) == 2


def test_a_graph_is_shown(graph: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", graph, "--cfg", "--function", "main"]) == 0
    assert "%e -> %a, %b" in " ".join(capsys.readouterr().out.split())


def test_a_fault_points_at_its_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.cfg"
    path.write_text("a -> nowhere\n")
    assert main(["show", str(path)]) == 1
    assert f"{path}:1:6" in capsys.readouterr().err
