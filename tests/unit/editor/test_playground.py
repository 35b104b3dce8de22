"""The door of the playground, in the Python at hand: what a page asks, and what it gets."""

import json
from pathlib import Path
from typing import Any

import pytest

from reknit.editor.playground import answer

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
FALLTHROUGH = (EXAMPLES / "fallthrough.spvasm").read_text()
KINDS = {"format": "spvasm", "text": FALLTHROUGH, "size": 4, "buffers": {"kinds": [0, 0, 1, 2]}}


def asked(do: str, **parts: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(answer(json.dumps({"do": do, **parts})))
    return found


def test_all_results_and_what_lint_says() -> None:
    found = asked("outcomes", **KINDS)
    assert found["ok"] and found["text"] == "<5 outcomes, exhaustive>" and "<table>" in found["html"]
    findings = asked("look", **KINDS)["diagnostics"]
    assert {each["code"] for each in findings} == {"RK3004"}
    # `%others = OpLabel` is line 89; the operation is the line after it, from its name to the end
    assert (findings[0]["line"], findings[0]["column"]) == (90, 8)
    line = FALLTHROUGH.split("\n")[89]
    assert findings[0]["length"] == len(line.strip())


def test_the_trace_is_a_page_with_a_run_a_result() -> None:
    found = asked("trace", **KINDS)
    document = found["page"].split('type="application/json">')[-1]
    assert found["ok"] and document.count('"name":"kind: lanes') == 5
    assert asked("trace", **KINDS, tabs=2)["page"].count('"name":"kind: lanes') == 2
    assert "OpGroupNonUniformIAdd" in found["page"]  # the source, though there is no file


def test_compile_leaves_one_result() -> None:
    fixed = asked("compile", format="spvasm", text=FALLTHROUGH)
    assert [each["code"] for each in fixed["diagnostics"]] == ["RK2101"]
    again = asked("outcomes", **{**KINDS, "format": "rk", "text": fixed["text"]})
    assert again["text"] == "<1 outcome, exhaustive>"


@pytest.mark.parametrize("name, verdict", [("moved", "refuted"), ("hoisted", "proved")])
def test_a_version_is_judged(name: str, verdict: str) -> None:
    before = (EXAMPLES / "ballot_loop.rk").read_text()
    after = (EXAMPLES / f"ballot_loop_{name}.rk").read_text()
    found = asked("prove", format="rk", text=after, before=before, before_format="rk")
    assert found["text"].startswith(f"<{verdict}")


def test_slang_runs_and_is_shown() -> None:
    text = (EXAMPLES / "shapes.slang").read_text()
    assert asked("run", text=text, size=4)["text"] == "<main on sim, subgroups of 4: result = 413 434 434 434>"
    assert "<svg" in asked("show", text=text)["html"]
    assert "uint IShape.corners()" in asked("hover", text=text, line=38, column=26)["hover"]


def test_what_can_not_be_read_is_said() -> None:
    found = asked("run", text="void main( {")
    assert not found["ok"] and found["diagnostics"][0]["line"] == 1
    endless = """RWStructuredBuffer<uint> result;
[shader("compute")] [numthreads(1, 1, 1)] void main() { uint n = 0; while (result[1] == 0) n++; result[0] = n; }"""
    stopped = asked("run", text=endless, steps=1000)
    assert stopped["ok"] and "failed" in stopped["text"]


@pytest.mark.parametrize(
    "request_text",
    [
        "", "[]", "{}", '{"do": "fly"}', '{"do": "run", "text": 7}', '{"do": "run", "size": 3}',
        '{"do": "run", "size": true}', '{"do": "run", "format": "ll"}', '{"do": "run", "buffers": {"a": "b"}}',
        '{"do": "run", "buffers": {"a": [1.5]}}', '{"do": "run", "rules": "none"}', '{"do": "hover", "line": 0}',
        '{"do": "compile", "text": "\\ud800", "format": "rk"}', '{"do": "prove", "before_format": "x"}',
        '{"do": "run", "steps": -1, "text": "void main() {}"}', "[" * 100_000, '{"line": ' + "9" * 5000 + "}",
    ],
)  # fmt: skip
def test_what_can_not_be_asked_is_said(request_text: str) -> None:
    found = json.loads(answer(request_text))
    assert found["ok"] is False and found["diagnostics"][0]["message"]
