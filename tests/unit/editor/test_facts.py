"""What hovers say is uniform, in runs of random programs: no lanes of a subgroup that run it together differ in it."""

import pytest

from reknit.editor.facts import Facts
from reknit.front.load import load_bytes
from reknit.fuzzing.generate import generate
from reknit.fuzzing.to_module import module_of
from reknit.ir.text.printer import print_module
from reknit.sim.policy import Policy
from reknit.sim.run import prepare
from reknit.view.trace_document import trace_document


def judged(seed: int, size: int) -> tuple[int, list[str]]:
    """How many values were said to be uniform in a subgroup, or tangles whole, and the lines where that is wrong."""
    text = print_module(module_of(generate(seed, 0, ())))
    lines = text.split("\n")
    module = load_bytes(text.encode(), "rk", "program.rk", placed=True)
    facts = Facts(module)
    program = prepare(module, subgroup_size=size, rules="maximal")
    program.record("all")
    result = program.run(Policy(), trace=True)
    document = trace_document("program", [("run", result)], lambda _: lines)
    masks, programs, runs = document["masks"], document["programs"], document["runs"]
    assert isinstance(masks, list) and isinstance(programs, list) and isinstance(runs, list)
    items, values, rows = programs[0]["items"], runs[0]["values"], runs[0]["rows"]
    said = 0
    wrong: list[str] = []
    for item, mask, row in zip(values["item"], values["mask"], values["row"], strict=True):
        place = items[item].get("place")
        found = facts.at(place[1], place[2]) if place and row >= 0 else []
        if items[item]["kind"] == "variable" or len(found) != 1:
            continue
        fact = facts.about(found[0])
        set_of_lanes = int(masks[mask], 16)
        if any("all invocations of a subgroup that entered @main together" in each for each in fact.tangle):
            said += 1
            whole = [((1 << size) - 1) << first for first in range(0, 128, size)]
            subgroups = [each & ((1 << result.trace.lanes) - 1) for each in whole if result.trace is not None]
            if any(set_of_lanes & each not in (0, each) for each in subgroups):
                wrong.append(f"seed {seed}, subgroups of {size}, its tangle: {lines[place[1] - 1].strip()}")
        if fact.uniform is None or "subgroup" not in fact.uniform:
            continue
        said += 1
        lanes = [lane for lane in range(set_of_lanes.bit_length()) if set_of_lanes >> lane & 1]
        held = rows[row] if isinstance(rows[row], list) else [rows[row]] * len(lanes)
        by_subgroup: dict[int, set[str]] = {}
        for lane, value in zip(lanes, held, strict=True):
            by_subgroup.setdefault(lane // size, set()).add(str(value))
        if any(len(each) > 1 for each in by_subgroup.values()):
            wrong.append(f"seed {seed}, subgroups of {size}: {lines[place[1] - 1].strip()}")
    return said, wrong


@pytest.mark.parametrize("size", [4, 8])
def test_what_is_said_to_be_uniform_is(size: int) -> None:
    answers = [judged(seed, size) for seed in range(5)]
    assert [line for _, wrong in answers for line in wrong] == []
    assert sum(said for said, _ in answers) > 100


@pytest.mark.full
def test_what_is_said_to_be_uniform_is_in_many_programs() -> None:
    answers = [judged(seed, size) for seed in range(5, 300) for size in (4, 8, 32)]
    assert [line for _, wrong in answers for line in wrong] == []
