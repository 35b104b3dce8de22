"""The report as a page: worst first, equal failures together, and nothing in it that a browser would run."""

import csv
import html.parser
import re
from pathlib import Path

import pytest

import reknit

from .conftest import SHADER

pytestmark = pytest.mark.once


class Reader(html.parser.HTMLParser):
    """Which elements there are, and whether each ends."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        assert not any(name.startswith("on") for name, _ in attributes)
        assert all((value or "").startswith("data:") for name, value in attributes if name in ("src", "href"))
        if tag not in ("meta", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


LOOP = """OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
OpName %main "</pre><script>alert(1)</script>"
%void = OpTypeVoid
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%entry = OpLabel
OpBranch %next
%next = OpLabel
OpBranch %next
OpFunctionEnd
"""


def test_worst_first_and_escaped(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for number in range(3):
        (folder / f"loop{number}.spvasm").write_text(LOOP + f"; {number}\n")
    (folder / "<img src=x onerror=alert(1)>.rk").write_text("<script>alert(2)</script>\n")
    (folder / "sound.rk").write_text(SHADER.format(size=1))
    (folder / "=cmd|' C calc'!A0.rk").write_text("no\n")
    (folder / "empty.zz").write_text("")
    page = tmp_path / "r.html"
    table = tmp_path / "r.csv"
    inputs = [folder, folder / "empty.zz"]
    done = reknit.batch("check", inputs, jobs=1, reports=[page, table], pictures=True, exclude=["none"])
    assert done.counts == {"refused": 1, "findings": 5, "clean": 1}
    text = page.read_text()
    reader = Reader()
    reader.feed(text)
    assert reader.open == [] and "script" not in reader.elements
    assert reader.elements.count("img") >= 1  # drawn: the loop without a merge instruction
    assert "http" not in re.sub(r"<pre>.*?</pre>", "", text, flags=re.S).replace("http-equiv", "")
    assert "prefers-color-scheme:dark" in text
    groups = [(verdict, count) for verdict, _, count in done.groups]
    assert groups[0] == ("refused", 1) and groups[1] == ("findings", 3)  # the largest of what is equally bad
    assert text.index(">refused</span>") < text.index(">findings</span>")
    with table.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 7
    assert not any(str(value).startswith(("=", "+", "-", "@")) for row in rows for value in row.values())


def test_a_run_without_faults(tmp_path: Path) -> None:
    (tmp_path / "a.rk").write_text(SHADER.format(size=1))
    page = tmp_path / "r.html"
    done = reknit.batch("check", tmp_path / "a.rk", jobs=1, reports=[page])
    assert done and done.failed() == 0
    assert "Nothing is wrong with any input." in page.read_text()
