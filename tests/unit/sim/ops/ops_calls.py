"""Calling an operation as the machine does, both ways at once.

    run(op.IAdd, U8, [U8, U8], 255, 2)   ->   1

The function of one lane and the column, over one lane and over many, have to agree.
"""

from typing import Any

from reknit.sim.ops.columns import Column, Function
from reknit.sim.ops.glsl import glsl_column, glsl_function
from reknit.sim.ops.group import group_function
from reknit.sim.ops.table import column_function, scalar_function
from reknit.sim.ops.undefined import Undefined
from reknit.sim.values import Shape

ABSENT = "not a lane"


class Listener:
    """Keeps what was reported: (lane, message)."""

    def __init__(self) -> None:
        self.said: list[tuple[int, str]] = []
        self.undefined = Undefined(lambda lane, message: self.said.append((lane, message)))


def check_column(column: Column | None, expected: Any, values: tuple[Any, ...]) -> None:
    assert column is not None
    for lanes in ([1], [0, 2, 3, 5, 6, 7, 8, 9, 11]):
        out: list[Any] = [ABSENT] * 12
        column(out, lanes, [[value] * 12 for value in values])
        assert out == [expected if lane in lanes else ABSENT for lane in range(12)]


def listen(
    opcode: int, result: Shape, operands: list[Shape], *values: Any, literals: list[int] | None = None
) -> tuple[Any, list[str]]:
    """The value, and what was reported in computing it once."""
    listener = Listener()
    function: Function | None = scalar_function(opcode, result, operands, literals or [], listener.undefined)
    assert function is not None
    value = function(*values)
    messages = [message for _, message in listener.said]
    listener.said.clear()
    check_column(column_function(opcode, result, operands, literals or [], listener.undefined), value, values)
    if messages:
        assert [lane for lane, _ in listener.said] == [
            lane for lane in [1, 0, 2, 3, 5, 6, 7, 8, 9, 11] for _ in messages
        ]
    return value, messages


def run(opcode: int, result: Shape, operands: list[Shape], *values: Any, literals: list[int] | None = None) -> Any:
    """The value, of an operation that is defined for these operands."""
    value, messages = listen(opcode, result, operands, *values, literals=literals)
    assert messages == []
    return value


def listen_glsl(number: int, result: Shape, operands: list[Shape], *values: Any) -> tuple[Any, list[str]]:
    listener = Listener()
    function = glsl_function(number, result, operands, listener.undefined)
    assert function is not None
    value = function(*values)
    messages = [message for _, message in listener.said]
    check_column(glsl_column(number, result, operands, listener.undefined), value, values)
    return value, messages


def run_glsl(number: int, result: Shape, operands: list[Shape], *values: Any) -> Any:
    value, messages = listen_glsl(number, result, operands, *values)
    assert messages == []
    return value


def run_group(
    opcode: int,
    result: Shape,
    operands: list[Shape],
    lanes: list[int],
    *columns: list[Any],
    base: int = 0,
    size: int = 4,
    literals: list[int] | None = None,
) -> tuple[list[Any], list[tuple[int, str]]]:
    """(out with None where no lane was active, what was reported)."""
    listener = Listener()
    function = group_function(opcode, result, operands, literals or [], listener.undefined)
    assert function is not None
    out: list[Any] = [None] * (base + size)
    function(out, lanes, list(columns), base, size)
    return out, listener.said
