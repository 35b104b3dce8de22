"""Calling an operation as the machine does, both ways at once.

    run(op.IAdd, U8, [U8, U8], 255, 2)   ->   1

The function of one lane, the column and the kernel, over one lane and over many, have to agree.
"""

from typing import Any

from reknit.sim.ops import group_kernels, kernels
from reknit.sim.ops.columns import Column, Function
from reknit.sim.ops.glsl import glsl_column, glsl_function
from reknit.sim.ops.group import group_function
from reknit.sim.ops.table import column_function, scalar_function
from reknit.sim.ops.undefined import Undefined
from reknit.sim.registers import Register, as_column, as_list
from reknit.sim.values import Shape

ABSENT = "not a lane"
ABSENT_WORD = 7_000_000_000  # no word
LANES = ([1], [0, 2, 3, 5, 6, 7, 8, 9, 11])


class Listener:
    """Keeps what was reported: (lane, message)."""

    def __init__(self) -> None:
        self.said: list[tuple[int, str]] = []
        self.undefined = Undefined(lambda lane, message: self.said.append((lane, message)))


def check_column(column: Column | None, expected: Any, values: tuple[Any, ...]) -> None:
    assert column is not None
    for lanes in LANES:
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
    check_lanes(listener, messages)
    if check_kernel(opcode, result, operands, function, listener.undefined, value, values):
        check_lanes(listener, messages)
    return value, messages


def check_kernel(
    opcode: int,
    result: Shape,
    operands: list[Shape],
    function: Function,
    undefined: Undefined,
    expected: int,
    values: tuple[int, ...],
) -> bool:
    """The kernel over registers, where there is one."""
    if not operands or not all(shape.is_word() for shape in [result, *operands]):
        return False
    for lanes in LANES:
        out = Register([ABSENT_WORD] * 12)
        given = [Register([value] * 12) for value in values]
        kernel = kernels.kernel(opcode, result, operands, out, given, function, undefined)
        if kernel is None:
            return False
        kernel.run(as_column(lanes))
        assert as_list(out.flat) == [expected if lane in lanes else ABSENT_WORD for lane in range(12)]
    return True


def check_lanes(listener: Listener, messages: list[str]) -> None:
    """Each message was reported for each lane, and is forgotten."""
    if messages:
        assert [lane for lane, _ in listener.said] == [lane for lanes in LANES for lane in lanes for _ in messages]
    listener.said.clear()


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
    if all(shape.is_word() for shape in operands) and base % size == 0:
        check_group_kernel(opcode, result, lanes, list(columns), out, size, literals or [])
    return out, listener.said


def check_group_kernel(
    opcode: int,
    result: Shape,
    lanes: list[int],
    columns: list[list[Any]],
    expected: list[Any],
    size: int,
    literals: list[int],
) -> None:
    """The kernel over registers, where there is one."""
    given = [Register([value if isinstance(value, int) else 0 for value in column]) for column in columns]
    if result.is_word():
        register = Register([ABSENT_WORD] * len(expected))
        kernel = group_kernels.kernel(opcode, result, register, given, literals, size)
        if kernel is not None:
            kernel.run(as_column(lanes))
            found = as_list(register.flat)
            assert found == [ABSENT_WORD if value is None else value for value in expected]
    elif len(given) == 1:
        listed: list[Any] = [None] * len(expected)
        ballot = group_kernels.ballot(opcode, listed, given[0], size)
        if ballot is not None:
            ballot.run(as_column(lanes))
            assert listed == expected
