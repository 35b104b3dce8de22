"""`reknit show --report-dispatch`: the calls through interfaces, marked in text, SVG, HTML and DOT.

The program has one call in `run`, to an A or a B in one context and to a B in the other.

    run:   %r = f.foo(n)  ->  [1] ... IFoo.foo -> A, B
"""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from kit import ROOT
from kit.programs import callables

from reknit.cli.main import main

SVG = "{http://www.w3.org/2000/svg}"
SOURCE = """interface IFoo { int foo(int x); }
struct A : IFoo { int a; int foo(int x) { return x + a; } }
struct B : IFoo { int2 b; int foo(int x) { return x * b.x; } }
RWStructuredBuffer<int> data;
int run(IFoo f, int n) { return f.foo(n); }
[shader("compute")] [numthreads(4, 1, 1)] void computeMain(uint3 id : SV_DispatchThreadID)
{
    IFoo f = A(1);
    if (id.x > 1) f = B();
    data[id.x] = run(f, 1) + run(B(), 2);
}
"""
TOLD = [
    "IFoo.foo (5:38) in run, called from computeMain (10:21): switch of 2, payload 8 bytes",
    "A: made in computeMain (8:15) -> read from f (10:22) -> argument of run (10:21) -> read from f (5:38)",
    "B: made in computeMain (9:24) -> read from f (10:22) -> argument of run (10:21) -> read from f (5:38)",
    "IFoo.foo (5:38) in run, called from computeMain (10:33): direct call",
    "B: made in computeMain (10:35) -> argument of run (10:33) -> read from f (5:38)",
]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "two.slang"
    path.write_text(SOURCE)
    return path


def shown(source: Path, kind: str, *options: str) -> str:
    out = source.with_suffix(f".{kind}")
    assert main(["show", str(source), "--report-dispatch", "-o", str(out), *options]) == 0
    return out.read_text()


def test_text_marks_the_call_and_tells_of_it_below(source: Path) -> None:
    text = shown(source, "txt")
    assert re.search(r"─ b1: \[1\] (%\w+) = IFoo\.foo -> A, B; .*; return \1\n", text)
    told = text.split("\n\n")[-1].splitlines()
    assert told[0] == f"[1] {TOLD[0]}"
    assert [line.strip() for line in told[1:]] == TOLD[1:]


def test_the_graph_as_text_has_marks_below_blocks(source: Path) -> None:
    assert re.search(r"\n  b1 -> return %\w+\n +\[1\] %\w+ = IFoo\.foo -> A, B\n", shown(source, "txt", "--cfg"))


@pytest.mark.parametrize("options", [[], ["--cfg"], ["--fake"]])
def test_svg_has_a_tooltip_and_tells_of_it_below(source: Path, options: list[str]) -> None:
    picture = ElementTree.fromstring(shown(source, "svg", *options))
    links = {one.get("id"): one for one in picture.iter(f"{SVG}a")}
    assert list(links) == ["mark-1", "note-1"]
    assert (links["mark-1"].get("href"), links["note-1"].get("href")) == ("#note-1", "#mark-1")
    tip = links["mark-1"].findtext(f"{SVG}title")
    assert tip is not None and [line.strip() for line in tip.split("\n")] == TOLD
    (line,) = [one.text or "" for one in links["mark-1"].iter(f"{SVG}text")]
    assert re.fullmatch(r"\[1\] %\w+ = IFoo\.foo -> A, B", line)
    below = [one.text for one in links["note-1"].iter(f"{SVG}text")]
    assert below == [f"[1] {TOLD[0]}", *TOLD[1:]]


def test_what_is_reported_lies_in_its_frame_below_everything(source: Path) -> None:
    picture = ElementTree.fromstring(shown(source, "svg"))
    (frame,) = [one for one in picture.iter(f"{SVG}rect") if one.get("class") == "q"]
    top, height = float(frame.get("y", "")), float(frame.get("height", ""))
    assert top + height <= float(picture.get("height", ""))
    for link in picture.iter(f"{SVG}a"):
        for text in link.iter(f"{SVG}text"):
            inside = top < float(text.get("y", "")) < top + height
            assert inside == (link.get("id") == "note-1")


def test_html_is_one_page_with_the_report_beside_the_picture(source: Path) -> None:
    page = shown(source, "html")
    assert "<script" not in page and "<link" not in page
    figure, aside = page.split("</figure>")
    assert '<a id="mark-1" href="#note-1">' in figure and 'id="note-1"' not in figure
    assert '<section id="note-1">' in aside and '<a href="#mark-1">' in aside
    assert "<pre>5 | int run(IFoo f, int n) { return f.foo(n); }</pre>" in aside
    assert re.findall(r"<(?:p|li)>(IFoo|A|B)", aside) == ["IFoo", "A", "B", "IFoo", "B"]
    assert "made in computeMain (8:15) -&gt; read from f" in aside


def test_a_page_without_marks_is_the_picture(source: Path) -> None:
    plain = Path(__file__).parents[3] / "examples" / "fallthrough.spvasm"
    page, picture = source.with_suffix(".html"), source.with_suffix(".svg")
    assert main(["show", str(plain), "--report-dispatch", "-o", str(page)]) == 0
    assert main(["show", str(plain), "-o", str(picture)]) == 0
    assert picture.read_text().strip() in page.read_text() and "<aside>" not in page.read_text()


def test_dot_has_marks_and_tooltips(source: Path) -> None:
    text = shown(source, "dot")
    assert re.search(r"\[1\] %\w+ = IFoo\.foo -> A, B\\l", text) and 'tooltip="IFoo.foo (5:38) in run' in text


def test_after_specializing_the_dispatcher_is_marked(source: Path) -> None:
    """Its tags are in the order of the types in the module."""
    out = source.with_name("special.rk")
    assert main(["opt", "-p", "specialize-dispatch", str(source), "-o", str(out)]) == 0
    text = shown(out, "txt")
    assert re.search(r"\[1\] %\w+ = dispatch_foo -> A, B; ", text)
    told = text.split("\n\n")[-1].splitlines()
    assert re.fullmatch(r"\[1\] dispatch_foo \(\d+:3\) in run: switch of 2", told[0])
    assert [line.strip() for line in told[1:]] == ["tag 0: A", "tag 1: B"]


def test_functions_as_values_are_marked_at_both_levels(tmp_path: Path) -> None:
    path = tmp_path / "phi.rk"
    path.write_text(callables.PROGRAMS["phi"][0])
    assert re.search(r"\[1\] %\w+ = a function value -> f, g; ", shown(path, "txt"))
    out = path.with_name("special.rk")
    assert main(["opt", "-p", "specialize-dispatch", str(path), "-o", str(out)]) == 0
    assert re.search(r"\[1\] %[\w']+ = dispatch_callable -> f, g; ", shown(out, "txt"))


def test_the_picture_in_the_page_is_what_is_drawn(tmp_path: Path) -> None:
    out = tmp_path / "a.svg"
    words = ["show", str(ROOT / "examples" / "shapes.slang"), "--function", "main", "--report-dispatch", "-o", str(out)]
    assert main(words) == 0
    assert out.read_text() == (ROOT / "docs" / "dispatch.svg").read_text()


def test_a_module_without_sites_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "none.rk"
    path.write_text("func @main() -> void {\n  return\n}\n")
    assert main(["show", str(path), "--report-dispatch"]) == 0
    said = capsys.readouterr()
    assert "there are no dispatch sites" in said.err and "func @main" in said.out


@pytest.mark.parametrize("options", [["-o", "x.rk"], ["--uniformity"], ["--diff", "x.rk"]])
def test_where_nothing_can_be_marked_it_is_refused(
    source: Path, options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["show", str(source), "--report-dispatch", *options]) == 2
    assert "RK0010" in capsys.readouterr().err
