"""What a notebook shows: each class that is shown has both forms, the example runs, the viewer works in its frame."""

import ast
import importlib.util
import json
import shutil
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from kit.viewer.browser import in_browser, in_chromium
from kit.viewer.served import told_by

import reknit
from reknit.view import widget

ROOT = Path(__file__).resolve().parents[3]
NOTEBOOK = ROOT / "examples" / "reknit.ipynb"
KINDS = {"kinds": [0, 0, 1, 2]}
VOID = {"br", "hr", "img", "meta", "input", "rect", "path", "line"}


def bundle(value: Any) -> dict[str, str]:
    found: dict[str, str] = value._repr_mimebundle_()
    assert found["text/plain"] == repr(value)
    return found


class Cells(HTMLParser):
    """The rows of tables, and whether what begins ends."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.rows: list[list[str]] = []
        self.marked: list[str] = []
        self.cell: list[str] | None = None
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th") and self.rows:
            self.rows[-1].append("")
            if "background" in (dict(attrs).get("style") or ""):
                self.marked.append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1:] in (["td"], ["th"], ["i"]) and self.rows:
            self.rows[-1][-1] += data


@pytest.fixture(scope="module")
def module() -> reknit.Module:
    return reknit.load(ROOT / "examples" / "fallthrough.spvasm")


def test_outcomes_are_a_row_each_with_what_differs_marked(module: reknit.Module) -> None:
    html = bundle(reknit.outcomes(module, subgroup_size=4, buffers=KINDS))["text/html"]
    cells = Cells(html)
    assert [row[0] for row in cells.rows] == [f"outcome {number}" for number in range(1, 6)]
    values = {tuple(row[2:]) for row in cells.rows}
    # by hand: lanes 0 and 1 add 2 in case 0; the default adds ten for each lane that runs it together
    assert values == {
        ("42", "42", "40", "40"), ("32", "32", "30", "10"), ("32", "32", "10", "30"), ("22", "22", "20", "20"),
        ("22", "22", "10", "10"),
    }  # fmt: skip
    assert len(cells.marked) == 20


def test_every_class_that_is_shown_has_html(module: reknit.Module) -> None:
    before = reknit.load(ROOT / "examples" / "ballot_loop.rk")
    refuted = reknit.prove(before, reknit.load(ROOT / "examples" / "ballot_loop_moved.rk"))
    result = reknit.run(module, subgroup_size=4, buffers=KINDS, trace=True)
    found = reknit.outcomes(module, subgroup_size=4, buffers=KINDS)
    for value in (
        module, module.functions[0], result, result.trace, found, found.outcomes[0], refuted, refuted.counterexample,
        reknit.lint(module)[0],
    ):  # fmt: skip
        assert Cells(bundle(value)["text/html"]) is not None
    wrong = Cells(bundle(refuted)["text/html"])
    assert [row[2:] for row in wrong.rows] == [["1", "2", "4", "8"]] * 2 + [["15"] * 4] * 2
    assert "<svg" in bundle(module)["text/html"] and "srcdoc" in bundle(result)["text/html"]


def test_names_from_outside_are_text() -> None:
    text = (ROOT / "examples" / "ballot_loop.rk").read_text().replace("%result", '%"<script>alert(1)</script>"')
    module = reknit.load(text.encode(), format="rk")
    for value in (module, reknit.run(module, subgroup_size=4, trace=True), reknit.outcomes(module, subgroup_size=4)):
        html = bundle(value)["text/html"]
        Cells(html)
        assert "<script" not in html


@pytest.mark.once
def test_the_example_shows_what_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """The cells one after another in one namespace, as a kernel runs them."""
    monkeypatch.chdir(ROOT)
    names: dict[str, Any] = {}
    cells = [cell for cell in json.loads(NOTEBOOK.read_text())["cells"] if cell["cell_type"] == "code"]
    assert len(cells) > 4
    for cell in cells:
        body = ast.parse("".join(cell["source"]))
        last = body.body.pop()
        assert isinstance(last, ast.Expr)
        exec(compile(body, "cell", "exec"), names)
        value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
        (output,) = cell["outputs"]
        assert bundle(value)["text/plain"] == "".join(output["data"]["text/plain"])


@in_chromium
@pytest.mark.once
def test_the_viewer_runs_in_the_frame(module: reknit.Module, tmp_path: Path) -> None:
    html = bundle(reknit.run(module, subgroup_size=4, buffers=KINDS, trace=True))["text/html"]
    code = """(() => {
      const frame = document.querySelector("iframe");
      frame.addEventListener("load", () => {
        told.textContent = JSON.stringify(frame.contentDocument.querySelector("[aria-live]").textContent);
      });
      return null;
    })()"""
    said = in_browser(f"<!doctype html><body>{html}</body>", tmp_path, code)
    assert said.startswith("step 1: line 79 (%entry) is run by all 4 lanes")


WIDGET = """
import widget from "./widget.mjs";
const held = {page: await (await fetch("./page.html")).text(), height: 600, step: 1, lane: -1, result: 1};
const calls = {}, seen = {}, wait = () => new Promise((done) => setTimeout(done, 60));
const model = {
  get: (name) => held[name], set: (name, value) => (held[name] = value), save_changes: () => {},
  on: (name, call) => (calls[name] = call), off: () => {},
};
widget.render({model, el: document.body});
const frame = document.querySelector("iframe");
frame.addEventListener("load", async () => {
  const inside = frame.contentDocument;
  await wait();
  inside.dispatchEvent(new KeyboardEvent("keydown", {key: "End"}));
  await wait();
  seen.end = held.step;
  Object.assign(held, {step: 2, lane: 3});
  calls["change:step"]();
  await wait();
  seen.now = inside.getElementById("now").textContent;
  seen.lane = frame.contentWindow.viewer.lane;
  tell(seen);
});
"""


@in_chromium
@pytest.mark.once
def test_the_widget_reports_its_place_and_takes_one(module: reknit.Module, tmp_path: Path) -> None:
    """With a model as anywidget gives it: End in the frame comes to the model, step 2 of the model into the frame."""
    trace = reknit.run(module, subgroup_size=4, buffers=KINDS, trace=True).trace
    assert trace is not None
    folder = tmp_path / "served"
    folder.mkdir()
    shutil.copy(Path(widget.__file__).parent / widget.SCRIPT, folder)
    (folder / "page.html").write_text(trace.to_html(), encoding="utf-8")
    seen = told_by(folder, WIDGET, tmp_path / "profile", 60)
    assert seen == {"end": 5, "now": "step 2 of 5", "lane": 3}


def test_the_widget_is_anywidgets(module: reknit.Module, monkeypatch: pytest.MonkeyPatch) -> None:
    trace = reknit.run(module, subgroup_size=4, buffers=KINDS, trace=True).trace
    assert trace is not None
    if importlib.util.find_spec("anywidget") is not None:
        made = trace.widget()
        made.step = 3
        assert made.page == trace.to_html() and made.get_state(["step", "lane"]) == {"step": 3, "lane": -1}
        assert "render" in made._esm
    monkeypatch.setitem(sys.modules, "anywidget", None)
    with pytest.raises(reknit.InputError) as caught:
        trace.widget()
    assert caught.value.diagnostics[0].code == "RK0014" and "reknit[notebook]" in str(caught.value.diagnostics[0].help)
