"""mul, transpose and determinant, with HLSL's rows and columns.

    mul(float2x3, float3)     rows times a column vector: VectorTimesMatrix, since rows are SPIR-V's columns here
    mul(float2, float2x3)     a row vector times columns: MatrixTimesVector
    mul(float2x3, float3x4)   MatrixTimesMatrix of the two in the other order
    mul(int2x3, int3)         no instruction for integers: dot products of the rows

Source: Microsoft's HLSL reference, "mul".
"""

from typing import Final

from reknit.front.slang.builtins.arithmetic import binary
from reknit.front.slang.builtins.builtin import Builtin, Signature
from reknit.front.slang.builtins.components import emit_op, parts_of, row_of, splat
from reknit.front.slang.builtins.emitter import Emitter
from reknit.front.slang.builtins.geometry import dot
from reknit.front.slang.builtins.shapes import (
    accept,
    constant,
    element,
    ir_numeric,
    join_elements,
    row_type,
    scalar_of,
    shape,
)
from reknit.front.slang.hir import Intrinsic
from reknit.front.slang.types import MatrixType, Type, VectorType, same
from reknit.ir import glsl, op
from reknit.ir.value import Value


def _mul_result(element_type: Type, a: Type, b: Type) -> Type | None:
    """Of operands that have `element_type`; None: the inner sizes differ."""
    left = shape(a)
    right = shape(b)
    if left.columns is None:
        return b
    if right.columns is None:
        return a
    inner = right.columns if right.rows is None else right.rows
    if not same(left.columns, inner):
        return None
    if right.rows is None:
        return element_type if left.rows is None else VectorType(element_type, left.rows)
    if left.rows is None:
        return VectorType(element_type, right.columns)
    return MatrixType(element_type, left.rows, right.columns, left.row_major)


def _mul(arguments: list[Type], type_arguments: list[Type], receiver: Type | None) -> Signature | None:
    elements = [element(argument) for argument in arguments]
    if len(elements) != 2 or elements[0] is None or elements[1] is None:
        return None
    joined = join_elements([elements[0], elements[1]])
    accepted = None if joined is None else accept(joined, "n")
    if accepted is None:
        return None
    params = [shape(argument).of(accepted) for argument in arguments]
    result = _mul_result(accepted, params[0], params[1])
    return None if result is None else Signature(params, ["in", "in"], result, "mul", [accepted])


def rows_of(emitter: Emitter, type: MatrixType, matrix: Value) -> list[Value]:
    return [row_of(emitter, type, matrix, index) for index in range(constant(type.rows))]


def columns_of(emitter: Emitter, type: MatrixType, matrix: Value) -> list[Value]:
    """As vectors of a component a row."""
    rows = [parts_of(emitter, row_type(type), row) for row in rows_of(emitter, type, matrix)]
    column_type = ir_numeric(emitter, VectorType(type.element, type.rows))
    if len(rows) == 1:
        return rows[0]
    return [
        emitter.emit(op.CompositeConstruct, column_type, [row[index] for row in rows])
        for index in range(constant(type.columns))
    ]


def _is_matrix(emitter: Emitter, type: Type) -> bool:
    return isinstance(type, MatrixType) and ir_numeric(emitter, type).op == op.TypeMatrix


def _emit_mul(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
    left, right = types
    a, b = operands
    if shape(left).is_scalar() or shape(right).is_scalar():
        return _scaled(emitter, types, operands)
    if not isinstance(left, MatrixType) and not isinstance(right, MatrixType):
        return dot(emitter, left, a, b)
    result_type = ir_numeric(emitter, call.type)
    plain = [not isinstance(type, MatrixType) or _is_matrix(emitter, type) for type in (left, right, call.type)]
    if all(plain):
        if not isinstance(right, MatrixType):
            return emitter.emit(op.VectorTimesMatrix, result_type, [b, a])
        code = op.MatrixTimesMatrix if isinstance(left, MatrixType) else op.MatrixTimesVector
        return emitter.emit(code, result_type, [b, a])
    return _by_dots(emitter, call.type, types, operands)


def _scaled(emitter: Emitter, types: list[Type], operands: list[Value]) -> Value:
    """One operand is a scalar."""
    if shape(types[0]).is_scalar():
        types, operands = [types[1], types[0]], [operands[1], operands[0]]
    whole, factor = types[0], operands[1]
    if not isinstance(whole, MatrixType):
        return binary(emitter, "*", whole, operands[0], splat(emitter, whole, factor))
    if _is_matrix(emitter, whole):
        return emit_op(emitter, op.MatrixTimesScalar, whole, operands)
    row = row_type(whole)
    spread = splat(emitter, row, factor)
    rows = [binary(emitter, "*", row, each, spread) for each in rows_of(emitter, whole, operands[0])]
    return emitter.emit(op.CompositeConstruct, ir_numeric(emitter, whole), [*rows])


def _by_dots(emitter: Emitter, result: Type, types: list[Type], operands: list[Value]) -> Value:
    left, right = types
    rows = rows_of(emitter, left, operands[0]) if isinstance(left, MatrixType) else [operands[0]]
    columns = columns_of(emitter, right, operands[1]) if isinstance(right, MatrixType) else [operands[1]]
    inner = row_type(left) if isinstance(left, MatrixType) else left
    rows_of_result = [[dot(emitter, inner, row, column) for column in columns] for row in rows]
    if not isinstance(result, MatrixType):
        parts = rows_of_result[0] if not isinstance(left, MatrixType) else [row[0] for row in rows_of_result]
        return (
            parts[0] if len(parts) == 1 else emitter.emit(op.CompositeConstruct, ir_numeric(emitter, result), [*parts])
        )
    row_kind = ir_numeric(emitter, row_type(result))
    whole = [
        row[0] if len(row) == 1 else emitter.emit(op.CompositeConstruct, row_kind, [*row]) for row in rows_of_result
    ]
    return emitter.emit(op.CompositeConstruct, ir_numeric(emitter, result), [*whole])


def _transpose(arguments: list[Type], type_arguments: list[Type], receiver: Type | None) -> Signature | None:
    if len(arguments) != 1 or not isinstance(arguments[0], MatrixType):
        return None
    type = arguments[0]
    result = MatrixType(type.element, type.columns, type.rows, type.row_major)
    return Signature([type], ["in"], result, "transpose", [type.element])


def transposed(emitter: Emitter, type: MatrixType, result: MatrixType, matrix: Value) -> Value:
    if _is_matrix(emitter, type):
        return emit_op(emitter, op.Transpose, result, [matrix])
    return emitter.emit(op.CompositeConstruct, ir_numeric(emitter, result), [*columns_of(emitter, type, matrix)])


def _emit_transpose(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
    type = types[0]
    assert isinstance(type, MatrixType)
    return transposed(emitter, type, MatrixType(type.element, type.columns, type.rows), operands[0])


def _square(arguments: list[Type], type_arguments: list[Type], receiver: Type | None) -> Signature | None:
    if len(arguments) != 1 or not isinstance(arguments[0], MatrixType):
        return None
    type = arguments[0]
    accepted = accept(type.element, "f")
    if accepted is None or not same(type.rows, type.columns):
        return None
    return Signature([shape(type).of(accepted)], ["in"], accepted, "determinant", [accepted])


def _emit_determinant(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
    scalar = scalar_of(types[0])
    if not _is_matrix(emitter, types[0]):
        return emitter.emit(op.CompositeExtract, ir_numeric(emitter, scalar), [operands[0], 0])
    return emit_op(emitter, -glsl.Determinant, scalar, operands)


BUILTINS: Final[dict[str, Builtin]] = {
    "mul": Builtin("mul", _mul, _emit_mul),
    "transpose": Builtin("transpose", _transpose, _emit_transpose),
    "determinant": Builtin("determinant", _square, _emit_determinant),
}
