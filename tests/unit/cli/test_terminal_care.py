"""What a terminal shows: colours where they are wanted, how far a command is, what was done before Ctrl-C."""

import io
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import reknit
from reknit.cli import progress
from reknit.cli.main import main
from reknit.cli.progress import Progress, duration, progress_text
from reknit.proof import prove as proving
from reknit.view.trace import trace_text

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
FALLTHROUGH = str(EXAMPLES / "fallthrough.spvasm")
PAINT = re.compile("\x1b\\[[0-9;]*m")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def printed(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    main(arguments)
    return capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments",
    [
        ["show", FALLTHROUGH],
        ["show", "--cfg", FALLTHROUGH],
        ["trace", "--subgroup-size", "4", "--all", FALLTHROUGH],
        ["lint", "--format", "concise", FALLTHROUGH],
        ["lint", FALLTHROUGH],
    ],
    ids=lambda arguments: " ".join(arguments[:-1]),
)
def test_colours_change_no_letter(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    plain = printed([*arguments, "--color", "never"], capsys)
    painted = printed([*arguments, "--color", "always"], capsys)
    assert "\x1b" not in plain and "\x1b" in painted
    assert PAINT.sub("", painted) == plain == printed(arguments, capsys)


def test_auto_is_for_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    for no_color, expected in (("", True), ("1", False)):
        monkeypatch.setenv("NO_COLOR", no_color)
        monkeypatch.setattr(sys, "stdout", shown := Terminal())
        main(["lint", "--format", "concise", FALLTHROUGH])
        assert ("\x1b[" in shown.getvalue()) == expected
    monkeypatch.setattr(sys, "stdout", shown := Terminal())
    main(["lint", "--format", "concise", "--color", "always", FALLTHROUGH])  # asked for, whatever NO_COLOR says
    assert "\x1b[" in shown.getvalue()


def test_nothing_in_a_name_steers_a_coloured_terminal(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    text = (EXAMPLES / "ballot_loop.rk").read_text().replace("@turns", '@"\\u{1b}[31mred"')
    (tmp_path / "a.rk").write_text(text)
    for command in ("show", "trace"):
        painted = printed([command, str(tmp_path / "a.rk"), "--color", "always"], capsys)
        assert "\x1b[31mred" not in painted


def test_lanes_are_pale_where_all_that_are_left_run_together() -> None:
    """By hand: all four enter and leave the switch together; lanes 2 and 3, then 0 and 1 are a part."""
    module = reknit.load(FALLTHROUGH)
    trace = reknit.run(module, subgroup_size=4, buffers={"kinds": [0, 0, 1, 2]}, trace=True).trace
    assert trace is not None
    lines = trace_text(trace, False, colour=True).splitlines()[1:]
    pale = {PAINT.sub("", line).split()[1] for line in lines if "\x1b[2m" in line}
    assert pale == {"%entry", "%merge"} and len(lines) == 5


def test_a_return_leaves_the_others_together() -> None:
    text = """\
RWStructuredBuffer<uint> result;
[shader("compute")] [numthreads(4, 1, 1)]
void main(uint lane : SV_GroupIndex)
{
    if (lane == 0)
        return;
    result[lane] = WaveActiveSum(lane);
}
"""
    module = reknit.load(text.encode(), format="slang")
    trace = reknit.run(module, subgroup_size=4, trace=True).trace
    assert trace is not None
    last = trace_text(trace, False, colour=True).splitlines()[-1]
    assert ".123" in last and "\x1b[2m" in last


def test_how_far_it_is() -> None:
    assert progress_text("programs", 0, 100, 0.0) == "0 of 100 programs"
    assert progress_text("programs", 37, 100, 10.0) == "37 of 100 programs, 3.7 a second, 17 s left"
    assert progress_text("programs", 1, 0, 60.0) == "1 programs, 1.0 a minute"
    assert [duration(99.6), duration(100.4 * 60), duration(7200)] == ["100 s", "1.7 h", "2.0 h"]


@pytest.mark.parametrize("stream", [Terminal, io.StringIO])
def test_fuzz_counts_on_a_terminal(
    stream: type[io.StringIO], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "stderr", shown := stream())
    monkeypatch.setattr(progress, "AT_FIRST", 0.0)
    monkeypatch.setattr(progress, "PAUSE", 0.0)
    assert main(["fuzz", "--count", "3", "-p", "dce", "-o", str(tmp_path)]) == 0
    assert capsys.readouterr().out == "3 programs, 0 failures\n"
    told = shown.getvalue()
    assert ("\r2 of 3 programs" in told) == (stream is Terminal)
    assert not told or told.endswith("\r")  # the line is taken away


def test_an_interrupted_proof_says_where_it_was(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(proving, "by_terms", interrupt)
    moved = [str(EXAMPLES / "ballot_loop.rk"), str(EXAMPLES / "ballot_loop_moved.rk")]
    assert main(["prove", *moved]) == 130
    said = capsys.readouterr()
    assert said.out == "" and said.err == "interrupted at main, for every input; nothing was refuted before\n"


def interrupt(*_: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.once
def test_an_interrupted_reduction_writes_what_it_has(tmp_path: Path) -> None:
    """The command is interesting while the module still has a ballot, and takes its time from the third run on."""
    out = tmp_path / "small.rk"
    count = tmp_path / "count"
    ask = f"echo x >> '{count}'; [ $(wc -l < '{count}') -lt 3 ] || sleep 0.3; grep -q Ballot"
    words = [sys.executable, "-m", "reknit", "reduce", str(EXAMPLES / "ballot_loop.rk"), "--if", ask, "-o", str(out)]
    running = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
    while not count.exists() or count.read_text().count("x") < 4:
        assert running.poll() is None
        time.sleep(0.02)
    running.send_signal(signal.SIGINT)
    _, said = running.communicate(timeout=60)
    assert running.returncode == 130, said
    assert said.rstrip().endswith("; interrupted")
    assert "Ballot" in out.read_text()


def test_a_progress_line_is_cut_and_cleared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", shown := Terminal())
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(progress, "AT_FIRST", 0.0)
    line = Progress("things")
    line.show("a\x1b[31m" + "x" * 200)
    line.clear()
    first, second = shown.getvalue().split("\r")[1:3]
    assert "\x1b" not in first and len(first) == len(second) == progress.WIDEST
