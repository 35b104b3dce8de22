"""Which values an integer can have at all, where its operands' form says so.

    BitwiseAnd %x, 3u           0 1 2 3            IAdd %of_these, 5u      each plus 5
    UMod %x, 3u                 0 1 2              UConvert, Bitcast ...   the same bits
    Select %c, 7u, 9u           7 9                anything else           unknown

A switch over few values has few that come to one case; with one, OpSwitch has nothing to choose there.
"""

from typing import Final

from reknit.ir import op
from reknit.ir.constants import literal_bits
from reknit.ir.instr import Instr
from reknit.ir.integers import signed
from reknit.ir.value import Value

MAX_VALUES: Final = 16
_CHAIN: Final = 8  # instructions that are looked through

Values = frozenset[int]
"""Bits as unsigned numbers of the type's width."""


def possible_values(value: Value) -> Values | None:
    """The values that `value` can have, None where that isn't known or they are more than MAX_VALUES."""
    steps: list[Instr] = []
    current: Value = value
    values: Values | None = None
    while values is None:
        if not isinstance(current, Instr) or _width(current) == 0 or len(steps) > _CHAIN:
            return None
        values = _directly(current)
        if values is None:
            inner = _looked_through(current)
            if inner is None:
                return None
            steps.append(current)
            current = inner
    for step in reversed(steps):
        values = _mapped(step, values)
    return values


def _width(value: Instr) -> int:
    return value.type.word(0) if value.type is not None and value.type.op == op.TypeInt else 0


def _constant(value: Value) -> int | None:
    if isinstance(value, Instr) and value.op == op.Constant and _width(value):
        return literal_bits(value)
    return None


def _directly(instr: Instr) -> Values | None:
    """Of what says so by itself."""
    constant = _constant(instr)
    if constant is not None:
        return frozenset([constant])
    if instr.op == op.BitwiseAnd:
        for index in (0, 1):
            mask = _constant(instr.value(index))
            if mask is not None and 1 << mask.bit_count() <= MAX_VALUES:
                return _parts_of(mask)
    if instr.op == op.UMod:
        count = _constant(instr.value(1))
        return frozenset(range(count)) if count is not None and 0 < count <= MAX_VALUES else None
    if instr.op == op.Select:
        first, second = _constant(instr.value(1)), _constant(instr.value(2))
        return frozenset([first, second]) if first is not None and second is not None else None
    return None


def _parts_of(mask: int) -> Values:
    """Every number of which all bits are in `mask`."""
    numbers = [0]
    for bit in range(mask.bit_length()):
        if mask >> bit & 1:
            numbers += [each | 1 << bit for each in numbers]
    return frozenset(numbers)


def _looked_through(instr: Instr) -> Value | None:
    """The operand whose values give those of `instr` one by one."""
    if instr.op in (op.UConvert, op.SConvert, op.Bitcast, op.CopyObject):
        return instr.value(0)
    if instr.op in (op.IAdd, op.ISub) and _constant(instr.value(1)) is not None:
        return instr.value(0)
    if instr.op == op.IAdd and _constant(instr.value(0)) is not None:
        return instr.value(1)
    return None


def _mapped(instr: Instr, values: Values) -> Values:
    width = _width(instr)
    mask = (1 << width) - 1
    if instr.op == op.SConvert:
        operand = instr.value(0)
        narrow = _width(operand) if isinstance(operand, Instr) else 0
        return frozenset(signed(each, narrow) & mask for each in values)
    if instr.op == op.IAdd or instr.op == op.ISub:
        left, right = _constant(instr.value(0)), _constant(instr.value(1))
        if right is not None:
            amount = right if instr.op == op.IAdd else -right
            return frozenset((each + amount) & mask for each in values)
        assert left is not None
        return frozenset((each + left) & mask for each in values)
    return frozenset(each & mask for each in values)
