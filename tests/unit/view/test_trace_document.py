"""The document of the viewer says what happened: facts worked out by hand, and each event as the simulator has it."""

import json
from pathlib import Path
from typing import Any

import pytest
from kit.programs.compute import Compute

import reknit
from reknit.cli.main import main
from reknit.fuzzing.generate import generate
from reknit.fuzzing.to_module import module_of
from reknit.ir import op
from reknit.sim.policy import Policy
from reknit.sim.run import prepare, run
from reknit.sim.trace import PUSH
from reknit.view.trace_document import KINDS, trace_document
from reknit.view.viewer_page import document_text

EXAMPLES = Path(__file__).parents[3] / "examples"


def document(result: Any) -> Any:
    """As JSON has it."""
    made = json.loads(document_text(trace_document("x", [("run", result)], lambda file: ())))
    assert made["format"] == "reknit-trace" and made["version"] == 1
    return made


def traced(path: str, **setting: Any) -> Any:
    return document(run(reknit.load(EXAMPLES / path), trace=True, values="named", **setting))


def lanes_of(mask: int) -> list[int]:
    return [lane for lane in range(mask.bit_length()) if mask >> lane & 1]


def lanes_in(made: Any, number: int) -> list[int]:
    """The lanes of a mask of the document."""
    return lanes_of(int(made["masks"][number], 16))


def events_of(made: Any) -> list[tuple[str, int, int, int, int]]:
    """(kind, step, block, mask, frame) of each event."""
    columns = made["runs"][0]["events"]
    masks = [int(mask, 16) for mask in made["masks"]]
    found = []
    step = 0
    for at, kind in enumerate(columns["kind"]):
        step += columns["step"][at]
        frame = columns["frame"][at]
        found.append((made["kinds"][kind], step, columns["block"][at], masks[columns["mask"][at]], frame))
    return found


def values_of(made: Any, name: str) -> list[tuple[list[int], Any]]:
    """(lanes, row) of each record about `name`, in order; None where there is no value."""
    one = made["runs"][0]
    items = made["programs"][0]["items"]
    columns = one["values"]
    found = []
    for at, item in enumerate(columns["item"]):
        if items[item]["name"] == name:
            row = columns["row"][at]
            found.append((lanes_in(made, columns["mask"][at]), one["rows"][row] if row >= 0 else None))
    return found


def test_a_switch_that_falls_through() -> None:
    """kinds 0 0 1 2: lanes 0 and 1 enter case 0, where subgroupAdd(1) gives 2; lanes 2 and 3 the default, where
    subgroupAdd(10) gives 20; the module is SPIR-V, so that the two that fall through run the default by themselves:
    20 once more. 2 + 20 and 0 + 20 are stored."""
    made = traced("fallthrough.spvasm", subgroup_size=4, buffers={"kinds": [0, 0, 1, 2]})
    assert values_of(made, "kind") == [([0, 1, 2, 3], [0, 0, 1, 2])]
    assert values_of(made, "ones") == [([0, 1], 2)]
    assert values_of(made, "tens") == [([2, 3], 20), ([0, 1], 20)]
    every = [0, 1, 2, 3]
    assert values_of(made, "total") == [(every, None), (every, 0), ([2, 3], 20), ([0, 1], 2), ([0, 1], 22)]
    one = made["runs"][0]
    assert [[made["programs"][0]["blocks"][block]["name"], lanes_in(made, mask), value]
            for block, mask, value in one["splits"]["ways"][0]] == [
        ["%zero", [0, 1], "0"], ["%others", [2, 3], "default"],
    ]  # fmt: skip
    assert [memory["name"] for memory in one["memories"]] == ["kinds", "result"]
    assert one["memories"][0]["words"] == [0, 0, 1, 2] and one["memories"][1]["words"] == [0, 0, 0, 0]
    stores = one["stores"]
    assert stores["memory"] == [1] and one["rows"][stores["at"][0]] == every
    assert one["rows"][stores["row"][0]] == [22, 22, 20, 20]
    assert stores["sites"][stores["site"][0]]["place"][1] == 105  # OpStore %43 %42 in the file
    entry = made["programs"][0]["blocks"][0]
    assert {place[1] for place in entry["places"]} == {79, 80, 81, 82, 83, 84, 85, 86, 88}  # 87 is OpSelectionMerge


def test_the_tree_has_its_blocks() -> None:
    made = traced("fallthrough.spvasm", subgroup_size=4)
    program = made["programs"][0]
    rows = [(depth, text.split(":")[0], block) for depth, text, block in program["functions"][0]["tree"]]
    names = {block["name"]: at for at, block in enumerate(program["blocks"])}
    assert rows == [
        (0, "%entry", names["%entry"]), (0, "switch %kind", -1), (1, "case 0", -1), (2, "%zero", names["%zero"]),
        (1, "default", -1), (2, "%others", names["%others"]), (0, "%merge", names["%merge"]),
    ]  # fmt: skip
    graph = program["functions"][0]["graph"]
    ends = sorted((graph["nodes"][a][4], graph["nodes"][b][4], kind) for a, b, kind, *_ in graph["edges"])
    entry, zero, others, merge = (names[name] for name in ("%entry", "%zero", "%others", "%merge"))
    assert [(a, b) for a, b, _ in ends] == sorted([(entry, zero), (entry, others), (zero, others), (others, merge)])


def test_a_call_by_witness_table() -> None:
    """Lane 0 holds a Triangle, the others Squares: the ways are named by them."""
    made = traced("shapes.slang", subgroup_size=4)
    one = made["runs"][0]
    ways = [[(lanes_in(made, mask), value) for _, mask, value in way] for way in one["splits"]["ways"]]
    assert any([lanes for lanes, _ in way] == [[0], [1, 2, 3]] and "Triangle" in way[0][1] for way in ways)
    tables = [one["notes"][str(at)] for at, event in enumerate(events_of(made)) if event[0] == "dispatch"]
    assert len(tables) == 2 and "Triangle" in tables[0] and "Square" in tables[1]


@pytest.mark.parametrize("seed", range(12))
def test_events_are_the_simulators(seed: int) -> None:
    """All of them, of random programs, and each frame's mask is what was pushed less what arrived or escaped: nobody is
    awaited at the end."""
    result = prepare(module_of(generate(seed)), subgroup_size=8).run(Policy(fallthrough="always"), trace=True)
    trace = result.trace
    assert trace is not None
    made = document(result)
    found = events_of(made)
    assert len(found) == len(trace.events)
    waiting: list[int] = []
    for (kind, step, block, mask, frame), event in zip(found, trace.events, strict=True):
        assert (step, block, mask) == (event.step, event.block, event.mask)
        if event.kind == PUSH:
            assert kind == event.frame and frame == trace.frames[len(waiting)][1]
            waiting.append(mask)
            continue
        assert kind == event.kind and frame == event.number
        if kind in ("arrive", "escape"):
            assert waiting[frame] & mask == mask  # who arrives or leaves was awaited
            waiting[frame] &= ~mask
    assert not any(waiting)
    assert len(json.dumps(made["runs"][0]["events"], separators=(",", ":"))) <= 25 * len(found)


def test_a_workgroup_variable_and_who_wrote_it() -> None:
    """Each lane stores its index plus 1 at its own place of a shared array; lane 2's place is out of bounds."""
    text = (
        "groupshared uint held[2]; RWStructuredBuffer<uint> o;\n"
        '[shader("compute")][numthreads(3,1,1)] void main(uint i : SV_GroupIndex)'
        "{ held[i] = i + 1; GroupMemoryBarrierWithGroupSync(); o[i] = held[0]; }\n"
    )
    made = document(run(reknit.load(text.encode(), format="slang"), subgroup_size=4, trace=True, values="named"))
    one = made["runs"][0]
    shared = [at for at, memory in enumerate(one["memories"]) if memory["kind"] == "workgroup"]
    assert [one["memories"][at]["name"] for at in shared] == ["held"]
    at = one["stores"]["memory"].index(shared[0])
    assert int(made["masks"][one["stores"]["mask"][at]], 16) == 0b011
    assert one["rows"][one["stores"]["at"][at]] == [0, 1] and one["rows"][one["stores"]["row"][at]] == [1, 2]
    assert {(lane, code) for _, lane, code, _, _ in one["faults"]} == {(2, "RK1014")}


def test_how_lanes_end() -> None:
    """if (lane < 2) OpTerminateInvocation: lanes 0 and 1 of four end there, the others return."""
    p = Compute(4)
    p.when(p.test(op.ULessThan, p.index, p.const(2)), lambda: p.b.exit(op.TerminateInvocation, []))
    made = document(p.run(4, trace=True))
    found = events_of(made)
    ended = [(at, mask) for at, (kind, _, _, mask, _) in enumerate(found) if kind == "end"]
    assert [mask for _, mask in ended] == [0b0011]
    assert made["runs"][0]["notes"][str(ended[0][0])] == "terminate"
    assert [mask for kind, _, block, mask, frame in found if kind == "arrive" and (block, frame) == (-1, 0)] == [0b1100]


def test_lanes_that_are_united() -> None:
    """if (lane < 1) {} if (lane < 3) out = ballot: without frames nothing arrives or joins. SPIR-V 1.6, 2.2.5, has all
    four lanes reconverge at both merge blocks, since they entered both constructs uniformly: two events."""
    p = Compute(4, mode=None)
    p.when(p.test(op.ULessThan, p.index, p.const(1)), lambda: None)
    p.when(p.test(op.ULessThan, p.index, p.const(3)), lambda: p.out(p.ballot()))
    p.b.return_()
    result = run(p.module, subgroup_size=4, trace=True, policy=Policy(grouping="always"))
    found = events_of(document(result))
    assert all(kind in KINDS for kind, *_ in found)
    assert [mask for kind, _, _, mask, _ in found if kind == "unite"] == [0b1111, 0b1111]


def test_outcomes_side_by_side(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The five of the README, each with the choice behind it."""
    out = tmp_path / "t.json"
    words = ["trace", str(EXAMPLES / "fallthrough.spvasm"), "--subgroup-size", "4", "--set", "kinds=0,0,1,2"]
    assert main([*words, "--outcomes", "-o", str(out)]) == 0
    made = json.loads(out.read_text())
    found = {(one["name"], one["result"]) for one in made["runs"]}
    assert found == {
        ("kind: lanes meet at label default", "result = 42 42 40 40"),
        ("kind: lanes {0-2} {3} at label default", "result = 32 32 30 10"),
        ("kind: lanes {0-1, 3} {2} at label default", "result = 32 32 10 30"),
        ("kind: lanes {0-1} {2-3} at label default", "result = 22 22 20 20"),
        ("kind: lanes that fall through meet no others at label default", "result = 22 22 10 10"),
    }
    assert len(made["programs"]) == 1
    assert all(one["choices"] for one in made["runs"])
    assert main([*words, "--outcomes"]) == 2
    assert "write it with -o x.html" in capsys.readouterr().err


def test_values_are_kept_only_where_asked_for() -> None:
    """A program that is not recorded has the very steps that it was made of."""
    module = reknit.load(EXAMPLES / "fallthrough.spvasm")
    program = prepare(module, subgroup_size=4)
    before = [list(block.steps) for block in program.code]
    result = program.run(Policy(), trace=True)
    assert [list(block.steps) for block in program.code] == before
    assert result.trace is not None and result.trace.recording is None
    assert "values" not in document(result)["runs"][0]
    kept = traced("fallthrough.spvasm", subgroup_size=4)
    every = document(run(module, subgroup_size=4, trace=True, values="all"))
    assert len(every["programs"][0]["items"]) > len(kept["programs"][0]["items"])


def test_accesses_that_nothing_orders_are_with_both_steps() -> None:
    """Lane 0 stores to an element in its branch, then lane 1 loads it: each step knows of the other. With a barrier
    between them nothing is reported."""
    text = (
        "groupshared uint held[2]; RWStructuredBuffer<uint> o;\n"
        '[shader("compute")][numthreads(2,1,1)] void main(uint i : SV_GroupIndex) {{\n'
        "if (i == 0) held[0] = 7;\n{} if (i == 1) o[0] = held[0]; }}\n"
    )
    found = []
    for between in ("", "GroupMemoryBarrierWithGroupSync();"):
        module = reknit.load(text.format(between).encode(), format="slang")
        found.append(document(run(module, subgroup_size=2, trace=True, races=True))["runs"][0])
    [[event, lane, what, before, other, first, where, race]] = found[0]["conflicts"]
    kinds = [KINDS[kind] for kind in found[0]["events"]["kind"]]
    runs = [at for at, kind in enumerate(kinds) if kind == "run"]
    assert (lane, other, race) == (1, 0, True) and "OpStore" in first and "OpLoad" in what and "held" in where
    assert before in runs and event in runs and before < event
    assert found[1]["conflicts"] == []


def test_texels_are_kept() -> None:
    """A 2 x 2 image of r32ui: lane i writes 10 + i to texel i, lanes 0 and 1 in the step before lanes 2 and 3."""
    text = (
        '[format("r32ui")] RWTexture2D<uint> t;\n'
        '[shader("compute")][numthreads(2,2,1)] void main(uint3 id : SV_DispatchThreadID, uint i : SV_GroupIndex) {\n'
        "if (i < 2) t[id.xy] = 10 + i; else t[id.xy] = 20 + i; }\n"
    )
    made = document(run(reknit.load(text.encode(), format="slang"), subgroup_size=4, trace=True, values="named"))
    one = made["runs"][0]
    [image] = one["memories"]
    assert (image["kind"], image["across"], image["size"], image["words"]) == ("image", 2, 4, ["0", "0", "0", "0"])
    stores = [
        (lanes_in(made, mask), one["rows"][at], one["rows"][row])
        for mask, at, row in zip(*(one["stores"][name] for name in ("mask", "at", "row")), strict=True)
    ]
    assert sorted(stores) == [([0, 1], [0, 1], ["10", "11"]), ([2, 3], [2, 3], ["22", "23"])]


def test_barriers_are_operations_that_lanes_execute_together() -> None:
    """A subgroup barrier in one arm of a branch: lanes 2 and 3 execute it, and nothing comes of it."""
    p = Compute(4)
    scope, none = p.const(3), p.const(0)
    p.when(p.test(op.UGreaterThan, p.index, p.const(1)), lambda: p.b.effect(op.ControlBarrier, [scope, scope, none]))
    p.b.return_()
    made = document(run(p.module, subgroup_size=4, trace=True, values="named"))
    items = made["programs"][0]["items"]
    [barrier] = [at for at, item in enumerate(items) if item["kind"] == "tangled"]
    assert items[barrier]["scope"] == "subgroup" and "OpControlBarrier" in items[barrier]["what"]
    values = made["runs"][0]["values"]
    at = values["item"].index(barrier)
    assert lanes_in(made, values["mask"][at]) == [2, 3] and values["row"][at] == -1


def test_from_python() -> None:
    """The page of a trace, and that of trees and graphs."""
    module = reknit.load(EXAMPLES / "fallthrough.spvasm")
    trace = reknit.run(module, subgroup_size=4, trace=True).trace
    assert trace is not None and trace.to_html().startswith("<!doctype html>") and '"reknit-trace"' in trace.to_html()
    assert '"reknit-graph"' in reknit.show(module).html()
