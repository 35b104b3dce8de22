"""Graphs as text: what is read, what is wrong and where, and what the module records."""

import pytest
from kit.oracles.graph_runs import trace

from reknit import check
from reknit.front.cfg import load_cfg, parse_cfg
from reknit.front.cfg_module import DECISIONS, ROW, exit_targets
from reknit.front.load import load_bytes
from reknit.ir.locate import place_of
from reknit.ir.verify import verify
from reknit.sim.run import run
from reknit.source.diagnostic import InputError
from reknit.spirv.write import write_module


def test_a_line_is_a_block() -> None:
    blocks = parse_cfg("# a loop\nentry -> head\nhead -> body out  # first if true\n\nbody -> head\nout ret\n", "a.cfg")
    assert [(block.name, block.targets) for block in blocks] == [
        ("entry", ["head"]), ("head", ["body", "out"]), ("body", ["head"]), ("out", []),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text, code, line, column",
    [
        ("a ->", "RK0320", 1, 5),
        ("a", "RK0320", 1, 2),
        ("a b c", "RK0320", 1, 3),
        ("a -> b\nb ret x", "RK0320", 2, 3),
        ("a -> b!\nb ret", "RK0320", 1, 6),
        ("a ret\n a ret", "RK0321", 2, 2),
        ("a -> a  c", "RK0322", 1, 9),
        ("# nothing", "RK0323", 0, 0),
    ],
)
def test_faults_have_their_place(text: str, code: str, line: int, column: int) -> None:
    with pytest.raises(InputError) as caught:
        parse_cfg(text, "a.cfg")
    fault = caught.value.diagnostics[0]
    assert fault.place is not None
    assert (fault.code, fault.place.file, fault.place.line, fault.place.column) == (code, "a.cfg", line, column)


def test_the_module_records_ways_and_company() -> None:
    """Lane 0 decides 1 (true: b), the others 0 (c): lane 0 is alone at b (ballot 0b1)."""
    module = load_cfg("a -> b c\nb -> d\nc -> d\nd ret", "a.cfg")
    assert verify(module) == []
    decisions = [0] * (2 * DECISIONS)
    decisions[0] = 1
    result = run(module, subgroup_size=32, buffers={"decisions": decisions + [0] * (30 * DECISIONS)})
    way = list(result.buffers["trace"].words)
    assert way[:4] == [3, 0, 1, 3]
    assert way[ROW : ROW + 4] == [3, 0, 2, 3]
    company = list(result.buffers["seen"].words)
    assert company[1] == 0xFFFFFFFF
    assert company[2] == 0b1


def test_two_ways_to_the_same_block() -> None:
    """The targets of an OpBranchConditional must differ (SPIR-V 1.6); those of an OpSwitch need not."""
    module = load_cfg("a -> b b\nb ret", "a.cfg")
    assert verify(module) == []
    assert "RK0629" not in [fault.code for fault in check(write_module(module))]
    result = run(module, subgroup_size=32, buffers={"decisions": [1] * (32 * DECISIONS)})
    assert list(result.buffers["trace"].words)[:3] == [2, 0, 1]


def test_who_has_nothing_left_to_decide_goes_out() -> None:
    """a's way out is b, then e; a loop for ever otherwise. With all decisions 1 (true: a) the lane turns 64 times."""
    assert exit_targets([[0, 1], [2, 1], [], [3]]) == [1, 0, 0, 0]
    module = load_cfg("a -> a b\nb ret", "a.cfg")
    result = run(module, subgroup_size=1, groups=(1, 1, 1), buffers={"decisions": [1] * (32 * DECISIONS)})
    assert result.finished
    assert list(result.buffers["trace"].words)[0] == DECISIONS + 2


def test_endless_parts_are_cut_by_steps() -> None:
    finished, words = trace(load_cfg("a -> a", "a.cfg"), 0, 32, 2_000)
    assert not finished
    assert words[0] > 10 and set(words[1:10]) == {0}


def test_the_ending_tells_the_format() -> None:
    assert not load_bytes(b"a ret", "cfg", "a.cfg").functions[0].structured


def test_blocks_know_their_lines() -> None:
    module = load_cfg("# two blocks\na -> b\n\n  b ret\n", "a.cfg")
    a, b = module.functions[0].blocks[-2:]
    assert [str(place_of(block, module)) for block in (a, b)] == ["a.cfg:2", "a.cfg:4"]
    assert [str(place_of(instr, module)) for instr in b] == ["a.cfg:4"]
    assert str(place_of(module.functions[1], module)) == "a.cfg"  # what records the visits is in no line
