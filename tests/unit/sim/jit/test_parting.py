"""Lanes that part where no merge instruction makes them meet: each tangle goes on alone, once, as native code."""

import random

import pytest
from kit.oracles.graph_runs import module_for, structured
from kit.programs.compute import Compute

import reknit
from reknit.ir import op
from reknit.ir.instr import Instr
from reknit.sim.policy import GRAPH, Policy

pytest.importorskip("llvmlite", reason="native code needs llvmlite")


def digit(p: Compute, value: int) -> None:
    """out[lane] = out[lane] * 16 + value: what a lane comes by, digit by digit."""
    place = p.place(p.index)
    before = p.op2(op.IMul, p.b.load(p.u32, place), p.const(16))
    p.b.store(place, p.op2(op.IAdd, before, p.const(value)))


def bit(p: Compute, number: int) -> Instr:
    return p.test(op.INotEqual, p.op2(op.BitwiseAnd, p.index, p.const(1 << number)), p.const(0))


def test_lanes_that_part_inside_an_arm_do_not_run_the_other_one() -> None:
    """Lanes 0 to 3 enter the first arm, part there by their lowest bit and return; lanes 4 to 7 take the other arm and
    go on behind it, once."""
    p = Compute(8)
    outer = p.b.open_if(bit(p, 2), merged=False)
    p.b.at(outer.orelse.entry())
    inner = p.b.open_if(bit(p, 0), merged=False)
    for region, value in ((inner.then, 1), (inner.orelse, 2)):
        p.b.at(region.entry())
        digit(p, value)
    p.b.at(inner.after())
    p.b.return_()
    p.b.at(outer.then.entry())
    digit(p, 3)
    p.b.at(outer.after())
    digit(p, 4)
    p.b.return_()
    result = reknit.run(p.module, engine="jit", subgroup_size=8)
    assert result.engine == "jit"
    assert [f"{word:x}" for word in result.buffers["out"].words] == ["2", "1", "2", "1", "34", "34", "34", "34"]


GRAPH_OF_13 = [[1], [2, 3], [1, 4], [5, 6], [7], [6], [2, 8], [], [9, 10], [11, 2], [2], [12], [7]]


@pytest.mark.parametrize("seed", range(3))
def test_nobody_waits_where_no_lane_came_by(seed: int) -> None:
    """A graph whose tree has ifs without a merge block in each other, of which lanes skip the inner ones: the blocks
    that each lane visits are those that it visits in the graph."""
    module = module_for(GRAPH_OF_13)
    draw = random.Random(seed)
    buffers = {"decisions": [draw.randrange(12) for _ in range(256)], "trace": [0] * 512, "seen": [0] * 512}
    flat = reknit.run(module, subgroup_size=4, buffers=buffers, policy=Policy(assume=GRAPH))
    structured(module)
    tree = reknit.run(module, subgroup_size=4, buffers=buffers, engine="jit")
    assert tree.engine == "jit" and tree.buffers["trace"].words == flat.buffers["trace"].words
