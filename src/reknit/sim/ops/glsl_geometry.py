"""GLSL.std.450, vectors and matrices as wholes: lengths, products, reflections, inverses.

    Normalize v      ->   v / Length v                Length v   ->   sqrt(dot(v, v)); of a scalar: its magnitude
    MatrixInverse    ->   adjugate / determinant, exact integers until the one rounding of each entry

Source: GLSL.std.450 extended instruction set; the formulas are those that Vulkan derives precisions from, each step
rounded, sums from the first component on. A singular matrix has no inverse: reported, and zeros.
"""

import math
from collections.abc import Callable
from typing import Any

from reknit.ir import glsl
from reknit.sim.ops.float_ import divide
from reknit.sim.ops.ieee import Format, parts, round_exact, round_ratio
from reknit.sim.ops.undefined import Undefined

Function = Callable[..., Any]
Numbers = list[float]
Matrix = tuple[tuple[int, ...], ...]


def numbers(value: Any, form: Format) -> Numbers:
    """A scalar is a vector of one."""
    if isinstance(value, tuple):
        return [form.decode(component) for component in value]
    return [form.decode(value)]


def back(result: Numbers, scalar: bool, form: Format) -> Any:
    return form.encode(result[0]) if scalar else tuple([form.encode(x) for x in result])


def rounded(x: float, form: Format) -> float:
    return form.decode(form.encode(x))


def dot(x: Numbers, y: Numbers, form: Format) -> float:
    total = rounded(x[0] * y[0], form)
    for at in range(1, len(x)):
        total = rounded(total + rounded(x[at] * y[at], form), form)
    return total


def length(x: Numbers, form: Format) -> float:
    if len(x) == 1:
        return abs(x[0])
    return rounded(math.sqrt(dot(x, x, form)), form)


def difference(x: Numbers, y: Numbers, form: Format) -> Numbers:
    return [rounded(x[at] - y[at], form) for at in range(len(x))]


def cross(x: Numbers, y: Numbers, form: Format) -> Numbers:
    result: Numbers = []
    for first, second in ((1, 2), (2, 0), (0, 1)):
        result.append(rounded(x[first] * y[second], form) - rounded(y[first] * x[second], form))
    return result


def reflect(x: Numbers, normal: Numbers, form: Format) -> Numbers:
    twice = rounded(2.0 * dot(normal, x, form), form)
    return [x[at] - rounded(twice * normal[at], form) for at in range(len(x))]


def refract(x: Numbers, normal: Numbers, eta: float, form: Format) -> Numbers:
    along = dot(normal, x, form)
    rest = rounded(1.0 - rounded(along * along, form), form)
    k = rounded(1.0 - rounded(rounded(eta * eta, form) * rest, form), form)
    if k < 0.0:
        return [0.0] * len(x)
    by = rounded(rounded(eta * along, form) + rounded(math.sqrt(k), form), form)
    return [rounded(eta * x[at], form) - rounded(by * normal[at], form) for at in range(len(x))]


def function(number: int, form: Format) -> Function | None:
    if number == glsl.Length:
        return lambda a: form.encode(length(numbers(a, form), form))
    if number == glsl.Distance:
        return lambda a, b: form.encode(length(difference(numbers(a, form), numbers(b, form), form), form))
    if number == glsl.Cross:
        return lambda a, b: back(cross(numbers(a, form), numbers(b, form), form), False, form)
    if number == glsl.Reflect:
        return lambda a, n: back(reflect(numbers(a, form), numbers(n, form), form), not isinstance(a, tuple), form)
    if number == glsl.Refract:
        return lambda a, n, eta: back(
            refract(numbers(a, form), numbers(n, form), form.decode(eta), form), not isinstance(a, tuple), form
        )
    if number == glsl.Normalize:

        def normalize(a: Any) -> Any:
            x = numbers(a, form)
            size = length(x, form)
            return back([divide(component, size) for component in x], not isinstance(a, tuple), form)

        return normalize
    if number == glsl.FaceForward:

        def face_forward(n: Any, i: Any, reference: Any) -> Any:
            if dot(numbers(reference, form), numbers(i, form), form) < 0.0:
                return n
            if isinstance(n, tuple):
                return tuple([component ^ form.sign for component in n])
            return n ^ form.sign

        return face_forward
    return None


def minor(rows: list[list[int]], row: int, column: int) -> list[list[int]]:
    return [line[:column] + line[column + 1 :] for at, line in enumerate(rows) if at != row]


def determinant(rows: list[list[int]]) -> int:
    """By the first row; at most four rows, so at most three calls deep."""
    if len(rows) == 1:
        return rows[0][0]
    if len(rows) == 2:
        return rows[0][0] * rows[1][1] - rows[0][1] * rows[1][0]
    total = 0
    for column in range(len(rows)):
        part = rows[0][column] * determinant(minor(rows, 0, column))
        total += -part if column & 1 else part
    return total


def whole(matrix: Matrix, form: Format) -> tuple[list[list[int]], int] | None:
    """Integers and the exponent of two that they all share; None if something isn't finite. Columns stay columns."""
    taken = []
    lowest = 0
    for column in matrix:
        line: list[tuple[int, int]] = []
        for component in column:
            if component & (form.sign - 1) >= form.inf:
                return None
            sign, mantissa, exponent = parts(component, form)
            line.append((-mantissa if sign else mantissa, exponent))
            lowest = min(lowest, exponent)
        taken.append(line)
    return [[mantissa << (exponent - lowest) for mantissa, exponent in line] for line in taken], lowest


def determinant_of(matrix: Matrix, form: Format) -> int:
    entries = whole(matrix, form)
    if entries is None:
        return form.nan
    value = determinant(entries[0])
    return round_exact(1 if value < 0 else 0, abs(value), entries[1] * len(matrix), form)


def inverse_of(matrix: Matrix, form: Format, undefined: Undefined) -> Matrix:
    size = len(matrix)
    entries = whole(matrix, form)
    if entries is None:
        undefined.say("MatrixInverse of a matrix with an infinity or a NaN")
        return ((form.nan,) * size,) * size
    columns, exponent = entries
    value = determinant(columns)
    if value == 0:
        undefined.say("MatrixInverse of a singular matrix")
        return ((0,) * size,) * size
    result: list[tuple[int, ...]] = []
    for column in range(size):
        line: list[int] = []
        for row in range(size):
            # Entry (row, column) of the adjugate leaves out the matrix's row `column` and column `row`.
            part = determinant(minor(columns, row, column))
            if (row + column) & 1:
                part = -part
            if value < 0:
                part = -part
            line.append(round_ratio(part << -exponent, abs(value), form))
        result.append(tuple(line))
    return tuple(result)
