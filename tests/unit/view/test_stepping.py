"""A trace gone through on the terminal: what each command shows of the README's switch, worked out by hand there."""

import io
import sys
from pathlib import Path

import pytest

import reknit
from reknit.cli.main import main
from reknit.cli.stepping import answer
from reknit.fuzzing.generate import generate
from reknit.fuzzing.to_module import module_of
from reknit.sim.policy import Policy
from reknit.sim.recorded import Latest, Recording
from reknit.sim.run import prepare
from reknit.view.stepping import Stepper

EXAMPLES = Path(__file__).parents[3] / "examples"
KINDS = {"kinds": [0, 0, 1, 2]}

LOOP = """\
RWStructuredBuffer<uint> r;
uint twice(uint x) { return x + x; }
[shader("compute")][numthreads(4,1,1)] void main(uint3 id : SV_DispatchThreadID) {
    uint s = 0;
    for (uint i = 0; i < id.x; ++i)
        s += twice(i);
    r[id.x] = s;
}
"""


def stepper_of(module: reknit.Module, buffers: dict[str, list[int]] | None = None) -> Stepper:
    """With replays of the very policy that the trace is of."""
    program = prepare(module, subgroup_size=4)
    program.record("named")
    trace = program.run(Policy(), buffers=buffers, trace=True).trace
    assert trace is not None

    def replay(event: int) -> Recording:
        again = prepare(module, subgroup_size=4)
        again.record("all")
        assert again.recorder is not None
        again.recorder.until = event
        found = again.run(Policy(), buffers=buffers, trace=True).trace
        assert found is not None and found.recording is not None
        return found.recording

    return Stepper(trace, lambda file: (), replay)


@pytest.fixture
def switch() -> Stepper:
    return stepper_of(reknit.load(EXAMPLES / "fallthrough.spvasm"), KINDS)


def test_steps_forwards_and_back(switch: Stepper) -> None:
    """Lanes 2 and 3 run the default first and wait; 0 and 1 run case 0, then the default without them."""
    shown = [switch.shown().splitlines()]
    while switch.move(1):
        shown.append(switch.shown().splitlines())
    assert [lines[0].split()[4] for lines in shown] == ["%entry", "%others", "%zero", "%others", "%merge"]
    assert [lines[1].strip() for lines in shown] == ["0123", "..23", "01..", "01..", "0123"]
    assert "  lanes 0-3 split: lanes 0-1 to %zero (0); lanes 2-3 to %others (default)" in shown[0]
    assert "  lanes 2-3 arrive at the end of the selection (%merge)" in shown[1]
    assert "  %ones = 2  (lanes 0-1)" in shown[2]
    assert "  lanes 0-3 go on together from the end of the selection (%merge)" in shown[3]
    assert "  lanes 0-3 have ended: they returned" in shown[4]
    for lines in reversed(shown[:-1]):
        assert switch.move(-1) and switch.shown().splitlines() == lines
    assert not switch.move(-1)


def test_values_are_those_of_the_step(switch: Stepper) -> None:
    """Also of what has no name, and in a step before others that change them."""
    totals = []
    for _ in range(5):
        totals.append(switch.values("total"))
        switch.move(1)
    assert totals == [
        "  %total = 0 0 0 0\n", "  %total = 0 0 20 20\n", "  %total = 2 2 20 20\n", "  %total = 22 22 20 20\n",
        "  %total = 22 22 20 20\n",
    ]  # fmt: skip
    switch.to(1)
    assert "%ones" not in switch.values()
    switch.to(3)
    assert "  %ones  = 2 2 . .\n" in switch.values()
    assert switch.values("nothing") == "  nothing of that name has a value yet\n"


@pytest.mark.parametrize("seed", range(4))
def test_replayed_values_are_those_that_were_recorded(seed: int) -> None:
    """Of random programs, two workgroups of subgroups of 8: at steps all over the run, every lane's last value."""
    module = module_of(generate(seed))
    program, again = prepare(module, subgroup_size=8), prepare(module, subgroup_size=8)
    program.record("all")
    again.record("all")
    trace = program.run(Policy(), (2, 1, 1), trace=True).trace
    assert trace is not None and trace.recording is not None and again.recorder is not None
    kept = trace.recording
    rows = list(kept.table)
    for end in range(0, len(trace.events), len(trace.events) // 5):
        expected: dict[tuple[int, int], Latest] = {}
        for record in kept.within(0, end + 1):
            lanes = [lane for lane in range(trace.lanes) if kept.masks[record] >> lane & 1]
            row = rows[kept.rows[record]] if kept.rows[record] >= 0 else (None,)
            for at, lane in enumerate(lanes):
                value = row[at if len(row) > 1 else 0]
                expected[kept.which[record], lane] = (kept.events[record], value, kept.paths.get(record, ()))
        again.recorder.until = end
        found = again.run(Policy(), (2, 1, 1), trace=True).trace
        assert found is not None and found.recording is not None and found.recording.latest == expected


def test_over_and_out() -> None:
    """Lane 3 of a loop that lanes leave one by one: over a call, then out of the loop, where all four meet."""
    stepper = stepper_of(reknit.load(LOOP.encode(), format="slang"))
    answer(stepper, ["lane", "3"])
    assert stepper.line(6, 1) and stepper.leader() == 3
    depth = stepper.event().depth
    assert stepper.over(False) and stepper.event().depth <= depth and stepper.event().mask >> 3 & 1
    assert stepper.over(True) and stepper.over(True)
    assert stepper.event().mask == 15 and stepper.trace.line_at(stepper.event().block) in (4, 7)
    assert "line 1 is not run there" in answer(stepper, ["line", "1"])


def test_commands(switch: Stepper) -> None:
    assert answer(switch, []).startswith("step 2 of 5") and answer(switch, ["b"]).startswith("step 1 of 5")
    assert answer(switch, ["l"]).startswith("step 5") and "no such step" in answer(switch, ["n"])
    assert answer(switch, ["S"]).startswith("step 4") and answer(switch, ["S"]).startswith("step 1")
    assert answer(switch, ["s"]).startswith("step 4") and answer(switch, ["2"]).startswith("step 2 of 5")
    assert "there are lanes 0 to 3" in answer(switch, ["lane", "9"]) and "no command" in answer(switch, ["jump"])
    assert "Enter" in answer(switch, ["?"])


def test_on_the_command_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["trace", str(EXAMPLES / "fallthrough.spvasm"), "--subgroup-size", "4", "--set", "kinds=0,0,1,2", "--step"]
    monkeypatch.setattr(sys, "stdin", io.StringIO("n\nv total\nq\nn\n"))
    assert main(words) == 0
    shown = capsys.readouterr().out
    assert "step 2 of 5" in shown and shown.endswith("  %total = 0 0 20 20\n")
    assert main([*words, "-o", "x.html"]) == 2 and "--step is on the terminal" in capsys.readouterr().err
