"""Conditions: any, all, select, and, or, not.

    any(float3 v)   Any (v != 0)        select(bool, S, S)   Select of whole values       select(bool3, float3, float3)

`select` evaluates both of its values, as a call does.
"""

from typing import Final

from reknit.front.slang.builtins.arithmetic import binary, bools
from reknit.front.slang.builtins.builtin import Builtin, Signature
from reknit.front.slang.builtins.components import by_kind, emit_op, row_of, splat
from reknit.front.slang.builtins.constants import number
from reknit.front.slang.builtins.emitter import Emitter
from reknit.front.slang.builtins.rows import Row, Rows
from reknit.front.slang.builtins.shapes import constant, count_of, element, ir_numeric, join, row_type, scalar_of, shape
from reknit.front.slang.hir import Intrinsic
from reknit.front.slang.types import BOOL, MatrixType, Type, same
from reknit.ir import op
from reknit.ir.value import Value


def _reduction(code: int, join_code: int) -> Row:
    def of_vector(emitter: Emitter, type: Type, value: Value) -> Value:
        if scalar_of(type).kind != "bool":
            value = binary(emitter, "!=", type, value, number(emitter, type, 0))
        return value if count_of(type) == 1 else emit_op(emitter, code, BOOL, [value])

    def make(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
        type = types[0]
        if not isinstance(type, MatrixType):
            return of_vector(emitter, type, operands[0])
        joined = of_vector(emitter, row_type(type), row_of(emitter, type, operands[0], 0))
        for index in range(1, constant(type.rows)):
            other = of_vector(emitter, row_type(type), row_of(emitter, type, operands[0], index))
            joined = emit_op(emitter, join_code, BOOL, [joined, other])
        return joined

    return "a bool(T)", make


def _select(arguments: list[Type], type_arguments: list[Type], receiver: Type | None) -> Signature | None:
    """A single condition selects between values of any one type, several between components."""
    if len(arguments) != 3 or element(arguments[0]) is None:
        return None
    condition, a, b = arguments
    directions = ["in", "in", "in"]
    if shape(condition).is_scalar():
        joined = a if same(a, b) else join([a, b], "a")
        return None if joined is None else Signature([BOOL, joined, joined], directions, joined, "select", [joined])
    joined = join([a, b], "a")
    component = None if joined is None else element(joined)
    if joined is None or component is None or not (shape(joined).is_scalar() or shape(joined).fits(shape(condition))):
        return None
    whole = shape(condition).of(component)
    return Signature([bools(condition), whole, whole], directions, whole, "select", [component])


def _emit_select(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
    if shape(types[0]).is_scalar():
        if element(types[1]) is not None and not isinstance(types[1], MatrixType):
            return emit_op(emitter, op.Select, types[1], [splat(emitter, bools(types[1]), operands[0]), *operands[1:]])
        return emitter.emit(op.Select, emitter.ir_type(types[1]), [*operands])
    if not isinstance(types[1], MatrixType):
        return emit_op(emitter, op.Select, types[1], operands)
    condition = types[0]
    assert isinstance(condition, MatrixType)
    row = row_type(types[1])
    rows: list[Value] = []
    for index in range(constant(condition.rows)):
        values = [row_of(emitter, types[1], operand, index) for operand in operands[1:]]
        rows.append(emit_op(emitter, op.Select, row, [row_of(emitter, condition, operands[0], index), *values]))
    return emitter.emit(op.CompositeConstruct, ir_numeric(emitter, types[1]), [*rows])


FUNCTIONS: Final[Rows] = {
    "all": _reduction(op.All, op.LogicalAnd),
    "and": ("a T:bool(T:bool, T:bool)", by_kind((0, 0, 0, op.LogicalAnd))),
    "any": _reduction(op.Any, op.LogicalOr),
    "or": ("a T:bool(T:bool, T:bool)", by_kind((0, 0, 0, op.LogicalOr))),
}
BUILTINS: Final[dict[str, Builtin]] = {"select": Builtin("select", _select, _emit_select)}
