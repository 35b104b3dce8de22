"""The page of the viewer: its states are the simulator's (in Node), and it does what it says (in headless Chromium).

    random programs -> document -> states.mjs in Node      each lane in each step as Trace.events have it
    the page with a script appended -> Chromium --dump-dom     what keys, filters and tabs changed
"""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree

import pytest
from kit.programs.compute import Compute
from kit.viewer.browser import in_browser, in_chromium

import reknit
from reknit.cli.main import main
from reknit.fuzzing.generate import generate
from reknit.fuzzing.to_module import module_of
from reknit.ir import op
from reknit.sim.policy import Policy
from reknit.sim.result import Result
from reknit.sim.run import prepare, run
from reknit.view.trace_document import trace_document
from reknit.view.viewer_page import MODULES, document_text, page, script

EXAMPLES: Final = Path(__file__).parents[3] / "examples"
VIEWER: Final = Path(reknit.__file__).parent / "view" / "viewer"
SCRIPTS: Final = Path(__file__).parents[2] / "kit" / "viewer"

NODE: Final = shutil.which("node")
in_node = pytest.mark.skipif(NODE is None, reason="node is not installed")
pytestmark = pytest.mark.once  # what runs in Node and Chromium does not depend on the build


def document(result: Result, title: str = "x") -> dict[str, object]:
    return trace_document(title, [("run", result)], lambda file: ())


# --- in Node ----------------------------------------------------------------------------------------------------------

def in_javascript(file: str, given: object) -> Any:
    assert NODE is not None
    words = [NODE, str(SCRIPTS / file), VIEWER.as_uri()]
    done = subprocess.run(words, input=json.dumps(given), capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def expected_states(result: Result) -> list[str]:
    """From the simulator's events: 0 ready, 1 with all of its subgroup that are left, 2 waits, 3 ended, 4 without
    some of it."""
    trace = result.trace
    assert trace is not None
    waits = ended = 0
    group = -1
    found = []
    for event in trace.events:
        if event.group != group:
            waits = ended = 0
            group = event.group
        if event.kind == "run":
            waits &= ~event.mask
            row = []
            for lane in range(trace.lanes):
                first = lane - lane % trace.subgroup_size
                whole = ((1 << trace.subgroup_size) - 1 << first) & ((1 << trace.lanes) - 1) & ~ended
                if event.mask >> lane & 1:
                    row.append("4" if whole & ~event.mask else "1")
                else:
                    row.append("3" if ended >> lane & 1 else "2" if waits >> lane & 1 else "0")
            found.append("".join(row))
        elif event.kind == "arrive" and event.block < 0 or event.kind == "escape" and event.depth == 0:
            ended |= event.mask
        elif event.kind == "arrive":
            waits |= event.mask
        elif event.kind == "join":
            waits &= ~event.mask
    return found


@in_node
def test_states_are_the_simulators() -> None:
    """Of random programs, with subgroups of 2, 8 and 32 and several workgroups: every lane in every step, and who is
    awaited by each frame, which Faults would name in a deadlock: pushed less escaped less arrived."""
    results = []
    for seed in range(24):
        program = prepare(module_of(generate(seed)), subgroup_size=(2, 8, 32)[seed % 3])
        results.append(program.run(Policy(fallthrough="always"), (1 + seed % 2, 1, 1), trace=True))
    answers = in_javascript("states.mjs", [document(result) for result in results])
    for result, answer in zip(results, answers, strict=True):
        assert answer["states"] == expected_states(result)
        trace = result.trace
        assert trace is not None
        left: dict[int, int] = {}
        arrived: dict[int, int] = {}
        step = 0
        for event in trace.events:
            if event.kind == "push":
                left[event.number] = event.mask
                arrived[event.number] = 0
            elif event.kind == "escape":
                left[event.number] &= ~event.mask
                arrived[event.number] &= ~event.mask
            elif event.kind == "arrive":
                arrived[event.number] |= event.mask
            elif event.kind == "join":
                left[event.number] &= ~event.mask
                arrived[event.number] &= ~event.mask
            elif event.kind == "run":
                for number, mask, there in answer["frames"][step]:
                    assert left[number] == sum(word << 32 * at for at, word in enumerate(mask))
                    assert arrived[number] == sum(word << 32 * at for at, word in enumerate(there))
                step += 1


@in_node
@pytest.mark.parametrize("how", ["terminate", "return"])
def test_lanes_that_end_before_others(how: str) -> None:
    """Lanes 0 and 1 of four end in a branch: afterwards the two that are left are the whole subgroup."""
    p = Compute(4)
    ends = p.b.return_ if how == "return" else lambda: p.b.exit(op.TerminateInvocation, [])
    p.when(p.test(op.ULessThan, p.index, p.const(2)), ends)
    answer = in_javascript("states.mjs", [document(p.run(4, trace=True))])[0]
    assert answer["states"][0] == "1111" and answer["states"][-1] == "3311"
    assert "4400" in answer["states"] or "0044" in answer["states"]


@in_node
def test_accesses_that_nothing_orders_in_words() -> None:
    """Lane 0 stores an element, lane 1 loads it in a later step: each of the two says with whom."""
    text = (
        "groupshared uint held[2]; RWStructuredBuffer<uint> o;\n"
        '[shader("compute")][numthreads(2,1,1)] void main(uint i : SV_GroupIndex) {\n'
        "if (i == 0) held[0] = 7;\nif (i == 1) o[0] = held[0]; }\n"
    )
    result = run(reknit.load(text.encode(), format="slang"), subgroup_size=2, trace=True, races=True, values="named")
    said = [line for step in in_javascript("words.mjs", document(result)) for line in step["said"] if "orders" in line]
    assert len(said) == 2 and said[0].startswith("lane 0: OpStore") and "which lane 1 accesses in step" in said[0]
    assert said[1].startswith("lane 1: OpLoad") and said[1].endswith("nothing orders the two: a data race")


@in_node
def test_what_happens_in_words() -> None:
    """The README's switch, kinds 0 0 1 2: who waits for whom at the merge, line 102, and what each operation gave."""
    result = run(
        reknit.load(EXAMPLES / "fallthrough.spvasm"),
        subgroup_size=4, buffers={"kinds": [0, 0, 1, 2]}, trace=True, values="named",
    )  # fmt: skip
    steps = in_javascript("words.mjs", document(result))
    assert [step["block"] for step in steps] == ["%entry", "%others", "%zero", "%others", "%merge"]
    ways = "lanes 0, 1 to line 96 (%zero) (0); lanes 2, 3 to line 90 (%others) (default)"
    assert steps[0]["said"] == [f"lanes 0–3 split: {ways}"]
    assert steps[1]["said"] == ["lanes 2, 3 wait at the end of the selection, line 102 (%merge) for lanes 0, 1"]
    assert steps[1]["tangled"] == ["GroupNonUniformIAdd %tens by lanes 2, 3 gave 20"]
    assert steps[2]["tangled"] == ["GroupNonUniformIAdd %ones by lanes 0, 1 gave 2"]
    assert steps[3]["said"][-1] == (
        "lanes 0–3 go on together from the end of the selection, line 102 (%merge): all that were awaited are there"
    )
    assert steps[4]["said"] == ["lanes 0–3 have ended: they returned"]
    values = [[one["value"] for one in step["total"]] for step in steps]
    assert values == [[0, 0, 0, 0], [0, 0, 20, 20], [2, 2, 20, 20], [22, 22, 20, 20], [22, 22, 20, 20]]
    changed = [[one["changed"] for one in step["total"]] for step in steps]
    assert changed[1] == [False, False, True, True] and changed[4] == [False] * 4
    assert steps[3]["memory"] == [0, 0, 0, 0] and steps[4]["memory"] == [22, 22, 20, 20]


# --- the page itself --------------------------------------------------------------------------------------------------


def test_a_page_needs_nothing_else() -> None:
    made = page(document(run(reknit.load(EXAMPLES / "shapes.slang"), subgroup_size=4, trace=True, values="all")))
    assert made.startswith("<!doctype html>") and made.count("</script>") == 2
    asked = made.replace("http://www.w3.org/2000/svg", "")  # a name, which nothing is fetched from
    assert not re.search(r"https?://|\bimport\s*\(|^import |\beval\(|innerHTML", asked, re.MULTILINE)
    assert {file.stem for file in VIEWER.glob("*.mjs")} == {one for modules in MODULES.values() for one in modules}
    for modules in MODULES.values():
        names = re.findall(r"^(?:async )?(?:function|const|let|class) (\w+)", script(modules), re.MULTILINE)
        assert len(names) == len(set(names))  # one script: no name twice


def test_names_from_outside_are_text() -> None:
    """A source and a title that would end the element they are in, or begin another."""
    nasty = '</script><script>alert(1)</script><img src=x onerror="alert(2)">'
    result = run(reknit.load(EXAMPLES / "fallthrough.spvasm"), subgroup_size=4, trace=True)
    made = page(trace_document(nasty, [(nasty, result)], lambda file: [nasty]))
    assert made.count("</script>") == 2 and "<img" not in made and "<script>alert" not in made
    inside = made[made.index('id="document">') + len('id="document">') :]
    assert json.loads(inside[: inside.index("</script>")])["title"] == nasty


@in_chromium
def test_keys_filters_and_results(tmp_path: Path) -> None:
    """The five results of the README's switch. Step 3 of result 1 has all four lanes in the default, that of result 5
    the first of four tangles there."""
    out = tmp_path / "t.html"
    words = ["trace", str(EXAMPLES / "fallthrough.spvasm"), "--subgroup-size", "4", "--set", "kinds=0,0,1,2"]
    assert main([*words, "--outcomes", "-o", str(out)]) == 0
    seen = in_browser(out.read_text(encoding="utf-8"), tmp_path, (SCRIPTS / "driven.js").read_text())
    assert seen["first"][0] == "step 1 of 4" and "lanes 0–3 split" in seen["first"][1]
    assert (seen["second"], seen["event"], seen["last"]) == ("step 2 of 4", "step 3 of 4", "step 4 of 4")
    assert seen["home"] == "step 1 of 4" and seen["lane"] == 0
    assert seen["count"] == "2 of 4 steps"  # the two blocks with an operation
    # step 2, of result 1: case 0, its lines 96 to 100; lanes 2 and 3 wait at the label that it falls through to
    assert seen["pointed"] == [96, 97, 98, 99, 100] and seen["block"] == "%zero" and seen["meets"] == ["%others"]
    assert seen["left"] == 0
    assert seen["tabs"] == ["false", "false", "false", "false", "true"]
    assert "from step 2 on" in seen["differs"] or "from step 3 on" in seen["differs"]
    assert "5: kind: lanes that fall through meet no others at label default" in seen["differs"]
    assert "1: kind: lanes meet at label default" in seen["differs"]
    assert seen["lit"] == [102, 103, 104, 105, 106]
    assert seen["memory"] == ["0 0 1 2", "22 22 10 10"]
    assert seen["graph"] is False
    picture = ElementTree.fromstring(seen["svg"])
    drawn = [one for one in picture.iter("{http://www.w3.org/2000/svg}rect") if one.get("fill") in seen["colours"]]
    assert len(drawn) >= 8 and all(float(one.get("width", "0")) > 20 for one in drawn)  # both results, all four steps
    assert seen["labels"] == []


@in_chromium
@pytest.mark.parametrize(
    ("turns", "columns"), [(1500, 10_000), pytest.param(15_000, 100_000, marks=pytest.mark.full)]
)
def test_many_steps_open_at_once(turns: int, columns: int, tmp_path: Path) -> None:
    """64 lanes, 10,500 tangles, or 105,000: read and drawn within two seconds, a frame within a tenth; the page stays
    small."""
    text = (
        "RWStructuredBuffer<uint> r;\n"
        '[shader("compute")][numthreads(64,1,1)] void main(uint3 id : SV_DispatchThreadID) { uint s = 0;\n'
        f"for (uint i = 0; i < {turns}; ++i) {{ if ((id.x + i) % 5 == 2) s += WaveActiveSum(i); else s ^= i; }}\n"
        "r[id.x] = s; }\n"
    )
    result = run(reknit.load(text.encode(), format="slang"), subgroup_size=32, trace=True, values="named")
    made = document(result)
    assert result.trace is not None and len(document_text(made)) < 200 * columns
    code = """(() => { const ready = performance.now(), found = [], {length} = viewer.shown;
      for (let at = 0; at < 40; at++) {
        const began = performance.now();
        viewer.at = viewer.from = Math.floor(at * length / 40);
        viewer.per = at % 2 ? 8 : 0.5;
        draw();
        found.push(performance.now() - began);
      }
      found.sort((a, b) => a - b);
      return {ready, columns: viewer.model.columns, median: found[20], worst: found[39]}; })()"""
    seen = in_browser(page(made), tmp_path, code)
    print({name: round(number, 1) for name, number in seen.items()}, f"{len(document_text(made)) / 1e6:.1f} MB")
    assert seen["columns"] > columns
    assert seen["ready"] < 2000 and seen["median"] < 100, seen
