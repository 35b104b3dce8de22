"""f32 arithmetic as loops over lanes: a column of bits becomes one of doubles in one go, and back.

    bits --array('I'), its bytes array('f')--> doubles --op--> array('f'), its bytes array('I') --> bits

Storing a double in array('f') is the machine's own conversion: to nearest, ties to even, too great to infinity. Few
lanes go one by one, which is quicker than making arrays.
"""

from array import array
from typing import Any, Final

from reknit.ir import op
from reknit.sim.ops.columns import Column
from reknit.sim.ops.float_ import divide
from reknit.sim.ops.ieee import NAN32, decode32, encode32

FEW: Final = 6


def load(lanes: list[int], column: list[int]) -> list[float]:
    """The numbers of the lanes, in the order of `lanes`."""
    if len(lanes) < FEW:
        return [decode32(column[lane]) for lane in lanes]
    numbers = array("f")
    numbers.frombytes(array("I", [column[lane] for lane in lanes]).tobytes())
    return numbers.tolist()


def store(out: list[Any], lanes: list[int], numbers: list[float]) -> None:
    if len(lanes) < FEW:
        for at, lane in enumerate(lanes):
            out[lane] = encode32(numbers[at])
        return
    words = array("I")
    words.frombytes(array("f", numbers).tobytes())
    for at, lane in enumerate(lanes):
        word = words[at]
        out[lane] = NAN32 if word & 0x7FFFFFFF > 0x7F800000 else word


def add(out: list[Any], lanes: list[int], columns: list[list[Any]]) -> None:
    x = load(lanes, columns[0])
    y = load(lanes, columns[1])
    store(out, lanes, [x[at] + y[at] for at in range(len(x))])


def subtract(out: list[Any], lanes: list[int], columns: list[list[Any]]) -> None:
    x = load(lanes, columns[0])
    y = load(lanes, columns[1])
    store(out, lanes, [x[at] - y[at] for at in range(len(x))])


def multiply(out: list[Any], lanes: list[int], columns: list[list[Any]]) -> None:
    x = load(lanes, columns[0])
    y = load(lanes, columns[1])
    store(out, lanes, [x[at] * y[at] for at in range(len(x))])


def quotient(out: list[Any], lanes: list[int], columns: list[list[Any]]) -> None:
    x = load(lanes, columns[0])
    y = load(lanes, columns[1])
    store(out, lanes, [divide(x[at], y[at]) for at in range(len(x))])


def from_unsigned(out: list[Any], lanes: list[int], columns: list[list[Any]]) -> None:
    a: list[int] = columns[0]
    store(out, lanes, [float(a[lane]) for lane in lanes])


def from_signed(out: list[Any], lanes: list[int], columns: list[list[Any]]) -> None:
    a: list[int] = columns[0]
    store(out, lanes, [float((a[lane] ^ 0x80000000) - 0x80000000) for lane in lanes])


def less(swapped: bool, otherwise: bool) -> Column:
    """x < y; `swapped`: y < x; `otherwise`: the opposite, so true with a NaN."""
    left = 1 if swapped else 0
    right = 1 - left

    def run(out: list[Any], lanes: list[int], columns: list[list[Any]]) -> None:
        x = load(lanes, columns[left])
        y = load(lanes, columns[right])
        yes = 0 if otherwise else 1
        for at, lane in enumerate(lanes):
            out[lane] = yes if x[at] < y[at] else 1 - yes

    return run


def less_or_equal(swapped: bool, otherwise: bool) -> Column:
    left = 1 if swapped else 0
    right = 1 - left

    def run(out: list[Any], lanes: list[int], columns: list[list[Any]]) -> None:
        x = load(lanes, columns[left])
        y = load(lanes, columns[right])
        yes = 0 if otherwise else 1
        for at, lane in enumerate(lanes):
            out[lane] = yes if x[at] <= y[at] else 1 - yes

    return run


def equal(otherwise: bool) -> Column:
    def run(out: list[Any], lanes: list[int], columns: list[list[Any]]) -> None:
        x = load(lanes, columns[0])
        y = load(lanes, columns[1])
        yes = 0 if otherwise else 1
        for at, lane in enumerate(lanes):
            out[lane] = yes if x[at] == y[at] else 1 - yes

    return run


def arithmetic(opcode: int) -> Column | None:
    if opcode == op.FAdd:
        return add
    if opcode == op.FSub:
        return subtract
    if opcode == op.FMul:
        return multiply
    if opcode == op.FDiv:
        return quotient
    return None


def comparison(opcode: int) -> Column | None:
    if opcode == op.FOrdLessThan:
        return less(False, False)
    if opcode == op.FOrdGreaterThan:
        return less(True, False)
    if opcode == op.FUnordGreaterThanEqual:
        return less(False, True)
    if opcode == op.FUnordLessThanEqual:
        return less(True, True)
    if opcode == op.FOrdLessThanEqual:
        return less_or_equal(False, False)
    if opcode == op.FOrdGreaterThanEqual:
        return less_or_equal(True, False)
    if opcode == op.FUnordGreaterThan:
        return less_or_equal(False, True)
    if opcode == op.FUnordLessThan:
        return less_or_equal(True, True)
    if opcode == op.FOrdEqual:
        return equal(False)
    if opcode == op.FUnordNotEqual:
        return equal(True)
    return None
