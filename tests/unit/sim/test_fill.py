"""Undefined values of a program that is run several times: a run is the same for the same choices."""

import pytest
from kit.programs.compute import Compute

from reknit.ir import op
from reknit.sim.fill import FILLS, MIXED, RANDOM
from reknit.sim.policy import Policy
from reknit.sim.run import prepare


def shuffling() -> Compute:
    """Each lane reads what the lane four beyond it has, which is in no subgroup of four: undefined values."""
    p = Compute(4)
    beyond = p.op2(op.IAdd, p.index, p.const(4))
    p.out(p.b.emit(op.GroupNonUniformShuffle, p.u32, [p.const(3), p.index, beyond]))
    p.b.return_()
    return p


@pytest.mark.parametrize("fill", (*FILLS, *MIXED))
def test_a_run_gives_the_same_again(fill: int) -> None:
    """A search counts up the choices of the run before: were undefined values others, a branch on one would ask for
    fewer than were counted."""
    program = prepare(shuffling().module, subgroup_size=4, fill=fill)
    first = program.run(Policy())
    again = program.run(Policy())
    assert first.diagnostics and first.buffers["out"].words == again.buffers["out"].words
    if fill == RANDOM:
        assert len(set(first.buffers["out"].words)) == 4
