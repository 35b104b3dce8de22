"""The hottest operations as loops over lanes with nothing called inside.

    IAdd : u32      for lane in lanes: out[lane] = (a[lane] + b[lane]) & 0xffffffff

Only operations that are defined for all operands are here, so nothing needs to know the lane. Each computes what the
function of one lane computes (the tests compare them).
"""

from typing import Any

from reknit.ir import op
from reknit.sim.ops.columns import Column


def copy(out: list[Any], lanes: list[int], columns: list[list[Any]]) -> None:
    a = columns[0]
    for lane in lanes:
        out[lane] = a[lane]


def select(out: list[Any], lanes: list[int], columns: list[list[Any]]) -> None:
    condition: list[int] = columns[0]
    a = columns[1]
    b = columns[2]
    for lane in lanes:
        out[lane] = a[lane] if condition[lane] else b[lane]


def negation(out: list[Any], lanes: list[int], columns: list[list[Any]]) -> None:
    a: list[int] = columns[0]
    for lane in lanes:
        out[lane] = a[lane] ^ 1


def conjunction(out: list[Any], lanes: list[int], columns: list[list[Any]]) -> None:
    a: list[int] = columns[0]
    b: list[int] = columns[1]
    for lane in lanes:
        out[lane] = a[lane] & b[lane]


def disjunction(out: list[Any], lanes: list[int], columns: list[list[Any]]) -> None:
    a: list[int] = columns[0]
    b: list[int] = columns[1]
    for lane in lanes:
        out[lane] = a[lane] | b[lane]


def difference(out: list[Any], lanes: list[int], columns: list[list[Any]]) -> None:
    a: list[int] = columns[0]
    b: list[int] = columns[1]
    for lane in lanes:
        out[lane] = a[lane] ^ b[lane]


def equal(out: list[Any], lanes: list[int], columns: list[list[Any]]) -> None:
    a: list[int] = columns[0]
    b: list[int] = columns[1]
    for lane in lanes:
        out[lane] = 1 if a[lane] == b[lane] else 0


def not_equal(out: list[Any], lanes: list[int], columns: list[list[Any]]) -> None:
    a: list[int] = columns[0]
    b: list[int] = columns[1]
    for lane in lanes:
        out[lane] = 1 if a[lane] != b[lane] else 0


def less(flip: int, swapped: bool) -> Column:
    """a < b of the operands with the bits `flip` turned over (the sign bit for signed ones); `swapped`: b < a."""
    left = 1 if swapped else 0
    right = 1 - left

    def run(out: list[Any], lanes: list[int], columns: list[list[Any]]) -> None:
        a: list[int] = columns[left]
        b: list[int] = columns[right]
        turn = flip
        for lane in lanes:
            out[lane] = 1 if a[lane] ^ turn < b[lane] ^ turn else 0

    return run


def less_or_equal(flip: int, swapped: bool) -> Column:
    left = 1 if swapped else 0
    right = 1 - left

    def run(out: list[Any], lanes: list[int], columns: list[list[Any]]) -> None:
        a: list[int] = columns[left]
        b: list[int] = columns[right]
        turn = flip
        for lane in lanes:
            out[lane] = 1 if a[lane] ^ turn <= b[lane] ^ turn else 0

    return run


def comparison(opcode: int, width: int) -> Column | None:
    sign = 1 << (width - 1)
    if opcode == op.ULessThan:
        return less(0, False)
    if opcode == op.UGreaterThan:
        return less(0, True)
    if opcode == op.SLessThan:
        return less(sign, False)
    if opcode == op.SGreaterThan:
        return less(sign, True)
    if opcode == op.ULessThanEqual:
        return less_or_equal(0, False)
    if opcode == op.UGreaterThanEqual:
        return less_or_equal(0, True)
    if opcode == op.SLessThanEqual:
        return less_or_equal(sign, False)
    if opcode == op.SGreaterThanEqual:
        return less_or_equal(sign, True)
    if opcode == op.IEqual:
        return equal
    if opcode == op.INotEqual:
        return not_equal
    return None


def multiply_words(out: list[Any], lanes: list[int], columns: list[list[Any]]) -> None:
    """32 bits in two halves of the second operand: no product passes 2^48, which keeps compiled integers unboxed."""
    a: list[int] = columns[0]
    b: list[int] = columns[1]
    for lane in lanes:
        x = a[lane]
        y = b[lane]
        out[lane] = (((x * (y >> 16) & 0xFFFF) << 16) + x * (y & 0xFFFF)) & 0xFFFFFFFF


def arithmetic(opcode: int, width: int) -> Column | None:
    mask = (1 << width) - 1

    def add(out: list[Any], lanes: list[int], columns: list[list[Any]]) -> None:
        a: list[int] = columns[0]
        b: list[int] = columns[1]
        keep = mask
        for lane in lanes:
            out[lane] = (a[lane] + b[lane]) & keep

    def subtract(out: list[Any], lanes: list[int], columns: list[list[Any]]) -> None:
        a: list[int] = columns[0]
        b: list[int] = columns[1]
        keep = mask
        for lane in lanes:
            out[lane] = (a[lane] - b[lane]) & keep

    def multiply(out: list[Any], lanes: list[int], columns: list[list[Any]]) -> None:
        a: list[int] = columns[0]
        b: list[int] = columns[1]
        keep = mask
        for lane in lanes:
            out[lane] = (a[lane] * b[lane]) & keep

    def flip(out: list[Any], lanes: list[int], columns: list[list[Any]]) -> None:
        a: list[int] = columns[0]
        keep = mask
        for lane in lanes:
            out[lane] = a[lane] ^ keep

    def cut(out: list[Any], lanes: list[int], columns: list[list[Any]]) -> None:
        a: list[int] = columns[0]
        keep = mask
        for lane in lanes:
            out[lane] = a[lane] & keep

    if opcode == op.IAdd:
        return add
    if opcode == op.ISub:
        return subtract
    if opcode == op.IMul:
        return multiply_words if width == 32 else multiply
    if opcode == op.BitwiseAnd:
        return conjunction
    if opcode == op.BitwiseOr:
        return disjunction
    if opcode == op.BitwiseXor:
        return difference
    if opcode == op.Not:
        return flip
    if opcode == op.UConvert:
        return cut
    return None


def logic(opcode: int) -> Column | None:
    if opcode == op.LogicalAnd:
        return conjunction
    if opcode == op.LogicalOr:
        return disjunction
    if opcode == op.LogicalNotEqual:
        return difference
    if opcode == op.LogicalEqual:
        return equal
    if opcode == op.LogicalNot:
        return negation
    return None


def extract(index: int) -> Column:
    def run(out: list[Any], lanes: list[int], columns: list[list[Any]]) -> None:
        a: list[tuple[Any, ...]] = columns[0]
        at = index
        for lane in lanes:
            out[lane] = a[lane][at]

    return run
