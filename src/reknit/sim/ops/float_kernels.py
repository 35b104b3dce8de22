"""The hottest float operations as loops over lanes; `kernels` has the integers.

FAdd : f32      for lane in lanes: out[lane] = encode(decode(a[lane]) + decode(b[lane]))
"""

from typing import Any

from reknit.ir import op
from reknit.sim.ops.columns import Column
from reknit.sim.ops.float_ import divide
from reknit.sim.ops.ieee import Format


def arithmetic(opcode: int, form: Format) -> Column | None:
    def add(out: list[Any], lanes: list[int], columns: list[list[Any]]) -> None:
        a: list[int] = columns[0]
        b: list[int] = columns[1]
        ieee = form
        for lane in lanes:
            out[lane] = ieee.encode(ieee.decode(a[lane]) + ieee.decode(b[lane]))

    def subtract(out: list[Any], lanes: list[int], columns: list[list[Any]]) -> None:
        a: list[int] = columns[0]
        b: list[int] = columns[1]
        ieee = form
        for lane in lanes:
            out[lane] = ieee.encode(ieee.decode(a[lane]) - ieee.decode(b[lane]))

    def multiply(out: list[Any], lanes: list[int], columns: list[list[Any]]) -> None:
        a: list[int] = columns[0]
        b: list[int] = columns[1]
        ieee = form
        for lane in lanes:
            out[lane] = ieee.encode(ieee.decode(a[lane]) * ieee.decode(b[lane]))

    def quotient(out: list[Any], lanes: list[int], columns: list[list[Any]]) -> None:
        a: list[int] = columns[0]
        b: list[int] = columns[1]
        ieee = form
        for lane in lanes:
            out[lane] = ieee.encode(divide(ieee.decode(a[lane]), ieee.decode(b[lane])))

    if opcode == op.FAdd:
        return add
    if opcode == op.FSub:
        return subtract
    if opcode == op.FMul:
        return multiply
    if opcode == op.FDiv:
        return quotient
    return None


def from_int(width: int, signed: bool, form: Format) -> Column | None:
    """OpConvertSToF and OpConvertUToF, where a double holds the integer."""
    if width > 32:
        return None
    sign = 1 << (width - 1) if signed else 0

    def run(out: list[Any], lanes: list[int], columns: list[list[Any]]) -> None:
        a: list[int] = columns[0]
        ieee = form
        top = sign
        for lane in lanes:
            out[lane] = ieee.encode(float((a[lane] ^ top) - top))

    return run


def less(swapped: bool, otherwise: bool, form: Format) -> Column:
    """x < y; `swapped`: y < x; `otherwise`: the opposite, so true with a NaN."""
    left = 1 if swapped else 0
    right = 1 - left

    def run(out: list[Any], lanes: list[int], columns: list[list[Any]]) -> None:
        a: list[int] = columns[left]
        b: list[int] = columns[right]
        ieee = form
        yes = 0 if otherwise else 1
        for lane in lanes:
            out[lane] = yes if ieee.decode(a[lane]) < ieee.decode(b[lane]) else 1 - yes

    return run


def less_or_equal(swapped: bool, otherwise: bool, form: Format) -> Column:
    left = 1 if swapped else 0
    right = 1 - left

    def run(out: list[Any], lanes: list[int], columns: list[list[Any]]) -> None:
        a: list[int] = columns[left]
        b: list[int] = columns[right]
        ieee = form
        yes = 0 if otherwise else 1
        for lane in lanes:
            out[lane] = yes if ieee.decode(a[lane]) <= ieee.decode(b[lane]) else 1 - yes

    return run


def equal(otherwise: bool, form: Format) -> Column:
    def run(out: list[Any], lanes: list[int], columns: list[list[Any]]) -> None:
        a: list[int] = columns[0]
        b: list[int] = columns[1]
        ieee = form
        yes = 0 if otherwise else 1
        for lane in lanes:
            out[lane] = yes if ieee.decode(a[lane]) == ieee.decode(b[lane]) else 1 - yes

    return run


def comparison(opcode: int, form: Format) -> Column | None:
    if opcode == op.FOrdLessThan:
        return less(False, False, form)
    if opcode == op.FOrdGreaterThan:
        return less(True, False, form)
    if opcode == op.FUnordGreaterThanEqual:
        return less(False, True, form)
    if opcode == op.FUnordLessThanEqual:
        return less(True, True, form)
    if opcode == op.FOrdLessThanEqual:
        return less_or_equal(False, False, form)
    if opcode == op.FOrdGreaterThanEqual:
        return less_or_equal(True, False, form)
    if opcode == op.FUnordGreaterThan:
        return less_or_equal(False, True, form)
    if opcode == op.FUnordLessThan:
        return less_or_equal(True, True, form)
    if opcode == op.FOrdEqual:
        return equal(False, form)
    if opcode == op.FUnordNotEqual:
        return equal(True, form)
    return None
