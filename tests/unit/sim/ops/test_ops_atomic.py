"""Atomics: what each leaves in memory, by the steps that SPIR-V lists for it."""

import numpy as np
import pytest
from unit.sim.ops.ops_floats import pattern

from reknit.ir import op
from reknit.sim.ops.atomic import atomic_function
from reknit.sim.values import F32, I8, U8, U32, U64, Shape, vector


def f(value: float) -> int:
    return pattern(np.float32(value), 32)


@pytest.mark.parametrize(
    ("opcode", "shape", "old", "value", "comparator", "new"),
    [
        (op.AtomicLoad, U32, 5, 9, 0, 5),
        (op.AtomicStore, U32, 5, 9, 0, 9),
        (op.AtomicExchange, F32, f(1), f(2), 0, f(2)),
        (op.AtomicCompareExchange, U32, 5, 9, 5, 9),
        (op.AtomicCompareExchange, U32, 5, 9, 6, 5),
        (op.AtomicCompareExchangeWeak, U64, 5, 9, 5, 9),
        (op.AtomicIIncrement, U32, 0xFFFFFFFF, 0, 0, 0),
        (op.AtomicIDecrement, U8, 0, 0, 0, 0xFF),
        (op.AtomicIAdd, U8, 250, 10, 0, 4),
        (op.AtomicISub, U8, 3, 10, 0, 249),
        (op.AtomicSMin, I8, 1, 0xFF, 0, 0xFF),
        (op.AtomicUMin, U8, 1, 0xFF, 0, 1),
        (op.AtomicSMax, I8, 1, 0xFF, 0, 1),
        (op.AtomicUMax, U8, 1, 0xFF, 0, 0xFF),
        (op.AtomicAnd, U8, 0b1100, 0b1010, 0, 0b1000),
        (op.AtomicOr, U8, 0b1100, 0b1010, 0, 0b1110),
        (op.AtomicXor, U8, 0b1100, 0b1010, 0, 0b0110),
        (op.AtomicFlagTestAndSet, U32, 0, 0, 0, 1),
        (op.AtomicFlagClear, U32, 1, 0, 0, 0),
        (op.AtomicFAddEXT, F32, f(0.1), f(0.2), 0, pattern(np.float32(0.1) + np.float32(0.2), 32)),
        (op.AtomicFMinEXT, F32, f(-1), f(2), 0, f(-1)),
        (op.AtomicFMaxEXT, F32, f(-1), f(2), 0, f(2)),
        (op.AtomicFMinEXT, F32, 0x7FC00000, f(2), 0, f(2)),
        (op.AtomicFMaxEXT, F32, f(2), 0x7FC00000, 0, f(2)),
        (op.AtomicFAddEXT, vector(F32, 2), (f(1), f(2)), (f(3), f(4)), 0, (f(4), f(6))),
    ],
)
def test_new_value(opcode: int, shape: Shape, old: int, value: int, comparator: int, new: int) -> None:
    function = atomic_function(opcode, shape)
    assert function is not None
    assert function(old, value, comparator) == new


def test_other_instructions_are_not_atomics() -> None:
    assert atomic_function(op.IAdd, U32) is None
    assert atomic_function(op.AtomicFAddEXT, U32) is None
