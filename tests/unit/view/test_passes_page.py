"""The page of a pipeline: what each pass changed, where a renumbered name is no difference."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from kit.programs.compute import Compute
from kit.viewer.browser import in_browser, in_chromium

from reknit.cli.main import main
from reknit.ir import op
from reknit.passes.manager import Hooks, run_passes
from reknit.view.passes_document import Explored, differences

EXAMPLES = Path(__file__).parents[3] / "examples"


def test_differences() -> None:
    assert differences(list("abcd"), list("abcd")) == [["same", 0, 4, 0, 4]]
    assert differences(list("abcd"), list("abxcd")) == [
        ["same", 0, 2, 0, 2], ["new", 2, 2, 2, 3], ["same", 2, 4, 3, 5],
    ]  # fmt: skip
    assert differences(list("abcd"), list("xbd")) == [
        ["changed", 0, 1, 0, 1], ["same", 1, 2, 1, 2], ["gone", 2, 3, 2, 2], ["same", 3, 4, 2, 3],
    ]  # fmt: skip
    assert differences([], ["a"]) == [["new", 0, 0, 0, 1]]


def test_a_renumbered_name_is_no_difference() -> None:
    """The first of three unnamed sums is read by nothing: dce takes it away, and the text numbers the others anew. What
    differs is that one line."""
    p = Compute(4)
    p.op2(op.IAdd, p.index, p.const(1))
    second = p.op2(op.IMul, p.index, p.const(2))
    p.out(p.op2(op.IAdd, second, p.const(3)))
    p.b.return_()
    explored = Explored()
    report = run_passes(p.module, "dce", Hooks(dump=explored))
    made: Any = json.loads(json.dumps(explored.document("x", "dce", {"dce": "sums"}, report, [])))
    assert [step["name"] for step in made["steps"]] == ["input", "dce"] and made["steps"][1]["does"] == "sums"
    before, after = (made["texts"][step["functions"][0][1]]["lines"] for step in made["steps"])
    gone = [line for line in before if "IAdd %lane, 1u" in line]
    assert [line for line in before if line not in after] == gone
    assert [line for line in after if line not in before] == []
    [changes] = made["changes"].values()
    assert [change[0] for change in changes] == ["same", "gone", "same"]
    assert before[changes[1][1] : changes[1][2]] == gone
    name = re.findall(r"%_\d+", next(line for line in before if "IMul" in line))[0]
    assert name != "%_1" and any(line.strip().startswith(f"{name} = IMul") for line in after)


def test_what_stays_is_kept_once() -> None:
    """Two functions, ten passes: a text each time that a pass changed something, not each time that one ran."""
    explored = Explored()
    p = Compute(4)
    p.out(p.index)
    p.b.return_()
    run_passes(p.module, "dce, cse, fold, dce", Hooks(dump=explored))
    assert len(explored.steps) == 5 and len(explored.texts) == 1


def explore(tmp_path: Path, *more: str) -> str:
    out = tmp_path / "p.html"
    words = ["compile", str(EXAMPLES / "fallthrough.spvasm"), "-o", str(tmp_path / "o.spv"), "--quiet", *more]
    assert main([*words, "--explore", str(out)]) == 0
    return out.read_text(encoding="utf-8")


def test_the_pipeline_with_proofs(tmp_path: Path) -> None:
    text = explore(tmp_path, "--prove")
    inside = text[text.index('id="document">') + len('id="document">') :]
    made = json.loads(inside[: inside.index("</script>")])
    lowered = next(step for step in made["steps"] if step["name"] == "lower-switches")
    assert "switch was lowered" in lowered["notes"][0]
    assert lowered["proof"] in ("proved", "proved for the domain", "sampled")
    assert "proof" not in made["steps"][0]
    assert "innerHTML" not in text and not re.search(r"https?://", text)


@pytest.mark.once
@in_chromium
def test_passes_are_gone_through(tmp_path: Path) -> None:
    """By keys: the input, then those that changed something; the difference of lower-switches has its new selector."""
    code = """(() => {
      const key = name => document.dispatchEvent(new KeyboardEvent("keydown", {key: name}));
      const text = id => document.getElementById(id).textContent, seen = {names: []};
      key("Home"); seen.names.push(text("name"));
      key("ArrowDown"); seen.names.push(text("name")); seen.notes = text("notes");
      seen.added = [...document.querySelectorAll("#sides .new.right")].map(one => one.textContent.trim());
      key("g"); seen.graph = [document.getElementById("graphs").hidden, document.getElementById("sides").hidden];
      key("c");
      const sides = [...document.querySelectorAll("#trees > div")];
      seen.trees = sides.map(side => [...side.querySelectorAll(".fresh")].map(one => one.textContent));
      seen.boxes = document.querySelectorAll("#trees .box .box").length;
      key("t"); key("End"); seen.names.push(text("name"));
      document.getElementById("all").click(); seen.steps = document.querySelectorAll("#steps li").length;
      return seen;
    })()"""
    seen = in_browser(explore(tmp_path), tmp_path, code)
    assert seen["names"][0] == "the input" and len(seen["names"]) == 3
    assert re.fullmatch(r"\d+ lower-switches", seen["names"][1])
    assert "%selector = Variable Function : ptr<Function, i32>" in seen["added"]
    assert "switch was lowered" in seen["notes"] and seen["graph"] == [False, True]
    assert seen["steps"] > 5
    # The case that falls through is gone, a second construct has both: only the new tree has that.
    gone, new = seen["trees"]
    assert any("fallthrough" in line for line in gone) and not any("fallthrough" in line for line in new)
    assert any(line.startswith(("if ", "switch ")) for line in new) and seen["boxes"] > 1
