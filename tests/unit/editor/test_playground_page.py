"""The playground in headless Chromium, from a local folder and without a network: no other host has a name."""

import shutil
from typing import Any

import pytest
from kit.viewer.browser import in_chromium
from kit.viewer.served import told_by

import playground

PYODIDE = playground.KEPT / "package"

pytestmark = [
    pytest.mark.once,
    pytest.mark.full,
    in_chromium,
    pytest.mark.skipif(shutil.which("node") is None, reason="node is not on PATH"),
    pytest.mark.skipif(
        not (PYODIDE / "pyodide.mjs").exists(), reason="no Pyodide in .oracles: tools/playground.py brings it"
    ),
]

SCRIPT = r"""
const frame = document.createElement("iframe");
frame.style = "width:1200px;height:760px";
frame.src = "index.html#example=fallthrough.spvasm";
document.body.append(frame);
const begun = performance.now(), times = {};
const until = async (holds) => { while (!holds()) await new Promise((done) => setTimeout(done, 20)); };
const $ = (id) => frame.contentDocument.getElementById(id);
await until(() => frame.contentDocument?.body?.dataset.ready === "true");
times.ready = performance.now() - begun;
const inside = frame.contentWindow;
const page = await inside.eval("import('./playground.mjs')");
const found = {};

let from = performance.now();
await page.run("outcomes");
times.outcomes = performance.now() - from;
found.outcomes = $("shown").innerText;
await until(() => $("found").children.length);
found.lint = $("found").innerText;

from = performance.now();
await page.run("trace");
await until(() => $("page").contentDocument?.querySelector("[aria-live]")?.textContent);
times.trace = performance.now() - from;
found.trace = $("page").contentDocument.querySelector("[aria-live]").textContent;

await page.share();
const link = inside.location.hash;
$("text").value = "";
inside.location.hash = "#example=shapes.slang";
await until(() => $("text").value.includes("IShape"));
from = performance.now();
await page.run("run");
times.slang = performance.now() - from;
found.slang = $("shown").innerText;
$("text").selectionStart = $("text").value.indexOf("corners() + 100");
await page.about();
found.about = $("about").textContent;
inside.location.hash = link;
await until(() => $("text").value.includes("OpCapability"));
found.shared = [$("format").value, $("size").value, $("buffers").value];

await page.run("prove");
await page.run("prove");
found.proof = $("shown").innerText;

$("format").value = "slang";
$("buffers").value = "";
$("text").value = `RWStructuredBuffer<uint> result;
[shader("compute")] [numthreads(32, 1, 1)]
void main(uint lane : SV_GroupIndex) { uint n = 0; while (result[1] == 0) n++; result[0] = n; }`;
const endless = page.ask({do: "run", format: "slang", text: $("text").value, size: 32, steps: 1000000000});
await new Promise((done) => setTimeout(done, 500));
from = performance.now();
page.stop("stopped");
found.ended = (await endless).fault;
const again = await page.ask({do: "look", format: "rk", text: "func"});
times.again = performance.now() - from;
found.again = again.diagnostics.length > 0;
tell({times, found, outside: inside.performance.getEntriesByType("resource").map((each) => each.name)
  .filter((name) => !name.startsWith(location.origin))});
"""


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("playground")
    playground.make(folder, PYODIDE)
    return told_by(folder, SCRIPT, tmp_path_factory.mktemp("profile"), 240)


def test_examples_run_in_the_browser(told: Any) -> None:
    assert "fault" not in told, told
    found = told["found"]
    print("milliseconds:", {name: round(time) for name, time in told["times"].items()})
    assert "5 outcomes, exhaustive" in found["outcomes"]
    assert "RK3004" in found["lint"] and "help:" in found["lint"]
    assert found["trace"].startswith("step 1: line 79 (%entry) is run by all 4 lanes")
    assert [int(word) for word in found["slang"].split()[-4:]] == [413, 434, 434, 434]
    assert "uint IShape.corners()" in found["about"] and "entered @main together" in found["about"]
    assert "proved" in found["proof"]


def test_a_link_holds_the_program(told: Any) -> None:
    assert told["found"]["shared"] == ["spvasm", "4", '{"kinds":[0,0,1,2]}']


def test_an_endless_run_ends(told: Any) -> None:
    assert told["found"]["ended"] == "stopped" and told["found"]["again"]


def test_no_other_host_is_asked(told: Any) -> None:
    assert told["outside"] == []
