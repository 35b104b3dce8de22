"""Shifts and bit fields.

    base [...|xxxx|...]                BitFieldUExtract   ->   0000xxxx
              count bits at offset     BitFieldSExtract   ->   ssssxxxx, s the field's top bit

Source: SPIR-V 1.6, 3.42.14 Bit Instructions. A shift by the width or more, or a field that leaves the base, is
undefined: reported. The shift then gives 0 (arithmetic: the sign), the field 0, the insertion its base.
"""

from collections.abc import Callable

from reknit.ir import op
from reknit.sim.ops.undefined import Undefined

Unary = Callable[[int], int]
Binary = Callable[[int, int], int]
Ternary = Callable[[int, int, int], int]
Insert = Callable[[int, int, int, int], int]


def shift(opcode: int, width: int, undefined: Undefined) -> Binary | None:
    mask = (1 << width) - 1
    sign = 1 << (width - 1)

    def left(a: int, by: int) -> int:
        if by >= width:
            return undefined.say(f"OpShiftLeftLogical of {width} bits by {by}")
        return (a << by) & mask

    def right_logical(a: int, by: int) -> int:
        if by >= width:
            return undefined.say(f"OpShiftRightLogical of {width} bits by {by}")
        return a >> by

    def right_arithmetic(a: int, by: int) -> int:
        if by >= width:
            undefined.say(f"OpShiftRightArithmetic of {width} bits by {by}")
            by = width - 1
        return (((a ^ sign) - sign) >> by) & mask

    if opcode == op.ShiftLeftLogical:
        return left
    if opcode == op.ShiftRightLogical:
        return right_logical
    if opcode == op.ShiftRightArithmetic:
        return right_arithmetic
    return None


def count_bits(a: int) -> int:
    return a.bit_count()


def unary(opcode: int, width: int) -> Unary | None:
    if opcode == op.BitCount:
        return count_bits
    if opcode == op.BitReverse:

        def reverse(a: int) -> int:
            turned = 0
            for _ in range(width):
                turned = (turned << 1) | (a & 1)
                a >>= 1
            return turned

        return reverse
    return None


def extract(opcode: int, width: int, undefined: Undefined) -> Ternary | None:
    mask = (1 << width) - 1

    def unsigned(base: int, offset: int, count: int) -> int:
        if offset + count > width:
            return undefined.say(f"OpBitFieldUExtract of {count} bits at {offset} in {width}")
        return (base >> offset) & ((1 << count) - 1)

    def signed(base: int, offset: int, count: int) -> int:
        if offset + count > width:
            return undefined.say(f"OpBitFieldSExtract of {count} bits at {offset} in {width}")
        if count == 0:
            return 0
        top = 1 << (count - 1)
        return ((((base >> offset) & ((1 << count) - 1)) ^ top) - top) & mask

    if opcode == op.BitFieldUExtract:
        return unsigned
    if opcode == op.BitFieldSExtract:
        return signed
    return None


def insert(opcode: int, width: int, undefined: Undefined) -> Insert | None:
    def place(base: int, field: int, offset: int, count: int) -> int:
        if offset + count > width:
            undefined.say(f"OpBitFieldInsert of {count} bits at {offset} in {width}")
            return base
        hole = ((1 << count) - 1) << offset
        return (base & ~hole) | ((field << offset) & hole)

    return place if opcode == op.BitFieldInsert else None
