"""Vectors and matrices of floats: each product and each sum rounded, sums from the first component to the last.

    MatrixTimesVector   columns c0 c1 c2, v   ->   (c0 * v0 + c1 * v1) + c2 * v2, row by row
    VectorTimesMatrix   v, columns            ->   (dot(v, c0), dot(v, c1), ...)

Source: SPIR-V 1.6, 3.42.13. The order of the sums is free there (Vulkan inherits the error of the formula); this one
is ours.
"""

from collections.abc import Callable
from typing import Any

from reknit.ir import op
from reknit.sim.ops.ieee import Format

Vector = tuple[int, ...]
Matrix = tuple[Vector, ...]


def dot(a: Vector, b: Vector, form: Format) -> int:
    total = form.encode(form.decode(a[0]) * form.decode(b[0]))
    for index in range(1, len(a)):
        total = form.encode(
            form.decode(total) + form.decode(form.encode(form.decode(a[index]) * form.decode(b[index])))
        )
    return total


def scale(a: Vector, by: int, form: Format) -> Vector:
    factor = form.decode(by)
    return tuple([form.encode(form.decode(component) * factor) for component in a])


def transpose(a: Matrix) -> Matrix:
    rows: list[Vector] = []
    for row in range(len(a[0])):
        rows.append(tuple([column[row] for column in a]))
    return tuple(rows)


def matrix_times_vector(a: Matrix, v: Vector, form: Format) -> Vector:
    return tuple([dot(row, v, form) for row in transpose(a)])


def vector_times_matrix(v: Vector, a: Matrix, form: Format) -> Vector:
    return tuple([dot(v, column, form) for column in a])


def matrix_times_matrix(a: Matrix, b: Matrix, form: Format) -> Matrix:
    rows = transpose(a)
    columns: list[Vector] = []
    for column in b:
        columns.append(tuple([dot(row, column, form) for row in rows]))
    return tuple(columns)


def outer_product(a: Vector, b: Vector, form: Format) -> Matrix:
    return tuple([scale(a, component, form) for component in b])


def function(opcode: int, form: Format) -> Callable[..., Any] | None:
    if opcode == op.Dot:
        return lambda a, b: dot(a, b, form)
    if opcode == op.VectorTimesScalar:
        return lambda a, by: scale(a, by, form)
    if opcode == op.MatrixTimesScalar:
        return lambda a, by: tuple([scale(column, by, form) for column in a])
    if opcode == op.VectorTimesMatrix:
        return lambda v, a: vector_times_matrix(v, a, form)
    if opcode == op.MatrixTimesVector:
        return lambda a, v: matrix_times_vector(a, v, form)
    if opcode == op.MatrixTimesMatrix:
        return lambda a, b: matrix_times_matrix(a, b, form)
    if opcode == op.OuterProduct:
        return lambda a, b: outer_product(a, b, form)
    if opcode == op.Transpose:
        return transpose
    return None
