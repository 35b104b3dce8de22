"""What an atomic instruction leaves in memory.

    old, value                --atomic_function(AtomicIAdd, u32)-->              new      stored; the result is old
    old, value, comparator    --atomic_function(AtomicCompareExchange, u32)-->   new

The machine loads, calls, stores, and gives the old value as the result (OpAtomicFlagTestAndSet: whether it was not 0;
OpAtomicStore and OpAtomicFlagClear: no result). Where an instruction has no value or no comparator, any is ignored.
Source: SPIR-V 1.6, 3.42.18 Atomic Instructions; SPV_EXT_shader_atomic_float_add and _min_max.
"""

from collections.abc import Callable
from typing import Any

from reknit.ir import op
from reknit.sim.ops.monoid import monoid
from reknit.sim.values import Shape

AtomicFunction = Callable[[Any, Any, Any], Any]


def atomic_function(opcode: int, shape: Shape) -> AtomicFunction | None:
    """`shape` is that of the value in memory; the function takes (old, value, comparator) and gives the new value."""
    mask = (1 << shape.width) - 1
    if opcode == op.AtomicLoad:
        return lambda old, value, comparator: old
    if opcode == op.AtomicStore or opcode == op.AtomicExchange:
        return lambda old, value, comparator: value
    if opcode == op.AtomicCompareExchange or opcode == op.AtomicCompareExchangeWeak:
        return lambda old, value, comparator: value if old == comparator else old
    if opcode == op.AtomicIIncrement:
        return lambda old, value, comparator: (old + 1) & mask
    if opcode == op.AtomicIDecrement:
        return lambda old, value, comparator: (old - 1) & mask
    if opcode == op.AtomicFlagTestAndSet:
        return lambda old, value, comparator: 1
    if opcode == op.AtomicFlagClear:
        return lambda old, value, comparator: 0
    chosen = monoid(opcode, shape)
    if chosen is None:
        return None
    combine = chosen.combine
    return lambda old, value, comparator: combine(old, value)
