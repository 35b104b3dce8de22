"""Control-flow trees side by side: the same lines in one row, others marked."""

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from kit.text.console_blocks import run

from reknit.ir.function import Function
from reknit.ir.text.parser import parse
from reknit.view.diff_page import diff_page
from reknit.view.text import ASCII, tree_text
from reknit.view.tree_diff import side_by_side, side_by_side_svg

BEFORE = """func @first() {
  %a = IAdd 1u, 2u : u32
  if true {
    %b = IAdd %a, 1u : u32
  }
  return
}
func @gone() {
  return
}
"""
AFTER = """func @first() {
  %a = IAdd 1u, 2u : u32
  if true {
    %b = IMul %a, 1u : u32
    %c = IMul %a, 1u : u32
  } else {
    %d = IMul %a, 1u : u32
  }
  return
}
func @new() {
  return
}
"""


def functions(text: str) -> list[Function]:
    return parse(text).functions


def shown(function: Function) -> str:
    return tree_text(function, ASCII)


def test_rows() -> None:
    text = side_by_side(functions(BEFORE), functions(AFTER), shown)
    assert text.splitlines() == [
        "func @first() -> void    func @first() -> void",
        "|- b1: 1 instruction     |- b1: 1 instruction",
        "|- if true               |- if true",
        "|  `- then:            | |  |- then:",
        "                       > |  |  `- 2 instructions",
        "                       > |  `- else:",
        "|     `- 1 instruction   |     `- 1 instruction",  # the last arm's on both sides
        "`- return                `- return",
        "",
        "func @gone() -> void <",
        "`- b1: return        <",
        "",
        " > func @new() -> void",
        " > `- b1: return",
    ]


def test_the_same_is_the_same() -> None:
    text = side_by_side(functions(BEFORE), functions(BEFORE), tree_text)
    assert not any(mark in text for mark in (" | ", " < ", " > "))


def test_a_picture_has_both() -> None:
    picture = side_by_side_svg(functions(BEFORE), functions(AFTER))
    root = ElementTree.fromstring(picture)
    inner = [node for node in root if node.tag.endswith("svg")]
    titles = ["".join(node.itertext()) for node in inner]
    assert [next(name for name in ("@first", "@gone", "@new") if name in title) for title in titles] == [
        "@first", "@first", "@gone", "@new",
    ]  # fmt: skip
    places = [float(node.get("x", "0")) for node in inner]
    assert places[0] == places[2] == 0 and places[1] == places[3] > float(inner[0].get("width", "0"))
    assert picture == side_by_side_svg(functions(BEFORE), functions(AFTER))


def test_a_page_has_the_rows_and_the_pictures() -> None:
    """One line is changed, two are new (the rows of `test_rows`); a function without a difference is folded."""
    same = "func @same() {\n  return\n}\n"
    before, after = functions(BEFORE + same), functions(AFTER + same)
    page = diff_page(("a", before), ("b<c>", after), shown, pictures=True)
    root = ElementTree.fromstring(page.partition("<!doctype html>")[2].replace('<meta charset="utf-8">', ""))
    summaries = ["".join(node.itertext()) for node in root.iter("summary")]
    assert summaries == ["@first 1 changed, 2 new", "@gone 2 gone", "@same the same", "@new 2 new"]
    assert [node.get("open") is not None for node in root.iter("details")] == [True, True, False, True]
    looks = [row.get("class", "") for row in next(root.iter("table")).iter("tr")]
    assert looks == ["", "", "", "", "changed", "new", "new", "", ""]
    assert "".join(next(root.iter("h1")).itertext()) == "a and b<c> 4 functions: 3 differ"


@pytest.mark.once
def test_the_command(tmp_path: Path) -> None:
    """Two files of any formats; by name; what can't be shown is told."""
    (tmp_path / "before.rk").write_text(BEFORE)
    (tmp_path / "after.rk").write_text(AFTER)
    said = run("reknit show before.rk --diff after.rk --function new", tmp_path)
    assert said.splitlines()[0] == " > func @new() -> void"
    assert "there is no function 'nobody'" in run("reknit show before.rk --diff after.rk --function nobody", tmp_path)
    assert run("reknit show before.rk --diff after.rk --cfg", tmp_path).splitlines()[0].count("func @first") == 2
    assert run("reknit show before.rk --diff after.rk -o x.svg", tmp_path) == ""
    assert (tmp_path / "x.svg").read_text().count("<svg ") == 5
    assert run("reknit show before.rk --diff after.rk -o x.html", tmp_path) == ""
    assert run("reknit show before.rk --diff after.rk --cfg -o g.html", tmp_path) == ""
    page, graphs = (tmp_path / "x.html").read_text(), (tmp_path / "g.html").read_text()
    assert "before.rk and after.rk" in page and page.count("<figure>") == 3 and "<figure>" not in graphs
    for wrong in ("-o x.dot", "-o x.svg --cfg", "--uniformity", "-o x.rk"):
        assert "RK0010" in run(f"reknit show before.rk --diff after.rk {wrong}", tmp_path), wrong
    assert "RK0010" in run("reknit show - --diff -", tmp_path)
    assert "RK0001" in run("reknit show before.rk --diff nothing.rk", tmp_path)
    (tmp_path / "noise.dxil").write_bytes(bytes(range(256)))
    assert "RK0803" in run("reknit show before.rk --diff noise.dxil", tmp_path)
