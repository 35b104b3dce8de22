"""Undefined values of a program that is run several times: a run is the same for the same choices."""

import pytest
from kit.programs.compute import Compute

from reknit.ir import op
from reknit.sim.fill import FILLS, MIXED, RANDOM, Fill
from reknit.sim.policy import Policy
from reknit.sim.run import prepare
from reknit.sim.values import BOOL, F16, F32, F64, U8, U32, Shape, array, matrix, pointer, struct, vector


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


@pytest.mark.parametrize(
    ("shape", "zeros", "ones"),
    [
        (BOOL, 0, 1), (U8, 0, 0xFF), (U32, 0, 0xFFFFFFFF), (F64, 0, (1 << 64) - 1),
        (vector(F16, 3), (0, 0, 0), (0xFFFF,) * 3), (array(vector(U8, 2), 2), ((0, 0),) * 2, ((0xFF, 0xFF),) * 2),
        (struct([U8, vector(BOOL, 2)]), (0, (0, 0)), (0xFF, (1, 1))), (matrix(vector(F32, 2), 2), ((0, 0),) * 2,
                                                                       ((0xFFFFFFFF,) * 2,) * 2),
        (pointer(U32), 0, 0),
    ],
)  # fmt: skip
def test_values_of_each_type(shape: Shape, zeros: object, ones: object) -> None:
    """All bits 0, or all bits set; a pointer is always null."""
    assert Fill(0).value(shape) == zeros and Fill(1).value(shape) == ones
    random = Fill(RANDOM)
    first, second = random.value(U32), random.value(U32)
    assert first != second and 0 <= first < 1 << 32
    random.begin()
    assert (random.value(U32), random.value(U32)) == (first, second)


@pytest.mark.parametrize(("shape", "infinity"), [(F16, 0x7C00), (F32, 0x7F800000), (F64, 0x7FF0000000000000)])
def test_mixed_values_begin_with_another_kind_each(shape: Shape, infinity: int) -> None:
    """Of 3: an infinity; of 4: zeros; of 5: all bits; of 6: any. Integers have no infinity."""
    ones = (1 << shape.width) - 1
    assert [Fill(kind).value(shape) for kind in (3, 4, 5)] == [infinity, 0, ones]
    assert Fill(6).value(shape) not in (infinity, 0, ones)
    mixed = Fill(4)
    kinds = {mixed.value(shape) for _ in range(64)}
    assert {infinity, 0, ones} < kinds and all(0 <= each <= ones for each in kinds)
    integers = Fill(3)
    assert 0x7F800000 not in {integers.value(U32) for _ in range(64)}
