"""The page of graphs: what it has is the function's blocks and edges, and it stays usable where they are many."""

import json
from pathlib import Path
from typing import Any

import pytest
from kit.viewer.browser import in_browser, in_chromium

import reknit
from reknit.cli.main import main
from reknit.view.graph_document import graphs_document

EXAMPLES = Path(__file__).parents[3] / "examples"


def test_blocks_edges_and_operations() -> None:
    """The README's switch: four blocks, of which two have an operation that depends on who runs it."""
    made: Any = json.loads(json.dumps(graphs_document("x", reknit.load(EXAMPLES / "fallthrough.spvasm").functions)))
    [one] = made["functions"]
    names = [node[5][0] for node in one["graph"]["nodes"]]
    assert sorted(names) == ["%entry", "%merge", "%others", "%zero"]
    edges = {(names[a], names[b], kind, title) for a, b, kind, _, title in one["graph"]["edges"]}
    assert edges == {
        ("%entry", "%zero", "step", "case 0"), ("%entry", "%others", "critical", "default"),
        ("%zero", "%others", "fallthrough", ""), ("%others", "%merge", "merge", ""),
    }  # fmt: skip
    assert {names[at] for at in one["tangled"]} == {"%zero", "%others"}
    assert one["code"][names.index("%zero")][0] == "%ones = GroupNonUniformIAdd Subgroup Reduce 1u : u32"
    boxes = [node[:4] for node in one["graph"]["nodes"]]
    for at, (x, y, width, height) in enumerate(boxes):
        for left, top, wide, tall in boxes[:at]:
            assert x + width <= left or left + wide <= x or y + height <= top or top + tall <= y  # no box on another


def test_the_page_is_of_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "g.html"
    words = ["show", str(EXAMPLES / "shapes.slang"), "--explore", str(out)]
    assert main(words) == 0 and out.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert capsys.readouterr().out == ""
    assert main([*words, "--cfg"]) == 2 and "leave out the others, but for --function" in capsys.readouterr().err


@pytest.mark.once
@in_chromium
def test_a_thousand_blocks(tmp_path: Path) -> None:
    """A chain of a thousand blocks, each with a way past the next one. Found by name, it is brought into view."""
    lines = [f"n{at} -> n{at + 1} n{min(at + 2, 999)}" for at in range(998)]
    path = tmp_path / "g.cfg"
    path.write_text("\n".join([*lines, "n998 -> n999", "n999 ret"]) + "\n")
    out = tmp_path / "g.html"
    assert main(["show", str(path), "--explore", str(out)]) == 0
    code = """(() => {
      const seen = {ready: performance.now(), count: viewer.one.graph.nodes.length};
      const text = document.getElementById("text"), canvas = document.getElementById("flow");
      text.value = "%n777"; text.dispatchEvent(new Event("input"));
      seen.found = document.getElementById("found").textContent;
      const [x, y, wide] = viewer.one.graph.nodes[viewer.found[0]];
      const left = graph.x + x * graph.scale, top = graph.y + y * graph.scale;
      seen.inView = [left >= 0, top >= 0, left + wide * graph.scale <= canvas.clientWidth, top <= canvas.clientHeight];
      seen.lit = document.querySelector("#tree .on").textContent;
      document.querySelector("[data-do=fit]").click();
      seen.whole = graph.scale * viewer.one.graph.height <= canvas.clientHeight + 1;
      return seen;
    })()"""
    seen = in_browser(out.read_text(encoding="utf-8"), tmp_path, code)
    assert seen["count"] == 1000 and "of" in seen["found"]
    assert seen["inView"] == [True] * 4 and seen["lit"].startswith("%n777") and seen["whole"]
    assert seen["ready"] < 1500
